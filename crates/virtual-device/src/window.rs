//! Windows as the window manager lists them, from front to back, with the areas in which they take touches.

use super::WindowDump;
use runner_screen::{Point, Rect};

/// A window of the display, also one that accessibility does not list.
#[derive(Debug, Clone, PartialEq)]
pub struct StackedWindow {
    /// Its description in a dump, without nodes.
    pub dump: WindowDump,
    /// Window type, such as `BASE_APPLICATION`.
    pub layout_type: &'static str,
    /// Bounds in which it is drawn.
    pub frame: Rect,
    pub touch: WindowTouch,
}

/// A window's handling of touches: Android's flags and its touchable region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowTouch {
    /// Takes keys (no `FLAG_NOT_FOCUSABLE`).
    pub focusable: bool,
    /// Takes touches (no `FLAG_NOT_TOUCHABLE`).
    pub touchable: bool,
    /// While it takes keys, it also takes touches outside of its bounds (no `FLAG_NOT_TOUCH_MODAL`).
    pub touch_modal: bool,
    /// Touchable region, if the window sets one.
    pub region: Option<Rect>,
}

impl WindowTouch {
    /// Returns true if no touch reaches windows behind it: it is touchable, focusable and modal (AOSP,
    /// `WindowManager.LayoutParams.isModal`).
    pub fn takes_all(&self) -> bool {
        self.touchable && self.focusable && self.touch_modal
    }

    /// Returns true if the window gets a touch at a point, and no window behind it does. A window that takes
    /// all does so even outside its frame (AOSP, `windowAcceptsTouchAt` of `InputDispatcher`,
    /// `WindowState.getSurfaceTouchableRegion`).
    pub fn takes(&self, frame: Rect, at: Point) -> bool {
        self.takes_all() || self.touchable && self.region.unwrap_or(frame).contains(at)
    }
}

impl StackedWindow {
    /// Makes the window of a phone that only knows its description in dumps. The type is guessed from kind and
    /// title. An application takes all touches, any other window those in its bounds, and no keys. The nodes are
    /// dropped.
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
