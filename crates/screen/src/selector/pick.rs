//! The other way round: a stable selector for a node one points at.

use std::borrow::Cow;

use super::find::{Sight, short_id};
use super::pattern::one_space;
use super::volatile::is_volatile;
use super::{ElementWords, Node, NodeIndex, Pattern, Relation, Screen, Selector, WindowName};
use runner_text::secret::MASK;

/// What a golden has where a mask lies.
const MASKED: &str = "[masked]";
/// Words longer than this are cut, with `*` for the rest.
const MAX_WORDS: usize = 60;
/// How many neighbours of each kind are tried as anchors.
const MAX_ANCHORS: usize = 4;
/// How many neighbours of each kind are looked at: a container may hold thousands that have no name.
const MAX_NEIGHBOURS: usize = 24;

/// Widgets that make many items of one template.
const LISTS: [&str; 4] = ["RecyclerView", "ListView", "GridView", "ViewPager"];

/// Which words may name a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those that another run shows again.
    Lasting,
    /// All, also a clock's.
    All,
}

impl Selector {
    /// A selector that picks just this node, the most stable there is; the last resort is its place in its window.
    pub fn picking(screen: &Screen, node: NodeIndex) -> Self {
        Self::stable(screen, node).unwrap_or_else(|| {
            let node = screen.node(node);
            let window = Some(WindowName::Id(node.window().id));
            by_index(
                screen,
                node,
                Self {
                    window,
                    ..Self::default()
                },
            )
        })
    }

    /// A selector that picks just this node and may do so in another run: by id, else text, else description or hint,
    /// else several of these, else by relation to something named, else by index among its like.
    ///
    /// Words that look like times, counters or made-up numbers, and what stands in a field, come last. `None` where
    /// nothing but its place says which node it is.
    pub fn stable(screen: &Screen, node: NodeIndex) -> Option<Self> {
        if let Some(selector) = Self::by_itself(screen, node) {
            return Some(selector);
        }
        let node = screen.node(node);
        let picks = |selector: &Self| selector.picks(node);
        let base = base(own_selectors(node, Trust::Lasting));
        if let Some(selector) = related_selectors(screen, node, &base).find(picks) {
            return Some(selector);
        }
        let own = own_selectors(node, Trust::All);
        if let Some(selector) = own.iter().find(|selector| picks(selector)) {
            return Some(selector.clone());
        }
        let base = if base.is_empty() {
            self::base(own)
        } else {
            base
        };
        (!base.is_empty()).then(|| by_index(screen, node, base))
    }

    /// A selector that picks just this node by what it has itself and will have in another run. An item of a list is
    /// picked by its words only: its id and class are the template's, though only one item may be shown now.
    pub fn by_itself(screen: &Screen, node: NodeIndex) -> Option<Self> {
        let node = screen.node(node);
        let is_item = is_list_item(node);
        let own = own_selectors(node, Trust::Lasting);
        own.into_iter()
            .filter(|selector| !is_item || selector.has_words())
            .find(|selector| selector.picks(node))
    }

    /// Whether it goes by words of the element itself.
    pub(super) fn has_words(&self) -> bool {
        let has = |words: ElementWords| words.wanted(self).is_some();
        self.any.is_some() || ElementWords::ALL.into_iter().any(has)
    }

    /// A selector that finds this node, and nothing else, by words that another run shows again.
    pub fn by_words(screen: &Screen, node: NodeIndex) -> Option<Self> {
        let node = screen.node(node);
        let own = own_selectors(node, Trust::Lasting);
        own.into_iter()
            .filter(Self::has_words)
            .find(|selector| selector.picks(node))
    }

    /// Whether it selects this node and no other.
    pub(super) fn picks(&self, node: Node<'_>) -> bool {
        let (screen, sight) = (node.screen(), Sight::of(node));
        if self.index.is_some() {
            return self.find_by(screen, sight) == [node.index()];
        }
        // The second one says no: of thousands that look alike it comes soon.
        self.find_first(screen, sight, 2) == [node.index()]
    }
}

/// The node's words that another run shows again: its text, description and hint, without what was typed or masked.
pub(crate) fn lasting_words(node: Node<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let words = ElementWords::ALL.into_iter();
    words.filter_map(move |words| lasting(node, words))
}

