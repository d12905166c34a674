//! Collects a run's events into a result for agents, and reports the progress meanwhile.

use std::io::Write;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use runner_event::{Event, EventKind, FlowStatus, StepStatus};
use runner_report::{Results, Subscriber as _, Terminal, TerminalStyle, Verbosity};
use runner_tools::{FailureKind, Progress};

/// Run, as far as its events tell: those of a file may break off before its end.
#[derive(Debug)]
pub struct RunOutcome {
    /// Flows, steps, snapshots and failures.
    pub results: Results,
    /// Text as on a terminal, with every step but without costs, which are of no use to an agent.
    pub text: String,
}

impl RunOutcome {
    /// Collects the result of a run's events, with the text that the run prints for people, without colours.
    /// Returns when the events end.
    pub(super) fn from_events(events: impl Iterator<Item = Event>) -> Self {
        let text = Text::default();
        let mut terminal = Terminal::new(
            Box::new(text.clone()),
            TerminalStyle::PLAIN,
            Verbosity::Steps,
            None,
        );
        let mut results = Results::default();
        for event in events {
            results.add(&event);
            // Writing into memory does not fail.
            let _ = terminal.on(&event);
        }
        Self {
            results,
            text: text.take(),
        }
    }

    /// Returns true if all flows passed, passed at a later attempt or were skipped, and all could be read. A
    /// flow that did not end makes it false, and so does one that failed in quarantine. No flows at all is
    /// true.
    pub fn passed(&self) -> bool {
        let ended = |status| {
            matches!(
                status,
                FlowStatus::Passed | FlowStatus::Flaky | FlowStatus::Skipped
            )
        };
        self.results.unreadable.is_empty()
            && self
                .results
                .flows
                .values()
                .all(|flow| flow.outcome().is_some_and(|(_, end)| ended(end.status)))
    }

    /// Returns true if the last attempt of a flow failed by the infrastructure: the device, or a file of this
    /// program.
    pub(super) fn may_have_lost_device(&self) -> bool {
        self.results.flows.values().any(|flow| {
            let end = flow
                .attempts
                .last()
                .and_then(|attempt| attempt.end.as_ref());
            end.and_then(|end| end.failure.as_ref())
                .is_some_and(|failure| failure.kind == FailureKind::Infrastructure)
        })
    }
}

/// Collects the events until the run ends, and reports progress after each step of a flow's own list. Blocks
/// its thread until all senders are gone.
pub(super) fn gather(events: &Receiver<Event>, progress: &Progress) -> RunOutcome {
    let mut reported = RunProgress::default();
    RunOutcome::from_events(
        events
            .iter()
            .inspect(|event| reported.notify(event, progress)),
    )
}

#[derive(Default)]
struct RunProgress {
    done: u32,
    /// Steps of all flows that started. Exact for one flow without retries.
    total: usize,
    flows: usize,
    attempts: usize,
}

impl RunProgress {
    /// Reports the end of a flow's own step as progress; nested steps do not count. The total is known only for one
    /// flow in its first attempt.
    fn notify(&mut self, event: &Event, progress: &Progress) {
        match &event.kind {
            EventKind::Plan { flows, .. } => self.flows = flows.len(),
            EventKind::FlowStarted { steps, .. } => {
                self.total += steps;
                self.attempts += 1;
            }
            EventKind::StepFinished {
                step,
                title,
                status,
                ..
            } if step.depth() == 0 => {
                self.done += 1;
                // With several flows or attempts the total is not known yet.
                let total = (self.flows == 1 && self.attempts == 1).then_some(self.total as f64);
                let word = match status {
                    StepStatus::Passed => "passed",
                    StepStatus::Failed => "failed",
                    StepStatus::Warned => "failed, but is optional",
                    StepStatus::Skipped => "skipped",
                };
                progress.say(f64::from(self.done), total, &format!("{title}: {word}"));
            }
            _ => {}
        }
    }
}

/// Buffer for a report.
#[derive(Clone, Default)]
struct Text(Arc<Mutex<Vec<u8>>>);

impl Text {
    fn take(&self) -> String {
        let mut bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&std::mem::take(&mut *bytes)).into_owned()
    }
}

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
