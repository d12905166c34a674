//! Chooses the place of a touch for an element, by what is known to lie above it.
//!
//! Two things are facts. A window takes a touch in its touchable region before the windows below it. Of two
//! elements in one window, the one whose branch has the higher `drawing-order` among its siblings is drawn
//! above the other and takes the touch first (AOSP, `ViewGroup.dispatchTouchEvent`). The order in the tree is
//! not a fact: it contradicts `drawing-order` in 204 of 493 overlapping siblings of 58 public dumps
//! (2026-11-26).

mod coverage;
mod free_point;
mod layers;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use crate::{Node, NodeIndex, Point, Rect, Screen};
pub use coverage::Coverage;
pub use layers::{TouchableRegion, WindowLayer};

/// Object that lies above an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cover {
    /// Clickable element of the screen.
    Element(NodeIndex),
    /// Window, by its name for messages.
    Window(String),
}

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

/// Part of an element where something else may take the touch.
struct Blocker {
    part: Rect,
    kind: BlockerKind,
}

enum BlockerKind {
    /// The object lies above.
    Known(Cover),
    /// The element may or may not lie above.
    Unknown(NodeIndex),
    /// The element is a clickable part of the touched element itself.
    Inner(NodeIndex),
}

impl<'a> Node<'a> {
    /// Returns the place of a touch for this element. `target` is the element that takes the touch: this one,
    /// or a clickable ancestor. The place is the middle of this element's visible part in the target, or the
    /// nearest free point. Returns `None` where no part of the target is on the display.
    pub fn touch_place(self, target: Node<'a>) -> Option<TouchPlace> {
        let area = self.touch_area(target)?;
        let mut blockers = self.screen.windows_above(self, area);
        blockers.extend(self.elements_above(target, area));
        Some(free_point::find(area, &blockers, self.screen.display()))
    }

    /// Returns the object that is known to take a touch at `point` before this element, if there is one.
    pub fn cover_at(self, point: Point) -> Option<Cover> {
        let pixel = Rect {
            left: point.x,
            top: point.y,
            right: point.x.saturating_add(1),
            bottom: point.y.saturating_add(1),
        };
        let mut blockers = self.screen.windows_above(self, pixel);
        blockers.extend(self.elements_above(self, pixel));
        blockers.into_iter().find_map(|blocker| match blocker.kind {
            BlockerKind::Known(by) => Some(by),
            BlockerKind::Unknown(_) | BlockerKind::Inner(_) => None,
        })
    }

    /// Returns the area of a touch for this element that `target` takes: the element's visible part within
    /// the target, or the target's visible part if the two do not meet. Returns `None` where no part of the
    /// target is on the display.
    pub fn touch_area(self, target: Node<'a>) -> Option<Rect> {
        let target_part = target.part_on_display()?;
        // Other parts of the target may hold other buttons.
        let own_part = self.part_on_display();
        let common = own_part.and_then(|own| own.intersection(&target_part));
        Some(common.unwrap_or(target_part))
    }

    /// Returns the name for messages of the window that takes a touch at `point` before this element's
    /// window; `None` where the look proves none.
    pub fn window_above(self, point: Point) -> Option<String> {
        let layers = self.screen.layers();
        let own = layers::layer_of(self.window(), layers)?;
        let takes =
            |layer: &&WindowLayer| layer.region.as_ref().is_some_and(|it| it.contains(point));
        layers.iter().take(own).find(takes).map(WindowLayer::name)
    }

    /// Returns the elements that overlap `area` and take touches there, or may.
    fn elements_above(self, target: Node<'a>, area: Rect) -> Vec<Blocker> {
        let takers = self
            .screen
            .nodes()
            .filter(|other| takes_touches(*other) && other.is_on_screen());
        takers
            .filter_map(|other| {
                let part = other.part_on_display()?.intersection(&area)?;
                let kind = self.blocker_kind(target, other)?;
                Some(Blocker { part, kind })
            })
            .collect()
    }

    fn blocker_kind(self, target: Node<'a>, other: Node<'a>) -> Option<BlockerKind> {
        if other.index() == self.index() || other.holds(self) {
            return None;
        }
        if self.holds(other) {
            // A wrapper that takes no touches itself exists for its content.
            let is_target = self.index() == target.index() && self.flags().clickable;
            return is_target.then(|| BlockerKind::Inner(other.index()));
        }
        if other.window_index() != self.window_index() {
            // Layers prove nothing; only the touchable regions of windows do.
            let is_above = other.window().layer > self.window().layer;
            let is_known = !self.screen.layers().is_empty();
            return (is_above && !is_known).then(|| BlockerKind::Unknown(other.index()));
        }
        match drawing_order(self, other) {
            Some(Ordering::Less) => Some(BlockerKind::Known(Cover::Element(other.index()))),
            Some(_) => None,
            // The later of two elements in the tree is more often above.
            None => (other.index() > self.index()).then(|| BlockerKind::Unknown(other.index())),
        }
    }
}

/// Returns true for an element that takes a touch even if an element below is clickable too. A scrolling view
/// waits for the finger to move, and a slider jumps to it (AOSP, `ScrollView.onTouchEvent`,
/// `AbsSeekBar.onTouchEvent`).
fn takes_touches(node: Node<'_>) -> bool {
    let flags = node.flags();
    let is_slider = ["SeekBar", "RatingBar"]
        .iter()
        .any(|end| node.class().ends_with(end));
    flags.clickable || flags.long_clickable || flags.scrollable || is_slider && flags.enabled
}

/// Compares the drawing order of two nodes of a window, neither of which holds the other. Returns `None`
/// where it is not known: releases before 15 have no `drawing-order`, and 0 means that nobody has set it.
fn drawing_order(one: Node<'_>, other: Node<'_>) -> Option<Ordering> {
    let line = |node: Node<'_>| {
        let mut line: Vec<NodeIndex> = vec![node.index()];
        line.extend(node.ancestors().map(Node::index));
        line.reverse();
        line
    };
    let (one_line, other_line) = (line(one), line(other));
    let fork = one_line
        .iter()
        .zip(&other_line)
        .find(|(one, other)| one != other)?;
    let order = |index: NodeIndex| {
        let node = one.screen().node(index);
        // Roots have no drawing order among each other.
        node.parent()?;
        Some(node.drawing_order()).filter(|order| *order > 0)
    };
    let (one, other) = (order(*fork.0)?, order(*fork.1)?);
    // An equal number says nothing about the order.
    Some(one.cmp(&other)).filter(|order| *order != Ordering::Equal)
}

impl Screen {
    /// Returns the parts of `area` in which windows above that of `node` take touches.
    fn windows_above(&self, node: Node<'_>, area: Rect) -> Vec<Blocker> {
        let layers = self.layers();
        let Some(own) = layers::layer_of(node.window(), layers) else {
            return Vec::new();
        };
        let above = layers.iter().take(own);
        above
            .filter_map(|layer| Some((layer, layer.region.as_ref()?)))
            .flat_map(|(layer, region)| {
                region.parts_in(area).into_iter().map(|part| Blocker {
                    part,
                    kind: BlockerKind::Known(Cover::Window(layer.name())),
                })
            })
            .collect()
    }
}
