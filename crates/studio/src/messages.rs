//! Messages to pages, as types: those of the feed and of a run, and answers that several requests have. What one module
//! alone sends stands there.

use serde::Serialize;
use serde_json::Value;

use super::agents::AgentsReport;
use super::debugger::PilotState;
use super::devices::DevicesReport;
use super::file::Content;
use super::frames::HistoryLine;
use super::run::RunReport;
use runner_event::{FlowStatus, StepStatus};
use runner_tools::{Failure, Words};

/// As JSON, to be masked or kept.
pub(super) fn to_value(message: impl Serialize) -> Value {
    // Plain data: nothing in it refuses to be written, and each map has texts as keys.
    serde_json::to_value(message).unwrap_or_default()
}

/// What all pages hear, without being asked.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum FeedMessage {
    State(Box<StudioState>),
    Moments { moments: History },
    File { file: FileState },
    Device { device: Value },
    Devices { devices: DevicesReport },
    Agents { agents: AgentsReport },
    Pilot { pilot: PilotState },
    Picture(PictureState),
    Look { seq: u64 },
    Goldens,
    Settings,
    Sweep,
}

/// Everything, for a page that comes; the flow's file is put beside it, for that is not masked.
#[derive(Debug, Serialize)]
pub(super) struct StudioState {
    pub(super) start: String,
    pub(super) device: Value,
    pub(super) picture: Option<PictureState>,
    pub(super) look: Option<u64>,
    pub(super) moments: History,
    pub(super) run: RunReport,
    pub(super) devices: DevicesReport,
    pub(super) agents: AgentsReport,
    pub(super) pilot: PilotState,
}

/// A picture that can be had.
#[derive(Debug, Serialize)]
pub(super) struct PictureState {
    pub(super) seq: u64,
    pub(super) size: (u32, u32),
    #[serde(rename = "taken")]
    pub(super) captured_ms: u64,
}

/// What was done, and the steps that it became.
#[derive(Debug, Serialize)]
pub(super) struct History {
    pub(super) first: usize,
    pub(super) steps: Vec<String>,
    pub(super) variables: Vec<String>,
    pub(super) left_out: usize,
    pub(super) done: Vec<HistoryLine>,
}

/// The flow's file: what is in it, and why it cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct FileState {
    pub(super) path: Option<String>,
    #[serde(flatten)]
    pub(super) content: Option<Content>,
    #[serde(flatten)]
    pub(super) trouble: Option<FileTrouble>,
}

/// Why the flow's file cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct FileTrouble {
    pub(super) error: String,
    pub(super) gone: bool,
}

/// How the device is.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum DeviceState<'a> {
    /// There is none beside a saved run.
    Saved {
        message: Option<String>,
    },
    Waiting {
        message: String,
    },
    Ready {
        label: &'a str,
        model: &'a str,
        release: &'a str,
    },
    /// Another run, or another program, has it.
    InUse {
        message: String,
    },
    /// It has not answered for a while, and may yet.
    Slow {
        message: String,
    },
    /// Its screen is off, or behind a lock screen.
    Locked {
        message: &'static str,
    },
    Lost(DeviceTrouble<'a>),
    Restless(DeviceTrouble<'a>),
}

/// Why there is no picture, or no row.
#[derive(Debug, Serialize)]
pub(super) struct DeviceTrouble<'a> {
    pub(super) message: &'a Words,
    pub(super) details: &'a [Words],
}

/// What a run does; the feed puts its `kind` behind it.
#[derive(Debug, Serialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub(super) enum RunMessage<'a> {
    Begin,
    End,
    Failed {
        message: &'a str,
    },
    Log {
        message: &'a str,
    },
    Note {
        message: &'a str,
    },
    Flow {
        name: &'a str,
        case: Option<&'a runner_flow::CaseName>,
        steps: usize,
    },
    Step(StepReport<'a>),
    Result {
        #[serde(flatten)]
        step: StepReport<'a>,
        status: StepStatus,
        ms: u64,
        failure: Option<&'a Failure>,
    },
    Snapshot {
        key: &'a str,
        verdict: &'static str,
        changes: &'a [String],
    },
    /// What a replay showed otherwise than the recording.
    Replay {
        message: &'a str,
        differs: &'a [String],
    },
    FlowEnd {
        status: FlowStatus,
        ms: u64,
        failure: Option<&'a Failure>,
        line: Option<usize>,
    },
}

/// A step of a run.
#[derive(Debug, Serialize)]
pub(super) struct StepReport<'a> {
    pub(super) title: &'a str,
    pub(super) file: &'a camino::Utf8Path,
    pub(super) line: usize,
    pub(super) depth: usize,
}

/// It was done, and there is nothing to say: `{}`.
#[derive(Debug, Serialize)]
pub(super) struct Done {}
