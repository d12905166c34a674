//! Waits by looking again until a condition holds or the limit has run out.
//!
//! A look that begins before the limit may end after it: by up to a second, or three if no look succeeded
//! before.

use std::sync::Arc;
use std::time::Duration;

use super::act::{Aim, Obstacle};
use super::dialogs::DialogUse;
use super::hint::{describe_matches, unseen};
use super::history::same_rows;
use super::session::{is_restless, is_transient};
use super::wait_budget::WaitBudget;
use super::{EngineError, LookPolicy, Session};
use runner_device::ClockTime;
use runner_screen::selector::{AbsenceError, Expectation, Purpose};
use runner_screen::{
    AbsenceProof, Fingerprint, Node, NodeIndex, PartialScreen, Screen, SearchResult, Selector,
};
use runner_text::secret::Excerpt;

/// Result of a wait.
#[derive(Debug)]
pub struct WaitResult<T> {
    /// Result of the test; `None` if the limit ran out.
    pub found: Option<T>,
    /// The last screen.
    pub screen: Option<Arc<Screen>>,
    /// Duration by the device's clock.
    pub elapsed: Duration,
    /// Number of looks.
    pub looks: u32,
}

/// Result of [`Session::wait_for_idle`]: the screen came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleResult {
    pub elapsed: Duration,
    /// Similarity of the last two looks, percent.
    pub similarity: u8,
}

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
    /// Number of matches on the screen.
    pub count: usize,
    /// True if the number is as expected.
    pub is_as_expected: bool,
    /// Descriptions of matches outside the screen, one line each.
    pub unseen: Vec<String>,
}

/// An element that was obstructed on each look since a time.
struct ObstructedElement {
    node: NodeIndex,
    obstacle: Obstacle,
    since: ClockTime,
}

