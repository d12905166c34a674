//! Finds the elements that a Maestro selector selects.

use std::collections::HashMap;

use super::expression::ExpressionError;
use super::selector::{MaestroSelector, Relation, Trait};
use super::visibility::visible;
use crate::selector::{AbsenceError, MissingAnchor};
use crate::{AbsenceProof, Node, NodeIndex, Rect, Screen, WholeScreen};

/// Element or toast that a selector selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    Node(NodeIndex),
    /// Toast, by its index in [`Screen::toasts`]. It has no place on the screen that could be touched.
    Toast(usize),
}

type Result<T> = std::result::Result<T, ExpressionError>;

impl MaestroSelector {
    /// Returns all matches that Maestro sees, clickable elements first, else in document order; the first is the one
    /// that a command uses. Toasts come last, and only for a selector of nothing but a text. With `index` there is at
    /// most one element, and the toast at that place if it matches.
    ///
    /// # Errors
    /// [`ExpressionError`] if matching takes too many steps.
    pub fn find(&self, screen: &Screen) -> Result<Vec<Match>> {
        self.find_among(screen, visible(screen))
    }

    /// Returns all matches as [`MaestroSelector::find`] does, including elements off the screen.
    pub(super) fn find_anywhere(&self, screen: &Screen) -> Result<Vec<Match>> {
        self.find_among(screen, vec![true; screen.len()])
    }

    /// Decides whether nothing matches on a screen that is known to be whole. The outer result is an error only of
    /// the expression. All anchors, the elements that relations name, must be found in the tree, on the screen or
    /// off it, or absence is not proven.
    ///
    /// # Errors
    /// [`ExpressionError`] if matching takes too many steps. The inner error says why absence is not proven:
    /// the matches, or the missing anchor.
    pub fn prove_absence(
        &self,
        whole: WholeScreen<'_>,
    ) -> Result<std::result::Result<AbsenceProof, AbsenceError<Match>>> {
        let found = self.find(whole.screen())?;
        let Some(absent) = whole.prove_absence(&found) else {
            return Ok(Err(AbsenceError::Present(found)));
        };
        let missing = self.missing_anchor(whole.screen())?;
        Ok(missing.map_or(Ok(absent), |anchor| {
            Err(AbsenceError::MissingAnchor(MissingAnchor {
                anchor,
                alternative: None,
            }))
        }))
    }

    /// Decides whether nothing matches on a look that may not be whole. Matches are found also there; only
    /// absence needs a whole look. If `asserted` is false, as for a condition, a missing anchor means that
    /// nothing matches.
    ///
    /// # Errors
    /// [`ExpressionError`] if matching takes too many steps. The inner error says why absence is not proven: first
    /// the matches, then a look that is not whole, and last a missing anchor.
    pub fn prove_absence_on(
        &self,
        screen: &Screen,
        asserted: bool,
    ) -> Result<std::result::Result<AbsenceProof, AbsenceError<Match>>> {
        let found = self.find(screen)?;
        if !found.is_empty() {
            return Ok(Err(AbsenceError::Present(found)));
        }
        let whole = match screen.as_whole() {
            Ok(whole) => whole,
            Err(why) => return Ok(Err(AbsenceError::Partial(why))),
        };
        if asserted {
            return self.prove_absence(whole);
        }
        Ok(whole
            .prove_absence(&found)
            .ok_or(AbsenceError::Present(found)))
    }

    /// Returns the first anchor that does not exist anywhere in the tree, as written: `childOf: { id: list
    /// }`. Inner anchors come before those that hold them. Returns `None` if all exist.
    ///
    /// Selectors in `containsChild` and `containsDescendants` are no anchors themselves, since they describe
    /// the element. Their own anchors count.
    fn missing_anchor(&self, screen: &Screen) -> Result<Option<String>> {
        if let Some(parent) = &self.child_of {
            if let Some(inner) = parent.missing_anchor(screen)? {
                return Ok(Some(inner));
            }
            if !parent.is_anywhere(screen)? {
                return Ok(Some(format!("childOf: {parent}")));
            }
        }
        let others = self
            .relations
            .iter()
            .map(|(name, other)| (Some(*name), other));
        let held = self.contains_descendants.iter().flatten();
        for (relation, other) in others.chain(held.map(|one| (None, one))) {
            // Maestro ignores `childOf` in the selector of a relation, so it does not count here.
            let sought = Self {
                child_of: None,
                ..other.clone()
            };
            if let Some(inner) = sought.missing_anchor(screen)? {
                return Ok(Some(inner));
            }
            if let Some(relation) = relation
                && relation != Relation::ContainsChild
                && !sought.is_anywhere(screen)?
            {
                return Ok(Some(format!("{}: {sought}", relation.name())));
            }
        }
        Ok(None)
    }

