//! State shared by the tools of a session: caches with their lifetimes and invalidation.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::control_list::Controls;
use runner_engine::Session;

// Lifetimes of the caches. The tools' help texts and the tests' names state them too.
const APPS_LAST: Duration = Duration::from_mins(5);
const SCREEN_LASTS: Duration = Duration::from_secs(5);
const DEVICE_INFO_LASTS: Duration = Duration::from_mins(1);

/// A value with the time it was stored.
#[derive(Debug)]
pub(super) struct CachedValue<T> {
    lasts: Duration,
    stored: Option<(Instant, Arc<T>)>,
}

impl<T> CachedValue<T> {
    /// Creates an empty cache whose value stays fresh for `lasts`.
    fn new(lasts: Duration) -> Self {
        Self {
            lasts,
            stored: None,
        }
    }

    /// Returns the value if it is younger than its time to live. A value that was never stored or was emptied
    /// is `None`.
    pub(super) fn fresh(&self, now: Instant) -> Option<Arc<T>> {
        let (acquired, value) = self.stored.as_ref()?;
        (now.saturating_duration_since(*acquired) < self.lasts).then(|| Arc::clone(value))
    }

    /// Returns the value, however old. `None` if it was emptied or never stored.
    pub(super) fn stored(&self) -> Option<Arc<T>> {
        self.stored.as_ref().map(|(_, value)| Arc::clone(value))
    }

    pub(super) fn keep(&mut self, value: Arc<T>, now: Instant) {
        self.stored = Some((now, value));
    }

    pub(super) fn empty(&mut self) {
        self.stored = None;
    }

    /// Makes the value expire, but keeps it for [`Self::stored`]. A cache without a value stays empty.
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
    /// True if the last list of apps, to which ids refer, included the system's.
    pub(super) listed_with_system: bool,
    /// Number of times the screen's caches were emptied.
    emptied: u64,
    /// Number of requests that may have changed the screen, by whatever tool, when the caches were last asked.
    changing: u64,
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
            changing: 0,
            #[cfg(test)]
            ahead: Duration::ZERO,
        }
    }
}

impl Caches {
    #[cfg(not(test))]
    #[expect(
        clippy::unused_self,
        reason = "tests replace the clock, which is in self"
    )]
    pub(super) fn now(&self) -> Instant {
        Instant::now()
    }

    #[cfg(test)]
    pub(super) fn now(&self) -> Instant {
        Instant::now() + self.ahead
    }

    /// Returns the cache of packages, with or without the system's.
    pub(super) fn apps(&mut self, with_system: bool) -> &mut CachedValue<Vec<String>> {
        &mut self.apps[usize::from(with_system)]
    }

    /// Returns the number of times that the screen's caches were emptied, to be taken before a look; see
    /// [`Self::is_unchanged_since`].
    pub(super) fn mark(&self) -> u64 {
        self.emptied
    }

    /// Returns true if the screen's caches were not emptied since the mark. Otherwise the look may be from
    /// before an action.
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

    /// Expires the screen's caches because time passes. Ids of controls remain valid.
    pub(super) fn expire_screen(&mut self) {
        self.controls.expire();
        self.ui_tree.expire();
    }

    pub(super) fn empty_apps(&mut self) {
        self.apps.iter_mut().for_each(CachedValue::empty);
    }
}

/// Caches of a session behind a lock.
#[derive(Debug, Default)]
pub(super) struct SessionCaches {
    caches: Mutex<Caches>,
}

impl SessionCaches {
    pub(super) fn caches(&self) -> MutexGuard<'_, Caches> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the caches, as [`Self::caches`], after those of the screen have expired if any tool of the session may
    /// have changed it since they were last asked. Ids of controls remain valid.
    pub(super) fn current(&self, session: &Session) -> MutexGuard<'_, Caches> {
        let changing = session.device().counters().changing();
        let mut caches = self.caches();
        if caches.changing != changing {
            caches.changing = changing;
            caches.expire_screen();
        }
        caches
    }

    /// Empties the screen's caches now, and again when the returned guard is dropped at the action's end.
    pub(super) fn acting(&self) -> ActiveAction<'_> {
        self.screen_changes();
        ActiveAction { state: self }
    }

    fn screen_changes(&self) {
        let mut caches = self.caches();
        caches.empty_controls();
        caches.empty_ui_tree();
    }

    /// Advances the time of the caches.
    #[cfg(test)]
    pub(super) fn advance(&self, time: Duration) {
        self.caches().ahead += time;
    }
}

/// Guard of an action in progress. Dropping it empties the screen's caches.
#[must_use]
#[derive(Debug)]
pub(super) struct ActiveAction<'a> {
    state: &'a SessionCaches,
}

impl Drop for ActiveAction<'_> {
    fn drop(&mut self) {
        self.state.screen_changes();
    }
}
