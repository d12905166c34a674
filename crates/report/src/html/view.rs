//! Data of the page: the summary of a run, and each flow's attempts, steps and traces.
//!
//! A report's page reads these types as JSON, and so does the studio, in a saved report too. Reading ignores
//! fields that it does not know, and gives most missing ones their default, as a report may be of another
//! version. Building them is left to the modules beside this one.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use crate::records::{LogLine, Phase};
use runner_device::remote::RemoteSession;
use runner_device::{Cost, DeviceInfo};
use runner_event::{
    ArtifactKind, FlowStatus, Host, LogLevel, SnapshotResult, SnapshotVerdict, SourceLocation,
    StepStatus, StopReason, TraceAct,
};
use runner_history::{Outcome, Trend};
use runner_screen::Rect;
use runner_snapshot::Cause;
use runner_tools::Failure;

/// Summary of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// Version of the program that ran it.
    pub version: String,
    /// Id of the run.
    pub run: String,
    /// Start of the run, RFC 3339.
    pub started: String,
    /// Duration in milliseconds.
    pub ms: u64,
    /// Path of the project on the machine that ran it.
    pub root: String,
    /// Artifact folder, relative to the root if it is below it.
    pub artifacts: Utf8PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Failures that are of no flow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<Host>,
    /// Messages that are of no flow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<LogLine>,
    pub devices: Vec<DeviceView>,
    pub flows: Vec<FlowEntry>,
    /// Failed flows grouped by cause, as the terminal shows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ProblemView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<InvalidFlowView>,
    /// Files and flows for which a report of one file had no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Omissions>,
}

/// Device of a run.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DeviceView {
    pub label: String,
    /// `None` if the device never was ready.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub info: Option<DeviceInfo>,
    /// Times in which it was there, in milliseconds since the run began. The end is `None` if it was not
    /// lost.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub there: Vec<(u64, Option<u64>)>,
}

/// Flow that could not be parsed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InvalidFlowView {
    pub flow: Utf8PathBuf,
    /// Diagnostics, rendered as text.
    pub message: String,
    /// Place of the first diagnostic.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLocation>,
    /// Text of the flow's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// Flow on a device.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowEntry {
    pub flow: Utf8PathBuf,
    /// Name of the case, repetition and the like, if the flow has several results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Index in `devices`. `None` if no device had taken the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<usize>,
    /// True if the flow may run on any device and is one result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub anywhere: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub status: EntryStatus,
    /// Package of the tested app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Start of each attempt in milliseconds since the run began, its duration in milliseconds, and the index
    /// of its device.
    pub spans: Vec<(u64, u64, usize)>,
    /// Round trips of all attempts.
    pub trips: u64,
    /// Screen dumps of all attempts.
    pub dumps: u64,
    /// Message of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// True if something else than a golden ended the flow, so that `snapshots` did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended_otherwise: bool,
    /// Place of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<OpenSnapshot>,
    /// Link to the picture that represents the last attempt, if it left one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Results in earlier runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub past: Option<FlowHistory>,
    /// Link to the script with the flow's data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

/// Result of a flow, or how far it came without one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    Error,
    Failed,
    Interrupted,
    /// The flow began and has not ended.
    Unfinished,
    NotRun,
    Quarantined,
    Flaky,
    Skipped,
    Passed,
    /// A status of another version, which this one does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Results of a flow in earlier runs.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowHistory {
    /// Rates and durations, without the trend's own points.
    #[serde(flatten)]
    pub trend: Trend,
    /// Outcome and milliseconds of the newest results, oldest first.
    pub points: Vec<(Outcome, u64)>,
}

/// Snapshot that did not pass.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OpenSnapshot {
    pub key: String,
    pub verdict: SnapshotVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// True if a pending change waits for a review in the project's folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pending: bool,
}

