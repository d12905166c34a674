//! Waits until two looks in a row show the same, and returns normally even if they never do.

use std::sync::Arc;
use std::time::Duration;

use super::history::same_rows;
use super::session::is_transient;
use super::step_clock::LOOK_LIMIT;
use super::wait_budget::WaitBudget;
use super::{EngineError, LookPolicy, Session};
use runner_screen::Screen;

/// Limit for looks of one wait without a time limit. Chosen: animations end within a few looks.
const MAX_LOOKS: u32 = 10;
/// Number of failed looks after which the screen counts as always moving, such as a video or a spinner.
/// Chosen: each takes a phone about ten seconds.
const MAX_FAILURES: u32 = 2;

impl Session {
    /// Looks until nothing moves and returns the last look: at most ten times and 60 s without `limit`, else until the
    /// limit is up. A driver whose looks wait for rest needs one look; others need two in a row that show the same.
    /// `first` is a look that was just taken, by default the last one if nothing was done since; a look known to be at
    /// rest is returned at once.
    ///
    /// If the screen never rests, or a later look fails, the last look is returned without a sign of it. An error is
    /// returned only if there is no look at all; a transient one is repeated once.
    pub async fn settle(
        &self,
        first: Option<Arc<Screen>>,
        limit: Option<Duration>,
    ) -> Result<Arc<Screen>, EngineError> {
        let at_rest = self.device().looks_at_rest();
        let rested = self.last_look(LookPolicy::RestedToo);
        if let Some(rested) = rested {
            self.device().counters().reuse();
            return Ok(rested);
        }
        if at_rest && let Some(first) = first {
            return Ok(first);
        }
        // Far longer than ten looks take on a healthy device.
        let usual = LOOK_LIMIT * 2;
        let mut timeout = WaitBudget::new(self.clock(), limit.unwrap_or(usual));
        let mut before = first.or_else(|| self.last_look(LookPolicy::LastToo));
        let mut failures = 0;
        loop {
            timeout.record_look();
            let bound = self.look_limit(&timeout, before.is_some());
            match self.look_within(bound).await {
                Ok(screen) => {
                    let is_same = |before: Arc<Screen>| same_rows(&before, &screen);
                    if at_rest || before.is_some_and(is_same) {
                        self.note_rest(&screen);
                        return Ok(screen);
                    }
                    if limit.is_none() && timeout.looks() >= MAX_LOOKS {
                        return Ok(screen);
                    }
                    before = Some(screen);
                }
                Err(error) => {
                    failures += 1;
                    if !is_transient(&error) || failures == MAX_FAILURES {
                        return before.ok_or(error);
                    }
                }
            }
            if !self.may_look_again(&timeout).await
                && let Some(last) = before
            {
                return Ok(last);
            }
        }
    }

    /// Compares two looks node by node: class, resource id, text, description, bounds and states.
    pub fn shows_the_same(one: &Screen, other: &Screen) -> bool {
        same_rows(one, other)
    }
}
