//! Builds the summary in the index: the run, its devices, and a short entry for each flow.

use indexmap::IndexSet;

use super::problem_view;
use super::view::{
    DeviceView, EntryStatus, FlowEntry, FlowHistory, InvalidFlowView, OpenSnapshot, Summary,
};
use super::written_scripts::WrittenScripts;
use crate::records::{Attempt, FlowRecord, InvalidFlow, RunInfo};
use crate::results::Results;
use runner_event::FlowStatus;
use runner_flow::CaseName;
use runner_history::Trend;

/// Results of a flow in the page. Chosen: as many as its chart shows well.
const MAX_POINTS: usize = 30;

impl FlowHistory {
    /// Keeps outcome and duration of the newest `MAX_POINTS` results, oldest first. All other numbers are of all
    /// results.
    fn new(trend: &Trend) -> Self {
        let newest = trend.points.len().saturating_sub(MAX_POINTS);
        let points = trend.points[newest..].iter();
        Self {
            points: points.map(|point| (point.outcome, point.ms)).collect(),
            trend: Trend {
                bad_since: trend.bad_since.clone(),
                points: Vec::new(),
                ..*trend
            },
        }
    }
}

impl Summary {
    /// Creates the summary of the results so far, with flows in their order. A flow without a script in `reported`
    /// has no data and no picture. Without a start, the run's own fields are empty; without an end, the exit code is
    /// `None`. Nothing is left out for size: `left_out` is `None`.
    pub(super) fn new(results: &Results, reported: &WrittenScripts) -> Self {
        let labels = results.labels();
        let flows = results.flows.iter().map(|(key, record)| {
            let script = reported.get(key);
            FlowEntry {
                flow: key.id.flow.clone(),
                case: key.id.distinction(),
                device: record
                    .device()
                    .or(Some(key.device.as_str()))
                    .and_then(|label| labels.get_index_of(label)),
                anywhere: key.device.is_empty(),
                spans: spans(record, &labels),
                picture: script.and_then(|script| script.picture.clone()),
                data: script.map(|script| script.href.clone()),
                past: results
                    .trends
                    .get(
                        key.id.flow.as_str(),
                        key.id.case.as_ref().map(CaseName::as_str),
                    )
                    .map(FlowHistory::new),
                ..FlowEntry::new(record)
            }
        });
        Self {
            ms: results.elapsed_ms,
            exit_code: results.finish.map(|finish| finish.exit_code),
            because: results
                .because
                .iter()
                .map(|failure| failure.message.clone())
                .collect(),
            log: results.log.clone(),
            stopped: results.stopped,
            flows: flows.collect(),
            problems: problem_view::views(results),
            devices: labels
                .iter()
                .map(|label| DeviceView {
                    label: (*label).to_owned(),
                    info: results.devices.get(*label).cloned(),
                    there: results.presence.get(*label).cloned().unwrap_or_default(),
                })
                .collect(),
            unreadable: results
                .unreadable
                .iter()
                .map(|bad| InvalidFlowView::new(bad, results))
                .collect(),
            ..results.run.as_ref().map(Self::from_run).unwrap_or_default()
        }
    }

    /// Copies the fields of a run's start; all others are empty. The artifacts folder is relative to the root if it
    /// is in it.
    fn from_run(run: &RunInfo) -> Self {
        let artifacts = run.artifacts.strip_prefix(&run.root);
        Self {
            version: run.version.clone(),
            run: run.run_id.clone(),
            started: run.started.clone(),
            root: run.root.to_string(),
            artifacts: artifacts.unwrap_or(&run.artifacts).to_owned(),
            host: run.host.clone(),
            ..Self::default()
        }
    }

    /// Counts flows by status, worst first. Statuses without a flow are left out. Unreadable flows are errors. Empty
    /// without flows.
    pub(super) fn totals(&self) -> Vec<(EntryStatus, usize)> {
        let statuses = self.flows.iter().map(|flow| flow.status);
        let unreadable = self.unreadable.iter().map(|_| EntryStatus::Error);
        let all: Vec<EntryStatus> = statuses.chain(unreadable).collect();
        let count = |status: EntryStatus| all.iter().filter(|other| **other == status).count();
        let counts = EntryStatus::WORST_FIRST.map(|status| (status, count(status)));
        let mut totals = Vec::from(counts);
        totals.retain(|(_, number)| *number > 0);
        totals
    }
}

