//! Merged stream: takes the events of one run after another, and ends with totals over all.

use std::collections::HashSet;

use runner_base::exit_code::ExitCode;
use runner_event::{
    Event, EventKind, FlowStatus, ResultKey, ResultKeys, RunFailure, RunFailureKind, Summary,
};
use runner_tools::FailureKind;

use super::attempts::{RunState, identity};
use super::run::Run;

#[derive(Default)]
pub(super) struct MergedStream {
    pub(super) events: Vec<Event>,
    pub(super) keys: ResultKeys,
    /// Flaky flows fail the merged run.
    pub(super) fails_on_flaky: bool,
    /// Events already added that need to be there once only.
    reported: HashSet<String>,
    failed: HashSet<ResultKey>,
}

impl MergedStream {
    pub(super) fn push(&mut self, t_ms: u64, kind: EventKind) {
        self.events.push(Event { seq: 0, t_ms, kind });
    }

    fn is_new(&mut self, kind: &str, value: &impl std::fmt::Debug) -> bool {
        self.reported.insert(describe(kind, value))
    }

    /// Adds an event of a run, with its time and attempt shifted and its end adapted by [`Self::end_flow`]. Leaves
    /// out `start`, `plan` and `finish`, repeats of sources, devices and messages of no flow, flows that count in
    /// another run only, and an unreadable flow that a later run knows. A device that was lost may be reported again.
    pub(super) fn add(
        &mut self,
        index: usize,
        run: &Run,
        later: &[Run],
        event: &Event,
        state: &mut RunState,
    ) {
        let mut kind = event.kind.clone();
        let wanted = match &kind {
            EventKind::Start { .. } | EventKind::Plan { .. } | EventKind::Finish { .. } => false,
            EventKind::Source { file, text } => self.is_new("source", &(file, text)),
            EventKind::Device { label, .. } => self.is_new("device", label),
            EventKind::DeviceLost { label, .. } => {
                // The device is reported again when it is back.
                self.reported.remove(&describe("device", label));
                true
            }
            // A later run may have read the flow after it was mended.
            EventKind::Unreadable { flow, .. } => !later.iter().any(|run| run.knows(flow)),
            EventKind::Log {
                id: None, message, ..
            } => self.is_new("log", message),
            EventKind::Stopping { because } => self.is_new("stopping", &(index, because)),
            _ => true,
        };
        if !wanted {
            return;
        }
        if let Some(id) = identity(&mut kind) {
            let Some((before, _)) = state.offsets.get(&self.keys.result_key(id)) else {
                return;
            };
            id.attempt = id.attempt.saturating_add(*before);
        }
        self.end_flow(&mut kind, state);
        self.push(run.shift_ms.saturating_add(event.t_ms), kind);
    }

    /// Changes a `flow_finished` event so that only the last attempt of the last run is the last, and a pass after a
    /// failure in any run, in quarantine too, is flaky; remembers failures for that. A failure of the infrastructure
    /// after which another device took the flow over is no failure. As in a run, flaky is a failure in quarantine where
    /// flaky flows fail the run. Leaves other events alone.
    fn end_flow(&mut self, kind: &mut EventKind, state: &RunState) {
        let EventKind::FlowFinished {
            id,
            status,
            last,
            failure,
            quarantine,
            ..
        } = kind
        else {
            return;
        };
        let key = self.keys.result_key(id);
        let cause = failure.as_ref().map(|failure| failure.kind);
        // Another device took the flow over, so the loss of this one is no failure of the flow.
        let was_given_back = !*last && cause == Some(FailureKind::Infrastructure);
        *last &= !state.offsets.get(&key).is_some_and(|(_, later)| *later);
        match status {
            FlowStatus::Failed | FlowStatus::Error | FlowStatus::Quarantined if !was_given_back => {
                self.failed.insert(key);
            }
            FlowStatus::Passed if self.failed.contains(&key) => *status = FlowStatus::Flaky,
            _ => {}
        }
        let is_in_quarantine = quarantine.as_ref().is_some_and(|it| !it.ended);
        if *status == FlowStatus::Flaky && is_in_quarantine && self.fails_on_flaky {
            *status = FlowStatus::Quarantined;
        }
    }

    /// Appends the `finish` event with totals and exit code of all events so far. Failures of single runs stay, each
    /// once, except for flaky flows and interrupts, which are judged anew; any failure makes the exit code at least
    /// `Failed`.
    pub(super) fn finish(
        &mut self,
        duration_ms: u64,
        fails_on_flaky: bool,
        failures: Vec<RunFailure>,
    ) {
        let mut summary = Summary::new();
        for event in &self.events {
            summary.add(event);
        }
        // Flaky flows and interrupts are judged again over all runs; the other failures are of no flow.
        let mut because = summary.run_failures(fails_on_flaky);
        for failure in failures {
            let is_judged = matches!(
                failure.kind,
                RunFailureKind::Flaky | RunFailureKind::Interrupted
            );
            if !is_judged && !because.contains(&failure) {
                because.push(failure);
            }
        }
        let mut code = summary.exit_code(fails_on_flaky);
        if !because.is_empty() {
            code = code.max(ExitCode::Failed);
        }
        let kind = EventKind::Finish {
            totals: summary.totals(),
            duration_ms,
            exit_code: code as u8,
            because,
        };
        self.push(duration_ms, kind);
    }
}

fn describe(kind: &str, value: &impl std::fmt::Debug) -> String {
    format!("{kind} {value:?}")
}
