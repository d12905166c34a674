//! Debugger of a rehearsal: decides before and after each step whether to skip it, run it, or stop where the
//! recording ends.

mod align;
mod failed;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use self::align::{Alignment, align};
use super::finding::{Finding, FindingKind, RehearsalResult};
use super::steps::{FlowStep, StepKind, gives_value, kind, leaves};
use crate::{DebugChoice, Debugger, DebuggerFuture, Decision, NamedValue, Pause, StepPlace};
use runner_event::{Event, EventKind, FlowStatus};
use runner_flow::{Flow, Step};
use runner_recording::{RecordedDevice, Recording};
use runner_text::secret::Excerpt;
use runner_tools::{Failure, FailureKind};

/// Chosen: characters of a step's title, so that a message stays on one line.
const MAX_TITLE: usize = 80;

/// Judges one flow by one recording.
pub(super) struct Judge {
    device: Arc<RecordedDevice>,
    recording: Arc<Recording>,
    /// Steps of the edited flow.
    steps: Vec<FlowStep>,
    has_secrets: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    result: RehearsalResult,
    /// Index of the next recorded step.
    cursor: usize,
    current: Option<Current>,
    /// True if a skipped step should have left a value that the recording does not have.
    unknown_values: bool,
}

/// Step that runs on recorded screens.
struct Current {
    step: Step,
    kind: StepKind,
    /// Index of the same step in the recording. None if it was edited or is new.
    recorded: Option<usize>,
    /// Index of the recorded act that came next when the step began.
    act: Option<usize>,
    /// Failure of the step with the index of its look, while later screens are searched.
    failure: Option<(Failure, Option<usize>)>,
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Judge")
    }
}

impl Judge {
    pub(super) fn new(device: Arc<RecordedDevice>, recording: Arc<Recording>, flow: &Flow) -> Self {
        Self {
            device,
            recording,
            steps: leaves(flow),
            has_secrets: !flow.secrets.is_empty(),
            state: Mutex::default(),
        }
    }