    /// Returns true if an element of the tree matches, on the screen or off it.
    fn is_anywhere(&self, screen: &Screen) -> Result<bool> {
        let found = self.find_anywhere(screen)?;
        Ok(found.iter().any(|found| matches!(found, Match::Node(_))))
    }

    /// Returns the matches among the nodes that count as visible, inside the parent if one is named. A selector of
    /// text alone finds toasts too, behind the nodes; `index` then counts all toasts from 0, those that do not
    /// match too.
    fn find_among(&self, screen: &Screen, observed: Vec<bool>) -> Result<Vec<Match>> {
        let search = Search {
            screen,
            visible: observed,
        };
        let Some(scope) = search.inside(self.child_of.as_deref())? else {
            return Ok(Vec::new());
        };
        let mut found: Vec<Match> = search
            .evaluation(self)?
            .find_in(&search, &scope)
            .into_iter()
            .map(Match::Node)
            .collect();
        if self.is_text_alone()
            && let Some(text) = &self.text
        {
            for (place, toast) in screen.toasts().iter().enumerate() {
                let is_wanted = self.index.is_none_or(|index| index == place as i64);
                if is_wanted && text.matches_words(toast)? {
                    found.push(Match::Toast(place));
                }
            }
        }
        Ok(found)
    }
}

struct Search<'a> {
    screen: &'a Screen,
    visible: Vec<bool>,
}

impl Search<'_> {
    fn is_visible(&self, index: u32) -> bool {
        self.visible.get(index as usize).copied().unwrap_or(false)
    }

    /// Returns the visible nodes among `node` and its descendants, in document order.
    fn subtree(&self, node: NodeIndex) -> Vec<u32> {
        let end = self.screen.data(node).end;
        (node.0..end)
            .filter(|index| self.is_visible(*index))
            .collect()
    }

    /// Returns the nodes to search: the visible subtree of the first match of `parent`, or all visible nodes
    /// without `parent`. Returns `None` where `parent`, or a parent of it, matches nothing. The `index` of a parent
    /// counts. A parent that is a toast matches nothing.
    fn inside(&self, parent: Option<&MaestroSelector>) -> Result<Option<Vec<u32>>> {
        let Some(parent) = parent else {
            let all = (0..self.screen.len() as u32).filter(|index| self.is_visible(*index));
            return Ok(Some(all.collect()));
        };
        let Some(scope) = self.inside(parent.child_of.as_deref())? else {
            return Ok(None);
        };
        let found = self.evaluation(parent)?.find_in(self, &scope);
        Ok(found.first().map(|node| self.subtree(*node)))
    }

    /// Evaluates a selector and those in it for all nodes.
    fn evaluation<'s>(&self, selector: &'s MaestroSelector) -> Result<Evaluation<'s>> {
        let relations = selector
            .relations
            .iter()
            .map(|(relation, other)| Ok((*relation, self.evaluation(other)?)));
        let descendants = selector.contains_descendants.as_ref().map(|each| {
            each.iter()
                .map(|one| self.evaluation(one))
                .collect::<Result<Vec<_>>>()
        });
        Ok(Evaluation {
            node_matches: self.node_matches(selector)?,
            relations: relations.collect::<Result<_>>()?,
            descendants: descendants.transpose()?,
            selector,
        })
    }

    /// Evaluates the conditions on a node itself for every node; nodes that Maestro does not see match
    /// nothing. Returns `None` where the selector has none, so that all nodes match.
    fn node_matches(&self, selector: &MaestroSelector) -> Result<Option<NodeMatches>> {
        let asks = selector.text.is_some()
            || selector.id.is_some()
            || selector.size.is_some()
            || selector.states().iter().any(|(_, wanted)| wanted.is_some())
            || !selector.traits.is_empty();
        if !asks {
            return Ok(None);
        }
        let mut matches = Vec::with_capacity(self.screen.len());
        let mut before = Vec::with_capacity(self.screen.len() + 1);
        let mut count = 0;
        before.push(0);
        for node in self.screen.nodes() {
            let is_match = self.is_visible(node.index().0) && selector.matches_alone(node)?;
            matches.push(is_match);
            count += u32::from(is_match);
            before.push(count);
        }
        Ok(Some(NodeMatches { matches, before }))
    }
}

