//! All selectors that a person might write for a node, the best first, each with what speaks against it.

use super::find::Sight;
use super::pick::{Trust, by_index, is_list_item, own_selectors, related_selectors};
use super::volatile::is_volatile;
use super::{ElementWords, Node, NodeIndex, Screen, Selector, WindowName};

/// More selectors than this help nobody choose.
const MOST: usize = 12;

/// Selectors by a neighbour that are offered at most.
const MOST_RELATED: usize = 4;

/// Why a selector may pick another element in another run, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stability {
    /// It counts elements: one more above it, and it picks another.
    Order,
    /// Its words look like a time, a count or a made-up number.
    ChangingWords,
    /// Its words stand in a field, where somebody typed them.
    Content,
    /// It goes by what all items of a list have.
    Template,
    /// It names a window by its number.
    WindowNumber,
}

impl Stability {
    /// The doubt for a person.
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

/// A selector for a node, with what a person weighs.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSelector {
    /// The selector. It selects the node, perhaps among others.
    pub selector: Selector,
    /// How many elements of the screen it selects.
    pub matches: usize,
    /// What speaks against it; empty where nothing does.
    pub doubts: Vec<Stability>,
}

impl Selector {
    /// Selectors for this node, the best first: what selects only it before what selects several, what lasts before what
    /// may change. The first is what a recording takes, where that lasts.
    pub fn ranked(screen: &Screen, node: NodeIndex) -> Vec<RankedSelector> {
        let mut ranked: Vec<RankedSelector> = Vec::new();
        let place = screen.node(node);
        for selector in candidates(screen, place) {
            if ranked.iter().any(|known| known.selector == selector) {
                continue;
            }
            let found = selector.find_by(screen, Sight::of(place));
            if !found.contains(&node) {
                continue;
            }
            ranked.push(RankedSelector {
                matches: found.len(),
                doubts: doubts(&selector, place),
                selector,
            });
        }
        // Stable: what is alike stays in the order in which a recording tries it.
        ranked.sort_by_key(|ranked| (ranked.matches != 1, ranked.doubts.len()));
        ranked.truncate(MOST);
        ranked
    }
}

fn candidates(screen: &Screen, node: Node<'_>) -> Vec<Selector> {
    let mut all = vec![Selector::picking(screen, node.index())];
    let own = own_selectors(node, Trust::All);
    let base = own.iter().find(|selector| selector.any.is_none()).cloned();
    all.extend(own);
    if let Some(base) = base {
        let related =
            related_selectors(screen, node, &base).filter(|selector| selector.picks(node));
        all.extend(related.take(MOST_RELATED));
        all.push(by_index(screen, node, base));
    }
    all
}

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
    let changes = |words: &ElementWords| goes_by(*words) && is_volatile(words.of(node));
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
