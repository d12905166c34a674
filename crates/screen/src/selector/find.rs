//! Finds the elements that a selector selects.

use super::relation::Distance;
use super::{ElementWords, Node, NodeIndex, Screen, Selector, WindowName};
use crate::Window;

/// Set of nodes that can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// Nodes on the screen.
    OnScreen,
    /// All nodes of the tree.
    Anywhere,
}

impl Sight {
    /// Returns the set of nodes to compare this one with: those on the screen, or the whole tree if it is not
    /// on the screen itself.
    pub(super) fn for_node(node: Node<'_>) -> Self {
        if node.is_on_screen() {
            Self::OnScreen
        } else {
            Self::Anywhere
        }
    }

    fn sees(self, node: Node<'_>) -> bool {
        self == Self::Anywhere || node.is_on_screen()
    }
}

impl Selector {
    /// Returns all matches on the screen in document order, or nearest first if there are relations. With
    /// `index` it is the match at that place, or none. Of several alternatives only the first that matches
    /// counts.
    ///
    /// The anchors of relations may be off the screen.
    pub fn find(&self, screen: &Screen) -> Vec<NodeIndex> {
        self.find_by(screen, Sight::OnScreen)
    }

    /// Returns all matches as [`Selector::find`] does, including nodes off the screen.
    pub fn find_anywhere(&self, screen: &Screen) -> Vec<NodeIndex> {
        self.find_by(screen, Sight::Anywhere)
    }

    pub(super) fn find_by(&self, screen: &Screen, sight: Sight) -> Vec<NodeIndex> {
        let found = self.find_all(screen, sight);
        match self.index {
            None => found,
            Some(index) => at(&found, index).into_iter().collect(),
        }
    }

    /// Returns all matches without regard to `index`, in the order of [`Selector::find`].
    pub(super) fn find_all(&self, screen: &Screen, sight: Sight) -> Vec<NodeIndex> {
        self.find_first(screen, sight, usize::MAX)
    }

    /// Returns at most `max` matches, without regard to `index`. Relations such as `below` need all
    /// candidates to find the nearest, so with them it returns all. Of `any_of` it returns all matches of the
    /// first alternative that has some. The string form tries text, description and hint, and returns the
    /// matches of the first that has some. With a limit it uses the index of names, which pays off when one
    /// screen is searched many times.
    pub(super) fn find_first(&self, screen: &Screen, sight: Sight, max: usize) -> Vec<NodeIndex> {
        if !self.any_of.is_empty() {
            let mut each = self.any_of.iter();
            return each
                .find_map(|selector| {
                    let found = selector.find_by(screen, sight);
                    (!found.is_empty()).then_some(found)
                })
                .unwrap_or_default();
        }
        let Some(wanted) = &self.any else {
            return self.find_in_order(screen, sight, max);
        };
        for words in ElementWords::ALL {
            let named = wanted.literal_words().filter(|_| max < usize::MAX);
            let named = named.map(|wanted| screen.names().with_words(words, wanted));
            let matching = among(screen, named)
                .filter(|node| wanted.matches(words.value_in(*node)) && sight.sees(*node));
            let found: Vec<_> = matching.map(Node::index).take(max).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    fn find_in_order(&self, screen: &Screen, sight: Sight, max: usize) -> Vec<NodeIndex> {
        let named = (max < usize::MAX).then(|| screen.names().candidates(self));
        let matching = among(screen, named.flatten())
            .filter(|node| self.matches_alone(*node) && sight.sees(*node));
        if self.relations.is_empty() {
            return matching.map(Node::index).take(max).collect();
        }
        let anchors: Vec<_> = self
            .relations
            .iter()
            .map(|(relation, anchor)| (*relation, anchor.find_anywhere(screen)))
            .collect();
        let distance = |node: Node<'_>| -> Option<Distance> {
            let mut sum: Distance = (false, 0);
            for (relation, anchors) in &anchors {
                let anchors = anchors.iter().map(|anchor| screen.node(*anchor));
                let nearest = anchors
                    .filter_map(|anchor| relation.distance(node, anchor))
                    .min()?;
                sum = (sum.0 || nearest.0, sum.1.saturating_add(nearest.1));
            }
            Some(sum)
        };
        let mut found: Vec<_> = matching
            .filter_map(|node| Some((distance(node)?, node.index())))
            .collect();
        found.sort();
        found.into_iter().map(|(_, node)| node).collect()
    }

    /// Returns true if the node meets the conditions on itself: states, class, id, words and window.
    /// Relations, `index`, the string form and `any_of` do not count.
    fn matches_alone(&self, node: Node<'_>) -> bool {
        self.states
            .iter()
            .all(|(state, on)| state.is_set_on(node) == *on)
            && self
                .class
                .as_ref()
                .is_none_or(|class| has_class(node, class))
            && self.id.as_ref().is_none_or(|id| has_id(node, id))
            && ElementWords::ALL.into_iter().all(|words| {
                let wanted = words.wanted(self);
                wanted.is_none_or(|wanted| words.match_in(node, wanted))
            })
            && self.window.as_ref().is_none_or(|name| name.names(node))
    }
}

impl WindowName {
    fn names(&self, node: Node<'_>) -> bool {
        self.is_of(node.window())
    }

    /// Returns true if this names the window: its number, or its type, package or title.
    pub(super) fn is_of(&self, window: &Window) -> bool {
        match self {
            Self::Id(id) => window.id == *id,
            Self::Named(name) => [&window.kind, &window.package, &window.title]
                .into_iter()
                .any(|value| name.matches(value)),
        }
    }
}

/// Returns these nodes, or all nodes without a list.
fn among<'a>(
    screen: &'a Screen,
    named: Option<&'a [NodeIndex]>,
) -> Box<dyn Iterator<Item = Node<'a>> + 'a> {
    match named {
        Some(named) => Box::new(named.iter().map(|index| screen.node(*index))),
        None => Box::new(screen.nodes()),
    }
}

/// Returns the part of a resource id after the first `/`, or the whole id.
pub(super) fn short_id(resource_id: &str) -> &str {
    resource_id
        .split_once('/')
        .map_or(resource_id, |(_, name)| name)
}

fn has_id(node: Node<'_>, id: &str) -> bool {
    let resource_id = node.resource_id();
    !resource_id.is_empty() && (resource_id == id || short_id(resource_id) == id)
}

fn has_class(node: Node<'_>, class: &str) -> bool {
    node.class() == class || node.short_class() == class
}

/// Returns the element at `index`, from 0; a negative one counts from the end. Returns `None` beyond the
/// ends.
fn at(found: &[NodeIndex], index: i64) -> Option<NodeIndex> {
    let place = if index < 0 {
        i64::try_from(found.len()).ok()?.checked_add(index)?
    } else {
        index
    };
    found.get(usize::try_from(place).ok()?).copied()
}
