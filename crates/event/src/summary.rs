//! Computes a run's totals and exit code from its events. The run itself uses it too, so that reports agree
//! with it.

use camino::Utf8PathBuf;

use crate::{Event, EventKind, FlowId, FlowStatus, RunFailure, RunFailureKind, StopReason, Totals};
use runner_base::exit_code::ExitCode;
use runner_tools::FailureKind;

/// Accumulates the outcome of a run, event by event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    totals: Totals,
    worst: ExitCode,
    stopped: Option<StopReason>,
    flaky: Vec<FlowId>,
    quarantined: Vec<FlowId>,
    not_passed: Vec<(FlowId, FlowStatus)>,
    unreadable: Vec<Utf8PathBuf>,
}

impl Summary {
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event into account: unreadable flows, stops, and the last attempt of each flow. A stop by the
    /// user is not replaced by a later one. All other events are ignored.
    pub fn add(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Unreadable { flow, .. } => {
                self.totals.errors += 1;
                self.unreadable.push(flow.clone());
                self.worst = self.worst.max(ExitCode::Usage);
            }
            EventKind::Stopping { because } => {
                // A stop by the user outranks one by the program.
                if self.stopped != Some(StopReason::User) {
                    self.stopped = Some(*because);
                }
            }
            EventKind::FlowFinished {
                id,
                status,
                last: true,
                failure,
                ..
            } => self.finished(id, *status, failure.as_ref().map(|failure| failure.kind)),
            EventKind::Start { .. }
            | EventKind::Source { .. }
            | EventKind::Plan { .. }
            | EventKind::Device { .. }
            | EventKind::DeviceLost { .. }
            | EventKind::FlowStarted { .. }
            | EventKind::Session { .. }
            | EventKind::StepStarted { .. }
            | EventKind::StepFinished { .. }
            | EventKind::Snapshot { .. }
            | EventKind::Dialog { .. }
            | EventKind::Log { .. }
            | EventKind::FlowFinished { .. }
            | EventKind::Finish { .. }
            | EventKind::Trace { .. }
            | EventKind::Video { .. }
            | EventKind::Unknown => {}
        }
    }

    /// Counts the last result of a flow, and raises the worst exit code if it failed: by a missing device, an unfit
    /// flow, or else as a failed test. Other results, such as flaky and quarantined ones, leave the code.
    fn finished(&mut self, id: &FlowId, status: FlowStatus, kind: Option<FailureKind>) {
        let count = match status {
            FlowStatus::Passed => &mut self.totals.passed,
            FlowStatus::Flaky => &mut self.totals.flaky,
            FlowStatus::Failed => &mut self.totals.failed,
            FlowStatus::Error => &mut self.totals.errors,
            FlowStatus::Skipped => &mut self.totals.skipped,
            FlowStatus::Interrupted => &mut self.totals.interrupted,
            FlowStatus::Quarantined => &mut self.totals.quarantined,
        };
        *count += 1;
        match status {
            FlowStatus::Passed | FlowStatus::Skipped | FlowStatus::Interrupted => {}
            FlowStatus::Quarantined => self.quarantined.push(id.clone()),
            FlowStatus::Flaky => self.flaky.push(id.clone()),
            FlowStatus::Failed | FlowStatus::Error => {
                self.not_passed.push((id.clone(), status));
                let code = match kind {
                    Some(FailureKind::Infrastructure) => ExitCode::NoDevice,
                    Some(FailureKind::Unfit) => ExitCode::Usage,
                    _ => ExitCode::Failed,
                };
                self.worst = self.worst.max(code);
            }
        }
    }

    /// Returns the number of flows by status. An unreadable flow counts as an error.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the number of flows of all statuses, unreadable ones too.
    pub fn total(&self) -> u32 {
        let Totals {
            passed,
            flaky,
            failed,
            errors,
            skipped,
            interrupted,
            quarantined,
        } = self.totals;
        passed + flaky + failed + errors + skipped + interrupted + quarantined
    }

    /// Returns flows that passed after a failure, each with the attempt that passed.
    pub fn flaky(&self) -> &[FlowId] {
        &self.flaky
    }

    /// Returns flows that failed while in quarantine.
    pub fn quarantined(&self) -> &[FlowId] {
        &self.quarantined
    }

    /// Returns flows that failed or could not be run.
    pub fn not_passed(&self) -> &[(FlowId, FlowStatus)] {
        &self.not_passed
    }

    /// Returns flows that could not be parsed. They are not among [`Self::not_passed`].
    pub fn unreadable(&self) -> &[Utf8PathBuf] {
        &self.unreadable
    }

    /// Returns why the run ended early, if it did.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Returns failures that no flow reports: flaky flows if `fail_on_flaky`, all in one failure, each once whatever the
    /// device, and an interrupt by the user if it interrupted no flow. Flaky comes first. Empty if there is neither.
    pub fn run_failures(&self, fail_on_flaky: bool) -> Vec<RunFailure> {
        let mut failures = Vec::new();
        if fail_on_flaky && !self.flaky.is_empty() {
            let mut flows: Vec<String> = Vec::new();
            for flow in self.flaky.iter().map(|id| id.case_id().to_string()) {
                if !flows.contains(&flow) {
                    flows.push(flow);
                }
            }
            let message = format!(
                "flaky flows fail this run (--fail-on-flaky): {}",
                flows.join(", ")
            );
            failures.push(RunFailure::new(RunFailureKind::Flaky, message));
        }
        if self.stopped == Some(StopReason::User) && self.totals.interrupted == 0 {
            let message = "the user stopped the run after its last flow";
            failures.push(RunFailure::new(RunFailureKind::Interrupted, message));
        }
        failures
    }

    /// Returns the highest exit code that applies: failed, usage, no device of flows, or interrupted by the user, in
    /// ascending order. Flaky flows pass unless `fail_on_flaky`; quarantined and skipped flows pass, and so does a run
    /// without flows.
    ///
    /// Interrupted flows count as interrupted by the user, unless the run was stopped by `--fail-fast` or by a flow
    /// that fits no device.
    pub fn exit_code(&self, fail_on_flaky: bool) -> ExitCode {
        let by_user = match self.stopped {
            Some(StopReason::User) => true,
            Some(StopReason::FailFast | StopReason::Unfit) => false,
            None => self.totals.interrupted > 0,
        };
        let mut code = self.worst;
        if fail_on_flaky && self.totals.flaky > 0 {
            code = code.max(ExitCode::Failed);
        }
        if by_user {
            code = code.max(ExitCode::Interrupted);
        }
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_device::Cost;
    use runner_tools::Failure;

    fn finished(status: FlowStatus, kind: Option<FailureKind>, last: bool) -> EventKind {
        EventKind::FlowFinished {
            id: FlowId {
                flow: "flows/a.yaml".into(),
                case: None,
                repeat: None,
                device: "virtual".into(),
                attempt: 1,
            },
            status,
            last,
            started: "2026-01-02T03:04:05Z".into(),
            duration_ms: 1,
            cost: Cost::default(),
            failure: kind.map(|kind| Failure::new(kind, "no")),
            failed_at: None,
            artifacts: Vec::new(),
            app_version: None,
            quarantine: None,
            met: None,
        }
    }

    fn code(kinds: Vec<EventKind>, fail_on_flaky: bool) -> ExitCode {
        let mut summary = Summary::new();
        for (seq, kind) in (0..).zip(kinds) {
            summary.add(&Event { seq, t_ms: 0, kind });
        }
        summary.exit_code(fail_on_flaky)
    }

    #[test]
    fn the_highest_exit_code_wins() {
        use FailureKind::{Assertion, Infrastructure, Snapshot, Unsupported, Usage};
        use FlowStatus::{Error, Failed, Flaky, Interrupted, Passed, Skipped};
        let unreadable = || EventKind::Unreadable {
            flow: "flows/bad.yaml".into(),
            message: "no".into(),
            at: None,
        };
        let stop = |because| EventKind::Stopping { because };
        let cases = [
            ("nothing", vec![], ExitCode::Passed),
            (
                "passed",
                vec![finished(Passed, None, true)],
                ExitCode::Passed,
            ),
            (
                "skipped",
                vec![finished(Skipped, None, true)],
                ExitCode::Passed,
            ),
            ("flaky", vec![finished(Flaky, None, true)], ExitCode::Passed),
            (
                "an attempt that is tried again does not count",
                vec![
                    finished(Failed, Some(Assertion), false),
                    finished(Flaky, None, true),
                ],
                ExitCode::Passed,
            ),
            (
                "failed",
                vec![finished(Failed, Some(Snapshot), true)],
                ExitCode::Failed,
            ),
            (
                "asks for what cannot be",
                vec![finished(Failed, Some(Usage), true)],
                ExitCode::Failed,
            ),
            (
                "device cannot",
                vec![finished(Failed, Some(Unsupported), true)],
                ExitCode::Failed,
            ),
            (
                "fits no device",
                vec![
                    finished(Error, Some(FailureKind::Unfit), true),
                    stop(StopReason::Unfit),
                    finished(Interrupted, None, true),
                ],
                ExitCode::Usage,
            ),
            (
                "setup failed",
                vec![finished(Error, Some(Assertion), true)],
                ExitCode::Failed,
            ),
            ("does not read", vec![unreadable()], ExitCode::Usage),
            (
                "bad file beats failure",
                vec![finished(Failed, Some(Assertion), true), unreadable()],
                ExitCode::Usage,
            ),
            (
                "lost device beats bad file",
                vec![finished(Error, Some(Infrastructure), true), unreadable()],
                ExitCode::NoDevice,
            ),
            (
                "the user beats all",
                vec![
                    finished(Error, Some(Infrastructure), true),
                    stop(StopReason::User),
                    stop(StopReason::FailFast),
                ],
                ExitCode::Interrupted,
            ),
            (
                "interrupted, nobody said why",
                vec![finished(Interrupted, None, true)],
                ExitCode::Interrupted,
            ),
            (
                "fail fast is not the user",
                vec![
                    finished(Failed, Some(Assertion), true),
                    stop(StopReason::FailFast),
                    finished(Interrupted, None, true),
                ],
                ExitCode::Failed,
            ),
        ];
        for (name, kinds, expected) in cases {
            assert_eq!(code(kinds, false), expected, "{name}");
        }
        assert_eq!(
            code(vec![finished(Flaky, None, true)], true),
            ExitCode::Failed
        );
    }

    #[test]
    fn a_flow_that_is_flaky_on_two_devices_is_named_once() {
        let mut summary = Summary::new();
        for (seq, device) in (0..).zip(["virtual", "virtual-2"]) {
            let mut kind = finished(FlowStatus::Flaky, None, true);
            if let EventKind::FlowFinished { id, .. } = &mut kind {
                id.device = device.into();
            }
            summary.add(&Event { seq, t_ms: 0, kind });
        }
        let failures = summary.run_failures(true);
        assert_eq!(
            failures[0].message,
            "flaky flows fail this run (--fail-on-flaky): flows/a.yaml"
        );
    }

    #[test]
    fn totals_count_each_flow_once() {
        let mut summary = Summary::new();
        for (seq, (status, last)) in (0..).zip([
            (FlowStatus::Failed, false),
            (FlowStatus::Flaky, true),
            (FlowStatus::Failed, true),
            (FlowStatus::Error, true),
        ]) {
            let kind = finished(status, None, last);
            summary.add(&Event { seq, t_ms: 0, kind });
        }
        let expected = Totals {
            flaky: 1,
            failed: 1,
            errors: 1,
            ..Totals::default()
        };
        assert_eq!(summary.totals(), expected);
        assert_eq!(summary.total(), 3);
        assert_eq!(summary.flaky().len(), 1);
        assert_eq!(summary.not_passed().len(), 2);
    }
}
