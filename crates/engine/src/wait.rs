//! Waits by looking again until a condition holds or the limit has run out.
//!
//! A look that begins before the limit may end after it: by up to a second, or three if no look succeeded
//! before.

mod expect;
mod find;
mod idle;
mod visibility;

use std::sync::Arc;
use std::time::Duration;

use super::dialogs::DialogUse;
use super::session::is_transient;
use super::wait_budget::WaitBudget;
use super::{EngineError, LookPolicy, Session};
use runner_screen::{NodeIndex, Screen};

pub use expect::{CheckedElement, ElementCount};
pub use idle::IdleResult;

#[derive(Debug)]
pub struct WaitResult<T> {
    /// Result of the test; `None` if the limit ran out.
    pub found: Option<T>,
    /// The look that satisfied the test, else the last that succeeded.
    pub screen: Option<Arc<Screen>>,
    /// Duration by the device's clock.
    pub elapsed: Duration,
    /// Number of looks, failed ones too; 0 if an earlier look was reused.
    pub looks: u32,
}

impl Session {
    /// Looks until `test` returns a value or `limit` has run out, at least once. A dialog of a rule is answered after a
    /// look that does not satisfy the test.
    ///
    /// Looks that fail because the screen is in motion are repeated; their error is returned only if no look succeeded.
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
        mut test: impl FnMut(&Arc<Screen>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        self.wait_with(looks, limit, DialogUse::Answer, |screen| test(screen?))
            .await
    }

    /// Same as [`Session::wait_by`], for verdicts that nothing matches. Dialogs are answered before a look counts,
    /// except those with a match of `denied`. `test` gets `None` for a look with a dialog that is to be answered.
    /// If the last look is such a one, the error is [`EngineError::DialogHides`].
    pub async fn wait_denied<T>(
        &self,
        looks: LookPolicy,
        limit: Duration,
        denied: &(dyn Fn(&Screen) -> Vec<NodeIndex> + Send + Sync),
        test: impl FnMut(Option<&Arc<Screen>>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        self.wait_with(looks, limit, DialogUse::Spare(denied), test)
            .await
    }

    /// Same as [`Session::wait_by`], with a policy for dialogs. A dialog is answered only after a look that
    /// does not satisfy the test, and one more look follows, even if time is up. The test gets `None` for a look
    /// that [`DialogUse::Spare`] forbids to judge; if that is the last one, the error is
    /// [`EngineError::DialogHides`].
    async fn wait_with<T>(
        &self,
        looks: LookPolicy,
        limit: Duration,
        dialogs: DialogUse<'_>,
        mut test: impl FnMut(Option<&Arc<Screen>>) -> Option<T> + Send,
    ) -> Result<WaitResult<T>, EngineError> {
        if let Some(screen) = self.last_look(looks)
            && self.hiding_dialog(&screen, dialogs).is_none()
            && let Some(found) = test(Some(&screen))
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
        let mut hidden_by = None;
        loop {
            timeout.record_look();
            let mut failed = None;
            let mut is_answered = false;
            let limit = self.look_limit(&timeout, last.is_some());
            match self.look_within(limit).await {
                Ok(screen) => {
                    hidden_by = self.hiding_dialog(&screen, dialogs);
                    let found = test(hidden_by.is_none().then_some(&screen));
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
                return match (failed, last, hidden_by) {
                    (Some(error), None, _) => Err(error),
                    (_, last, None) => Ok(self.waited(None, last, &timeout)),
                    (_, last, Some(when)) => {
                        self.waited(None::<T>, last, &timeout);
                        Err(EngineError::DialogHides { when })
                    }
                };
            }
        }
    }

    /// Ends a wait: notes its duration for the step, as waited in vain if nothing was found.
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
