//! Waits for elements to appear or to go, as long as Maestro does.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::state::set_step_timeout;
use super::texts::bad_expression;
use runner_engine::{EngineError, LookPolicy, Session, describe};
use runner_flow::maestro::{self, Condition, Platform, RawText};
use runner_screen::maestro::{MaestroSelector, Match};
use runner_screen::selector::{AbsenceError, Purpose};
use runner_screen::{AbsenceProof, Node, NodeIndex, Rect, Screen};
use runner_tools::{Failure, FailureKind};

/// Time to look for an element or an assertion: `lookupTimeoutMs` of `Orchestra.kt`.
pub(super) const USUAL: Duration = Duration::from_secs(17);
/// Time to look for an optional element, and in conditions: `optionalLookupTimeoutMs` of `Orchestra.kt`.
pub(super) const OPTIONAL: Duration = Duration::from_secs(7);
/// Time that an element must be missing to count as gone: `Orchestra.kt` looks for it once more for 500 ms.
const GONE: Duration = Duration::from_millis(500);
/// Chosen: number of near misses in an error, as for other flows.
const MISSES: usize = 3;

pub(super) struct FoundElement {
    pub(super) screen: Arc<Screen>,
    pub(super) target: Match,
}

impl FoundElement {
    /// Returns the element, or none for a toast.
    pub(super) fn node(&self) -> Option<Node<'_>> {
        match self.target {
            Match::Node(node) => Some(self.screen.node(node)),
            Match::Toast(_) => None,
        }
    }

    pub(super) fn bounds(&self) -> Option<Rect> {
        self.node().map(Node::bounds)
    }

    /// Returns the element's bounds. A toast cannot be touched or cut out, so it is an error.
    pub(super) fn place(&self) -> Result<Rect, Failure> {
        self.bounds().ok_or_else(|| {
            Failure::unsupported("a toast has no place here; only whether it is seen can be tested")
        })
    }

    /// Returns a result with the element's bounds, which a toast has not.
    fn result(&self) -> StepResult {
        StepResult {
            bounds: self.bounds(),
            ..StepResult::default()
        }
    }
}

/// Result of a wait for an element to go that did not.
struct RemainingMatches {
    screen: Option<Arc<Screen>>,
    /// Reason of the last look. `None` if the element was missing on it, but not for long enough.
    why: Option<AbsenceError<Match>>,
}

