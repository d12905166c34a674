//! Windows as the window manager has them: from front to back, with where each takes touches.

use super::WindowDump;
use runner_screen::{Point, Rect};

/// A window of the display, whether or not accessibility has it.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedWindow {
    /// As a dump has it, without nodes.
    pub dump: WindowDump,
    /// The layout's type, such as `BASE_APPLICATION`.
    pub layout_type: &'static str,
    /// Where it is drawn.
    pub frame: Rect,
    /// How it takes touches.
    pub touch: WindowTouch,
}

/// How a window takes touches: what Android's flags and its touchable region say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowTouch {
    /// It takes keys (no `FLAG_NOT_FOCUSABLE`).
    pub focusable: bool,
    /// It takes touches (no `FLAG_NOT_TOUCHABLE`).
    pub touchable: bool,
    /// While it takes keys, it takes touches beside it too (no `FLAG_NOT_TOUCH_MODAL`).
    pub touch_modal: bool,
    /// Where it takes touches, if it says so itself.
    pub region: Option<Rect>,
}

impl WindowTouch {
    /// Returns true if no touch reaches what is behind the window (AOSP, `WindowManager.LayoutParams.isModal`).
    pub fn takes_all(&self) -> bool {
        self.touchable && self.focusable && self.touch_modal
    }

    /// Returns true if a touch at a point is for the window, and for none behind it (AOSP, `windowAcceptsTouchAt` of
    /// `InputDispatcher`, `WindowState.getSurfaceTouchableRegion`).
    pub fn takes(&self, frame: Rect, at: Point) -> bool {
        self.takes_all() || self.touchable && self.region.unwrap_or(frame).contains(at)
    }
}

impl StackedWindow {
    /// The window of a phone that knows what dumps have only.
    pub fn from_dump(dump: WindowDump) -> Self {
        let is_application = dump.kind == "APPLICATION";
        let layout_type = match dump.kind {
            "INPUT_METHOD" => "INPUT_METHOD",
            "SYSTEM" if dump.title.starts_with("NavigationBar") => "NAVIGATION_BAR",
            "SYSTEM" if dump.title.starts_with("StatusBar") => "STATUS_BAR",
            "SYSTEM" => "NOTIFICATION_SHADE",
            _ => "BASE_APPLICATION",
        };
        Self {
            layout_type,
            frame: dump.bounds,
            touch: WindowTouch {
                focusable: is_application,
                touchable: true,
                touch_modal: true,
                region: None,
            },
            dump: WindowDump { root: None, ..dump },
        }
    }
}
