//! Waits for elements to go, as long as Maestro does.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::MISSES;
use super::texts::bad_expression;
use runner_engine::{EngineError, LookPolicy, describe};
use runner_screen::maestro::{MaestroSelector, Match};
use runner_screen::selector::AbsenceError;
use runner_screen::{AbsenceProof, NodeIndex, Screen};
use runner_tools::Failure;

/// Time that an element must be missing to count as gone: `Orchestra.kt` looks for it once more for 500 ms.
const GONE: Duration = Duration::from_millis(500);

/// Result of a wait for an element to go that did not.
pub(super) struct RemainingMatches {
    pub(super) screen: Option<Arc<Screen>>,
    /// Reason of the last look. `None` if the element was missing on it, but not for long enough.
    pub(super) why: Option<AbsenceError<Match>>,
}

impl RemainingMatches {
    /// Returns the failure that tells what still matches, at most three elements. A missing anchor, an incomplete
    /// screen or too short an absence is told instead, as nothing is proved then.
    pub(super) fn failure(self, selector: &MaestroSelector) -> Failure {
        let found = match self.why {
            Some(AbsenceError::MissingAnchor(missing)) => {
                return Failure::from(EngineError::NoAnchor {
                    selector: selector.to_string(),
                    missing,
                });
            }
            Some(AbsenceError::Partial(why)) => {
                return Failure::from(EngineError::PartialScreen {
                    subject: selector.to_string(),
                    why,
                });
            }
            Some(AbsenceError::Present(found)) => found,
            None => {
                let why = format!(
                    "{selector} was not missing for {} ms when the time was up",
                    GONE.as_millis()
                );
                return Failure::assertion(why);
            }
        };
        let candidates = found.iter().take(MISSES).map(|found| match found {
            Match::Node(node) => self
                .screen
                .as_deref()
                .map_or_else(String::new, |screen| describe(screen.node(*node))),
            Match::Toast(_) => "a toast".to_owned(),
        });
        let candidates: Vec<String> = candidates.collect();
        Failure::assertion(format!("{selector} is still on the screen")).with_details(candidates)
    }
}

/// Returns the result of a step that found nothing, as it should.
pub(super) fn absence_result(_: AbsenceProof) -> StepResult {
    StepResult::default()
}

/// Returns the matching elements; messages that are no elements (toasts) are left out. A regular expression
/// that takes too long matches none.
pub(super) fn matching_nodes(selector: &MaestroSelector, screen: &Screen) -> Vec<NodeIndex> {
    let found = selector.find(screen).unwrap_or_default().into_iter();
    found
        .filter_map(|found| match found {
            Match::Node(node) => Some(node),
            Match::Toast(_) => None,
        })
        .collect()
}

impl Interpreter<'_, '_> {
    /// Waits until nothing has matched for [`GONE`], within `limit` and [`GONE`] more. Each look on which it
    /// is there, or that is incomplete, or with a dialog that a rule answers, starts over. With `asserted`, every
    /// anchor of the selector must be there. Dialogs with a match are not answered.
    ///
    /// The outer error is a fault of the device or of the expression; the inner one says what is still there.
    pub(super) async fn wait_gone(
        &self,
        selector: &MaestroSelector,
        limit: Duration,
        asserted: bool,
    ) -> Result<Result<AbsenceProof, RemainingMatches>, FailedTry> {
        let session = self.context.session;
        session.begin_step(limit);
        let clock = session.clock();
        let limit = limit + GONE;
        let mut began = clock.now();
        let mut missing_since = None;
        let mut why = None;
        let denied = |screen: &Screen| matching_nodes(selector, screen);
        let waited = session
            .wait_denied(LookPolicy::New, limit, &denied, |screen| {
                let look_began = std::mem::replace(&mut began, clock.now());
                let Some(screen) = screen else {
                    missing_since = None;
                    return None;
                };
                match selector.prove_absence_on(screen, asserted) {
                    Err(error) => Some(Err(error)),
                    Ok(Ok(absent)) => {
                        // What an earlier look had is not on this screen.
                        why = None;
                        let since = *missing_since.get_or_insert(look_began);
                        (clock.since(since) >= GONE).then_some(Ok(absent))
                    }
                    Ok(Err(not_absent)) => {
                        why = Some(not_absent);
                        missing_since = None;
                        None
                    }
                }
            })
            .await
            .map_err(Failure::from)?;
        match waited.found {
            Some(Ok(absent)) => Ok(Ok(absent)),
            Some(Err(error)) => Err(bad_expression(&error).into()),
            None => Ok(Err(RemainingMatches {
                screen: waited.screen,
                why,
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_last_look_had_is_still_there() {
        let selector = MaestroSelector::default();
        let failure = |why| RemainingMatches { screen: None, why }.failure(&selector);
        let present = failure(Some(AbsenceError::Present(Vec::new())));
        assert!(
            present.message.contains("is still on the screen"),
            "{present:?}"
        );
        let missing = failure(None);
        assert!(
            missing.message.contains("was not missing for 500 ms"),
            "{missing:?}"
        );
    }
}
