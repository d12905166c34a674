//! Reports dialogs that rules of `runner.yaml` answered.

use super::context::AttemptContext;
use super::step_result::FailedTry;
use runner_engine::MAX_DIALOG_ANSWERS;
use runner_event::{EventKind, SourceLocation};
use runner_flow::StepPath;
use runner_tools::{FrontEffect, Words};

/// Returns true if a step of this effect leaves the screen on which a dialog was answered.
fn leaves_screen(effect: FrontEffect) -> bool {
    match effect {
        FrontEffect::Launches
        | FrontEffect::GoesHome
        | FrontEffect::Ends
        | FrontEffect::EndsNamed => true,
        FrontEffect::Nothing
        | FrontEffect::MayLaunch
        | FrontEffect::GoesBack
        | FrontEffect::PressesEnter
        | FrontEffect::Other => false,
    }
}

impl AttemptContext<'_> {
    /// Begins another try of steps that failed: it looks anew, and dialogs that were answered before the failed try
    /// count for it too, as nothing acted since.
    pub(super) fn begin_another_try(&self) {
        self.session.forget_look();
        self.session.try_dialogs_again();
    }

    /// Forgets dialogs that were answered before a step that passed: all of them if it leaves their screen, and those
    /// of earlier tries if it acts.
    pub(super) fn forget_dialogs(&self, effect: FrontEffect) {
        if leaves_screen(effect) {
            self.session.forget_answered_dialogs();
        } else if effect != FrontEffect::Nothing {
            self.session.end_tries_of_dialogs();
        }
    }

    /// Reports each dialog that a rule of `on_dialog` answered or tried to answer during a step, and ends the step for
    /// dialogs. Sends the events also for a step that passed, but none if the rules come from no file. A success is
    /// returned as it is. A failure's message names the third dialog of the step, if there were three, as one that
    /// keeps coming back, or that stays if an answer failed; its details name those answered during the step before,
    /// once each.
    pub(super) fn report_dialogs<T>(
        &self,
        path: &StepPath,
        result: Result<T, FailedTry>,
    ) -> Result<T, FailedTry> {
        let came_back = self.emit_dialogs(path);
        let before = self.session.end_step_of_dialogs(result.is_ok());
        result.map_err(|mut failed| {
            if let Some((when, at, answered)) = came_back {
                let line = at.map_or_else(String::new, |at| format!(" ({}:{})", at.file, at.line));
                let message = &failed.failure.message;
                failed.failure.message = if answered < MAX_DIALOG_ANSWERS {
                    Words::format(
                        "{}; the dialog of `on_dialog`{} stays: {} was answered in {} of {} tries in this step",
                        &[message, &line, &when, &answered, &MAX_DIALOG_ANSWERS],
                    )
                } else {
                    Words::format(
                        "{}; the dialog of `on_dialog`{} comes back: {} was answered {} times in this step",
                        &[message, &line, &when, &answered],
                    )
                };
            }
            for when in before {
                let line = format!("the step before answered a dialog by the rule `when: {when}` of `on_dialog`");
                // An outer step would add it again.
                if !failed.failure.details.iter().any(|known| *known == line) {
                    failed.failure.details.push(line.into());
                }
            }
            failed
        })
    }

    /// Reports each dialog that a rule of `on_dialog` answered or tried to answer since the last report, and ends
    /// no step. Returns the third of them by its rule and the rule's place, whichever rules answered the others, and
    /// how many were really answered: it counts as one that keeps coming back, or stays. `None` for less than three.
    pub(super) fn emit_dialogs(
        &self,
        path: &StepPath,
    ) -> Option<(String, Option<SourceLocation>, usize)> {
        let fired = self.session.take_dialogs();
        let answered = fired.iter().filter(|one| one.error.is_none()).count();
        let source = self.settings.config.project_source.as_ref();
        let place = |at: usize| source.map(|source| SourceLocation::from_offset(source, at));
        let came_back = fired
            .get(MAX_DIALOG_ANSWERS - 1)
            .map(|last| (last.rule.when.to_string(), place(last.rule.place), answered));
        for firing in fired {
            let Some(at) = place(firing.rule.place) else {
                continue;
            };
            self.reporter.emit(|id| EventKind::Dialog {
                id,
                step: path.clone(),
                at,
                when: firing.rule.when.to_string(),
                answer: firing.rule.answer.to_string(),
                failure: firing.error.map(|error| error.to_string()),
            });
        }
        came_back
    }
}
