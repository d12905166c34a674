//! Waits for one element, or for any, and for what is in its way.

use std::sync::Arc;
use std::time::Duration;

use crate::act::{Aim, Obstacle};
use crate::describe::describe;
use crate::hint::describe_matches;
use crate::history::same_rows;
use crate::toast_watch::ToastWatch;
use crate::{EngineError, LookPolicy, Session};
use runner_device::ClockTime;
use runner_screen::selector::Purpose;
use runner_screen::{Node, NodeIndex, Screen, Selector};

/// An element that was obstructed on each look since a time.
struct ObstructedElement {
    node: NodeIndex,
    obstacle: Obstacle,
    since: ClockTime,
}

impl ObstructedElement {
    /// Returns the obstacle as seen now. It began earlier if the look before had the same one.
    fn observed(before: Option<Self>, node: NodeIndex, obstacle: Obstacle, now: ClockTime) -> Self {
        let before = before.filter(|it| it.obstacle == obstacle);
        Self {
            node,
            obstacle,
            since: before.map_or(now, |it| it.since),
        }
    }

    /// Builds the error for an element that is disabled or covered after `waited`: [`EngineError::Disabled`] or
    /// [`EngineError::Covered`].
    fn error(self, selector: &Selector, screen: &Screen, waited: Duration) -> EngineError {
        let selector = selector.to_string();
        let element = describe(screen.node(self.node));
        match self.obstacle {
            Obstacle::Disabled => EngineError::Disabled {
                selector,
                element,
                waited,
            },
            Obstacle::Covered(by) => EngineError::Covered {
                selector,
                element,
                by,
                waited,
            },
        }
    }
}

/// Matches of a selector that should have one.
enum Count {
    One(NodeIndex),
    Several(Vec<NodeIndex>),
}

impl Session {
    /// Waits until exactly one element matches. Accepts the last look, and looks again until `timeout` is up.
    ///
    /// Several matches are an error as soon as two looks in a row show the same screen, as it is no transition then, or
    /// when time is up.
    pub async fn find(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let looks = LookPolicy::LastToo;
        self.find_ready(selector, Purpose::Assertion, looks, timeout, |_| None)
            .await
    }

    /// Same as [`Session::find`], and waits until the element can be touched if the aim demands it; an
    /// obstacle that lasts is the error. Waits for flung content to rest first. Reuses the last look only if
    /// nothing moved on it, as the touch must hit the element's present place.
    pub(in super::super) async fn find_to_act(
        &self,
        aim: Aim<'_>,
        timeout: Duration,
    ) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        self.wait_for_rest().await?;
        let looks = LookPolicy::RestedToo;
        self.find_ready(aim.selector, Purpose::Action, looks, timeout, |node| {
            aim.obstacle(node)
        })
        .await
    }

    /// Waits until exactly one element matches and nothing is in its way. Several matches fail once two looks in a row
    /// show the same, or when time is up; an obstacle only when time is up. Elements below a dialog that a rule answers
    /// do not count.
    async fn find_ready(
        &self,
        selector: &Selector,
        purpose: Purpose,
        looks: LookPolicy,
        timeout: Duration,
        obstacle: impl Fn(Node<'_>) -> Option<Obstacle> + Send + Sync,
    ) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let mut before: Option<Arc<Screen>> = None;
        // The next look follows at once, so that two equal looks would not exclude a transition.
        let reused = self.last_look(looks);
        let mut several = None;
        let mut obstructed: Option<ObstructedElement> = None;
        let waited = self
            .wait_by(looks, timeout, |screen| {
                let nodes = self.uncovered(selector, screen);
                several = None;
                let before_this = obstructed.take();
                match nodes.as_slice() {
                    [] => {}
                    [node] => {
                        let Some(obstacle) = obstacle(screen.node(*node)) else {
                            return Some(Count::One(*node));
                        };
                        let now = self.clock().now();
                        let seen = ObstructedElement::observed(before_this, *node, obstacle, now);
                        obstructed = Some(seen);
                    }
                    _ => {
                        let settled = before.as_ref().is_some_and(|b| same_rows(b, screen));
                        if settled {
                            return Some(Count::Several(nodes));
                        }
                        several = Some(nodes);
                    }
                }
                let is_new = reused.as_ref().is_none_or(|it| !Arc::ptr_eq(it, screen));
                before = is_new.then(|| Arc::clone(screen));
                None
            })
            .await?;
        let nodes = match (waited.found, waited.screen) {
            (Some(Count::One(node)), Some(screen)) => {
                self.notify_found(&screen, &[node]);
                return Ok((screen, node));
            }
            (Some(Count::Several(nodes)), screen) => screen.map(|screen| (screen, nodes)),
            (_, screen) => match (screen, several, obstructed) {
                (Some(screen), Some(nodes), _) => Some((screen, nodes)),
                (Some(screen), None, Some(obstructed)) => {
                    let waited = self.clock().since(obstructed.since);
                    return Err(obstructed.error(selector, &screen, waited));
                }
                (screen, ..) => return Err(EngineError::not_found(selector, screen, purpose)),
            },
        };
        match nodes {
            Some((screen, nodes)) => Err(EngineError::several(selector, &screen, &nodes)),
            None => Err(EngineError::not_found(selector, None, purpose)),
        }
    }

    /// Waits until at least one element matches, and returns all matches with their screen, in the order of
    /// [`Selector::find`]. Matches below a dialog that a rule is going to answer do not count.
    /// [`EngineError::NotFound`] if there is none when time is up.
    pub async fn find_any(
        &self,
        selector: &Selector,
        timeout: Duration,
        looks: LookPolicy,
    ) -> Result<(Arc<Screen>, Vec<NodeIndex>), EngineError> {
        let mut toasts = ToastWatch::default();
        let waited = self
            .wait_by(looks, timeout, |screen| {
                toasts.note(screen);
                let nodes = self.uncovered(selector, screen);
                (!nodes.is_empty()).then_some(nodes)
            })
            .await?;
        match (waited.screen, waited.found) {
            (Some(screen), Some(nodes)) => {
                self.notify_found(&screen, &nodes);
                Ok((screen, nodes))
            }
            (screen, _) => {
                let error = EngineError::not_found(selector, screen, Purpose::Assertion);
                Err(toasts.explain(error))
            }
        }
    }

    /// Returns the matches, except those below a dialog that a rule is going to answer.
    pub(in super::super) fn uncovered(
        &self,
        selector: &Selector,
        screen: &Screen,
    ) -> Vec<NodeIndex> {
        self.dialogs.uncovered(screen, selector.find(screen))
    }
}

impl EngineError {
    /// Builds the error for several matches of a selector that should pick one. It has their number, and
    /// describes the first eight.
    pub fn several(selector: &Selector, screen: &Screen, nodes: &[NodeIndex]) -> Self {
        Self::Several {
            selector: selector.to_string(),
            count: nodes.len(),
            candidates: describe_matches(screen, nodes),
        }
    }
}
