//! Toasts that are shown during a wait. They are no elements, and most devices do not report their texts.

use super::EngineError;
use runner_screen::Screen;

/// Toasts on the looks of one wait.
#[derive(Debug, Default)]
pub(super) struct ToastWatch {
    /// Texts of toasts, without those that the device does not report. `None` if no toast was shown.
    shown: Option<Vec<String>>,
}

impl ToastWatch {
    /// Keeps each text of the screen's toasts once. A toast without a reported text counts as shown.
    pub(super) fn note(&mut self, screen: &Screen) {
        if !screen.shows_toast() {
            return;
        }
        let texts = self.shown.get_or_insert_default();
        for text in screen.toasts() {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
    }

    /// Adds the toasts to the error for a selector that matches nothing, unless the intended element is known.
    pub(super) fn explain(self, mut error: EngineError) -> EngineError {
        if let EngineError::NotFound(missing) = &mut error
            && !missing.misses.iter().any(|miss| miss.is_meant)
        {
            missing.toasts = self.shown;
        }
        error
    }
}
