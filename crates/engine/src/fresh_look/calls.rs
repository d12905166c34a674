//! Calls of a session that keep, forget and use its last look.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::{CachedLook, LookPolicy};
use crate::{EngineError, Session};
use runner_screen::Screen;

/// Maximum age of a reused look, in device time. Chosen: a screen may change by itself, and a dump of a phone
/// takes as long.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum age of a reused look, in host time. Chosen: longer than the device's limit, for devices whose own
/// time stands still while another client, or an app on this computer, changes the screen.
const MAX_HOST_AGE: Duration = Duration::from_secs(3);

impl Session {
    /// Returns the number of round trips that may have changed the screen.
    pub(crate) fn changing_round_trips(&self) -> u64 {
        self.device().counters().changing()
    }

    /// Stores a look as the last one. `before` is [`Session::changing_round_trips`] before it was taken. If
    /// the number has grown since, another call's input came during the look, and no look is kept as fresh.
    /// In any case it counts as the last displayed screen.
    pub(crate) fn note_look(&self, screen: &Arc<Screen>, before: u64) {
        self.note_displayed(screen, before);
        // Another call's input that came during the look may not be in it.
        if self.changing_round_trips() != before {
            self.forget_look();
            return;
        }
        *self.fresh.lock() = Some(CachedLook {
            screen: Arc::clone(screen),
            ended: self.clock().now(),
            ended_on_host: Instant::now(),
            changing: before,
            rested: self.device().looks_at_rest(),
        });
    }

    /// Marks the last look as one on which nothing moves, because the one before it showed the same. Without
    /// effect unless `screen` is that look.
    pub(crate) fn note_rest(&self, screen: &Arc<Screen>) {
        if let Some(last) = self.fresh.lock().as_mut()
            && Arc::ptr_eq(&last.screen, screen)
        {
            last.rested = true;
        }
    }

    /// Stores a look of any kind for screenshots. `before` as in [`Self::note_look`].
    pub(crate) fn note_displayed(&self, screen: &Arc<Screen>, before: u64) {
        *self.fresh.displayed() = Some((Arc::clone(screen), before));
    }

    /// Returns the last look of any kind, unless text was typed that it may not show.
    pub(crate) fn displayed_before_typing(&self) -> Option<Arc<Screen>> {
        let typed_at = self.fresh.typed_at.load(Ordering::Relaxed);
        let (screen, before) = self.fresh.displayed().clone()?;
        (typed_at <= before).then_some(screen)
    }

    /// Records that text is about to be typed.
    pub(crate) fn note_typing(&self) {
        let with_it = self.changing_round_trips() + 1;
        self.fresh.typed_at.store(with_it, Ordering::Relaxed);
    }

    /// Forgets the last look, because something is about to change the screen or to let time pass.
    pub fn forget_look(&self) {
        *self.fresh.lock() = None;
    }

    /// Returns true unless the last look was forgotten or there was none. It may be old.
    pub(crate) fn has_kept_look(&self) -> bool {
        self.fresh.lock().is_some()
    }

    /// Returns true if there is a fresh look, taken after the last action.
    pub fn has_new_look(&self) -> bool {
        self.fresh_look().is_some()
    }

    /// Returns the last look if it is fresh and nothing was done since.
    pub(crate) fn fresh_look(&self) -> Option<Arc<Screen>> {
        self.last_look(LookPolicy::LastToo)
    }

    /// Returns the last look if the policy accepts it, nothing was sent to the device since, and it is at most 1 s old
    /// by the device's clock and 3 s by the host's. [`LookPolicy::RestedToo`] also demands that nothing moved on it;
    /// [`LookPolicy::New`] accepts none.
    pub(crate) fn last_look(&self, policy: LookPolicy) -> Option<Arc<Screen>> {
        let last = self.fresh.lock();
        let last = last.as_ref()?;
        let is_allowed = match policy {
            LookPolicy::New => false,
            LookPolicy::LastToo => true,
            LookPolicy::RestedToo => last.rested,
        };
        let is_new = self.clock().since(last.ended) <= MAX_AGE
            && last.ended_on_host.elapsed() <= MAX_HOST_AGE;
        (is_allowed && is_new && last.changing == self.changing_round_trips())
            .then(|| Arc::clone(&last.screen))
    }

    /// Returns the last look if nothing moved on it, nothing was done since and it is fresh, which counts as
    /// a reuse; else a new one, which may show movement.
    pub async fn rested_or_new_look(&self) -> Result<Arc<Screen>, EngineError> {
        match self.last_look(LookPolicy::RestedToo) {
            Some(screen) => {
                self.device().counters().reuse();
                Ok(screen)
            }
            None => self.look().await,
        }
    }

    /// Runs a future that only reads from the device, and keeps the last look as fresh as it was before, as
    /// its requests would make it stale. A look that was stale already, or was replaced meanwhile, is left
    /// alone. Its age counts on.
    pub async fn reading<T>(&self, work: impl Future<Output = T>) -> T {
        let fresh = self.fresh_look();
        let done = work.await;
        // Another call may have taken a look meanwhile, which keeps its own count.
        if let Some(fresh) = fresh
            && let Some(acquired) = self.fresh.lock().as_mut()
            && Arc::ptr_eq(&acquired.screen, &fresh)
        {
            acquired.changing = self.changing_round_trips();
        }
        done
    }
}
