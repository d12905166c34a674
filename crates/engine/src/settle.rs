//! Waiting until two looks in a row show the same, without a failure where they never do.

use std::sync::Arc;
use std::time::Duration;

use super::history::same_rows;
use super::session::is_passing;
use super::wait_budget::{LOOK_LIMIT, WaitBudget};
use super::{EngineError, LookPolicy, Session};
use runner_screen::Screen;

/// Looks of one wait, where no time is given.
const LOOKS: u32 = 10;
/// A screen that cannot be read so often is in motion for good: a video, a spinner.
const FAILURES: u32 = 2;

impl Session {
    /// Looks until nothing moves, at most ten times, or until `limit` is up, and returns the last look. A look of a driver
    /// that waits for rest is enough; of others two in a row have to show the same. `first` is a look that was just taken; by
    /// default it is the last one, if nothing was done since.
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
        // Far longer than ten looks take on a device that is well.
        let usual = LOOK_LIMIT * 2;
        let mut timeout = WaitBudget::new(self.clock(), limit.unwrap_or(usual));
        let mut before = first.or_else(|| self.last_look(LookPolicy::LastToo));
        let mut failures = 0;
        loop {
            timeout.look_begins();
            let bound = self.look_limit(&timeout, before.is_some());
            match self.look_within(bound).await {
                Ok(screen) => {
                    let is_same = |before: Arc<Screen>| same_rows(&before, &screen);
                    if at_rest || before.is_some_and(is_same) {
                        self.note_rest(&screen);
                        return Ok(screen);
                    }
                    if limit.is_none() && timeout.looks() >= LOOKS {
                        return Ok(screen);
                    }
                    before = Some(screen);
                }
                Err(error) => {
                    failures += 1;
                    if !is_passing(&error) || failures == FAILURES {
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

    /// Whether two looks show the same.
    pub fn shows_the_same(one: &Screen, other: &Screen) -> bool {
        same_rows(one, other)
    }
}
