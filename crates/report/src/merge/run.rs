//! Runs to be merged, each once and with its place on the common time line.

use camino::Utf8PathBuf;
use chrono::DateTime;
use indexmap::IndexMap;

use runner_base::exit_code::ExitCode;
use runner_event::{Event, EventKind, RunFailure, RunFailureKind, Summary};

/// A run with its position in the merged stream.
pub(super) struct Run {
    pub(super) id: String,
    /// Start in milliseconds since 1970. `None` if the stream does not hold a valid time.
    pub(super) began_ms: Option<i64>,
    /// Milliseconds to add to the times of its events.
    pub(super) shift_ms: u64,
    pub(super) events: Vec<Event>,
}

impl Run {
    /// Creates a run from the events of one stream; `None` if they do not begin with a start. Without a valid start
    /// time, `began_ms` is `None`.
    pub(super) fn from_events(events: Vec<Event>) -> Option<Self> {
        let EventKind::Start {
            run_id, started, ..
        } = &events.first()?.kind
        else {
            return None;
        };
        let began = DateTime::parse_from_rfc3339(started).ok();
        Some(Self {
            id: run_id.clone(),
            began_ms: began.map(|began| began.timestamp_millis()),
            shift_ms: 0,
            events,
        })
    }

    /// Returns the latest time of any event, in milliseconds since the run began, or the duration of the end if that
    /// is more. 0 without events.
    fn duration_ms(&self) -> u64 {
        let times = self.events.iter().map(|event| match event.kind {
            EventKind::Finish { duration_ms, .. } => duration_ms,
            _ => event.t_ms,
        });
        times.max().unwrap_or(0)
    }

    pub(super) fn is_finished(&self) -> bool {
        let finish = |event: &Event| matches!(event.kind, EventKind::Finish { .. });
        self.events.last().is_some_and(finish)
    }

    /// Returns the failures that are of no flow. Empty if the last event is not the run's end.
    pub(super) fn failures(&self) -> &[RunFailure] {
        match self.events.last().map(|last| &last.kind) {
            Some(EventKind::Finish { because, .. }) => because,
            _ => &[],
        }
    }

    /// Returns true if flaky flows fail this run. Streams of earlier versions do not hold that: if the run
    /// recorded no failures, the exit code tells. It must be that of failed flows although no flow failed
    /// otherwise. Returns false for a run without an end.
    pub(super) fn fails_on_flaky(&self) -> bool {
        let failures = self.failures();
        if !failures.is_empty() {
            let is_flaky = |failure: &RunFailure| failure.kind == RunFailureKind::Flaky;
            return failures.iter().any(is_flaky);
        }
        let Some(EventKind::Finish { exit_code, .. }) = self.events.last().map(|last| &last.kind)
        else {
            return false;
        };
        // The stream does not say with which options the run was started.
        let mut summary = Summary::new();
        for event in &self.events {
            summary.add(event);
        }
        summary.exit_code(false) == ExitCode::Passed && *exit_code == ExitCode::Failed as u8
    }

    /// Returns true if the run planned `flow` or could not read it.
    pub(super) fn knows(&self, flow: &Utf8PathBuf) -> bool {
        self.events.iter().any(|event| match &event.kind {
            EventKind::Plan { flows, .. } => flows.iter().any(|id| id.flow == *flow),
            EventKind::Unreadable { flow: refused, .. } => refused == flow,
            _ => false,
        })
    }
}

/// Removes duplicates, which have the same run id, and keeps the stream with the most events of each; the first of
/// equally long ones. The runs stay in the order in which their ids first came.
pub(super) fn remove_duplicates(runs: &mut Vec<Run>) {
    let mut stored: IndexMap<String, Run> = IndexMap::new();
    for run in runs.drain(..) {
        match stored.get_mut(&run.id) {
            Some(known) if known.events.len() >= run.events.len() => {}
            Some(known) => *known = run,
            None => {
                stored.insert(run.id.clone(), run);
            }
        }
    }
    runs.extend(stored.into_values());
}

/// Sets the shifts, in milliseconds, so that runs lie on one time line, without the pauses between them. Runs must be
/// in the order of their start; runs that overlapped still do. A run without a start time begins when all before it
/// have ended. Returns the duration of all, 0 without runs.
pub(super) fn place_runs(runs: &mut [Run]) -> u64 {
    let mut first = None;
    let mut end: u64 = 0;
    let mut left_out: u64 = 0;
    for run in runs {
        // A run without a start time follows the one before.
        let since = match (first, run.began_ms) {
            (None, Some(began)) => {
                first = Some(began);
                0
            }
            (Some(first), Some(began)) => u64::try_from(began.saturating_sub(first)).unwrap_or(0),
            (_, None) => end.saturating_add(left_out),
        };
        let at = since.saturating_sub(left_out);
        left_out += at.saturating_sub(end);
        run.shift_ms = at.min(end);
        end = end.max(run.shift_ms.saturating_add(run.duration_ms()));
    }
    end
}
