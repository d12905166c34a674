//! Cache of the last look while it still shows the screen. Consecutive steps that change nothing need no dump
//! each.

mod calls;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use runner_device::{ClockTime, Input};
use runner_screen::Screen;

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
    /// The last look of any kind and age, with
    /// [`Session::changing_round_trips`](super::Session::changing_round_trips) before it.
    displayed: Mutex<Option<(Arc<Screen>, u64)>>,
    /// Value of [`Session::changing_round_trips`](super::Session::changing_round_trips) after the last typing.
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