/// Nodes that meet the conditions of a selector on a node itself.
struct NodeMatches {
    matches: Vec<bool>,
    /// Number of matching nodes before each index (a prefix sum).
    before: Vec<u32>,
}

impl NodeMatches {
    /// Returns true if any node in `first..end` matches.
    fn any(&self, first: u32, end: u32) -> bool {
        self.before[end as usize] > self.before[first as usize]
    }

    /// Returns the matching nodes in `scope` and below, without those that hold another matching node, in
    /// document order. `scope` must be in document order.
    fn deepest(&self, search: &Search<'_>, scope: &[u32]) -> Vec<NodeIndex> {
        let mut found = Vec::new();
        let mut next = 0;
        for root in scope {
            let end = search.screen.data(NodeIndex(*root)).end;
            for index in next.max(*root)..end {
                let below = search.screen.data(NodeIndex(index)).end;
                if self.matches[index as usize] && !self.any(index + 1, below) {
                    found.push(NodeIndex(index));
                }
            }
            next = next.max(end);
        }
        found
    }
}

/// Selector with its results on one screen.
struct Evaluation<'s> {
    selector: &'s MaestroSelector,
    node_matches: Option<NodeMatches>,
    relations: Vec<(Relation, Evaluation<'s>)>,
    descendants: Option<Vec<Evaluation<'s>>>,
}

impl Evaluation<'_> {
    /// Returns the nodes in `scope` that the selector selects: in document order with clickable ones first, or only the
    /// one at `index`, which counts from the top. Equal nodes count once. Of matches in each other only the deepest
    /// counts, unless the selector asks nothing of the node itself.
    fn find_in(&self, search: &Search<'_>, scope: &[u32]) -> Vec<NodeIndex> {
        let mut found = match &self.node_matches {
            Some(node_matches) => node_matches.deepest(search, scope),
            None => scope.iter().copied().map(NodeIndex).collect(),
        };
        remove_duplicates(search.screen, &mut found);
        for (relation, other) in &self.relations {
            let others = other.find_in(search, scope);
            found.retain(|node| {
                is_in(scope, *node) && related(search.screen, *relation, *node, &others)
            });
        }
        if let Some(descendants) = &self.descendants {
            found.retain(|node| {
                is_in(scope, *node)
                    && descendants
                        .iter()
                        .all(|wanted| wanted.is_below(search, *node))
            });
        }
        match self.selector.index {
            Some(index) => at(search.screen, found, index),
            None => {
                found.sort_by_key(|node| !search.screen.node(*node).flags().clickable);
                found
            }
        }
    }

    /// Returns true if the selector selects anything when each visible node below `node` is searched by
    /// itself. `node` itself does not count.
    fn is_below(&self, search: &Search<'_>, node: NodeIndex) -> bool {
        let end = search.screen.data(node).end;
        let is_alone = self.relations.is_empty()
            && self.descendants.is_none()
            && matches!(self.selector.index, None | Some(0));
        match &self.node_matches {
            Some(node_matches) if is_alone => node_matches.any(node.0 + 1, end),
            _ => (node.0 + 1..end)
                .filter(|index| search.is_visible(*index))
                .any(|index| !self.find_in(search, &[index]).is_empty()),
        }
    }
}

/// Returns true if `node` is in `scope`, which is in document order.
fn is_in(scope: &[u32], node: NodeIndex) -> bool {
    scope.binary_search(&node.0).is_ok()
}

/// Returns true if a node has the relation to any of these. Relations of place compare only upper or left edges.
fn related(screen: &Screen, relation: Relation, node: NodeIndex, others: &[NodeIndex]) -> bool {
    let bounds = screen.node(node).bounds();
    others.iter().any(|other| {
        let other_node = screen.node(*other);
        let edges = other_node.bounds();
        match relation {
            Relation::Below => bounds.top > edges.top,
            Relation::Above => bounds.top < edges.top,
            Relation::LeftOf => bounds.left < edges.left,
            Relation::RightOf => bounds.left > edges.left,
            Relation::ContainsChild => other_node
                .parent()
                .is_some_and(|parent| parent.index() == node),
        }
    })
}