impl RemainingMatches {
    /// Returns the failure that tells what still matches, at most three elements. A missing anchor, an incomplete
    /// screen or too short an absence is told instead, as nothing is proved then.
    fn failure(self, selector: &MaestroSelector) -> Failure {
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
fn gone(_: AbsenceProof) -> StepResult {
    StepResult::default()
}

/// Returns the matching elements; messages that are no elements (toasts) are left out. A regular expression
/// that takes too long matches none.
fn matching_nodes(selector: &MaestroSelector, screen: &Screen) -> Vec<NodeIndex> {
    let found = selector.find(screen).unwrap_or_default().into_iter();
    found
        .filter_map(|found| match found {
            Match::Node(node) => Some(node),
            Match::Toast(_) => None,
        })
        .collect()
}

/// Returns the first match, an element or a toast, that is not below a dialog which a rule of the project is going to
/// answer. An expression that takes too long is a failure.
pub(super) fn first_match(
    session: &Session,
    selector: &MaestroSelector,
    screen: &Screen,
) -> Result<Option<Match>, FailedTry> {
    let found = selector
        .find(screen)
        .map_err(|error| bad_expression(&error))?;
    let is_open = |found: &Match| match found {
        Match::Node(node) => !session.is_below_dialog(screen, *node),
        Match::Toast(_) => true,
    };
    Ok(found.into_iter().find(is_open))
}

pub(super) enum Search {
    Found(FoundElement),
    Missing { screen: Option<Arc<Screen>> },
}

impl Interpreter<'_, '_> {
    /// Returns the time left to look for an element: of 17 s or the step timeout, at most 7 s if `optional`, since the
    /// last command that may have changed the screen.
    pub(super) fn lookup_time(&mut self, optional: bool) -> Duration {
        let usual = self.usual_limit();
        let whole = if optional { OPTIONAL.min(usual) } else { usual };
        self.state().left_of(whole)
    }

    /// Returns `step_timeout` if somebody set it, else Maestro's time.
    fn usual_limit(&self) -> Duration {
        set_step_timeout(self.context.settings, self.context.flow).unwrap_or(USUAL)
    }

    /// Looks until the element is there or `limit` is up, at least once; `looks` says whether the last look may do. Of
    /// several matches the first counts. A match may be a toast instead of an element. Dialogs that hide the element
    /// are answered by the project's rules. An expression that takes too long is a failure; to find nothing is no
    /// failure but [`Search::Missing`].
    pub(super) async fn search(
        &self,
        selector: &MaestroSelector,
        limit: Duration,
        looks: LookPolicy,
    ) -> Result<Search, FailedTry> {
        let session = self.context.session;
        session.begin_step(limit);
        let waited = session
            .wait_by(looks, limit, |screen| {
                first_match(session, selector, screen).transpose()
            })
            .await
            .map_err(Failure::from)?;
        match (waited.found, waited.screen) {
            (Some(Err(failed)), _) => Err(failed),
            (Some(Ok(target)), Some(screen)) => {
                if let Match::Node(node) = target {
                    session.notify_found(&screen, &[node]);
                }
                Ok(Search::Found(FoundElement { screen, target }))
            }
            (_, screen) => Ok(Search::Missing { screen }),
        }
    }

    /// Returns the first match, or a failure with near misses once the time is up: 17 s or the flow's step
    /// timeout, at most 7 s if optional, from the last command that may have changed the screen. The last
    /// look counts only if nothing moved on it.
    pub(super) async fn find(
        &mut self,
        raw: &maestro::RawSelector,
        optional: bool,
    ) -> Result<FoundElement, FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = self.lookup_time(optional || raw.optional);
        match self.search(&selector, limit, LookPolicy::RestedToo).await? {
            Search::Found(found) => Ok(found),
            Search::Missing { screen } => {
                Err(not_found(&selector, screen.as_deref(), Purpose::Assertion).into())
            }
        }
    }

    /// Returns the first match with its selector, as [`Self::find`] does. The last look counts even if
    /// something moved on it, as every touch waits for the screen to rest anyway.
    pub(super) async fn find_to_touch(
        &mut self,
        raw: &maestro::RawSelector,
        optional: bool,
    ) -> Result<(FoundElement, MaestroSelector), FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = self.lookup_time(optional || raw.optional);
        match self.search(&selector, limit, LookPolicy::LastToo).await? {
            Search::Found(found) => Ok((found, selector)),
            Search::Missing { screen } => {
                Err(not_found(&selector, screen.as_deref(), Purpose::Action).into())
            }
        }
    }

