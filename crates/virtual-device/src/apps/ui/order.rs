//! Drawing order of views, and the view that gets a touch.
//!
//! The rules are those of AOSP's `ViewGroup`: `buildOrderedChildList` for the order, `dispatchTouchEvent` for
//! touches.

use super::layout::LayoutNode;
use runner_screen::Point;

#[cfg(test)]
mod tests;

impl LayoutNode {
    /// Returns the indexes of the children in drawing order, the one at the top last: by elevation, then as
    /// declared.
    pub fn drawn(&self) -> Vec<usize> {
        let elevation = |at: &usize| self.children[*at].element.layout.elevation;
        let mut drawn: Vec<usize> = (0..self.children.len()).collect();
        drawn.sort_by(|a, b| elevation(a).total_cmp(&elevation(b)));
        drawn
    }

    /// Returns the elements from this one to the one that takes a touch at a point, or `None` if none does.
    ///
    /// The child that is drawn last is asked first. If it does not take the touch, those below and at last
    /// the parent are asked.
    pub fn touch_path(&self, at: Point) -> Option<Vec<&Self>> {
        let mut path = Vec::new();
        self.follow_touch(at, &mut path).then_some(path)
    }

    /// Adds the elements under a point to `path`, from this one to the top one that takes touches. Returns false,
    /// and adds nothing, if none here takes them. Only the visible part of a view counts.
    fn follow_touch<'a>(&'a self, at: Point, path: &mut Vec<&'a Self>) -> bool {
        // An element that is neither a view nor touchable only groups others, which may lie outside of its bounds.
        let is_view = !self.element.node.class.is_empty() || self.takes_touch();
        if is_view && !self.visible().is_some_and(|part| part.contains(at)) {
            return false;
        }
        path.push(self);
        let mut children = self.drawn().into_iter().rev();
        let is_taken = children.any(|child| self.children[child].follow_touch(at, path));
        if !is_taken && !self.takes_touch() {
            path.pop();
            return false;
        }
        true
    }

    /// Returns true for an element that handles touches (AOSP, `View.onTouchEvent`,
    /// `ScrollView.onTouchEvent`). A disabled view takes them too, and does nothing.
    fn takes_touch(&self) -> bool {
        let node = &self.element.node;
        let acts = node.clickable || node.long_clickable || self.element.on_tap.is_some();
        acts || self.element.layout.scroll.is_some()
    }
}
