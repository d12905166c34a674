//! Taps, swipes and scrolling of Maestro commands.

use super::selector::RawSelector;
use super::text::RawText;
use runner_device::Direction;

/// Options of `tapOn`, `doubleTapOn` and `longPressOn`.
#[derive(Debug, Clone)]
pub struct Tap {
    /// Element; `None` if only a point of the screen is given.
    pub selector: Option<RawSelector>,
    /// `50%,20%` or `100,200`, inside of the element, or else on the screen.
    pub point: Option<RawText>,
    /// True to tap again if the screen does not change.
    pub retry_if_no_change: bool,
    /// True to wait until the element stops moving.
    pub wait_until_visible: bool,
    /// Number of taps.
    pub repeat: Option<u32>,
    /// Milliseconds between taps.
    pub delay: Option<u64>,
    /// Milliseconds for the screen to settle afterwards, at most 30,000.
    pub wait_to_settle: Option<u32>,
}

/// Position on one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinate {
    /// Percent of the screen, or of the element that a tap names, 0 to 100.
    Percent(u8),
    Pixels(i32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Distance from the left edge.
    pub x: Coordinate,
    /// Distance from the top edge.
    pub y: Coordinate,
}

#[derive(Debug, Clone)]
pub struct Swipe {
    pub gesture: SwipeGesture,
    /// Milliseconds; 400 by default.
    pub duration: u64,
    /// Milliseconds for the screen to settle afterwards.
    pub wait_to_settle: Option<u32>,
}

/// Path of a swipe.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "each step has at most one, inside of a box"
)]
pub enum SwipeGesture {
    /// Swipe across the screen.
    Direction(Direction),
    /// Swipe that starts on an element.
    Element {
        from: RawSelector,
        /// Start inside of the element, as in `tapOn`; its middle by default.
        point: Option<RawText>,
        direction: Direction,
    },
    /// Swipe between two points.
    Points { start: Point, end: Point },
}

#[derive(Debug, Clone)]
pub struct ScrollUntilVisible {
    pub element: RawSelector,
    /// Element to swipe on; the display by default.
    pub within: Option<RawSelector>,
    /// Side on which the searched content lies.
    pub direction: Direction,
    /// Milliseconds; 20,000 by default.
    pub timeout: Option<RawText>,
    /// Speed, 0 to 100, higher is faster; 40 by default.
    pub speed: Option<RawText>,
    /// Minimum visible share of the element in percent.
    pub visibility: u8,
    /// True to scroll on until the element is in the middle.
    pub center: bool,
    /// Milliseconds for the screen to settle after each swipe.
    pub wait_to_settle: Option<u32>,
}
