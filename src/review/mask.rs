//! Writing a mask into a flow, with its comments and its formatting kept.

#[allow(dead_code, reason = "wired next")]
mod edit;

use super::FlowPlace;
use crate::screen::Rect;

/// What to mask.
#[derive(Debug, Clone, PartialEq)]
pub enum MaskTarget {
    /// The row of what was seen with this number (from 1): by the selector that finds it and nothing else, else by its
    /// place.
    Row(usize),
    /// A rectangle, in pixels of the display.
    Area(Rect),
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaskWritten {
    /// Where the mask stands now.
    pub place: FlowPlace,
    /// The mask as written: `{ id: clock }`.
    pub mask: String,
}
