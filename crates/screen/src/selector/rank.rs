//! Ranks all selectors that a person might write for a node, each with its doubts.

use super::find::SearchScope;
use super::pick::{Trust, by_index, is_list_item, own_selectors, related_selectors};
use super::volatility::is_volatile;
use super::{ElementWords, Node, NodeIndex, Screen, Selector, WindowName};

/// Number of selectors that are offered at most. Chosen: a longer list does not help anybody choose.
const MAX_RANKED: usize = 12;

/// Number of selectors by a neighbour that are offered at most. Chosen: they must leave room for the others.
const MAX_RELATED: usize = 4;

/// Reason why a selector may pick another element or none in another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// The selector counts elements: one more before it changes the match.
    Order,
    /// The words look like a time, a count or a generated number.
    ChangingWords,
    /// The words were typed into a field.
    Content,
    /// All items of the list have the property.
    Template,
    /// The selector has the number of a window.
    WindowNumber,
}

impl Stability {
    /// Returns the doubt as a clause for people, such as `the window's number changes`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Order => "goes by its place among others",
            Self::ChangingWords => "its words look like ones that change",
            Self::Content => "its words were typed into the field",
            Self::Template => "all items of the list have it",
            Self::WindowNumber => "the window's number changes",
        }
    }
}

/// Selector for a node with what helps a person to choose.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSelector {
    /// Selector that matches the node, perhaps among others.
    pub selector: Selector,
    /// Number of elements that it matches: on the screen, or in the whole tree for a node off the screen.
    pub matches: usize,
    /// Doubts about the selector; empty if there are none.
    pub doubts: Vec<Stability>,
}

impl Selector {
    /// Returns at most 12 selectors that match this node, the best first: unique ones before ambiguous ones,
    /// then those with fewer doubts. The first is the one that a recording uses, if that is lasting. None
    /// occurs twice.
    pub fn ranked(screen: &Screen, node: NodeIndex) -> Vec<RankedSelector> {
        let mut ranked: Vec<RankedSelector> = Vec::new();
        let place = screen.node(node);
        for selector in candidates(screen, place) {
            if ranked.iter().any(|known| known.selector == selector) {
                continue;
            }
            let found = selector.find_by(screen, SearchScope::for_node(place));
            if !found.contains(&node) {
                continue;
            }
            ranked.push(RankedSelector {
                matches: found.len(),
                doubts: doubts(&selector, place),
                selector,
            });
        }
        // The sort is stable: equal ones keep the order in which a recording tries them.
        ranked.sort_by_key(|ranked| (ranked.matches != 1, ranked.doubts.len()));
        ranked.truncate(MAX_RANKED);
        ranked
    }
}

/// Returns the selectors to rank, in the order in which a recording tries them: the picking one, its own
/// properties, at most [`MAX_RELATED`] relations, and the place. They may occur twice.
fn candidates(screen: &Screen, node: Node<'_>) -> Vec<Selector> {
    let mut all = vec![Selector::picking(screen, node.index())];
    let own = own_selectors(node, Trust::All);
    let base = own.iter().find(|selector| selector.any.is_none()).cloned();
    all.extend(own);
    if let Some(base) = base {
        let related =
            related_selectors(screen, node, &base).filter(|selector| selector.picks(node));
        all.extend(related.take(MAX_RELATED));
        all.push(by_index(screen, node, base));
    }
    all
}

/// Returns the doubts about a selector that matches the node, each once, in the order of [`Stability`]. Empty if
/// there are none.
fn doubts(selector: &Selector, node: Node<'_>) -> Vec<Stability> {
    let goes_by = |words: ElementWords| {
        let wanted = words.wanted(selector).or(selector.any.as_ref());
        wanted.is_some_and(|wanted| words.match_in(node, wanted))
    };
    let mut doubts = Vec::new();
    let mut add = |holds: bool, doubt| {
        if holds {
            doubts.push(doubt);
        }
    };
    let changes = |words: &ElementWords| goes_by(*words) && is_volatile(words.value_in(node));
    add(selector.goes_by_order(), Stability::Order);
    add(
        ElementWords::ALL.iter().any(changes),
        Stability::ChangingWords,
    );
    let is_content = node.is_editable() && !node.text().is_empty();
    add(
        is_content && goes_by(ElementWords::Text),
        Stability::Content,
    );
    let by_template = !selector.has_words() && selector.relations.is_empty();
    add(
        by_template && is_list_item(node) && !selector.goes_by_order(),
        Stability::Template,
    );
    add(
        matches!(selector.window, Some(WindowName::Id(_))),
        Stability::WindowNumber,
    );
    doubts
}