/// As [`lasting_words`], of one kind.
pub(crate) fn lasting(node: Node<'_>, words: ElementWords) -> Option<Cow<'_, str>> {
    untyped(node, words).filter(|words| !is_volatile(words))
}

/// The node's words of a kind, without what was typed or masked.
pub(crate) fn untyped(node: Node<'_>, words: ElementWords) -> Option<Cow<'_, str>> {
    let is_typed = words == ElementWords::Text && (node.is_editable() || node.flags().password);
    let value = one_space(words.of(node));
    let is_masked = value.is_empty() || value.contains(MASK) || value == MASKED;
    (!is_typed && !is_masked).then_some(value)
}

/// The first to which a condition can be added: the string form looks in one property after the other.
fn base(own: Vec<Selector>) -> Selector {
    let base = own.into_iter().find(|selector| selector.any.is_none());
    base.unwrap_or_default()
}

/// Whether a list makes the node of a template, so that others have its id and class too.
pub(crate) fn is_list_item(node: Node<'_>) -> bool {
    let is_list = |node: Node<'_>| LISTS.iter().any(|list| node.class().contains(list));
    node.ancestors().any(is_list)
}

/// Selectors by what the node itself has, the most stable first.
pub(super) fn own_selectors(node: Node<'_>, trust: Trust) -> Vec<Selector> {
    let mut own = Vec::new();
    let id = short_id(node.resource_id());
    let by_id = (!id.is_empty()).then(|| Selector::of_id(id));
    let class = node.short_class();
    let by_class = (!class.is_empty()).then(|| Selector {
        class: Some(class.to_owned()),
        ..Selector::default()
    });
    let words: Vec<(ElementWords, Pattern)> = ElementWords::ALL
        .into_iter()
        .filter_map(|words| Some((words, words_of(node, words, trust)?)))
        .collect();
    own.extend(by_id.clone());
    for (words, pattern) in &words {
        if pattern.is_whole() {
            own.push(Selector {
                any: Some(pattern.clone()),
                ..Selector::default()
            });
        }
        let mut alone = Selector::default();
        *words.slot(&mut alone) = Some(pattern.clone());
        own.push(alone);
    }
    for base in [&by_id, &by_class].into_iter().flatten() {
        for (words, pattern) in &words {
            let mut both = base.clone();
            *words.slot(&mut both) = Some(pattern.clone());
            own.push(both);
        }
    }
    // A whole id distinguishes nodes that share only the short one.
    if id.len() < node.resource_id().len() {
        own.push(Selector::of_id(node.resource_id()));
    }
    own.extend(by_class);
    own
}

/// The node's words as a pattern, if they say something and may be written down.
fn words_of(node: Node<'_>, words: ElementWords, trust: Trust) -> Option<Pattern> {
    let is_secret = words == ElementWords::Text && node.flags().password;
    let value = one_space(words.of(node));
    if is_secret || value.is_empty() {
        return None;
    }
    // What stands in a field was typed; another run begins with another text.
    let is_content = words == ElementWords::Text && node.is_editable();
    if trust == Trust::Lasting && (is_content || is_volatile(&value)) {
        return None;
    }
    match value.char_indices().nth(MAX_WORDS) {
        Some((cut, _)) if !value[..cut].contains('*') => Some(Pattern::beginning(&value, cut)),
        _ => Some(Pattern::literal(&value)),
    }
}

/// Selectors by a neighbour that can be named: around it, in it, beside it.
pub(super) fn related_selectors<'a>(
    screen: &'a Screen,
    node: Node<'a>,
    base: &'a Selector,
) -> impl Iterator<Item = Selector> + 'a {
    let around = node.ancestors().map(|anchor| (Relation::Inside, anchor));
    let within = node.descendants().map(|anchor| (Relation::Has, anchor));
    let beside = node.parent().into_iter().flat_map(move |parent| {
        parent
            .descendants()
            .filter(move |other| other.index() != node.index())
            .flat_map(|other| {
                [Relation::RightOf, Relation::LeftOf, Relation::Below]
                    .map(|relation| (relation, other))
            })
            .filter(move |(relation, other)| relation.distance(node, *other).is_some())
    });
    let named = |(relation, anchor): (Relation, Node<'a>)| {
        Some((relation, Selector::by_itself(screen, anchor.index())?))
    };
    // Counted before they are named: naming one searches the whole screen.
    let around = around.take(MAX_NEIGHBOURS).filter_map(named);
    let within = within.take(MAX_NEIGHBOURS).filter_map(named);
    let beside = beside.take(MAX_NEIGHBOURS).filter_map(named);
    let (around, within) = (around.take(MAX_ANCHORS), within.take(MAX_ANCHORS));
    // All items of a list are in the list; only their contents distinguish them.
    let nearest: Box<dyn Iterator<Item = _>> = if is_list_item(node) {
        Box::new(within.chain(around))
    } else {
        Box::new(around.chain(within))
    };
    nearest
        .chain(beside.take(MAX_ANCHORS))
        .filter(|_| !base.is_empty())
        .map(|related| Selector {
            relations: vec![related],
            ..base.clone()
        })
}

/// The last resort: which of all that are like it.
pub(super) fn by_index(screen: &Screen, node: Node<'_>, base: Selector) -> Selector {
    let found = base.find_by(screen, Sight::of(node));
    let place = found.iter().position(|other| *other == node.index());
    Selector {
        index: place.and_then(|place| i64::try_from(place).ok()),
        ..base
    }
}
