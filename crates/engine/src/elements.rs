//! Groups the nodes of a screen into elements as people see them: a touchable row together with the words in
//! it.
//!
//! A text inside a clickable row belongs to the row, as does the state of a switch that is toggled through
//! it.

use std::collections::HashMap;

use runner_screen::{Node, NodeIndex, Screen};

/// Limit for the parts of one element. Chosen: a clickable container with more is a page, whose parts stay
/// elements.
const MAX_PARTS: usize = 12;

#[derive(Debug)]
pub struct Elements<'a> {
    screen: &'a Screen,
    parts: HashMap<NodeIndex, Vec<NodeIndex>>,
}

impl<'a> Elements<'a> {
    /// Groups the nodes of a screen: visible nodes with words or a state that cannot be acted on belong to
    /// their nearest ancestor that can. The group is dropped, and its nodes count as elements, if it has more
    /// than 12 parts or if its element scrolls or covers more than half the display.
    pub fn new(screen: &'a Screen) -> Self {
        // In document order parents come first, so the answer for a parent is already there.
        let mut around: Vec<Option<NodeIndex>> = Vec::with_capacity(screen.len());
        let mut parts: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
        for node in screen.nodes() {
            let outer = node
                .parent()
                .and_then(|parent| around[parent.index().0 as usize]);
            if acts(node) || node.flags().scrollable {
                around.push(Some(node.index()));
                continue;
            }
            around.push(outer);
            if let Some(outer) = outer
                && has_content(node)
                && node.is_on_screen()
            {
                parts.entry(outer).or_default().push(node.index());
            }
        }
        parts.retain(|outer, parts| {
            parts.len() <= MAX_PARTS && takes_parts(screen.node(*outer), screen)
        });
        Self { screen, parts }
    }

    /// Returns the nodes whose words and states belong to an element, in document order. The element itself
    /// is not among them. Empty for a part and for an element without a group.
    pub fn parts(&self, node: NodeIndex) -> impl Iterator<Item = Node<'a>> {
        let screen = self.screen;
        self.parts
            .get(&node)
            .into_iter()
            .flatten()
            .map(move |part| screen.node(*part))
    }

    /// Returns the elements on the screen in document order, those of the focused window first. Omits the
    /// keyboard, the system's windows without focus, nodes without content that cannot be acted on or
    /// scrolled, and parts of other elements. If only keyboard and bars are there, returns theirs.
    pub fn visible(&self) -> Vec<Node<'a>> {
        let mut places: Vec<usize> = (0..self.screen.windows().len())
            .filter(|place| self.is_of_interest(*place))
            .collect();
        // Where nothing but bars or the keyboard is left, they are all there is to show.
        if places.is_empty() {
            places = (0..self.screen.windows().len()).collect();
        }
        places.sort_by_key(|place| !self.screen.windows()[*place].focused);
        let parts: std::collections::HashSet<NodeIndex> =
            self.parts.values().flatten().copied().collect();
        places
            .into_iter()
            .flat_map(|place| self.screen.window_nodes(place))
            .filter(|node| acts(*node) || node.flags().scrollable || has_content(*node))
            .filter(|node| !parts.contains(&node.index()))
            .filter(|node| node.is_on_screen() && !node.bounds().is_empty())
            .collect()
    }

    /// Returns true unless the window is the keyboard, or one of the system without the focus.
    fn is_of_interest(&self, place: usize) -> bool {
        let window = &self.screen.windows()[place];
        match window.kind.as_str() {
            "INPUT_METHOD" => false,
            // A window of the system counts while it has the focus: an opened shade, a dialog of the system.
            "SYSTEM" => window.focused,
            _ => true,
        }
    }
}

/// Returns true if the node itself can be clicked, long-clicked or typed into.
pub fn acts(node: Node<'_>) -> bool {
    let flags = node.flags();
    flags.clickable || flags.long_clickable || node.is_editable()
}

/// Returns true if the node has a text or a description, or can be checked.
fn has_content(node: Node<'_>) -> bool {
    !node.text().trim().is_empty() || !node.desc().trim().is_empty() || node.flags().checkable
}

/// Returns true if words inside belong to the node, of which the caller knows that it acts or scrolls: it does not
/// scroll, and covers at most half the display. A display of unknown size is no reason against it.
fn takes_parts(node: Node<'_>, screen: &Screen) -> bool {
    let display = screen.display().bounds().area();
    !node.flags().scrollable && (display == 0 || node.bounds().area() * 2 <= display)
}
