//! Points, rectangles and the display, in device pixels.

use serde::{Deserialize, Serialize};

/// Point on the display in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Point {
    /// Pixels from the left edge.
    pub x: i32,
    /// Pixels from the top edge.
    pub y: i32,
}

/// A rectangle in pixels; right and bottom are exclusive. It may be empty or inverted, as real dumps have it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Rect {
    /// Left edge.
    pub left: i32,
    /// Top edge.
    pub top: i32,
    /// Right edge, exclusive.
    pub right: i32,
    /// Bottom edge, exclusive.
    pub bottom: i32,
}

impl Rect {
    /// Creates a rectangle of these edges, which are not sorted or checked.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self {
            left,
            top,
            right,
            bottom,
        }
    }

    /// Width in pixels, 0 when inverted.
    pub fn width(&self) -> u32 {
        u32::try_from(i64::from(self.right) - i64::from(self.left)).unwrap_or(0)
    }

    /// Height in pixels, 0 when inverted.
    pub fn height(&self) -> u32 {
        u32::try_from(i64::from(self.bottom) - i64::from(self.top)).unwrap_or(0)
    }

    /// Area in square pixels, 0 when empty or inverted.
    pub fn area(&self) -> u64 {
        u64::from(self.width()) * u64::from(self.height())
    }

    /// Returns true if the rectangle holds no pixel, as an inverted one does.
    pub fn is_empty(&self) -> bool {
        self.area() == 0
    }

    /// Returns the centre, where a tap goes, in whole pixels. Halves are rounded down, also left of the
    /// display, as in `android.graphics.Rect`: so it lies in every rectangle that is not empty.
    pub fn center(&self) -> Point {
        let middle = |a: i32, b: i32| (i64::from(a) + i64::from(b)).div_euclid(2) as i32;
        Point {
            x: middle(self.left, self.right),
            y: middle(self.top, self.bottom),
        }
    }

    /// Returns true if `point` lies inside; right and bottom edges are outside.
    pub fn contains(&self, point: Point) -> bool {
        (self.left..self.right).contains(&point.x) && (self.top..self.bottom).contains(&point.y)
    }

    /// Returns true if `other` lies wholly inside; edges may be the same. Empty ones are compared by their
    /// edges too.
    pub fn encloses(&self, other: &Self) -> bool {
        self.left <= other.left
            && self.top <= other.top
            && self.right >= other.right
            && self.bottom >= other.bottom
    }

    /// Returns the common part, or `None` where there is no common pixel; rectangles that only touch have
    /// none.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let common = Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        (!common.is_empty()).then_some(common)
    }

    /// Returns the smallest rectangle around both. An empty one counts with its corners.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

impl std::fmt::Display for Rect {
    /// Writes left, top, right and bottom with commas and no spaces: `0,63,1080,210`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{},{},{},{}",
            self.left, self.top, self.right, self.bottom
        )
    }
}

/// Direction of the display, as its width and height show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Higher than wide, or square.
    Portrait,
    /// Wider than high.
    Landscape,
}

/// The display as it is now: width and height are after rotation.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Display {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Dots per inch; 0 where unknown, as for a saved dump.
    pub density: u32,
    /// Quarter turns, 0–3.
    pub rotation: u8,
}

impl Display {
    /// Returns landscape if the width is more than the height; a square is portrait.
    pub fn orientation(&self) -> Orientation {
        if self.width > self.height {
            Orientation::Landscape
        } else {
            Orientation::Portrait
        }
    }

    /// Returns the whole display as a rectangle from (0, 0).
    pub fn bounds(&self) -> Rect {
        Rect::new(0, 0, self.width as i32, self.height as i32)
    }

    /// Returns this display, which is not rotated, after `rotation` quarter turns: an odd number swaps width and
    /// height. The density stays.
    #[must_use]
    pub fn turned(self, rotation: u8) -> Self {
        let (width, height) = if rotation % 2 == 1 {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        };
        Self {
            width,
            height,
            rotation,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_centre_lies_in_every_rectangle_that_is_not_empty() {
        for start in -4..4 {
            for length in 1..5 {
                let rect = Rect::new(start, -start - length, start + length, -start);
                assert!(rect.contains(rect.center()), "{rect}");
            }
        }
        let whole = Rect::new(i32::MIN, i32::MIN, i32::MAX, i32::MAX);
        assert_eq!(whole.center(), Point { x: -1, y: -1 });
    }
}
