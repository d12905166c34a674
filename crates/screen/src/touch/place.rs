//! Place of a touch for an element.

use super::blocker::Cover;
use crate::{NodeIndex, Point};

/// Place of a touch for an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TouchPlace {
    /// Point above which nothing that takes touches is known.
    Free(Point),
    /// The element has no point that is surely free. The other element, which overlaps it or is a part of it,
    /// may lie above.
    Unknown {
        /// The middle, or the nearest point that is free of everything known to lie above.
        point: Point,
        /// Element that may take the touch.
        by: NodeIndex,
    },
    /// All of the element lies below something that takes touches.
    Covered {
        /// Middle of the element.
        point: Point,
        /// Object that is known to lie above the middle.
        by: Cover,
    },
}

impl TouchPlace {
    /// Returns the point to touch.
    pub fn point(&self) -> Point {
        match self {
            Self::Free(point) | Self::Unknown { point, .. } | Self::Covered { point, .. } => *point,
        }
    }
}
