//! Directions of scrolling.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Gesture;
use runner_screen::{Point, Rect};

/// What is revealed by scrolling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// What is above.
    Up,
    /// What is below.
    #[default]
    Down,
    /// What is to the left.
    Left,
    /// What is to the right.
    Right,
}

impl Direction {
    /// Parses a direction's word in small letters, such as `up`; `None` for all others.
    pub fn named(word: &str) -> Option<Self> {
        let all = [Self::Up, Self::Down, Self::Left, Self::Right];
        all.into_iter().find(|direction| direction.word() == word)
    }

    /// Returns the word for it in flows and messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// Returns the finger's path that scrolls in this direction: centred in `area`, over `percent` of its height
    /// or width. The finger moves the other way: to scroll down it goes up. More than 100 percent leaves the
    /// area.
    pub fn gesture(self, area: Rect, percent: u32, duration: Duration) -> Gesture {
        let middle = area.center();
        let half = |length: u32| (u64::from(length) * u64::from(percent) / 200) as i32;
        let (across, down) = (half(area.width()), half(area.height()));
        let at = |x: i32, y: i32| Point {
            x: middle.x + x,
            y: middle.y + y,
        };
        let (from, to) = match self {
            Self::Down => (at(0, down), at(0, -down)),
            Self::Up => (at(0, -down), at(0, down)),
            Self::Right => (at(across, 0), at(-across, 0)),
            Self::Left => (at(-across, 0), at(across, 0)),
        };
        Gesture { from, to, duration }
    }
}
