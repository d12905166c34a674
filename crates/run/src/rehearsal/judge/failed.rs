//! Findings about a step that the recording does not bear out.

use super::align::replaced;
use super::{Current, Judge, State, quoted, skipped};
use crate::Decision;
use crate::rehearsal::finding::FindingKind;
use runner_flow::{SelectorRole, Step, step_selectors};
use runner_recording::Divergence;
use runner_tools::Failure;

impl Judge {
    /// Handles a step that failed on the screen of its place and on all later ones. Adds a finding: it matches several
    /// elements, it breaks where the recording did another step, or it holds on no recorded screen. If it replaces a
    /// recorded step, that one counts as done with its value, and the step is skipped; otherwise [`Self::go_on`]
    /// decides.
    pub(super) fn failed(
        &self,
        state: &mut State,
        current: &Current,
        failure: &Failure,
        look: Option<usize>,
    ) -> Decision {
        self.device.begin_step(false);
        let replaced = current.recorded.or_else(|| {
            replaced(
                &self.recording.steps,
                &self.steps,
                &current.step,
                state.cursor,
            )
        });
        let several = look.and_then(|look| self.several(&current.step, look));
        let title = quoted(&current.step.title);
        let (kind, message) = match (replaced, several) {
            (_, Some(count)) => (
                FindingKind::Several,
                format!("{title} matches {count} elements on the recorded screen"),
            ),
            (Some(place), None) => (
                FindingKind::Breaks,
                format!(
                    "{title} fails on the screen where the recording did {}: {}",
                    quoted(&self.recording.steps[place].title),
                    failure.message
                ),
            ),
            (None, None) => (
                FindingKind::NotRecorded,
                format!("{title} holds on no recorded screen: {}", failure.message),
            ),
        };
        let details = failure.details.iter().map(ToString::to_string).collect();
        Self::add(state, kind, &current.step, message, details);
        match replaced {
            Some(place) => {
                self.pass(state, place);
                skipped(self.recording.steps[place].value.clone())
            }
            None => self.go_on(current.kind),
        }
    }

    /// Returns the number of elements that the first ambiguous selector of the step matches on a look. `None`
    /// if no needed selector matches several, or the look cannot be read.
    fn several(&self, step: &Step, look: usize) -> Option<usize> {
        let screen = self.recording.looks.get(look)?.screen().ok()?;
        let uses = step_selectors(step).into_iter();
        uses.filter(|used| used.role == SelectorRole::Needed)
            .map(|used| used.selector.find(&screen).len())
            .find(|count| *count > 1)
    }

    /// Handles an input that differs from the recorded one: nothing beyond this step is checked, which is
    /// noted. If the step replaces the one that made the recorded touch, a finding names both elements.
    pub(super) fn diverged(&self, state: &mut State, current: &Current, divergence: &Divergence) {
        let step = &current.step;
        let title = quoted(&step.title);
        let owner = divergence.act.and_then(|act| self.recording.acts[act].step);
        let recorded = owner.map(|owner| quoted(&self.recording.steps[owner].title));
        let stands_for = replaced(&self.recording.steps, &self.steps, step, state.cursor);
        if divergence.is_touch && owner.is_some() && stands_for == owner {
            let screen = self.recording.looks.get(divergence.look);
            let screen = screen.and_then(|look| look.screen().ok());
            let element = |node: Option<_>| {
                let node = screen.as_ref()?.node(node?);
                Some(runner_engine::describe(node))
            };
            let message = format!(
                "{title} touches {}; the recording touched {}",
                element(divergence.touched).unwrap_or_default(),
                element(divergence.recorded).unwrap_or_default()
            );
            Self::add(state, FindingKind::OtherElement, step, message, Vec::new());
        }
        let message = match recorded {
            Some(recorded) => format!(
                "not checked beyond this step: nobody did {title} on this screen; the recording did {recorded}"
            ),
            None => format!("not checked beyond this step: the recording ends before {title}"),
        };
        Self::add_not_checked(state, step, message);
    }
}