/// Flows that failed for the same reason.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ProblemView {
    pub status: FlowStatus,
    /// Reason, in one line.
    pub title: String,
    /// Further lines, such as the nearest matches or the expected value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Place of the first flow's failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLocation>,
    /// Time that the first flow's step waited, such as `2s, virtual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waited: Option<String>,
    /// Indices of the flows in `flows`. Empty for an unreadable file.
    #[serde(default)]
    pub flows: Vec<usize>,
    /// Index of the unreadable file in `unreadable`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<usize>,
    /// Cause of the changed goldens, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// Keys of the snapshots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

/// Numbers of files and flows that are missing or shrunk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Omissions {
    /// Limit of the report, in bytes.
    pub limit: u64,
    /// Missing files of flows that passed.
    pub passed: usize,
    /// Shrunk pictures.
    pub smaller: usize,
    /// Missing files of flows that did not pass.
    pub others: usize,
    /// Flows without data; only the summary has them.
    pub flows: usize,
}

/// Data of one flow on one device.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Detail {
    pub attempts: Vec<AttemptView>,
    /// Texts of the files that its steps are in.
    pub sources: BTreeMap<Utf8PathBuf, String>,
}

/// Attempt at a flow.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttemptView {
    /// Number from 1.
    pub number: u32,
    /// Label of its device, if the attempts were on several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<FlowStatus>,
    /// Start of the attempt, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// Duration in milliseconds.
    pub ms: u64,
    pub cost: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<SourceLocation>,
    /// Index in `steps` of the step that failed the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_step: Option<usize>,
    /// Session of a WebDriver server that lent the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<RemoteSession>,
    pub steps: Vec<StepView>,
    /// Messages with their level.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<(LogLevel, String)>,
    /// Snapshots that did not pass. Those that passed are shown in their steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<SnapshotResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ReportArtifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub video: Vec<VideoView>,
    /// Number of further steps that the studio leaves out. A report has all steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more_steps: Option<usize>,
}

/// Step of an attempt.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StepView {
    /// Position in the flow, such as `setup.0` or `2.then.0`; its name in links.
    pub path: String,
    /// Depth of nesting; 0 for a flow's own steps.
    pub depth: usize,
    pub phase: Phase,
    pub title: String,
    /// Start, in milliseconds since the attempt began.
    pub at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<StepStatus>,
    /// Duration in milliseconds.
    pub ms: u64,
    /// Round trips.
    pub trips: u64,
    /// Screen dumps.
    pub dumps: u64,
    pub file: Utf8PathBuf,
    pub line: usize,
    pub column: usize,
    /// Text of the line, if the file's text is missing or has another line there, as after an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<SnapshotResult>,
    /// Area of the screen on which it acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Indices of its files in the attempt's `files`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<usize>,
}

/// Artifact in a report.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReportArtifact {
    pub kind: ArtifactKind,
    /// Path relative to the artifact folder.
    pub path: Utf8PathBuf,
    /// Link to the file in the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub href: Option<String>,
    /// Width and height of a picture, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<[u32; 2]>,
    /// Content of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Reason why the file is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// Trace of an attempt.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TraceView {
    /// Names of the cells of a row.
    pub columns: Vec<String>,
    /// All different rows of all frames, each once.
    pub rows: Vec<Vec<String>>,
    pub frames: Vec<FrameView>,
    pub acts: Vec<TraceAct>,
    /// Index of the last frame that each step saw.
    #[serde(rename = "seen", skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Option<usize>>,
    /// Lines of the app's log, each with its time in milliseconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<(u64, String)>,
}

/// Screen of a trace.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FrameView {
    /// Time in milliseconds since the attempt began.
    pub at: u64,
    /// Index of the step that saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Width and height of the display, in pixels.
    pub size: [u32; 2],
    /// Indices in [`TraceView::rows`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<usize>>,
    /// Link to the picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
    /// Reason why the screen or the picture is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// Number by which the studio's page asks for the screen. A report has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

/// Piece of a video.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct VideoView {
    /// Start in milliseconds since the attempt began.
    pub at: u64,
    pub file: ReportArtifact,
    /// Frames of a video of the virtual device: start in milliseconds, and link to the picture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<(u64, String)>,
    /// Duration in milliseconds, if the frames give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
}
