//! Scrolling by keys and by the focus.

use super::scroll::Scroller;
use crate::apps::phone::VirtualPhone;
use crate::apps::ui::{Axis, LayoutNode};

impl VirtualPhone {
    /// Scrolls the focused container, or the innermost one around the focus, by `pages` of its height, as AOSP's
    /// `ScrollView.executeKeyEvent`. Negative is up, and infinity goes to the end. The focus moves to the element
    /// at that end. Returns false if there is no such container; at its end it is true.
    pub(in crate::apps::phone) fn scroll_page(&mut self, pages: f32) -> bool {
        let Some((scroll, height)) = self.page_around_focus() else {
            return false;
        };
        let by = (height as f32 * pages) as i32;
        self.scroll(&scroll, by);
        self.focus_in(scroll.key(), pages > 0.0);
        true
    }

    /// Returns true if the focused element is itself the scrolling container.
    pub(in crate::apps::phone) fn is_page_focused(&self) -> bool {
        let focus = self.focus_key();
        let page = self.page_around_focus();
        focus.is_some_and(|key| page.is_some_and(|(scroll, _)| scroll.key() == key))
    }

    /// Returns the innermost vertically scrolling container that has the focus or contains it, with its height in
    /// pixels. Returns `None` without a focus, and if all contents fit.
    fn page_around_focus(&self) -> Option<(Scroller, u32)> {
        let key = self.focus_key()?;
        let window = self.scene().focused()?;
        let mut way = Vec::new();
        if !path_to(&window.placed, &key, &mut way) {
            return None;
        }
        let page = way.into_iter().rev().find(|placed| scrolls_down(placed))?;
        Some((Scroller::new(window.name, page)?, page.rect.height()))
    }

    /// Scrolls the innermost view that scrolls vertically around the element with a key until it is visible, with a
    /// gap of 20 pixels. Only the window with the focus counts. An element that is visible or not there changes
    /// nothing.
    pub(in crate::apps::phone) fn show_key(&mut self, key: &str) {
        let mut way = Vec::new();
        let Some(window) = self.scene().focused() else {
            return;
        };
        let name = window.name;
        if !path_to(&window.placed, key, &mut way) {
            return;
        }
        let Some(target) = way.last().map(|placed| placed.rect) else {
            return;
        };
        let Some(view) = way.iter().rev().find(|placed| scrolls_down(placed)) else {
            return;
        };
        let room = view.rect;
        let by = if target.bottom > room.bottom {
            target.bottom - room.bottom + 20
        } else if target.top < room.top {
            target.top - room.top - 20
        } else {
            return;
        };
        if let Some(scroll) = Scroller::new(name, view) {
            self.scroll(&scroll, by);
        }
    }
}

fn scrolls_down(placed: &LayoutNode) -> bool {
    placed.scroll_range > 0 && placed.element.layout.scroll == Some(Axis::Vertical)
}

/// Adds the elements from this one down to that with a key. Returns false, and adds none, if it is not here.
fn path_to<'a>(placed: &'a LayoutNode, key: &str, way: &mut Vec<&'a LayoutNode>) -> bool {
    way.push(placed);
    if placed.element.key == key || placed.children.iter().any(|child| path_to(child, key, way)) {
        return true;
    }
    way.pop();
    false
}
