//! Waits for a number of elements, and for properties of one.

use std::sync::Arc;
use std::time::Duration;

use super::visibility::not_absent;
use crate::dialogs::DialogUse;
use crate::hint::unseen;
use crate::toast_watch::ToastWatch;
use crate::{EngineError, LookPolicy, Session};
use runner_screen::selector::{AbsenceError, Expectation, Purpose};
use runner_screen::{NodeIndex, Screen, Selector};

/// An element after its properties were checked.
#[derive(Debug)]
pub struct CheckedElement {
    pub screen: Arc<Screen>,
    pub node: NodeIndex,
    /// Unexpected properties: name, expected value, actual value. Empty if all are as expected.
    pub wrong: Vec<(&'static str, String, String)>,
}

/// Number of elements at the end of a wait.
#[derive(Debug)]
pub struct ElementCount {
    /// Number of matches on the last look that could be judged; 0 without one.
    pub count: usize,
    /// True if the number was accepted in time.
    pub is_as_expected: bool,
    /// Descriptions of matches outside the screen, one line each.
    pub unseen: Vec<String>,
}

impl Session {
    /// Waits until `holds` accepts the number of matches, and returns the last number, also if time is up:
    /// `is_as_expected` tells. Accepts the last look.
    ///
    /// `at_least`: `holds` accepts every larger number too, so incomplete looks can decide. Otherwise the screen must
    /// be complete, no dialog of a rule may stand unless it has a match, and if 0 is accepted every anchor must be
    /// present. If `holds` accepts the last number but one of these is not met, that is an error. So is an accepted
    /// number after a rule closed a dialog with matches, if 0 is accepted and the number before was not. Dialogs with a
    /// match are not answered meanwhile.
    pub async fn wait_count(
        &self,
        selector: &Selector,
        timeout: Duration,
        at_least: bool,
        holds: impl Fn(usize) -> bool + Send + Sync,
    ) -> Result<ElementCount, EngineError> {
        let mut count = 0;
        let mut why: Option<AbsenceError> = None;
        let denied = |screen: &Screen| selector.find(screen);
        let dialogs = if at_least {
            DialogUse::Answer
        } else {
            DialogUse::Spare(&denied)
        };
        let waited = self
            .wait_with(LookPolicy::LastToo, timeout, dialogs, |screen| {
                let screen = screen?;
                count = selector.find(screen).len();
                why = None;
                if !holds(count) {
                    return None;
                }
                if !at_least {
                    why = check_count(selector, screen, holds(0)).err();
                }
                why.is_none().then_some(())
            })
            .await?;
        if let Some(why) = why {
            let screen = waited.screen.as_deref();
            return Err(not_absent(selector, why, screen, waited.elapsed));
        }
        // Only a number that no match satisfies too can come from the answer.
        if waited.found.is_some() && !at_least && holds(0) {
            self.check_answered_dialogs(selector, |screen| {
                let found = selector.find(screen);
                if holds(found.len()) {
                    Vec::new()
                } else {
                    found
                }
            })?;
        }
        Ok(ElementCount {
            count,
            is_as_expected: waited.found.is_some(),
            unseen: unseen(selector, waited.screen.as_deref()),
        })
    }

    /// Waits until the only element located by `selector` has the properties that the selector demands;
    /// [`Selector::split_expectations`] says which parts locate. Accepts the last look. If the limit runs out with
    /// exactly one element located, the result lists its wrong properties and is no error. No element and several are
    /// errors.
    pub async fn expect(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<CheckedElement, EngineError> {
        let (locator, expectations) = selector.split_expectations();
        let mut located = None;
        let mut nodes = Vec::new();
        let mut toasts = ToastWatch::default();
        let waited = self
            .wait_by(LookPolicy::LastToo, timeout, |screen| {
                toasts.note(screen);
                nodes = self.uncovered(&locator, screen);
                let [node] = nodes.as_slice() else {
                    return None;
                };
                let wrong = wrong(screen, *node, &expectations);
                let holds = wrong.is_empty();
                located = Some(CheckedElement {
                    screen: Arc::clone(screen),
                    node: *node,
                    wrong,
                });
                holds.then_some(())
            })
            .await?;
        match (located, waited.screen) {
            // `located` may be of an earlier look: it counts only where the last one had just one element.
            (Some(expected), _) if nodes.len() == 1 => {
                self.notify_found(&expected.screen, &nodes);
                Ok(expected)
            }
            (_, Some(screen)) if nodes.len() > 1 => {
                Err(EngineError::several(&locator, &screen, &nodes))
            }
            (_, screen) => {
                let error = EngineError::not_found(&locator, screen, Purpose::Assertion);
                Err(toasts.explain(error))
            }
        }
    }
}

/// Checks that a look can prove an upper bound for the number of elements: the screen must be complete. To
/// prove that there are none (`may_be_none`), every anchor must be present too. The number itself is not
/// checked.
fn check_count(
    selector: &Selector,
    screen: &Screen,
    may_be_none: bool,
) -> Result<(), AbsenceError> {
    let whole = screen.as_whole().map_err(AbsenceError::Partial)?;
    if may_be_none {
        selector
            .check_anchors(whole)
            .map_err(AbsenceError::MissingAnchor)?;
    }
    Ok(())
}

/// Returns the expectations that an element does not meet, each as property, expected and actual value.
fn wrong(
    screen: &Screen,
    node: NodeIndex,
    expectations: &[Expectation],
) -> Vec<(&'static str, String, String)> {
    expectations
        .iter()
        .filter_map(|expectation| {
            let (holds, actual) = expectation.check(screen, node);
            (!holds).then(|| (expectation.property, expectation.expected.clone(), actual))
        })
        .collect()
}
