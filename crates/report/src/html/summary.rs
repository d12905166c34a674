//! Builds the summary in the index: the run, its devices, and a short entry for each flow.

use camino::Utf8Path;
use indexmap::IndexSet;
use serde::Serialize;

use super::WrittenScripts;
use super::embedded::LeftOut;
use super::problem_view::{self, ProblemView};
use crate::records::{Attempt, FlowRecord, InvalidFlow, LogLine};
use crate::results::Results;
use runner_device::DeviceInfo;
use runner_event::{FlowStatus, Host, SnapshotVerdict, SourceLocation, StopReason};
use runner_flow::CaseName;
use runner_history::Trend;
use runner_snapshot::Cause;

/// Summary of a run.
#[derive(Debug, Serialize)]
pub(super) struct Summary<'a> {
    pub version: &'a str,
    pub run: &'a str,
    /// Start of the run, RFC 3339.
    pub started: &'a str,
    pub ms: u64,
    /// Path of the project on the machine that ran it.
    pub root: &'a str,
    /// Artifact folder, relative to the root if it is below it.
    artifacts: &'a Utf8Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<u8>,
    /// Failures that are of no flow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<StopReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<&'a Host>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    log: &'a [LogLine],
    pub devices: Vec<Device<'a>>,
    pub flows: Vec<Entry<'a>>,
    /// Failed flows grouped by cause, as the terminal shows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<ProblemView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<InvalidFlowView<'a>>,
    /// Files and flows for which a report of one file had no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

#[derive(Debug, Serialize)]
pub(super) struct Device<'a> {
    label: &'a str,
    /// `None` if the device never was ready.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    info: Option<&'a DeviceInfo>,
    /// Times in which it was there, in milliseconds since the run began. The end is `None` if it was not
    /// lost.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    there: &'a [(u64, Option<u64>)],
}

/// Flow that could not be parsed.
#[derive(Debug, Serialize)]
pub(super) struct InvalidFlowView<'a> {
    pub flow: &'a Utf8Path,
    pub message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<&'a SourceLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

/// Flow on a device.
#[derive(Debug, Serialize)]
pub(super) struct Entry<'a> {
    pub flow: &'a Utf8Path,
    /// Name of the case, repetition and the like, if the flow has several results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Index in `devices`. `None` if no device had taken the flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<usize>,
    /// True if the flow may run on any device and is one result.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    anywhere: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'a str>,
    pub status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app_version: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    /// Start of each attempt in milliseconds since the run began, its duration in milliseconds, and the index
    /// of its device.
    spans: Vec<(u64, u64, usize)>,
    trips: u64,
    dumps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<&'a str>,
    /// True if something else than a golden ended the flow, so that `snapshots` did not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ended_otherwise: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<SourceLine<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    snapshots: Vec<Snapshot<'a>>,
    /// Link to the picture of the attempt that failed, also if a later one passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<&'a str>,
    /// Results in earlier runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    past: Option<Past<'a>>,
    /// Link to the script with the flow's data.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a str>,
}

/// Results of a flow in earlier runs.
#[derive(Debug, Serialize)]
struct Past<'a> {
    #[serde(flatten)]
    trend: &'a Trend,
    /// Outcome and milliseconds of the newest results, oldest first.
    points: Vec<(&'static str, u64)>,
}

/// Results of a flow in the page. Chosen: as many as its chart shows well.
const MAX_POINTS: usize = 30;

impl<'a> Past<'a> {
    fn new(trend: &'a Trend) -> Self {
        let newest = trend.points.len().saturating_sub(MAX_POINTS);
        let points = trend.points[newest..].iter();
        Self {
            trend,
            points: points
                .map(|point| (point.outcome.as_str(), point.ms))
                .collect(),
        }
    }
}

/// Place in a file, with the text of its line.
#[derive(Debug, Serialize)]
pub(super) struct SourceLine<'a> {
    pub file: &'a Utf8Path,
    pub line: usize,
    pub column: usize,
    text: &'a str,
}

/// Snapshot that did not pass.
#[derive(Debug, Serialize)]
struct Snapshot<'a> {
    key: &'a str,
    verdict: SnapshotVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a Cause>,
    /// True if a pending change waits for a review in the project's folder.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pending: bool,
}

impl<'a> Summary<'a> {
    pub fn new(results: &'a Results, reported: &'a WrittenScripts) -> Self {
        let run = results.run.as_ref();
        let labels = results.labels();
        let flows = results.flows.iter().map(|(key, record)| {
            let script = reported.get(key);
            Entry {
                flow: &key.id.flow,
                case: key.id.distinction(),
                device: record
                    .device()
                    .or(Some(key.device.as_str()))
                    .and_then(|label| labels.get_index_of(label)),
                anywhere: key.device.is_empty(),
                spans: spans(record, &labels),
                picture: script.and_then(|script| script.picture.as_deref()),
                data: script.map(|script| script.href.as_str()),
                past: results
                    .trends
                    .get(
                        key.id.flow.as_str(),
                        key.id.case.as_ref().map(CaseName::as_str),
                    )
                    .map(Past::new),
                ..Entry::new(record)
            }
        });
        Self {
            version: run.map_or("", |run| &run.version),
            run: run.map_or("", |run| &run.run_id),
            started: run.map_or("", |run| &run.started),
            ms: results.elapsed_ms,
            root: run.map_or("", |run| run.root.as_str()),
            artifacts: run.map_or(Utf8Path::new(""), |run| {
                run.artifacts
                    .strip_prefix(&run.root)
                    .unwrap_or(&run.artifacts)
            }),
            exit_code: results.finish.map(|finish| finish.exit_code),
            because: results
                .because
                .iter()
                .map(|failure| failure.message.as_str())
                .collect(),
            log: &results.log,
            stopped: results.stopped,
            host: run.and_then(|run| run.host.as_ref()),
            flows: flows.collect(),
            problems: problem_view::views(results),
            devices: labels
                .iter()
                .map(|label| Device {
                    label,
                    info: results.devices.get(*label),
                    there: results.presence.get(*label).map_or(&[][..], Vec::as_slice),
                })
                .collect(),
            unreadable: results
                .unreadable
                .iter()
                .map(|bad| InvalidFlowView::new(bad, results))
                .collect(),
            left_out: None,
        }
    }

