//! Recent screens of the session, and elements by the ids they had on them.
//!
//! An id encodes its element's bounds, so it changes when the element moves. Tools that take an id of an
//! earlier look find the element again by resource id, class, text and description.

use std::collections::VecDeque;
use std::sync::Arc;

use runner_device::Input;
use runner_screen::{Node, NodeIndex, Screen};

/// Limit for stored looks. Older ids are unknown. Chosen: agents use ids of their last few looks.
const MAX_SCREENS: usize = 64;
/// Limit for stored gestures between two looks. Chosen: enough for any list that people scroll without
/// looking.
const MAX_GESTURES: usize = 64;

/// Recent screens, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    screens: VecDeque<PastScreen>,
}

/// A screen that was seen, and what was done after it.
#[derive(Debug)]
struct PastScreen {
    screen: Arc<Screen>,
    /// Swipes and drags that the session sent before the next look.
    gestures: Vec<Input>,
    /// True if several looks in a row showed it.
    is_repeated: bool,
}

impl History {
    /// Adds a look. One with the same rows as the newest replaces it, and its gestures are forgotten, as they moved
    /// nothing. The oldest goes once there are [`MAX_SCREENS`].
    pub(super) fn add(&mut self, screen: Arc<Screen>) {
        // A wait sees the same screen many times; storing it once is enough.
        // Gestures between two such looks moved nothing.
        let last = self.screens.back();
        let is_repeated = last.is_some_and(|last| same_rows(&last.screen, &screen));
        if is_repeated {
            self.screens.pop_back();
        } else if self.screens.len() == MAX_SCREENS {
            self.screens.pop_front();
        }
        self.screens.push_back(PastScreen {
            screen,
            gestures: Vec::new(),
            is_repeated,
        });
    }

    /// Records the swipes and drags among inputs sent after the last look; other inputs are ignored. Per look
    /// the newest 64 are kept. Without a look nothing is recorded.
    pub(super) fn note_inputs(&mut self, inputs: &[Input]) {
        let Some(last) = self.screens.back_mut() else {
            return;
        };
        let is_gesture = |input: &&Input| matches!(input, Input::Swipe(_) | Input::Drag(_));
        last.gestures
            .extend(inputs.iter().filter(is_gesture).cloned());
        let excess = last.gestures.len().saturating_sub(MAX_GESTURES);
        last.gestures.drain(..excess);
    }

    /// Returns the gestures since the newest screen for which `shows` is true, oldest first. Empty if there
    /// is no such screen.
    pub(super) fn gestures_since(&self, shows: impl Fn(&Screen) -> bool) -> Vec<Input> {
        let newest = self.screens.iter().rposition(|past| shows(&past.screen));
        let since = newest.unwrap_or(self.screens.len());
        let later = self.screens.range(since..);
        later.flat_map(|past| past.gestures.clone()).collect()
    }

    pub(super) fn last(&self) -> Option<Arc<Screen>> {
        self.screens.back().map(|past| Arc::clone(&past.screen))
    }

    /// Returns the newest screen on which a node had this id, with the node. `None` if no stored screen has it.
    pub(super) fn find(&self, id: &str) -> Option<(Arc<Screen>, NodeIndex)> {
        self.find_where(id, |screen| screen.node_by_id(id).map(Node::index))
    }

    /// Same as [`Self::find`], but `last`, known by its address, counts only if a look before it showed the same.
    pub(super) fn find_before(&self, last: &Screen, id: &str) -> Option<(Arc<Screen>, NodeIndex)> {
        let is_last = |past: &PastScreen| std::ptr::eq(past.screen.as_ref(), last);
        let newest_first = self.screens.iter().rev();
        let mut earlier = newest_first.filter(|past| past.is_repeated || !is_last(past));
        earlier.find_map(|past| {
            let node = past.screen.node_by_id(id)?;
            Some((Arc::clone(&past.screen), node.index()))
        })
    }

    /// Returns the newest screen that has this node id and on which `find` finds the intended element.
    pub(super) fn find_where(
        &self,
        id: &str,
        find: impl Fn(&Screen) -> Option<NodeIndex>,
    ) -> Option<(Arc<Screen>, NodeIndex)> {
        self.newest_first()
            .filter(|screen| screen.node_by_id(id).is_some())
            .find_map(|screen| Some((Arc::clone(screen), find(screen)?)))
    }

    fn newest_first(&self) -> impl Iterator<Item = &Arc<Screen>> {
        self.screens.iter().rev().map(|past| &past.screen)
    }
}

/// Compares two looks node by node: class, resource id, text, description, bounds and states.
pub fn same_rows(a: &Screen, b: &Screen) -> bool {
    a.len() == b.len() && a.nodes().zip(b.nodes()).all(|(a, b)| same_node(a, b))
}

/// Compares class, resource id, text, description, bounds and flags of two nodes. Their children and places in the tree
/// do not count.
fn same_node(a: Node<'_>, b: Node<'_>) -> bool {
    a.bounds() == b.bounds()
        && a.flags() == b.flags()
        && a.text() == b.text()
        && a.desc() == b.desc()
        && a.class() == b.class()
        && a.resource_id() == b.resource_id()
}

/// Finds `old`, a node of an earlier look, on `screen`: by id; else the only node with the same resource id,
/// class, text and description. Of several it takes the one with the same index among them, if their number
/// is unchanged. For fields, whose text changes, resource id and class suffice. `None` for a node without id,
/// text and description that is no field.
pub(super) fn find_again(old: Node<'_>, screen: &Screen) -> Option<NodeIndex> {
    if let Some(node) = screen.node_by_id(&old.id()) {
        return Some(node.index());
    }
    let similar = |node: Node<'_>| {
        node.resource_id() == old.resource_id()
            && node.class() == old.class()
            && node.text() == old.text()
            && node.desc() == old.desc()
    };
    let identified =
        !old.resource_id().is_empty() || !old.text().is_empty() || !old.desc().is_empty();
    if identified {
        let found = pick(screen, old, similar);
        if found.is_some() {
            return found;
        }
    }
    if old.is_editable() {
        return pick(screen, old, |node| {
            node.class() == old.class() && node.resource_id() == old.resource_id()
        });
    }
    None
}

/// Returns the only `similar` node, or of several the one with the same index as `old` had among its like.
/// `None` if there is none, or several in another number than before.
fn pick(screen: &Screen, old: Node<'_>, similar: impl Fn(Node<'_>) -> bool) -> Option<NodeIndex> {
    let found: Vec<NodeIndex> = screen
        .nodes()
        .filter(|node| similar(*node))
        .map(Node::index)
        .collect();
    if found.len() < 2 {
        return found.first().copied();
    }
    let like_old: Vec<NodeIndex> = old
        .screen()
        .nodes()
        .filter(|node| similar(*node))
        .map(Node::index)
        .collect();
    let place = like_old.iter().position(|index| *index == old.index())?;
    // If the number of similar elements changed, the index does not identify the element.
    (like_old.len() == found.len()).then(|| found[place])
}
