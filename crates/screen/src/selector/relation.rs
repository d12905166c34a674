//! How two elements lie to each other.

use crate::{Node, Rect};

/// A relation to an anchor, another element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Somewhere below the anchor in the tree.
    Inside,
    /// Somewhere above the anchor in the tree; the innermost first.
    Has,
    /// Ends where the anchor begins, or higher up.
    Above,
    /// Begins where the anchor ends, or further down.
    Below,
    /// In the anchor's row, before it.
    LeftOf,
    /// In the anchor's row, behind it.
    RightOf,
}

/// How far an element is from its anchor; smaller is nearer. First whether it stands in the anchor's row or column.
pub(super) type Distance = (bool, i64);

impl Relation {
    /// All, in the order they are written.
    pub const ALL: [Self; 6] = [
        Self::Inside,
        Self::Has,
        Self::Above,
        Self::Below,
        Self::LeftOf,
        Self::RightOf,
    ];

    /// Its key in a selector.
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

    /// The distance of `node` to `anchor`, `None` where they are not related so.
    ///
    /// All that is inside is equally near: there document order counts.
    pub(super) fn distance(self, node: Node<'_>, anchor: Node<'_>) -> Option<Distance> {
        let levels = i64::from(anchor.depth()) - i64::from(node.depth());
        match self {
            Self::Inside => anchor.holds(node).then_some((false, 0)),
            Self::Has => node.holds(anchor).then_some((false, levels)),
            _ => self.gap(node.bounds(), anchor.bounds()),
        }
    }

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
                apart((node.left, node.right), (anchor.left, anchor.right))
            }
            _ => apart((node.top, node.bottom), (anchor.top, anchor.bottom)),
        };
        // Rows are read across, so the far end of another row is not "right of" anything here.
        let in_row = aside == 0 || matches!(self, Self::Above | Self::Below);
        (gap >= 0 && in_row).then_some((aside > 0, gap + aside))
    }
}

/// Pixels between two stretches, 0 where they share one.
fn apart(a: (i32, i32), b: (i32, i32)) -> i64 {
    let between = |end: i32, start: i32| i64::from(start) - i64::from(end) + 1;
    between(a.1, b.0).max(between(b.1, a.0)).max(0)
}