    /// Counts flows by status, worst first. Statuses without a flow are left out. Unreadable flows are
    /// errors.
    pub fn totals(&self) -> Vec<(&'static str, usize)> {
        let count = |status: &str| {
            self.flows
                .iter()
                .filter(|flow| flow.status == status)
                .count()
        };
        STATUSES
            .into_iter()
            .map(|status| {
                let unreadable = if status == "error" {
                    self.unreadable.len()
                } else {
                    0
                };
                (status, count(status) + unreadable)
            })
            .filter(|(_, number)| *number > 0)
            .collect()
    }
}

/// Statuses as the page has them, worst first.
const STATUSES: [&str; 9] = [
    "error",
    "failed",
    "interrupted",
    "unfinished",
    "not_run",
    "quarantined",
    "flaky",
    "skipped",
    "passed",
];

/// Returns the spans of attempts, as in [`Entry::spans`]: begin and duration in milliseconds, and the index
/// of the device in `labels`. An attempt without an end lasts until its last reported step ended. Attempts
/// without a duration or with an unknown device are left out. Empty if the flow never began.
fn spans(record: &FlowRecord, labels: &IndexSet<&str>) -> Vec<(u64, u64, usize)> {
    let span = |attempt: &Attempt| {
        let took = match &attempt.end {
            Some(end) => end.duration_ms,
            None => attempt.reported_ms()?,
        };
        let device = labels.get_index_of(attempt.device.as_str())?;
        Some((attempt.t_ms, took, device))
    };
    if !record.has_begun() {
        return Vec::new();
    }
    record.attempts.iter().filter_map(span).collect()
}

impl<'a> InvalidFlowView<'a> {
    fn new(bad: &'a InvalidFlow, results: &'a Results) -> Self {
        Self {
            flow: &bad.flow,
            message: &bad.message,
            at: bad.at.as_ref(),
            source: results.sources.get(&bad.flow).map(String::as_str),
        }
    }
}

impl<'a> Entry<'a> {
    /// Returns the flow's path with its case.
    pub fn label(&self) -> String {
        match &self.case {
            Some(case) => format!("{} [{case}]", self.flow),
            None => self.flow.to_string(),
        }
    }

    fn new(record: &'a FlowRecord) -> Self {
        let outcome = record.outcome();
        let status = match outcome.map(|(_, end)| end.status) {
            Some(FlowStatus::Passed) => "passed",
            Some(FlowStatus::Flaky) => "flaky",
            Some(FlowStatus::Failed) => "failed",
            Some(FlowStatus::Error) => "error",
            Some(FlowStatus::Skipped) => "skipped",
            Some(FlowStatus::Interrupted) => "interrupted",
            Some(FlowStatus::Quarantined) => "quarantined",
            None if record.has_begun() => "unfinished",
            None => "not_run",
        };
        // A flow that passed at last is described by its earlier failure.
        let failed = record.attempts.iter().rfind(|attempt| {
            attempt
                .end
                .as_ref()
                .is_some_and(|end| end.failure.is_some())
        });
        let end = failed.and_then(|attempt| attempt.end.as_ref());
        let at = end
            .and_then(|end| end.failed_at.as_ref())
            .or(failed.and_then(Attempt::failed_step).map(|step| &step.at));
        let ends = record
            .attempts
            .iter()
            .filter_map(|attempt| attempt.end.as_ref());
        Self {
            flow: Utf8Path::new(""),
            case: None,
            past: None,
            device: None,
            anywhere: false,
            name: record.name.as_deref(),
            status,
            app: record.app.as_deref(),
            app_version: record.app_version(),
            tags: &record.tags,
            spans: Vec::new(),
            trips: ends
                .clone()
                .fold(0, |sum, end| sum.saturating_add(end.cost.round_trips)),
            dumps: ends.fold(0, |sum, end| sum.saturating_add(end.cost.dumps)),
            message: end
                .and_then(|end| end.failure.as_ref())
                .map(|failure| &*failure.message),
            ended_otherwise: end
                .and_then(|end| end.failure.as_ref())
                .is_some_and(|failure| !failure.is_about_a_golden()),
            at: at.map(|at| SourceLine {
                file: &at.file,
                line: at.line,
                column: at.column,
                text: &at.text,
            }),
            snapshots: record
                .attempts
                .last()
                .into_iter()
                .flat_map(Attempt::open_snapshots)
                .map(|snapshot| Snapshot {
                    key: &snapshot.key,
                    verdict: snapshot.verdict,
                    cause: snapshot.cause.as_ref(),
                    pending: !snapshot.pending.is_empty(),
                })
                .collect(),
            picture: None,
            data: None,
        }
    }
}
