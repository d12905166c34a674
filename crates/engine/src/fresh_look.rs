//! The last look, while it still shows what is on the screen: steps in a row that change nothing need no dump each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{EngineError, Session};
use runner_device::{ClockTime, Input};
use runner_screen::Screen;

/// The longest time for which a look is used: a screen may change by itself.
const MAX_AGE: Duration = Duration::from_secs(1);
/// The longest time of the host for which a look is used. Another client may touch a device whose own time stands still, and an
/// app that runs on this computer goes on.
const MAX_HOST_AGE: Duration = Duration::from_secs(3);

/// Which looks a wait goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookPolicy {
    /// Only those that begin after the wait.
    New,
    /// The last one too, where it is fresh and already shows what is waited for.
    LastToo,
    /// The last one too, if it is fresh and nothing was moving: what it shows is still in its place.
    RestedToo,
}

/// The last look, unless it was forgotten.
#[derive(Debug, Default)]
pub(super) struct FreshLook {
    last: Mutex<Option<CachedLook>>,
    /// The last look of any kind, however old, and [`Session::changing_round_trips`] before it.
    displayed: Mutex<Option<(Arc<Screen>, u64)>>,
    /// Those at the last text, with it.
    typed_at: AtomicU64,
}

/// Whether an input may bring characters to the screen.
pub(super) fn types(input: &Input) -> bool {
    match input {
        Input::Text(_) | Input::Combination(_) => true,
        Input::Key { key, .. } => key.name().len() == 1 || key.name().starts_with("NUMPAD_"),
        _ => false,
    }
}

#[derive(Debug)]
struct CachedLook {
    screen: Arc<Screen>,
    ended: ClockTime,
    /// The same by the host's clock.
    ended_on_host: Instant,
    /// Changing round trips there had been then: any further one may have changed the screen.
    changing: u64,
    /// Whether the screen was at rest when it was taken.
    rested: bool,
}

impl FreshLook {
    fn lock(&self) -> MutexGuard<'_, Option<CachedLook>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn displayed(&self) -> MutexGuard<'_, Option<(Arc<Screen>, u64)>> {
        self.displayed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Round trips but those that only look.
    pub(super) fn changing_round_trips(&self) -> u64 {
        self.device().counters().changing()
    }

    /// Keeps a look, before which there had been so many [`Session::changing_round_trips`].
    pub(super) fn note_look(&self, screen: &Arc<Screen>, before: u64) {
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

    /// Notes that nothing moves on this look: the one before it showed the same.
    pub(super) fn note_rest(&self, screen: &Arc<Screen>) {
        if let Some(last) = self.fresh.lock().as_mut()
            && Arc::ptr_eq(&last.screen, screen)
        {
            last.rested = true;
        }
    }

    /// Keeps a look of any kind for pictures, as [`Self::note_look`] does.
    pub(super) fn note_displayed(&self, screen: &Arc<Screen>, before: u64) {
        *self.fresh.displayed() = Some((Arc::clone(screen), before));
    }

    /// The last look of any kind, unless text was typed that it may not show.
    pub(super) fn displayed_before_typing(&self) -> Option<Arc<Screen>> {
        let typed_at = self.fresh.typed_at.load(Ordering::Relaxed);
        let (screen, before) = self.fresh.displayed().clone()?;
        (typed_at <= before).then_some(screen)
    }

    /// Text is about to be typed.
    pub(super) fn note_typing(&self) {
        let with_it = self.changing_round_trips() + 1;
        self.fresh.typed_at.store(with_it, Ordering::Relaxed);
    }

    /// The last look is not used again: something comes that may change the screen, or that lets time pass.
    pub fn forget_look(&self) {
        *self.fresh.lock() = None;
    }

    /// Returns true if the screen was looked at since the last act, a moment ago.
    pub fn has_new_look(&self) -> bool {
        self.fresh_look().is_some()
    }

    /// Returns the last look, where it ended a moment ago and nothing was done since.
    pub(super) fn fresh_look(&self) -> Option<Arc<Screen>> {
        self.last_look(LookPolicy::LastToo)
    }

    /// Returns the last look, where a wait may go by it.
    pub(super) fn last_look(&self, policy: LookPolicy) -> Option<Arc<Screen>> {
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

    /// Returns the last look, where nothing moved on it and nothing was done since, else a new one.
    pub async fn rested_or_new_look(&self) -> Result<Arc<Screen>, EngineError> {
        match self.last_look(LookPolicy::RestedToo) {
            Some(screen) => {
                self.device().counters().reuse();
                Ok(screen)
            }
            None => self.look().await,
        }
    }

    /// Does what only reads from the device: the last look is as fresh after it as it was before.
    pub async fn reading<T>(&self, work: impl Future<Output = T>) -> T {
        let fresh = self.fresh_look();
        let done = work.await;
        // Another call may have looked meanwhile; that look goes by its own count.
        if let Some(fresh) = fresh
            && let Some(acquired) = self.fresh.lock().as_mut()
            && Arc::ptr_eq(&acquired.screen, &fresh)
        {
            acquired.changing = self.changing_round_trips();
        }
        done
    }
}