impl ObstructedElement {
    fn observed(before: Option<Self>, node: NodeIndex, obstacle: Obstacle, now: ClockTime) -> Self {
        let before = before.filter(|it| it.obstacle == obstacle);
        Self {
            node,
            obstacle,
            since: before.map_or(now, |it| it.since),
        }
    }

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
    /// Looks until `test` returns a value or `limit` has run out, at least once.
    ///
    /// Looks that fail because the screen is in motion are repeated; their error is returned only if no look
    /// succeeded.
    pub async fn wait_until<T>(
        &self,
        limit: Duration,
        test: impl FnMut(&Arc<Screen>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        self.wait_by(LookPolicy::New, limit, test).await
    }

    /// Same as [`Session::wait_until`], with a policy for looks. A reused look that does not satisfy the test
    /// is ignored.
    pub async fn wait_by<T>(
        &self,
        looks: LookPolicy,
        limit: Duration,
        test: impl FnMut(&Arc<Screen>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        self.wait_with(looks, limit, DialogUse::Answer, test).await
    }

    /// Same as [`Session::wait_by`], for verdicts that nothing matches: dialogs with a match of `denied` are
    /// not answered.
    pub async fn wait_denied<T>(
        &self,
        looks: LookPolicy,
        limit: Duration,
        denied: &(dyn Fn(&Screen) -> Vec<NodeIndex> + Send + Sync),
        test: impl FnMut(&Arc<Screen>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        self.wait_with(looks, limit, DialogUse::Spare(denied), test)
            .await
    }

    /// Same as [`Session::wait_by`], with a policy for dialogs. A dialog is answered only after a look that
    /// does not satisfy the test, and one more look follows, even if time is up.
    async fn wait_with<T>(
        &self,
        looks: LookPolicy,
        limit: Duration,
        dialogs: DialogUse<'_>,
        mut test: impl FnMut(&Arc<Screen>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        if let Some(screen) = self.last_look(looks)
            && let Some(found) = test(&screen)
        {
            self.device().counters().reuse();
            return Ok(WaitResult {
                found: Some(found),
                screen: Some(screen),
                elapsed: Duration::ZERO,
                looks: 0,
            });
        }
        let mut timeout = WaitBudget::new(self.clock(), limit);
        let mut last = None;
        loop {
            timeout.record_look();
            let mut failed = None;
            let mut is_answered = false;
            let limit = self.look_limit(&timeout, last.is_some());
            match self.look_within(limit).await {
                Ok(screen) => {
                    let found = test(&screen);
                    if found.is_some() {
                        return Ok(self.waited(found, Some(screen), &timeout));
                    }
                    is_answered = self.answer_dialog(&screen, dialogs).await;
                    last = Some(screen);
                }
                Err(error) if is_transient(&error) => failed = Some(error),
                Err(error) => return Err(error),
            }
            // After a dialog that hid the app there is always one more look.
            if !is_answered && !self.may_look_again(&timeout).await {
                return match (failed, last) {
                    (Some(error), None) => Err(error),
                    (_, last) => Ok(self.waited(None, last, &timeout)),
                };
            }
        }
    }

    /// Waits until exactly one element matches. Accepts the last look, and looks again until `timeout` is up.
    ///
    /// Several matches are an error as soon as two looks in a row show the same screen, as it is no
    /// transition then.
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
    pub(super) async fn find_to_act(
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

    /// Waits until at least one element matches, and returns all matches in document order with their screen.
    /// Matches below a dialog that a rule is going to answer do not count. [`EngineError::NotFound`] if there
    /// is none when time is up.
    pub async fn find_any(
        &self,
        selector: &Selector,
        timeout: Duration,
        looks: LookPolicy,
    ) -> Result<(Arc<Screen>, Vec<NodeIndex>), EngineError> {
        let waited = self
            .wait_by(looks, timeout, |screen| {
                let nodes = self.uncovered(selector, screen);
                (!nodes.is_empty()).then_some(nodes)
            })
            .await?;
        match (waited.screen, waited.found) {
            (Some(screen), Some(nodes)) => {
                self.notify_found(&screen, &nodes);
                Ok((screen, nodes))
            }
            (screen, _) => Err(EngineError::not_found(selector, screen, Purpose::Assertion)),
        }
    }

    /// Returns the matches, except those below a dialog that a rule is going to answer.
    pub(super) fn uncovered(&self, selector: &Selector, screen: &Screen) -> Vec<NodeIndex> {
        let mut nodes = selector.find(screen);
        nodes.retain(|node| !self.dialogs.cover(screen, *node));
        nodes
    }

    /// Waits until a complete screen has no match, while all anchors that the selector refers to are present.
    /// Dialogs with a match stay unanswered. When time is up, the error names the last reason: matches that
    /// are still there, an incomplete screen, or a missing anchor. An absence after a dialog was answered by
    /// a rule may be an error too.
    pub async fn wait_gone(
        &self,
        selector: &Selector,
        timeout: Duration,
        looks: LookPolicy,
    ) -> Result<AbsenceProof, EngineError> {
        let mut why = None;
        let denied = |screen: &Screen| selector.find(screen);
        let waited = self
            .wait_denied(looks, timeout, &denied, |screen| {
                let judged = selector.prove_absence_on(screen);
                why = judged.as_ref().err().cloned();
                judged.ok()
            })
            .await?;
        if let Some(absent) = waited.found {
            self.check_answered_dialogs(selector, denied)?;
            return Ok(absent);
        }
        let why = why.unwrap_or(AbsenceError::Present(Vec::new()));
        Err(not_absent(
            selector,
            why,
            waited.screen.as_deref(),
            waited.elapsed,
        ))
    }

    /// Tests once, and returns true if the selector matches (`wanted`) or nothing matches (not `wanted`).
    /// Uses the last look if it is fresh and satisfies, else the first look within `limit` that can decide:
    /// absence needs a complete screen. Answers no dialogs. If no look can decide, the error is
    /// [`EngineError::PartialScreen`].
    pub async fn is_visible(
        &self,
        selector: &Selector,
        wanted: bool,
        limit: Duration,
    ) -> Result<bool, EngineError> {
        let seen = |screen: &Screen| Ok(selector.search(screen)? == SearchResult::Found);
        if self
            .fresh_look()
            .is_some_and(|last| seen(&last) == Ok(wanted))
        {
            self.device().counters().reuse();
            return Ok(true);
        }
        let mut partial: Option<PartialScreen> = None;
        let tested = self
            .wait_with(LookPolicy::New, limit, DialogUse::Leave, |screen| {
                let seen = seen(screen);
                partial = seen.as_ref().err().cloned();
                Some(seen.ok()? == wanted)
            })
            .await?;
        match (tested.found, partial) {
            (None, Some(why)) => Err(partial_screen(selector, why)),
            (found, _) => Ok(found.unwrap_or_default()),
        }
    }

    /// Waits for a match (`wanted`) or its absence (not `wanted`), and returns true if it came in time, false
    /// if not. The last look may prove a match, but not absence. Absence needs a complete screen; if the last
    /// look could not decide, the error is [`EngineError::PartialScreen`].
    pub async fn becomes_visible(
        &self,
        selector: &Selector,
        wanted: bool,
        limit: Duration,
    ) -> Result<bool, EngineError> {
        let denied = |screen: &Screen| selector.find(screen);
        let (looks, dialogs) = if wanted {
            (LookPolicy::LastToo, DialogUse::Answer)
        } else {
            (LookPolicy::New, DialogUse::Spare(&denied))
        };
        let mut partial: Option<PartialScreen> = None;
        let waited = self
            .wait_with(looks, limit, dialogs, |screen| {
                let presence = selector.search(screen);
                partial = presence.as_ref().err().cloned();
                ((presence.ok()? == SearchResult::Found) == wanted).then_some(())
            })
            .await?;
        match (waited.found, partial) {
            (None, Some(why)) => Err(partial_screen(selector, why)),
            (found, _) => Ok(found.is_some()),
        }
    }

    /// Waits until `holds` accepts the number of matches, and returns the last number, also if time is up:
    /// `is_as_expected` tells. Accepts the last look.
    ///
    /// `at_least`: `holds` accepts every larger number too, so incomplete looks can decide. Otherwise the
    /// screen must be complete, and if the number may be 0 every anchor must be present; if only that is
    /// missing in the end, it is an error.
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
        if waited.found.is_some() && !at_least {
            self.check_answered_dialogs(selector, denied)?;
        }
        Ok(ElementCount {
            count,
            is_as_expected: waited.found.is_some(),
            unseen: unseen(selector, waited.screen.as_deref()),
        })
    }

    /// Waits until the only element located by `selector` has the properties that the selector demands.
    /// Accepts the last look. If the limit runs out with exactly one element located, the result lists its
    /// wrong properties and is no error. No element and several are errors.
    pub async fn expect(
        &self,
        selector: &Selector,
        timeout: Duration,
    ) -> Result<CheckedElement, EngineError> {
        let (locator, expectations) = selector.split_expectations();
        let mut located = None;
        let mut nodes = Vec::new();
        let waited = self
            .wait_by(LookPolicy::LastToo, timeout, |screen| {
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
            (_, screen) => Err(EngineError::not_found(&locator, screen, Purpose::Assertion)),
        }
    }

    /// Waits until two looks in a row are similar to at least `match_percentage`. At least 0.5 s lie between
    /// them. A failed look starts over. A look that takes all of the time is compared with one more, however
    /// late. When time is up the error is [`EngineError::NotIdle`] with the last similarity; the look's own
    /// error is returned only if no look succeeded and it says more than that the screen does not rest, or if
    /// the look to compare with was cut off.
    pub async fn wait_for_idle(
        &self,
        limit: Duration,
        match_percentage: u8,
    ) -> Result<IdleResult, EngineError> {
        let mut timeout = WaitBudget::new(self.clock(), limit);
        let mut before: Option<Fingerprint> = None;
        let mut similarity = None;
        let mut looked = false;
        loop {
            timeout.record_look();
            let mut failed = None;
            // Until two looks were compared, each has the time that a slow phone needs.
            let limit = self.look_limit(&timeout, similarity.is_some());
            match self.look_within(limit).await {
                Ok(screen) => {
                    looked = true;
                    let now = Fingerprint::from_screen(&screen);
                    if let Some(before) = &before {
                        let alike = before.similarity(&now);
                        if alike >= match_percentage {
                            return Ok(IdleResult {
                                elapsed: timeout.elapsed(),
                                similarity: alike,
                            });
                        }
                        similarity = Some(alike);
                    }
                    before = Some(now);
                }
                Err(error) if is_transient(&error) => {
                    // Two consecutive looks must be similar, and this failed one interrupts the series.
                    before = None;
                    failed = Some(error);
                }
                Err(error) => return Err(error),
            }
            let is_owed = before.is_some() && similarity.is_none();
            if !self.may_compare_again(&timeout, is_owed).await {
                self.clock.record_wait(true, timeout.elapsed());
                let not_idle = EngineError::NotIdle {
                    waited: timeout.elapsed(),
                    similarity: similarity.unwrap_or_default(),
                };
                let says_more = |error: &EngineError| {
                    let is_cut_off = matches!(
                        error,
                        EngineError::LookCutOff { .. } | EngineError::NotRead { .. }
                    );
                    !is_restless(error) && (!looked || is_cut_off && similarity.is_none())
                };
                return Err(failed.filter(says_more).unwrap_or(not_idle));
            }
        }
    }

    fn waited<T>(
        &self,
        found: Option<T>,
        screen: Option<Arc<Screen>>,
        timeout: &WaitBudget,
    ) -> WaitResult<T> {
        let (elapsed, looks) = (timeout.elapsed(), timeout.looks());
        let ms = elapsed.as_millis() as u64;
        tracing::debug!(target: "engine", ms, looks, found = found.is_some(), "wait ends");
        self.clock.record_wait(found.is_none(), elapsed);
        WaitResult {
            found,
            screen,
            elapsed,
            looks,
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

/// Builds the error for absence that cannot be proved: an incomplete screen, a missing anchor, or the matches
/// that are still there after `waited`. Without a screen, matches are not described.
fn not_absent(
    selector: &Selector,
    why: AbsenceError,
    screen: Option<&Screen>,
    waited: Duration,
) -> EngineError {
    match why {
        AbsenceError::Partial(why) => partial_screen(selector, why),
        AbsenceError::MissingAnchor(missing) => EngineError::NoAnchor {
            selector: selector.to_string(),
            missing,
        },
        AbsenceError::Present(nodes) => EngineError::StillThere {
            selector: selector.to_string(),
            waited,
            candidates: screen
                .map(|screen| describe_matches(screen, &nodes))
                .unwrap_or_default(),
        },
    }
}

fn partial_screen(selector: &Selector, why: PartialScreen) -> EngineError {
    EngineError::PartialScreen {
        subject: selector.to_string(),
        why,
    }
}

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

/// Describes an element for people by class, name and bounds: `Button "Sign in" at 50,800,270,1000`. The name
/// is the first that is not blank among displayed text, description, hint and resource id, cut to 60
/// characters; empty if there is none.
pub fn describe(node: Node<'_>) -> String {
    let name = [
        node.display_text(),
        node.desc(),
        node.hint(),
        node.resource_id(),
    ]
    .into_iter()
    .find(|name| !name.trim().is_empty())
    .unwrap_or_default();
    let name = Excerpt::new(name, 60).in_quotes();
    format!("{} {name} at {}", node.short_class(), node.bounds())
}
