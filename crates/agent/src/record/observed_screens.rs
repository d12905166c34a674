//! Screens that the next acts of a recording need.

use std::sync::Arc;

use super::ending::SeenWords;
use runner_screen::Screen;

/// Screens that the next acts need.
#[derive(Debug, Default)]
pub(super) struct ObservedScreens {
    pub(super) last: Option<Arc<Screen>>,
    /// True if something was done since `last`.
    pub(super) is_old: bool,
    /// Screen before the last act.
    pub(super) before_act: Option<Arc<Screen>>,
    /// Words of the screens before each act.
    pub(super) words: SeenWords,
}

impl ObservedScreens {
    /// Returns the last screen, if nothing was done since.
    pub(super) fn now(&self) -> Option<&Arc<Screen>> {
        self.last.as_ref().filter(|_| !self.is_old)
    }
}
