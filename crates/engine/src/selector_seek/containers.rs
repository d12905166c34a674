//! The containers of a search: the one to scroll, those not searched yet, and those that scroll another way.

use std::sync::Arc;

use super::SelectorSeek;
use crate::EngineError;
use crate::container_scroll::container;
use crate::scroller::{moves, name_of_container, scrollers};
use crate::shown_part::across;
use runner_screen::{Node, NodeIndex, Rect, Screen};

/// Limit for named containers that scroll along the other axis. Chosen: more say nothing new.
const MAX_ROWS: usize = 8;

impl SelectorSeek<'_> {
    /// Returns the container to scroll with its visible part: the target, else the named one, else the largest of the
    /// focused window, else of any. If that does not hold the element, the nearest one around the element that scrolls
    /// in the direction. `None` if the target is not there any more. An error if the named container is missing.
    pub(super) fn container(
        &self,
        screen: &Screen,
        node: Option<NodeIndex>,
    ) -> Result<Option<(Option<NodeIndex>, Rect)>, EngineError> {
        let with_part = |node: Node<'_>| Some((Some(node.index()), node.part_on_display()?));
        if let Some((earlier, index)) = &self.target {
            let again = self.session.find_again(earlier, *index, screen);
            return Ok(again.and_then(|index| with_part(screen.node(index))));
        }
        let usual = container(screen, &self.options)?;
        let (Some(main), Some(node), None) = (usual.0, node, self.options.within) else {
            return Ok(Some(usual));
        };
        let node = screen.node(node);
        if screen.node(main).holds(node) {
            return Ok(Some(usual));
        }
        let own = node
            .ancestors()
            .find(|it| moves(*it, self.options.direction));
        Ok(own.and_then(with_part).or(Some(usual)))
    }

    /// Returns the containers of the last look that scroll in the direction and were not searched, largest
    /// first. Only those of the window that was searched count, as a touch beside a dialog closes it. None if
    /// a container is named.
    pub(crate) fn untried(&self) -> Vec<(Arc<Screen>, NodeIndex)> {
        let Some(seen) = self.seen.as_ref().filter(|_| self.options.within.is_none()) else {
            return Vec::new();
        };
        let Some(container) = seen.container else {
            return Vec::new();
        };
        let screen = &seen.screen;
        let window = screen.node(container).window().id;
        let is_tried = |index: NodeIndex| {
            self.tried.iter().any(|(earlier, tried)| {
                self.session.find_again(earlier, *tried, screen) == Some(index)
            })
        };
        scrollers(screen, self.options.direction)
            .into_iter()
            // A finger changes the value of a picker.
            .filter(|node| node.window().id == window && node.short_class() != "NumberPicker")
            .map(Node::index)
            .filter(|index| !is_tried(*index))
            .map(|index| (Arc::clone(screen), index))
            .collect()
    }

    /// Returns the names of what scrolls in the direction, if the container that is named does not and nothing moved in
    /// it. `None` otherwise, and if none is named.
    pub(crate) fn named_still(&self) -> Option<Vec<String>> {
        let seen = self
            .seen
            .as_ref()
            .filter(|_| self.options.within.is_some())?;
        let named = seen.screen.node(seen.container?);
        let direction = self.options.direction;
        if self.has_ever_moved || moves(named, direction) {
            return None;
        }
        let others = scrollers(&seen.screen, direction).into_iter();
        Some(others.map(name_of_container).collect())
    }

    /// Remembers the names of containers that scroll only along the other axis: those of the window that is
    /// searched, or those inside the named container.
    pub(super) fn note_rows_across(&mut self, screen: &Screen, container: Option<NodeIndex>) {
        let direction = self.options.direction;
        let container = container.map(|index| screen.node(index));
        let is_within = self.options.within.is_some();
        let is_searched = |node: &Node<'_>| match container {
            Some(container) if is_within => container.holds(*node),
            Some(container) => node.window().id == container.window().id,
            None => node.window().focused,
        };
        let rows = scrollers(screen, across(direction)).into_iter();
        for node in rows.filter(is_searched) {
            let name = name_of_container(node);
            // A finger changes the value of a picker.
            let is_row = !moves(node, direction) && node.short_class() != "NumberPicker";
            if is_row && self.rows_across.len() < MAX_ROWS && !self.rows_across.contains(&name) {
                self.rows_across.push(name);
            }
        }
    }
}
