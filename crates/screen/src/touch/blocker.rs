//! Finds what lies above an element and may take a touch in its place.

use std::cmp::Ordering;

use super::layers::layer_of;
use crate::{Node, NodeIndex, Rect, Screen};

/// Object that lies above an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cover {
    /// Clickable element of the screen.
    Element(NodeIndex),
    /// Window, by its name for messages.
    Window(String),
}

/// Part of an element where something else may take the touch.
pub(super) struct Blocker {
    pub part: Rect,
    pub kind: BlockerKind,
}

pub(super) enum BlockerKind {
    /// The object lies above.
    Known(Cover),
    /// The element may or may not lie above.
    Unknown(NodeIndex),
    /// The element is a clickable part of the touched element itself.
    Inner(NodeIndex),
}

impl<'a> Node<'a> {
    /// Returns the elements on the screen that take a touch at this element's `area` in its place, or may, each
    /// with their part of the area, in document order. `target` is the element that should take the touch: this
    /// one, or a clickable ancestor. What holds this element does not count. Its clickable parts count only if it
    /// is itself the target and clickable.
    pub(super) fn elements_above(self, target: Node<'a>, area: Rect) -> Vec<Blocker> {
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

    /// Tells how `other` may take a touch of this element's: known, unknown, or as a part of the target. Returns
    /// `None` if it does not: itself, what holds it, what is drawn below, and other windows if the device reports
    /// their regions.
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

/// Returns true for an element that takes a touch even if an element below is clickable too: it can be clicked,
/// clicked long or scrolled, or is an enabled slider. A scrolling view waits for the finger to move, and a slider
/// jumps to it (AOSP, `ScrollView.onTouchEvent`, `AbsSeekBar.onTouchEvent`).
fn takes_touches(node: Node<'_>) -> bool {
    let flags = node.flags();
    let is_slider = ["SeekBar", "RatingBar"]
        .iter()
        .any(|end| node.class().ends_with(end));
    flags.clickable || flags.long_clickable || flags.scrollable || is_slider && flags.enabled
}

/// Compares the drawing order of two nodes of a window, neither of which holds the other. Returns `None` where it
/// is not known: releases before 15 have no `drawing-order`, 0 means that nobody has set it, and equal numbers
/// say nothing.
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
    /// Returns the parts of `area` in which windows above that of `node` take touches, each as known. Empty if
    /// the window's layer is not known. Windows whose touchable region is not known are passed over.
    pub(super) fn windows_above(&self, node: Node<'_>, area: Rect) -> Vec<Blocker> {
        let layers = self.layers();
        let Some(own) = layer_of(node.window(), layers) else {
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
