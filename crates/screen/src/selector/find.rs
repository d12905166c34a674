//! Finds the elements that a selector selects.

use super::relation::Distance;
use super::{ElementWords, Node, NodeIndex, Relation, Screen, Selector, WindowName};
use crate::Window;

/// Set of nodes that can match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SearchScope {
    OnScreen,
    /// All nodes of the tree.
    Anywhere,
}

impl SearchScope {
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

#[derive(Debug, Clone, Copy)]
struct Search {
    sight: SearchScope,
    /// Number of matches that are enough.
    max: usize,
    /// Looks names and rows up in the screen's indexes. Making them pays off when one screen is searched many times.
    by_name: bool,
}

impl Search {
    /// A search for all matches by a look at every node.
    fn once(sight: SearchScope) -> Self {
        Self {
            sight,
            max: usize::MAX,
            by_name: false,
        }
    }
}

impl Selector {
    /// Returns all matches on the screen in document order, or nearest first if there are relations. With
    /// `index` it is the match at that place, or none. Of several alternatives only the first that matches
    /// counts.
    ///
    /// The anchors of relations may be off the screen.
    pub fn find(&self, screen: &Screen) -> Vec<NodeIndex> {
        self.find_by(screen, SearchScope::OnScreen)
    }

    /// Returns all matches as [`Selector::find`] does, including nodes off the screen.
    pub fn find_anywhere(&self, screen: &Screen) -> Vec<NodeIndex> {
        self.find_by(screen, SearchScope::Anywhere)
    }

    pub(super) fn find_by(&self, screen: &Screen, sight: SearchScope) -> Vec<NodeIndex> {
        self.find_in(screen, Search::once(sight))
    }

    /// Returns all matches without regard to `index`, in the order of [`Selector::find`].
    pub(super) fn find_all(&self, screen: &Screen, sight: SearchScope) -> Vec<NodeIndex> {
        self.matches_in(screen, Search::once(sight))
    }

    /// Returns at most `max` matches, without regard to `index`: the first ones in document order, or with
    /// relations any of them. With `any_of` it returns all matches of the first alternative that has some. Uses the
    /// index of names, which pays off when one screen is searched many times.
    pub(super) fn find_first(
        &self,
        screen: &Screen,
        sight: SearchScope,
        max: usize,
    ) -> Vec<NodeIndex> {
        let by_name = true;
        self.matches_in(
            screen,
            Search {
                sight,
                max,
                by_name,
            },
        )
    }

    /// Returns the matches, or with `index` the one at that place, if there is one.
    fn find_in(&self, screen: &Screen, search: Search) -> Vec<NodeIndex> {
        let found = self.matches_in(screen, search);
        match self.index {
            None => found,
            Some(index) => at(&found, index).into_iter().collect(),
        }
    }

    /// Returns the matches without regard to `index`. Of `any_of` they are all matches of the first alternative
    /// that has some, in which its own `index` counts. The string form tries text, description and hint, and
    /// returns the matches of the first that has some.
    fn matches_in(&self, screen: &Screen, search: Search) -> Vec<NodeIndex> {
        if !self.any_of.is_empty() {
            let all = Search {
                max: usize::MAX,
                ..search
            };
            let mut each = self.any_of.iter();
            return each
                .find_map(|selector| {
                    let found = selector.find_in(screen, all);
                    (!found.is_empty()).then_some(found)
                })
                .unwrap_or_default();
        }
        let Some(wanted) = &self.any else {
            return self.matches_of_conditions(screen, search);
        };
        for words in ElementWords::ALL {
            let named = wanted.literal_words().filter(|_| search.by_name);
            let named = named.map(|wanted| screen.names().with_words(words, wanted));
            let matching = among(screen, named)
                .filter(|node| wanted.matches(words.value_in(*node)) && search.sight.sees(*node));
            let found: Vec<_> = matching.map(Node::index).take(search.max).collect();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the matches of all conditions in document order. With relations the nearest come first, by the sum
    /// of the distances to the nearest anchors, which may be off the screen; `max` is then counted before sorting.
    fn matches_of_conditions(&self, screen: &Screen, search: Search) -> Vec<NodeIndex> {
        let named = search.by_name.then(|| screen.names().candidates(self));
        let named = named.flatten();
        let fits = |node: &Node<'_>| self.matches_alone(*node) && search.sight.sees(*node);
        if self.relations.is_empty() {
            let matching = among(screen, named).filter(fits);
            return matching.map(Node::index).take(search.max).collect();
        }
        let anywhere = Search {
            sight: SearchScope::Anywhere,
            max: usize::MAX,
            ..search
        };
        let anchors: Vec<_> = self
            .relations
            .iter()
            .map(|(relation, anchor)| (*relation, anchor.find_in(screen, anywhere)))
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
        let mut found: Vec<_> = related(screen, &anchors, search)
            .unwrap_or_else(|| among(screen, named))
            // Places are compared before names: in a long list nearly all rows fit, and few are beside the anchor.
            .filter_map(|node| Some((distance(node)?, node)))
            .filter(|(_, node)| fits(node))
            .map(|(distance, node)| (distance, node.index()))
            .take(search.max)
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

    /// Returns true if this is the window's number, or a pattern that its type, package or title matches.
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

/// Returns the only nodes that can have these relations: what the tree has in or around the anchor of the first
/// relation that has only one, or, where the search uses indexes, what may share that anchor's row. A long list
/// has far more nodes with the same id. Returns `None` if another relation decides.
fn related<'a>(
    screen: &'a Screen,
    anchors: &[(Relation, Vec<NodeIndex>)],
    search: Search,
) -> Option<Box<dyn Iterator<Item = Node<'a>> + 'a>> {
    anchors.iter().find_map(|(relation, anchors)| {
        let [anchor] = anchors.as_slice() else {
            return None;
        };
        let anchor = screen.node(*anchor);
        match relation {
            Relation::Inside => Some(Box::new(anchor.descendants()) as Box<dyn Iterator<Item = _>>),
            Relation::Has => Some(Box::new(anchor.ancestors())),
            Relation::LeftOf | Relation::RightOf if search.by_name => {
                let row = screen.row_index().candidates(anchor.bounds())?;
                Some(Box::new(row.into_iter().map(|node| screen.node(node))))
            }
            _ => None,
        }
    })
}

/// Returns the part of a resource id after the first `/`, or the whole id.
pub(super) fn short_id(resource_id: &str) -> &str {
    resource_id
        .split_once('/')
        .map_or(resource_id, |(_, name)| name)
}

/// Returns true if `id` is the whole resource id or what stands behind one of its `/`. Most have one, the tag of a
/// composable may have several, and [`Node::resource_name`] is what stands behind the last.
fn has_id(node: Node<'_>, id: &str) -> bool {
    let resource_id = node.resource_id();
    let before = resource_id.strip_suffix(id);
    !resource_id.is_empty() && before.is_some_and(|it| it.is_empty() || it.ends_with('/'))
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
