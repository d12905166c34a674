//! Waits for elements to appear, as long as Maestro does.

use std::sync::Arc;
use std::time::Duration;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::state::set_step_timeout;
use super::texts::bad_expression;
use runner_engine::{LookPolicy, Session, describe};
use runner_flow::maestro;
use runner_screen::maestro::{MaestroSelector, Match};
use runner_screen::selector::Purpose;
use runner_screen::{Node, Rect, Screen};
use runner_tools::{Failure, FailureKind};

/// Time to look for an element or an assertion: `lookupTimeoutMs` of `Orchestra.kt`.
pub(super) const USUAL: Duration = Duration::from_secs(17);
/// Time to look for an optional element, and in conditions: `optionalLookupTimeoutMs` of `Orchestra.kt`.
pub(super) const OPTIONAL: Duration = Duration::from_secs(7);
/// Chosen: number of near misses in an error, as for other flows.
pub(super) const MISSES: usize = 3;

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
    pub(super) fn result(&self) -> StepResult {
        StepResult {
            bounds: self.bounds(),
            ..StepResult::default()
        }
    }
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
    pub(super) fn usual_limit(&self) -> Duration {
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
