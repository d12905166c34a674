//! Types of messages to pages: those of the feed and of a run, and answers of several requests. Messages of a
//! single module are in that module.

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

/// Converts a message to JSON.
pub(super) fn to_value(message: impl Serialize) -> Value {
    // Cannot fail: plain data, and all maps have texts as keys.
    serde_json::to_value(message).unwrap_or_default()
}

/// Message to all pages.
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

/// Whole state, for a new page. The flow's file is added separately, as it is not masked.
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

/// Available picture.
#[derive(Debug, Serialize)]
pub(super) struct PictureState {
    pub(super) seq: u64,
    pub(super) size: (u32, u32),
    #[serde(rename = "taken")]
    pub(super) captured_ms: u64,
}

/// Acts, and the steps that were made of them.
#[derive(Debug, Serialize)]
pub(super) struct History {
    pub(super) first: usize,
    pub(super) steps: Vec<String>,
    pub(super) variables: Vec<String>,
    pub(super) left_out: usize,
    pub(super) done: Vec<HistoryLine>,
}

/// Flow's file: its content, and the reason if it cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct FileState {
    pub(super) path: Option<String>,
    #[serde(flatten)]
    pub(super) content: Option<Content>,
    #[serde(flatten)]
    pub(super) trouble: Option<FileProblem>,
}

/// Reason why the flow's file cannot be read.
#[derive(Debug, Serialize)]
pub(super) struct FileProblem {
    pub(super) error: String,
    pub(super) gone: bool,
}

/// State of the device.
#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum DeviceState<'a> {
    /// A saved run is shown, which has no device.
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
    /// Another run or program uses the device.
    InUse {
        message: String,
    },
    /// The device has not answered for some seconds.
    Slow {
        message: String,
    },
    /// The screen is off or locked.
    Locked {
        message: &'static str,
    },
    Lost(DeviceProblem<'a>),
    Restless(DeviceProblem<'a>),
}

/// Reason why there is no picture or no elements.
#[derive(Debug, Serialize)]
pub(super) struct DeviceProblem<'a> {
    pub(super) message: &'a Words,
    pub(super) details: &'a [Words],
}

/// Event of a run. The feed adds `kind`.
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
    /// Result of a replay, with the differences from the recording.
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

/// Step of a run.
#[derive(Debug, Serialize)]
pub(super) struct StepReport<'a> {
    pub(super) title: &'a str,
    pub(super) file: &'a camino::Utf8Path,
    pub(super) line: usize,
    pub(super) depth: usize,
}

/// Empty answer of a request that succeeded: `{}`.
#[derive(Debug, Serialize)]
pub(super) struct EmptyAnswer {}