impl EntryStatus {
    const WORST_FIRST: [Self; 9] = [
        Self::Error,
        Self::Failed,
        Self::Interrupted,
        Self::Unfinished,
        Self::NotRun,
        Self::Quarantined,
        Self::Flaky,
        Self::Skipped,
        Self::Passed,
    ];

    /// Returns the status in words, such as `not run`, in lower case.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Unfinished => "unfinished",
            Self::NotRun => "not run",
            Self::Quarantined => "quarantined",
            Self::Flaky => "flaky",
            Self::Skipped => "skipped",
            Self::Passed => "passed",
            Self::Unknown => "unknown",
        }
    }
}

impl From<FlowStatus> for EntryStatus {
    /// Returns the entry's status of the same name. `Unfinished`, `NotRun` and `Unknown` are never returned.
    fn from(status: FlowStatus) -> Self {
        match status {
            FlowStatus::Passed => Self::Passed,
            FlowStatus::Flaky => Self::Flaky,
            FlowStatus::Failed => Self::Failed,
            FlowStatus::Error => Self::Error,
            FlowStatus::Skipped => Self::Skipped,
            FlowStatus::Interrupted => Self::Interrupted,
            FlowStatus::Quarantined => Self::Quarantined,
        }
    }
}

/// Returns the spans of attempts, as in [`FlowEntry::spans`]: begin and duration in milliseconds, and the index of
/// the device in `labels`. An attempt without an end lasts until its last reported step ended. Attempts that reported
/// neither an end nor a step, and those on an unknown device, are left out. Empty if the flow never began.
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

impl InvalidFlowView {
    /// Creates the view of a flow that cannot be read, with its text if the run sent it, else `None`.
    fn new(bad: &InvalidFlow, results: &Results) -> Self {
        Self {
            flow: bad.flow.clone(),
            message: bad.message.clone(),
            at: bad.at.clone(),
            source: results.sources.get(&bad.flow).cloned(),
        }
    }
}

impl FlowEntry {
    /// Returns the flow's path, followed by its case in brackets if it has one.
    pub(super) fn label(&self) -> String {
        match &self.case {
            Some(case) => format!("{} [{case}]", self.flow),
            None => self.flow.to_string(),
        }
    }

    /// Creates the entry from all attempts, without what the record does not know: path, device, links, spans and
    /// history. The status is that of the last attempt; if it has no end or another is to follow, `Unfinished` or
    /// `NotRun`. Costs are summed. Message and place are of the last attempt with a failure, even if the flow passed
    /// at last. Snapshots are those of the last attempt that did not pass.
    fn new(record: &FlowRecord) -> Self {
        let outcome = record.outcome();
        let status = match outcome.map(|(_, end)| end.status) {
            Some(status) => EntryStatus::from(status),
            None if record.has_begun() => EntryStatus::Unfinished,
            None => EntryStatus::NotRun,
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
            name: record.name.clone(),
            status,
            app: record.app.clone(),
            app_version: record.app_version(),
            tags: record.tags.clone(),
            trips: ends
                .clone()
                .fold(0, |sum, end| sum.saturating_add(end.cost.round_trips)),
            dumps: ends.fold(0, |sum, end| sum.saturating_add(end.cost.dumps)),
            message: end
                .and_then(|end| end.failure.as_ref())
                .map(|failure| failure.message.masked_text().to_owned()),
            ended_otherwise: end
                .and_then(|end| end.failure.as_ref())
                .is_some_and(|failure| !failure.is_about_a_golden()),
            at: at.cloned(),
            snapshots: record
                .attempts
                .last()
                .into_iter()
                .flat_map(Attempt::open_snapshots)
                .map(|snapshot| OpenSnapshot {
                    key: snapshot.key.clone(),
                    verdict: snapshot.verdict,
                    cause: snapshot.cause.clone(),
                    pending: !snapshot.pending.is_empty(),
                })
                .collect(),
            ..Self::default()
        }
    }
}
