//! Relations between the positions of two elements.

use crate::{Node, Rect};

/// Relation of an element to an anchor, another element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Descendant of the anchor.
    Inside,
    /// Ancestor of the anchor; the innermost counts as nearest.
    Has,
    /// Above: it ends where the anchor begins, or higher up.
    Above,
    /// Below: it begins where the anchor ends, or further down.
    Below,
    /// Left of the anchor in its row.
    LeftOf,
    /// Right of the anchor in its row.
    RightOf,
}

/// Distance of an element to its anchor; smaller is nearer. The first part is false if the two overlap in the
/// row or column, which counts more than the second part, the pixels or levels.
pub(super) type Distance = (bool, i64);

impl Relation {
    /// All relations in the order in which they are written.
    pub const ALL: [Self; 6] = [
        Self::Inside,
        Self::Has,
        Self::Above,
        Self::Below,
        Self::LeftOf,
        Self::RightOf,
    ];

    /// Returns the key in a selector, such as `left_of`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Has => "has",
            Self::Above => "above",
            Self::Below => "below",
            Self::LeftOf => "left_of",
            Self::RightOf => "right_of",
        }
    }

    /// Returns the distance of `node` to `anchor`, or `None` if the relation does not hold. A smaller one is
    /// nearer: pixels of the gap for relations of place, levels for `has`. Elements aside of the anchor are
    /// farther than all above or below it. Elements without size have no place.
    ///
    /// All descendants are equally near: for them document order counts. For relations of place the two may touch
    /// but not overlap, and `left_of` and `right_of` need a common row.
    pub(super) fn distance(self, node: Node<'_>, anchor: Node<'_>) -> Option<Distance> {
        let levels = i64::from(anchor.depth()) - i64::from(node.depth());
        match self {
            Self::Inside => anchor.holds(node).then_some((false, 0)),
            Self::Has => node.holds(anchor).then_some((false, levels)),
            _ => self.gap(node.bounds(), anchor.bounds()),
        }
    }

    /// Returns the distance of two rectangles, or `None` if they overlap in that direction, are the other way
    /// round, or one is empty. To the left and right they must share a row.
    fn gap(self, node: Rect, anchor: Rect) -> Option<Distance> {
        if node.is_empty() || anchor.is_empty() {
            return None;
        }
        let (from, to) = match self {
            Self::Above => (node.bottom, anchor.top),
            Self::Below => (anchor.bottom, node.top),
            Self::LeftOf => (node.right, anchor.left),
            _ => (anchor.right, node.left),
        };
        let gap = i64::from(to) - i64::from(from);
        let aside = match self {
            Self::Above | Self::Below => {
                pixels_between((node.left, node.right), (anchor.left, anchor.right))
            }
            _ => pixels_between((node.top, node.bottom), (anchor.top, anchor.bottom)),
        };
        // Rows are read across, so an element of another row is never "right of" one here.
        let in_row = aside == 0 || matches!(self, Self::Above | Self::Below);
        (gap >= 0 && in_row).then_some((aside > 0, gap + aside))
    }
}

/// Returns the number of pixels between two ranges, 0 if they overlap, and 1 if they only touch.
fn pixels_between(a: (i32, i32), b: (i32, i32)) -> i64 {
    let between = |end: i32, start: i32| i64::from(start) - i64::from(end) + 1;
    between(a.1, b.0).max(between(b.1, a.0)).max(0)
}
