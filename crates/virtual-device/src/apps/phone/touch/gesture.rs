//! One finger, from its DOWN to its UP.

use std::time::Duration;

use super::scroll::Scroll;
use super::{HitTarget, fling::Sample, is_slider};
use crate::apps::phone::WindowName;
use crate::apps::ui::TouchAction;
use runner_screen::Point;

/// What has hold of a finger.
#[derive(Clone)]
pub(super) enum Hold {
    /// Nothing yet: it is a tap, until it moves.
    Free,
    /// What it scrolls, and where it was last.
    Scroll(Scroll, Point),
    /// The number that it moves.
    Slide,
    /// Another finger does all there is to do.
    Nothing,
}

/// A finger that is down.
pub(super) struct Gesture {
    pub down: Point,
    pub began: Duration,
    pub window: Option<WindowName>,
    /// Where it was, and when.
    pub samples: Vec<Sample>,
    /// What it came down on.
    pub target: Option<HitTarget>,
    /// A disabled element is below it, and lets nothing behind have the touch.
    pub is_swallowed: bool,
    /// What scrolls below it, outermost first: Android's containers intercept in this order.
    pub scrolls: Vec<Scroll>,
    pub hold: Hold,
    /// It was outside of its target: no click comes of it, even if it comes back.
    pub has_left: bool,
    /// It has pressed long.
    pub has_acted: bool,
}

impl Gesture {
    pub fn new(down: Point, began: Duration) -> Self {
        Self {
            down,
            began,
            window: None,
            samples: vec![(down, began)],
            target: None,
            is_swallowed: false,
            scrolls: Vec::new(),
            hold: Hold::Free,
            has_left: false,
            has_acted: false,
        }
    }

    pub fn is_slider(&self) -> bool {
        self.target
            .as_ref()
            .is_some_and(|hit| is_slider(&hit.element))
    }

    pub fn closes_popup(&self) -> bool {
        let target = self.target.as_ref();
        target.is_some_and(|hit| {
            hit.element.on_tap == Some(TouchAction::ClosePopup(false))
                && hit.element.node.class.is_empty()
        })
    }

    /// Whether anything has its events.
    pub fn has_target(&self) -> bool {
        self.target.is_some() || self.is_swallowed || !self.scrolls.is_empty()
    }

    /// Whether another finger is on the same element.
    pub fn is_same(&self, other: &Self) -> bool {
        let rect = |gesture: &Self| gesture.target.as_ref().map(|hit| hit.rect);
        self.target.is_some() && rect(self) == rect(other)
    }

    /// Whether what scrolls gets the finger's events itself, as nothing in it takes them.
    pub fn is_direct(&self) -> bool {
        !self.is_swallowed && self.target.is_none()
    }

    /// Notes that the finger is farther outside of its target than a finger may be.
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