    pub(super) fn label(&self) -> String {
        self.recording.head.id.device.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the findings, which are taken out of this judge. If the flow ended with an error, such as
    /// before its first step, its failure is a further finding, at the file's beginning.
    pub(super) fn result(
        &self,
        flow: &Flow,
        events: impl Iterator<Item = Event>,
    ) -> RehearsalResult {
        let mut result = std::mem::take(&mut self.state().result);
        for event in events {
            if let EventKind::FlowFinished {
                status: FlowStatus::Error,
                failure: Some(failure),
                ..
            } = event.kind
            {
                result.findings.push(Finding {
                    kind: FindingKind::NotChecked,
                    source: Arc::clone(&flow.source),
                    span: 0..0,
                    message: format!("not checked: {}", failure.message),
                    details: Vec::new(),
                });
            }
        }
        result
    }

    /// Ends the current step: counts its recorded acts as done. Returns a break if the recording cannot be
    /// followed further: an input differed from the recorded one, or an input found its element only on a
    /// later screen. A look that did so is noted as not checked.
    fn end_current(&self, state: &mut State) -> ControlFlow<()> {
        let Some(current) = state.current.take() else {
            return ControlFlow::Continue(());
        };
        if let Some(divergence) = self.device.take_divergence() {
            self.diverged(state, &current, &divergence);
            return ControlFlow::Break(());
        }
        if current.failure.is_some() {
            // The step found its element on a later screen.
            let message = format!(
                "not checked: {} holds only on a screen that came later in the recording",
                quoted(&current.step.title)
            );
            Self::add_not_checked(state, &current.step, message);
            return match current.kind {
                StepKind::Inputs => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
        }
        if current.kind != StepKind::Control {
            state.result.judged += 1;
        }
        let all = self.recording.acts.len();
        let did = self.device.next_act().unwrap_or(all);
        let before = current.act.unwrap_or(all);
        let by_act = (did > before)
            .then(|| self.recording.acts.get(did - 1)?.step)
            .flatten();
        if let Some(done) = current.recorded.or(by_act) {
            self.pass(state, done);
        }
        ControlFlow::Continue(())
    }

    /// Moves on to after a recorded step.
    fn pass(&self, state: &mut State, step: usize) {
        self.device.go_past(step);
        state.cursor = state.cursor.max(step + 1);
    }

    /// Decides on a step before it runs. An unchanged step that passed is skipped, with its recorded value;
    /// but one that looks or gives input runs if its title has an expression. Changed and new ones run on the
    /// recorded screens if these can answer, and so do all control steps; one that only asks is skipped, and
    /// one that acts otherwise ends the rehearsal. So does a step that the recording has only after an act
    /// which the flow no longer has.
    fn before(&self, step: &Step) -> Decision {
        let mut state = self.state();
        if self.end_current(&mut state).is_break() {
            return Decision::new(DebugChoice::Stop);
        }
        let kind = kind(step);
        if kind == StepKind::Control {
            self.device.skip_old_look();
            return self.run(&mut state, step, kind, None);
        }
        match align(
            &self.recording.steps,
            &self.steps,
            &step.title,
            state.cursor,
        ) {
            Alignment::Same(place) => {
                let recorded = &self.recording.steps[place];
                let is_written_out = !step.title.contains("${");
                let on_screens = matches!(kind, StepKind::Looks | StepKind::Inputs);
                if recorded.passed() && (is_written_out || !on_screens) {
                    state.result.unchanged += 1;
                    state.unknown_values |= recorded.value.is_null() && gives_value(step);
                    self.pass(&mut state, place);
                    return skipped(recorded.value.clone());
                }
                self.run(&mut state, step, kind, Some(place))
            }
            Alignment::Behind(act) => self.not_beyond(&mut state, step, act),
            Alignment::None => match kind {
                StepKind::Asks => {
                    state.unknown_values |= gives_value(step);
                    Decision::new(DebugChoice::Skip)
                }
                StepKind::Acts => {
                    let message = format!(
                        "not checked from here on: the recording does not say what {} does",
                        quoted(&step.title)
                    );
                    Self::add_not_checked(&mut state, step, message);
                    Decision::new(DebugChoice::Stop)
                }
                _ => self.run(&mut state, step, kind, None),
            },
        }
    }

    /// Lets the step run on the recorded screens, and notes it as the current one. For a step with `when` it skips a
    /// look that was current before, if a later one follows.
    fn run(
        &self,
        state: &mut State,
        step: &Step,
        kind: StepKind,
        recorded: Option<usize>,
    ) -> Decision {
        if step.modifiers.when.is_some() {
            self.device.skip_old_look();
        }
        self.device.begin_step(recorded.is_some());
        state.current = Some(Current {
            step: step.clone(),
            kind,
            recorded,
            act: self.device.next_act(),
            failure: None,
        });
        Decision::new(DebugChoice::Go)
    }

    /// Ends the rehearsal at this step, with a finding: on this screen the recording did another act first.
    fn not_beyond(&self, state: &mut State, step: &Step, act: usize) -> Decision {
        let message = format!(
            "not checked from here on: the recording first did {} on this screen",
            quoted(&self.recording.steps[act].title)
        );
        Self::add_not_checked(state, step, message);
        Decision::new(DebugChoice::Stop)
    }

    /// Decides on a step that failed. A step that holds steps, and an input that differs from the recorded one, end the
    /// rehearsal. A step that passed in the recording counts as passed; one that needs unrecorded values, or failed by
    /// anything but an assertion or a timeout, is noted as not checked. Any other is tried on each later screen, if
    /// there is one; if it fails there too, its first failure is a finding. After a note and a finding, the rehearsal
    /// skips the step, and ends if the step touches the device, as the screen after it is not known. If the recording
    /// has a step in its place, that counts as done, with its value.
    fn after(&self, failure: Failure) -> Decision {
        let mut state = self.state();
        let Some(mut current) = state.current.take() else {
            // A step that holds steps fails with them.
            return Decision::new(DebugChoice::Stop);
        };
        if let Some(divergence) = self.device.take_divergence() {
            self.diverged(&mut state, &current, &divergence);
            return Decision::new(DebugChoice::Stop);
        }
        if let Some(place) = current.recorded
            && self.recording.steps[place].passed()
        {
            // It passed in the recording. Here it failed because of masked texts or values that were not
            // recorded.
            self.pass(&mut state, place);
            return skipped(self.recording.steps[place].value.clone());
        }
        let has_expressions = current.step.title.contains("${");
        let is_unknown = has_expressions && (state.unknown_values || self.has_secrets);
        let is_judged = matches!(failure.kind, FailureKind::Assertion | FailureKind::Timeout);
        if is_unknown || !is_judged || self.device.take_unanswered() {
            let message = if is_judged {
                format!(
                    "not checked: {} needs what no recording holds",
                    quoted(&current.step.title)
                )
            } else {
                format!("not checked: {}", failure.message)
            };
            Self::add_not_checked(&mut state, &current.step, message);
            return self.go_on(current.kind);
        }
        let (failure, look) = match current.failure.take() {
            // It failed on all later screens too.
            Some(first) => first,
            None => {
                let first = (failure, self.device.current_look());
                if self.device.search_later() {
                    current.failure = Some(first);
                    state.current = Some(current);
                    return Decision::new(DebugChoice::Go);
                }
                first
            }
        };
        self.failed(&mut state, &current, &failure, look)
    }

    /// Skips a step that could not be checked, or ends the rehearsal if the screen after it is not known.
    fn go_on(&self, kind: StepKind) -> Decision {
        self.device.begin_step(false);
        match kind {
            // The screen after it is not known.
            StepKind::Inputs | StepKind::Acts => Decision::new(DebugChoice::Stop),
            _ => Decision::new(DebugChoice::Skip),
        }
    }

    fn add_not_checked(state: &mut State, step: &Step, message: String) {
        Self::add(state, FindingKind::NotChecked, step, message, Vec::new());
    }

    /// Adds a finding, unless the step has one of this kind already: a loop may report it several times.
    fn add(
        state: &mut State,
        kind: FindingKind,
        step: &Step,
        message: String,
        details: Vec<String>,
    ) {
        // A loop may report the same step several times.
        let is_new = |finding: &Finding| {
            finding.span != step.span
                || finding.source.path != step.source.path
                || finding.kind != kind
        };
        if state.result.findings.iter().all(is_new) {
            state.result.findings.push(Finding {
                kind,
                source: Arc::clone(&step.source),
                span: step.span.clone(),
                message,
                details,
            });
        }
    }
}

pub(super) fn quoted(title: &str) -> String {
    format!("`{}`", Excerpt::new(title, MAX_TITLE))
}

/// Returns the decision to skip a step with its recorded result. A null means that none was recorded, so none is
/// set.
fn skipped(value: Value) -> Decision {
    Decision {
        value: (!value.is_null()).then_some(value),
        ..Decision::new(DebugChoice::Skip)
    }
}

impl Debugger for Judge {
    fn pauses_before(&self, _: &StepPlace) -> bool {
        true
    }

    fn pauses_after(&self, _: &StepPlace, _: &Failure) -> bool {
        true
    }

    /// Decides at once: as [`Self::before`] on a step that comes next, as [`Self::after`] on one that failed.
    fn decide(&self, pause: Pause) -> DebuggerFuture<'_, Decision> {
        Box::pin(async move {
            match pause.failure {
                None => self.before(&pause.step),
                Some(failure) => self.after(failure),
            }
        })
    }

    /// Ends the step that ran last, so that its findings count.
    fn ends(&self, _: Vec<NamedValue>) -> DebuggerFuture<'_, ()> {
        Box::pin(async move {
            let mut state = self.state();
            // What came of the last step.
            let _ = self.end_current(&mut state);
        })
    }
}
