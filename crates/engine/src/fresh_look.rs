//! Cache of the last look while it still shows the screen. Consecutive steps that change nothing need no dump
//! each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{EngineError, Session};
use runner_device::{ClockTime, Input};
use runner_screen::Screen;

/// Maximum age of a reused look, in device time. Chosen: a screen may change by itself, and a dump of a phone
/// takes as long.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Maximum age of a reused look, in host time. Chosen: longer than the device's limit, for devices whose own
/// time stands still while another client, or an app on this computer, changes the screen.
const MAX_HOST_AGE: Duration = Duration::from_secs(3);

/// Looks that a wait accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LookPolicy {
    /// Only looks that begin after the wait did.
    New,
    /// Also the last look, if it is fresh and already shows what is waited for.
    LastToo,
    /// Also the last look, if it is fresh and nothing was moving, so that elements are still in their places.
    RestedToo,
}

/// The last look, unless it was forgotten.
#[derive(Debug, Default)]
pub(super) struct FreshLook {
    last: Mutex<Option<CachedLook>>,
    /// The last look of any kind and age, with [`Session::changing_round_trips`] before it.
    displayed: Mutex<Option<(Arc<Screen>, u64)>>,
    /// Value of [`Session::changing_round_trips`] after the last typing.
    typed_at: AtomicU64,
}

/// Codes of the keys of digits and of letters, `KEYCODE_0` to `KEYCODE_Z` of `android.view.KeyEvent`.
const DIGITS: std::ops::RangeInclusive<u32> = 7..=16;
const LETTERS: std::ops::RangeInclusive<u32> = 29..=54;

/// Returns true if an input may enter characters: a text, any combination, or a key with a name of one
/// character or of the number pad, or with the code of a digit or letter. Other keys, such as ENTER and DEL,
/// do not count.
pub(super) fn types(input: &Input) -> bool {
    match input {
        Input::Text(_) | Input::Combination(_) => true,
        Input::Key { key, .. } => {
            let name = key.name();
            let is_letter = |code: u32| DIGITS.contains(&code) || LETTERS.contains(&code);
            name.len() == 1 || name.starts_with("NUMPAD_") || name.parse().is_ok_and(is_letter)
        }
        _ => false,
    }
}

#[derive(Debug)]
struct CachedLook {
    screen: Arc<Screen>,
    ended: ClockTime,
    /// End of the look by the host's clock.
    ended_on_host: Instant,
    /// Number of changing round trips before the look. Any further one may have changed the screen.
    changing: u64,
    /// True if nothing was moving.
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
    /// Returns the number of round trips that may have changed the screen.
    pub(super) fn changing_round_trips(&self) -> u64 {
        self.device().counters().changing()
    }

    /// Stores a look as the last one. `before` is [`Session::changing_round_trips`] before it was taken. If
    /// the number has grown since, another call's input came during the look, and no look is kept as fresh.
    /// In any case it counts as the last displayed screen.
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

    /// Marks the last look as one on which nothing moves, because the one before it showed the same. Without
    /// effect unless `screen` is that look.
    pub(super) fn note_rest(&self, screen: &Arc<Screen>) {
        if let Some(last) = self.fresh.lock().as_mut()
            && Arc::ptr_eq(&last.screen, screen)
        {
            last.rested = true;
        }
    }

    /// Stores a look of any kind for screenshots. `before` as in [`Self::note_look`].
    pub(super) fn note_displayed(&self, screen: &Arc<Screen>, before: u64) {
        *self.fresh.displayed() = Some((Arc::clone(screen), before));
    }

    /// Returns the last look of any kind, unless text was typed that it may not show.
    pub(super) fn displayed_before_typing(&self) -> Option<Arc<Screen>> {
        let typed_at = self.fresh.typed_at.load(Ordering::Relaxed);
        let (screen, before) = self.fresh.displayed().clone()?;
        (typed_at <= before).then_some(screen)
    }

    /// Records that text is about to be typed.
    pub(super) fn note_typing(&self) {
        let with_it = self.changing_round_trips() + 1;
        self.fresh.typed_at.store(with_it, Ordering::Relaxed);
    }

    /// Forgets the last look, because something is about to change the screen or to let time pass.
    pub fn forget_look(&self) {
        *self.fresh.lock() = None;
    }

    /// Returns true if there is a fresh look, taken after the last action.
    pub fn has_new_look(&self) -> bool {
        self.fresh_look().is_some()
    }

    /// Returns the last look if it is fresh and nothing was done since.
    pub(super) fn fresh_look(&self) -> Option<Arc<Screen>> {
        self.last_look(LookPolicy::LastToo)
    }

    /// Returns the last look if the policy accepts it, nothing was sent to the device since, and it is at
    /// most 1 s old by the device's clock and 3 s by the host's. [`LookPolicy::RestedToo`] also demands that
    /// nothing moved on it.
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
