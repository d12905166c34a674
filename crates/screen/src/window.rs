//! Window on the screen.

use super::Rect;

/// Window on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The device's id; 0 where the dump has no windows.
    pub id: i32,
    /// Type: `APPLICATION`, `INPUT_METHOD`, `SYSTEM`, `ACCESSIBILITY_OVERLAY`, `SPLIT_SCREEN_DIVIDER`,
    /// `MAGNIFICATION_OVERLAY`.
    pub kind: String,
    /// Package of the app that owns the window.
    pub package: String,
    /// Title, `unknown` where there is none.
    pub title: String,
    /// Activity; only the focused application window has it.
    pub activity: Option<String>,
    /// Layer; a higher one is nearer to the person.
    pub layer: i32,
    /// True if the window has the input focus.
    pub focused: bool,
    /// Bounds in pixels of the display.
    pub bounds: Rect,
}