/// Returns the match at `index` counted from the top, then the left; a negative index counts from the end.
/// The result is empty if there is no such match.
fn at(screen: &Screen, mut found: Vec<NodeIndex>, index: i64) -> Vec<NodeIndex> {
    found.sort_by_key(|node| {
        let bounds = screen.node(*node).bounds();
        (bounds.top, bounds.left)
    });
    let place = if index < 0 {
        found.len() as i64 + index
    } else {
        index
    };
    let place = usize::try_from(place).ok();
    let node = place.and_then(|place| found.get(place));
    node.copied().into_iter().collect()
}

/// Removes each node that equals an earlier one in everything, bounds and descendants included. Maestro
/// cannot tell them apart and counts them once. The order stays.
fn remove_duplicates(screen: &Screen, found: &mut Vec<NodeIndex>) {
    let mut at_place: HashMap<Rect, Vec<NodeIndex>> = HashMap::new();
    found.retain(|node| {
        let there = at_place.entry(screen.node(*node).bounds()).or_default();
        let is_duplicate = there
            .iter()
            .any(|other| is_same(screen.node(*other), screen.node(*node)));
        if !is_duplicate {
            there.push(*node);
        }
        !is_duplicate
    });
}

/// Returns true if two nodes and all below them are equal in what Maestro knows of them.
fn is_same(one: Node<'_>, other: Node<'_>) -> bool {
    let facts = |node: Node<'_>| {
        let flags = node.flags();
        let states = [
            flags.clickable,
            flags.enabled,
            flags.focused,
            flags.checked,
            flags.selected,
            flags.scrollable,
        ];
        (node.bounds(), states, node.child_count())
    };
    let words = |node: Node<'_>| {
        [
            node.class(),
            node.text(),
            node.desc(),
            node.hint(),
            node.resource_id(),
        ]
        .map(str::to_owned)
    };
    facts(one) == facts(other)
        && words(one) == words(other)
        && one
            .descendants()
            .zip(other.descendants())
            .all(|(one, other)| facts(one) == facts(other) && words(one) == words(other))
}

impl MaestroSelector {
    /// Returns true if the node meets the conditions on itself, whatever is around it. An id matches the whole id or
    /// its part behind the last `/`. A text matches the text, the hint or the description.
    fn matches_alone(&self, node: Node<'_>) -> Result<bool> {
        let flags = node.flags();
        let is = |wanted: Option<bool>, actual: bool| wanted.is_none_or(|wanted| wanted == actual);
        if !(is(self.enabled, flags.enabled)
            && is(self.checked, flags.checked)
            && is(self.focused, flags.focused)
            && is(self.selected, flags.selected)
            && self.traits.iter().all(|wanted| wanted.is_of(node))
            && self.size.is_none_or(|size| size.is_of(node.bounds())))
        {
            return Ok(false);
        }
        if let Some(id) = &self.id
            && !(id.matches(node.resource_id())? || id.matches(node.resource_name())?)
        {
            return Ok(false);
        }
        let Some(text) = &self.text else {
            return Ok(true);
        };
        Ok(text.matches_words(&text_of(node))?
            || text.matches_words(node.hint())?
            || text.matches_words(node.desc())?)
    }
}

/// Returns the text as Maestro sees it: a password is as many dots as the source has characters in it. The hint is not
/// in it.
pub(super) fn text_of(node: Node<'_>) -> std::borrow::Cow<'_, str> {
    if node.flags().password {
        "\u{2022}".repeat(node.masked_characters()).into()
    } else {
        node.text().into()
    }
}

impl Trait {
    /// Returns true if the node has the trait. A long text has more than 200 UTF-16 units; a square's sides differ by
    /// less than 3 %. A hint counts as text while the field shows it, a description never. An element without height is
    /// no square.
    fn is_of(self, node: Node<'_>) -> bool {
        match self {
            Self::Text => !node.display_text().is_empty(),
            Self::LongText => node.display_text().encode_utf16().count() > 200,
            Self::Square => {
                let bounds = node.bounds();
                let ratio = f64::from(bounds.width()) / f64::from(bounds.height());
                (1.0 - ratio).abs() < 0.03
            }
        }
    }
}

impl super::Size {
    /// Returns true if width and height are as wanted, within the tolerance in pixels.
    fn is_of(self, bounds: Rect) -> bool {
        let fits = |wanted: Option<i64>, actual: u32| {
            wanted.is_none_or(|wanted| (i64::from(actual) - wanted).abs() <= self.tolerance)
        };
        fits(self.width, bounds.width()) && fits(self.height, bounds.height())
    }
}
