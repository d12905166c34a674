//! What the tools of a session share: the caches, how long each lasts, and what empties it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::controls::Controls;

const APPS_LAST: Duration = Duration::from_mins(5);
const SCREEN_LASTS: Duration = Duration::from_secs(5);
const DEVICE_INFO_LASTS: Duration = Duration::from_mins(1);

/// One value with the moment it was taken.
#[derive(Debug)]
pub(super) struct CachedValue<T> {
    lasts: Duration,
    stored: Option<(Instant, Arc<T>)>,
}

impl<T> CachedValue<T> {
    fn new(lasts: Duration) -> Self {
        Self {
            lasts,
            stored: None,
        }
    }

    /// The value, while it lasts.
    pub(super) fn fresh(&self, now: Instant) -> Option<Arc<T>> {
        let (acquired, value) = self.stored.as_ref()?;
        (now.saturating_duration_since(*acquired) < self.lasts).then(|| Arc::clone(value))
    }

    /// The value, however old.
    pub(super) fn stored(&self) -> Option<Arc<T>> {
        self.stored.as_ref().map(|(_, value)| Arc::clone(value))
    }

    pub(super) fn keep(&mut self, value: Arc<T>, now: Instant) {
        self.stored = Some((now, value));
    }

    pub(super) fn empty(&mut self) {
        self.stored = None;
    }

    /// Ends its time: it is fresh no more, and kept all the same.
    fn expire(&mut self) {
        if let Some((acquired, _)) = &mut self.stored {
            // No `Instant` lies before the start of the machine; there the value stays fresh for its time.
            *acquired = acquired.checked_sub(self.lasts).unwrap_or(*acquired);
        }
    }
}

/// All caches of a session.
#[derive(Debug)]
pub(super) struct Caches {
    pub(super) controls: CachedValue<Controls>,
    pub(super) ui_tree: CachedValue<String>,
    pub(super) device_info: CachedValue<Value>,
    apps: [CachedValue<Vec<String>>; 2],
    /// Whether the list that was given last, to which ids refer, has the system's apps.
    pub(super) listed_with_system: bool,
    /// How often the screen's caches were emptied.
    emptied: u64,
    #[cfg(test)]
    ahead: Duration,
}

impl Default for Caches {
    fn default() -> Self {
        Self {
            controls: CachedValue::new(SCREEN_LASTS),
            ui_tree: CachedValue::new(SCREEN_LASTS),
            device_info: CachedValue::new(DEVICE_INFO_LASTS),
            apps: [CachedValue::new(APPS_LAST), CachedValue::new(APPS_LAST)],
            listed_with_system: false,
            emptied: 0,
            #[cfg(test)]
            ahead: Duration::ZERO,
        }
    }
}

impl Caches {
    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "in tests the caches have a clock")]
    pub(super) fn now(&self) -> Instant {
        Instant::now()
    }

    #[cfg(test)]
    pub(super) fn now(&self) -> Instant {
        Instant::now() + self.ahead
    }

    /// Packages, with or without the system's.
    pub(super) fn apps(&mut self, with_system: bool) -> &mut CachedValue<Vec<String>> {
        &mut self.apps[usize::from(with_system)]
    }

    /// A mark to be had before a look; see [`Self::is_unchanged_since`].
    pub(super) fn mark(&self) -> u64 {
        self.emptied
    }

    /// Whether nothing emptied the screen's caches since the mark: else what was seen may be from before an action.
    pub(super) fn is_unchanged_since(&self, mark: u64) -> bool {
        self.emptied == mark
    }

    pub(super) fn empty_controls(&mut self) {
        self.controls.empty();
        self.emptied += 1;
    }

    pub(super) fn empty_ui_tree(&mut self) {
        self.ui_tree.empty();
        self.emptied += 1;
    }

    /// Time passes: what was seen is looked at anew before it is used, and its ids stay.
    pub(super) fn expire_screen(&mut self) {
        self.controls.expire();
        self.ui_tree.expire();
    }

    pub(super) fn empty_apps(&mut self) {
        self.apps.iter_mut().for_each(CachedValue::empty);
    }
}

/// What the tools of a session share.
#[derive(Debug, Default)]
pub(super) struct State {
    caches: Mutex<Caches>,
}

impl State {
    pub(super) fn caches(&self) -> MutexGuard<'_, Caches> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Empties what is known of the screen, now and again when the action ends, however it ends.
    pub(super) fn acting(&self) -> ActiveAction<'_> {
        self.screen_changes();
        ActiveAction { state: self }
    }

    fn screen_changes(&self) {
        let mut caches = self.caches();
        caches.empty_controls();
        caches.empty_ui_tree();
    }

    /// Lets time pass for the caches.
    #[cfg(test)]
    pub(super) fn advance(&self, time: Duration) {
        self.caches().ahead += time;
    }
}

/// An action under way.
#[must_use]
#[derive(Debug)]
pub(super) struct ActiveAction<'a> {
    state: &'a State,
}

impl Drop for ActiveAction<'_> {
    fn drop(&mut self) {
        self.state.screen_changes();
    }
}
