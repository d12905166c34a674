//! Waits until the screen rests.

use std::time::Duration;

use crate::session::{is_restless, is_transient};
use crate::wait_budget::WaitBudget;
use crate::{EngineError, Session};
use runner_screen::Fingerprint;

/// Result of [`Session::wait_for_idle`]: the screen came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleResult {
    pub elapsed: Duration,
    /// Similarity of the last two looks, percent.
    pub similarity: u8,
}

impl Session {
    /// Waits until two looks in a row are similar to at least `match_percentage`; at least 0.5 s lie between their
    /// starts. A look that fails in passing starts over; any other error is returned at once. A look that takes all of
    /// the time is compared with one more, however late. When time is up the error is [`EngineError::NotIdle`] with the
    /// last similarity, 0 without any. It is the look's own error only if that says more than that the screen does not
    /// rest, and no look succeeded or the look to compare with was cut off.
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
}
