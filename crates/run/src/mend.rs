//! Patches for steps whose selector matched nothing: keeps evidence, and adds the patch to the failure. A run
//! only proposes; it changes no flow.

use std::sync::Arc;

use super::context::AttemptContext;
use runner_event::{Artifact, ArtifactKind, StepStatus};
use runner_flow::{SelectorRole, SelectorUse, Step, step_selectors};
use runner_mend::{Evidence, FlowSelectors, GreenRun, Look, PendingFolder, patch};
use runner_recording::{RecordedStep, find, read};
use runner_screen::{NodeIndex, Screen};
use runner_snapshot::UpdateMode;
use runner_text::diagnostic::line_column;
use runner_tools::{Failure, FailureKind};

/// Chosen: a flow that was edited often may have run without the step in its newest recordings.
const MAX_RECORDINGS: usize = 5;

/// Look on which a step's selector last matched, in a run in which the step passed.
pub(super) struct GreenLook {
    pub(super) screen: Screen,
    /// Element of `screen` that the selector matched.
    pub(super) element: NodeIndex,
    pub(super) run: GreenRun,
}

impl AttemptContext<'_> {
    /// Keeps evidence of a step that failed with an assertion or a timeout while a selector of it matches nothing:
    /// among the artifacts and, where the run may write, for review. Adds the patch to the failure if one is found; the
    /// evidence is kept without one too. Returns the artifact, if it could be written. Does nothing for other failures,
    /// and if no earlier run shows what the step matched. Removes the evidence of a step that passes.
    pub(super) fn mend(
        &self,
        step: &Step,
        status: StepStatus,
        failure: Option<&mut Failure>,
    ) -> Vec<Artifact> {
        let failure = match (status, failure) {
            (StepStatus::Failed, Some(failure)) => failure,
            (StepStatus::Passed, _) => {
                self.forget_evidence(step);
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        if !matches!(failure.kind, FailureKind::Assertion | FailureKind::Timeout) {
            return Vec::new();
        }
        let Some(evidence) = self.selector_evidence(step) else {
            return Vec::new();
        };
        if let Ok(patch) = patch(&evidence, &FlowSelectors::new(self.flow)) {
            let command = if self.keeps_pending() {
                "runner review"
            } else {
                "runner review --from FILE|DIR"
            };
            let lines = patch.change.lines(command).into_iter();
            failure.details.extend(lines.map(Into::into));
            failure.patch = Some(Box::new(patch.change));
        }
        if self.keeps_pending()
            && let Err(error) = self.pending_folder().keep(&evidence)
        {
            self.reporter.warn(format!(
                "the patch of a selector cannot be kept for review: {error}"
            ));
        }
        let kept = evidence.pack().and_then(|packed| {
            let name = evidence.file_name();
            self.folder.write(ArtifactKind::File, &name, &packed)
        });
        kept.into_iter().collect()
    }

    /// Removes the evidence of all selectors of a step that passes again, also those that passed before. Does
    /// nothing if this run keeps no evidence for review. Errors are ignored.
    fn forget_evidence(&self, step: &Step) {
        let folder = self.pending_folder();
        if !self.keeps_pending() || !folder.path().is_dir() {
            return;
        }
        for used in step_selectors(step) {
            // If it cannot be removed, the patch is only offered once more.
            let _ = folder.remove(&PendingFolder::name(&self.flow.source.path, &used));
        }
    }

    /// Removes the evidence of selectors that the flow no longer has. Evidence of other flows, and files that
    /// cannot be read, stay. Does nothing if this run keeps no evidence for review.
    pub(super) fn prune_evidence(&self) {
        let folder = self.pending_folder();
        if !self.keeps_pending() || !folder.path().is_dir() {
            return;
        }
        let flow = FlowSelectors::new(self.flow);
        let names: Vec<String> = flow
            .uses
            .iter()
            .map(|used| PendingFolder::name(&flow.file, used))
            .collect();
        for (name, evidence) in folder.read() {
            if evidence.is_ok_and(|one| one.flow == flow.file) && !names.contains(&name) {
                let _ = folder.remove(&name);
            }
        }
    }

    /// Returns the evidence for the first needed selector of the step that matches nothing on the last look. `None`
    /// without a look, if all match, or if no recording shows what it matched. Texts are masked.
    fn selector_evidence(&self, step: &Step) -> Option<Arc<Evidence>> {
        let after = self.session.last_screen()?;
        let is_missing = |used: &SelectorUse| {
            used.role == SelectorRole::Needed && used.selector.find(&after).is_empty()
        };
        let used = step_selectors(step).into_iter().find(is_missing)?;
        let green = self.green_look(step, &used)?;
        let scrub = |text: &str| {
            let scrubber = self.reporter.scrubber();
            scrubber.scrub_outside(text).into_owned()
        };
        Some(Arc::new(Evidence::new(
            (
                self.flow.source.path.clone(),
                used.source.path.clone(),
                line_column(&used.source.text, used.span.start),
            ),
            scrub(&used.selector.to_string()),
            green.run,
            (Look::new(&green.screen, scrub), green.element),
            Look::new(&after, scrub),
        )))
    }

    /// Searches the newest five recordings of attempts that passed in the history for the look on which the step last
    /// matched. Only a passed step of the same file and title counts, as lines may have moved. `None` without
    /// recordings, or if none shows the selector's element.
    fn green_look(&self, step: &Step, used: &SelectorUse) -> Option<GreenLook> {
        let history = self.settings.options.recordings.as_deref()?;
        let case = self.reporter.id().case_id();
        let recordings = find(history, &case, true).take(MAX_RECORDINGS);
        // Lines may have moved, so the title identifies the step.
        let is_it = |one: &&RecordedStep| {
            one.passed() && one.at.file == step.source.path && one.title == step.title
        };
        recordings
            .filter_map(|path| read(&path).ok())
            // File names contain a hash of the flow's name, which another flow may share.
            .filter(|recording| recording.head.id.flow == self.reporter.id().flow)
            .find_map(|recording| {
                let steps = recording.steps.iter().rev().filter(is_it);
                let (screen, element) = steps.filter_map(matched_look).find_map(|place| {
                    let screen = recording.looks.get(place)?.screen().ok()?;
                    let element = used.selector.selected(&screen)?;
                    Some((screen, element))
                })?;
                let run = recording.end.map(|end| GreenRun {
                    app_version: end.app_version,
                    commit: end.commit,
                });
                Some(GreenLook {
                    screen,
                    element,
                    run: run.unwrap_or_default(),
                })
            })
    }

    fn pending_folder(&self) -> PendingFolder {
        PendingFolder::new(&self.settings.config.root)
    }

    /// Returns false where nothing may be written, as in CI. Goldens follow the same rule.
    fn keeps_pending(&self) -> bool {
        self.settings.config.update.value != UpdateMode::None
    }
}

/// Returns the index of the look on which a step matched. A step without one, such as a search by scrolling,
/// counts its last look.
fn matched_look(step: &RecordedStep) -> Option<usize> {
    let last = step.looks.checked_sub(1);
    step.found.map_or(last, |found| Some(found.look))
}
