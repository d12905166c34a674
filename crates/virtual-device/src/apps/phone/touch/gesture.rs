//! Gesture of one finger, from DOWN to UP.

use std::time::Duration;

use super::HitTarget;
use super::fling::{Sample, keep_recent};
use super::scroll::Scroller;
use crate::apps::phone::WindowName;
use crate::apps::ui::TouchAction;
use runner_screen::Point;

#[derive(Clone)]
pub(super) enum GestureState {
    /// A tap, until it moves by more than the slop.
    Pending,
    /// Scrolls a view. The point is the finger's last place.
    Scrolling(Scroller, Point),
    /// Moves a slider.
    Sliding,
    /// Moves and leaves without an effect: another finger has taken over, or no view takes this one.
    Ignored,
}

pub(super) struct Gesture {
    pub down: Point,
    pub began: Duration,
    pub window: Option<WindowName>,
    /// Places of the last 100 ms.
    pub samples: Vec<Sample>,
    /// Element on which it came down.
    pub target: Option<HitTarget>,
    /// A disabled element is below it and keeps the touch from those behind.
    pub is_swallowed: bool,
    /// Scrolling views below it, outermost first. Android's containers intercept in this order.
    pub scrollers: Vec<Scroller>,
    pub state: GestureState,
    /// The finger was outside of its target, so it clicks nothing even if it comes back.
    pub has_left: bool,
    /// The finger has selected a word by a long press.
    pub has_long_pressed: bool,
}

impl Gesture {
    /// Returns the gesture of a finger that came down, with no target yet.
    pub fn new(down: Point, began: Duration) -> Self {
        Self {
            down,
            began,
            window: None,
            samples: vec![(down, began)],
            target: None,
            is_swallowed: false,
            scrollers: Vec::new(),
            state: GestureState::Pending,
            has_left: false,
            has_long_pressed: false,
        }
    }

    /// Records the finger's place, and drops samples that are too old for its speed.
    pub fn sample(&mut self, at: Point, now: Duration) {
        self.samples.push((at, now));
        keep_recent(&mut self.samples);
    }

    /// Returns true if the gesture began on a slider.
    pub fn is_slider(&self) -> bool {
        let action = self
            .target
            .as_ref()
            .and_then(|hit| hit.element.on_tap.as_ref());
        matches!(action, Some(TouchAction::Slide { .. }))
    }

    pub fn closes_popup(&self) -> bool {
        self.target.as_ref().is_some_and(HitTarget::closes_popup)
    }

    /// Returns true if a view handles its events: a target, an element that swallows them, or a scrolling
    /// view.
    pub fn has_target(&self) -> bool {
        self.target.is_some() || self.is_swallowed || !self.scrollers.is_empty()
    }

    /// Returns true if another finger is on the same target. Without a target it is false.
    pub fn is_same(&self, other: &Self) -> bool {
        let rect = |gesture: &Self| gesture.target.as_ref().map(|hit| hit.rect);
        self.target.is_some() && rect(self) == rect(other)
    }

    /// Returns true if the scrolling view itself handles the events, because no element in it does.
    pub fn is_direct(&self) -> bool {
        !self.is_swallowed && self.target.is_none()
    }

    /// Records that the finger has left its target, if it is outside by more than `slop` pixels. Coming back does
    /// not undo it. Without a target nothing is recorded.
    pub fn leave(&mut self, at: Point, slop: i32) {
        let Some(hit) = &self.target else {
            return;
        };
        let rect = hit.rect;
        let inside = at.x >= rect.left - slop
            && at.x < rect.right + slop
            && at.y >= rect.top - slop
            && at.y < rect.bottom + slop;
        self.has_left |= !inside;
    }
}