    /// Waits until nothing has matched for [`GONE`], within `limit` and [`GONE`] more. Each look on which it
    /// is there, or that is incomplete, or with a dialog that a rule answers, starts over. With `asserted`, every
    /// anchor of the selector must be there. Dialogs with a match are not answered.
    ///
    /// The outer error is a fault of the device or of the expression; the inner one says what is still there.
    async fn wait_gone(
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

    /// Runs `assertVisible`, or `visible` of `extendedWaitUntil` with its own time. Without `limit` it has 17 s or the
    /// step timeout, also if optional. The time counts from the last command that may have changed the screen. The last
    /// look suffices. Returns the first match; a failure with near misses if there is none.
    pub(super) async fn assert_visible(
        &mut self,
        raw: &maestro::RawSelector,
        limit: Option<Duration>,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = limit.unwrap_or_else(|| self.usual_limit());
        let limit = self.state().left_of(limit);
        match self.search(&selector, limit, LookPolicy::LastToo).await? {
            Search::Found(found) => Ok(found.result()),
            Search::Missing { screen } => {
                Err(not_found(&selector, screen.as_deref(), Purpose::Assertion).into())
            }
        }
    }

    /// Runs `assertNotVisible`, or `notVisible` of `extendedWaitUntil` with its own time; without `limit` it has 17 s
    /// or the step timeout. The time counts from the last command that may have changed the screen, and the element
    /// must be missing for [`GONE`]. Fails if something still matches, an anchor of the selector is missing, or the
    /// screen is incomplete. An absence that comes from a dialog answered by a rule is a failure too.
    pub(super) async fn assert_not_visible(
        &mut self,
        raw: &maestro::RawSelector,
        limit: Option<Duration>,
    ) -> Result<StepResult, FailedTry> {
        let selector = self.selector(raw).await?;
        let limit = limit.unwrap_or_else(|| self.usual_limit());
        let limit = self.state().left_of(limit);
        match self.wait_gone(&selector, limit, true).await? {
            Ok(absent) => {
                self.context
                    .session
                    .check_answered_dialogs(&selector, |screen| matching_nodes(&selector, screen))
                    .map_err(Failure::from)?;
                let screen = self.context.session.last_screen();
                self.note_typo(&selector, screen.as_deref());
                Ok(gone(absent))
            }
            Err(still) => Err(still.failure(&selector).into()),
        }
    }

    /// Runs `extendedWaitUntil`: first `visible`, then `not_visible`, each with the same limit of `timeout`
    /// milliseconds. Without `timeout` each has 17 s or the step timeout. Without both selectors it passes at once. The
    /// result is that of `visible`.
    pub(super) async fn extended_wait(
        &mut self,
        visible: Option<&maestro::RawSelector>,
        not_visible: Option<&maestro::RawSelector>,
        timeout: Option<&RawText>,
    ) -> Result<StepResult, FailedTry> {
        let limit = self.time(timeout).await?;
        let mut result = StepResult::default();
        if let Some(visible) = visible {
            result = self.assert_visible(visible, limit).await?;
        }
        if let Some(not_visible) = not_visible {
            self.assert_not_visible(not_visible, limit).await?;
        }
        Ok(result)
    }

    /// Returns true if all parts of a condition hold; an empty one does. Checked in this order until one does not hold:
    /// platform, script, `visible`, `notVisible`. The last two wait up to [`OPTIONAL`] each, counted from the last
    /// command that may have changed the screen. That something is missing needs a complete screen; otherwise it is a
    /// failure. With `notes` it notes selectors that match nothing and surely misspell an element.
    pub(super) async fn condition(
        &mut self,
        condition: &Condition,
        notes: bool,
    ) -> Result<bool, FailedTry> {
        if condition
            .platform
            .is_some_and(|platform| platform != Platform::Android)
        {
            return Ok(false);
        }
        if let Some(script) = &condition.script {
            let text = self.words(script).await?;
            if !runner_script::is_true(&text) {
                return Ok(false);
            }
        }
        if let Some(raw) = &condition.visible {
            let selector = self.selector(raw).await?;
            let limit = self.lookup_time(true);
            let search = self.search(&selector, limit, LookPolicy::LastToo).await?;
            if let Search::Missing { screen } = search {
                if let Some(screen) = screen.as_deref() {
                    let session = self.context.session;
                    session.check_no_dialog(screen).map_err(Failure::from)?;
                }
                // A verdict that something is missing needs a complete dump.
                if let Some(why) = screen.as_deref().and_then(|screen| screen.as_whole().err()) {
                    return Err(Failure::from(EngineError::PartialScreen {
                        subject: selector.to_string(),
                        why,
                    })
                    .into());
                }
                self.note_typo(&selector, screen.as_deref().filter(|_| notes));
                return Ok(false);
            }
        }
        if let Some(raw) = &condition.not_visible {
            let selector = self.selector(raw).await?;
            let limit = self.lookup_time(true);
            match self.wait_gone(&selector, limit, false).await? {
                Ok(_) => {
                    let screen = self.context.session.last_screen().filter(|_| notes);
                    self.note_typo(&selector, screen.as_deref());
                }
                Err(RemainingMatches {
                    why: Some(why @ AbsenceError::Partial(_)),
                    screen,
                }) => {
                    let why = Some(why);
                    return Err(RemainingMatches { screen, why }.failure(&selector).into());
                }
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Notes the element that a selector which matches nothing surely misspells, with what to write.
    fn note_typo(&mut self, selector: &MaestroSelector, screen: Option<&Screen>) {
        if let Some(typo) = not_found(selector, screen, Purpose::Assertion).typo {
            self.attempt
                .note_once(format!("nothing matches {selector}; {typo}"));
        }
    }

    /// Runs `assertTrue`: fails with the text as written and the value that its scripts come to, unless that counts as
    /// true: it is not blank, `false`, `undefined`, `null` or zero.
    pub(super) async fn assert_true(&mut self, raw: &RawText) -> Result<StepResult, FailedTry> {
        let text = self.words(raw).await?;
        if runner_script::is_true(&text) {
            return Ok(StepResult::default());
        }
        let failure = Failure::assertion(format!("`{}` does not hold", raw.text));
        Err(failure.comparing("something true", text).into())
    }

    /// Waits until the screen rests, for at most ten looks, if a command may have changed it. Returns the screen;
    /// `None` if it rested before or cannot be read. A screen that was read counts as at rest from now on, even if it
    /// never came to rest; one that cannot be read is waited for again. Only a fault of the infrastructure fails.
    pub(super) async fn wait_for_idle(&mut self) -> Result<Option<Arc<Screen>>, FailedTry> {
        if !self.state().moves {
            return Ok(None);
        }
        let session = self.context.session;
        session.begin_step(USUAL);
        match session.settle(None, None).await {
            Ok(screen) => {
                self.state().moves = false;
                Ok(Some(screen))
            }
            Err(error) => {
                let failure = Failure::from(error);
                // A screen that cannot be read, such as a playing video, may be touched all the same.
                if failure.kind == FailureKind::Infrastructure {
                    return Err(failure.into());
                }
                Ok(None)
            }
        }
    }
}

/// Returns the failure for a selector that matches nothing, with at most three near misses and what to write
/// for each. Without one it says what is in front. Without a screen it has no details.
pub(super) fn not_found(
    selector: &MaestroSelector,
    screen: Option<&Screen>,
    purpose: Purpose,
) -> Failure {
    let failure = Failure {
        is_of_missing: true,
        ..Failure::assertion(format!("no element matches {selector}"))
    };
    let Some(screen) = screen else {
        return failure;
    };
    let has_unread_toast = screen.toasts().is_empty() && screen.shows_toast();
    let toast = has_unread_toast.then_some("a toast is shown, and its text is on no look");
    let failure = failure.with_details(toast);
    let misses = selector.near_misses(screen, MISSES, purpose);
    if misses.is_empty() {
        let front = screen.foreground().map(|(package, activity)| {
            format!(
                "in front is {package}/{activity}, {} elements",
                screen.len()
            )
        });
        return failure.with_details(front);
    }
    let typo = misses.iter().position(|miss| miss.is_typo);
    let told = misses.into_iter().map(|miss| {
        let element = describe(screen.node(miss.node));
        format!("near miss: {element}: {}; write {}", miss.why, miss.write)
    });
    let told: Vec<String> = told.collect();
    Failure {
        typo: typo.and_then(|place| Some(told.get(place)?.as_str().into())),
        ..failure.with_details(told)
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
