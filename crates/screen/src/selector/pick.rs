//! Chooses a stable selector for a given node.

use std::borrow::Cow;

use super::find::{SearchScope, short_id};
use super::pattern::one_space;
use super::volatility::is_volatile;
use super::{ElementWords, Node, NodeIndex, Pattern, Relation, Screen, Selector, WindowName};
use runner_text::secret::MASK;

/// Text that goldens have in place of masked text.
const MASKED: &str = "[masked]";
/// Number of characters after which words are cut, with `*` for the rest. Chosen: longer words make a flow
/// hard to read, and shorter ones less often tell two texts apart.
const MAX_WORDS_CHARS: usize = 60;
/// Number of neighbours of each kind that are tried as anchors. Chosen: each takes a search of the screen.
const MAX_ANCHORS: usize = 4;
/// Number of neighbours of each kind that are examined for a name, since a container may hold thousands
/// without one. Chosen.
const MAX_NEIGHBOURS: usize = 24;

/// Widgets that make many items from one template.
const LIST_CLASSES: [&str; 4] = ["RecyclerView", "ListView", "GridView", "ViewPager"];

/// Rule for the words that may name a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Words that are likely to be the same in another run.
    Lasting,
    /// All words, even a clock's.
    All,
}

impl Selector {
    /// Returns the most stable selector that picks only this node. The last resort is the index in its
    /// window, by the window's number. A node that is not on the screen is told from all nodes.
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

    /// Returns a selector that picks only this node and is likely to do so in another run: by id, else text,
    /// else description or hint, else several of these, else by relation to a named element, else by index
    /// among similar ones.
    ///
    /// Words that look like times, counters or generated numbers, and the contents of fields, are tried last.
    /// Returns `None` for a node without id, class and words, which only its place tells from others.
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

    /// Returns the most stable selector that picks only this node by its own properties that are likely to stay,
    /// without relations and index. An item of a list is picked only by its words: its id and class belong to the
    /// template, even if only one item is visible now. Returns `None` if there is none.
    pub fn by_itself(screen: &Screen, node: NodeIndex) -> Option<Self> {
        let node = screen.node(node);
        let is_item = is_list_item(node);
        let own = own_selectors(node, Trust::Lasting);
        own.into_iter()
            .filter(|selector| !is_item || selector.has_words())
            .find(|selector| selector.picks(node))
    }

    /// Returns true if the selector uses words of the element itself.
    pub(super) fn has_words(&self) -> bool {
        let has = |words: ElementWords| words.wanted(self).is_some();
        self.any.is_some() || ElementWords::ALL.into_iter().any(has)
    }

    /// Returns the most stable selector that picks only this node by words that are likely to stay, perhaps with
    /// its id or class. Returns `None` if there is none.
    pub fn by_words(screen: &Screen, node: NodeIndex) -> Option<Self> {
        let node = screen.node(node);
        let own = own_selectors(node, Trust::Lasting);
        own.into_iter()
            .filter(Self::has_words)
            .find(|selector| selector.picks(node))
    }

    /// Returns true if the selector selects this node and no other on the screen. For a node off the screen
    /// the whole tree counts.
    pub(super) fn picks(&self, node: Node<'_>) -> bool {
        let (screen, sight) = (node.screen(), SearchScope::for_node(node));
        if self.index.is_some() {
            return self.find_by(screen, sight) == [node.index()];
        }
        // A second match is enough to refuse; among thousands of similar nodes it is found soon.
        self.find_first(screen, sight, 2) == [node.index()]
    }
}

/// Returns the node's words that are likely to stay: text, description and hint in this order, without typed,
/// masked and empty ones and those that look like times or counters.
pub(crate) fn lasting_words(node: Node<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let words = ElementWords::ALL.into_iter();
    words.filter_map(move |words| lasting_words_of(node, words))
}

/// Returns the words of one kind if they are likely to stay; see [`lasting_words`].
pub(crate) fn lasting_words_of(node: Node<'_>, words: ElementWords) -> Option<Cow<'_, str>> {
    untyped_words(node, words).filter(|words| !is_volatile(words))
}

/// Returns the words of one kind with single spaces, or `None` if they are empty, typed or masked. The text of a field
/// or of a password counts as typed.
pub(crate) fn untyped_words(node: Node<'_>, words: ElementWords) -> Option<Cow<'_, str>> {
    let is_typed = words == ElementWords::Text && (node.is_editable() || node.flags().password);
    let value = one_space(words.value_in(node));
    let is_masked = value.is_empty() || value.contains(MASK) || value == MASKED;
    (!is_typed && !is_masked).then_some(value)
}

/// Returns the first selector to which a condition can be added. The string form takes no other conditions. If no other
/// is there, the result is empty.
fn base(own: Vec<Selector>) -> Selector {
    let base = own.into_iter().find(|selector| selector.any.is_none());
    base.unwrap_or_default()
}

/// Returns true if the node is in a list, whose other items have the same ids and classes.
pub(crate) fn is_list_item(node: Node<'_>) -> bool {
    let is_list = |node: Node<'_>| LIST_CLASSES.iter().any(|list| node.class().contains(list));
    node.ancestors().any(is_list)
}

/// Returns selectors by the node's own properties, the most stable first: id, words, id or class with words, whole id,
/// class. They may match other nodes too, and the list may be empty. A password's text is never used, and with
/// [`Trust::Lasting`] no typed words and none that are likely to change.
pub(super) fn own_selectors(node: Node<'_>, trust: Trust) -> Vec<Selector> {
    let mut own = Vec::new();
    let id = short_id(node.resource_id());
    let by_id = (!id.is_empty()).then(|| Selector::from_id(id));
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
    // The whole id tells nodes apart that share only the short one.
    if id.len() < node.resource_id().len() {
        own.push(Selector::from_id(node.resource_id()));
    }
    own.extend(by_class);
    own
}

/// Returns the node's words as a pattern, if there are any that may be written down: no password, and with
/// [`Trust::Lasting`] nothing typed or likely to change. Longer words are cut after [`MAX_WORDS_CHARS`] characters,
/// unless those have a `*`. Returns `None` for empty words.
fn words_of(node: Node<'_>, words: ElementWords, trust: Trust) -> Option<Pattern> {
    let is_secret = words == ElementWords::Text && node.flags().password;
    let value = one_space(words.value_in(node));
    if is_secret || value.is_empty() {
        return None;
    }
    // The text of a field was typed; another run may start with another one.
    let is_content = words == ElementWords::Text && node.is_editable();
    if trust == Trust::Lasting && (is_content || is_volatile(&value)) {
        return None;
    }
    match value.char_indices().nth(MAX_WORDS_CHARS) {
        Some((cut, _)) if !value[..cut].contains('*') => Some(Pattern::beginning(&value, cut)),
        _ => Some(Pattern::literal(&value)),
    }
}

/// Returns selectors by a named neighbour, each `base` with one relation: an ancestor, a descendant, or an element
/// beside it in its parent (`right_of`, `left_of`, `below`). Of each kind the first [`MAX_NEIGHBOURS`] are examined,
/// and at most [`MAX_ANCHORS`] are used. For an item of a list descendants go first. The selectors may match other
/// nodes too; without conditions in `base` there are none.
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
    // The number is limited before naming, since naming one searches the whole screen.
    let around = around.take(MAX_NEIGHBOURS).filter_map(named);
    let within = within.take(MAX_NEIGHBOURS).filter_map(named);
    let beside = beside.take(MAX_NEIGHBOURS).filter_map(named);
    let (around, within) = (around.take(MAX_ANCHORS), within.take(MAX_ANCHORS));
    // All items of a list are in the list; only their contents tell them apart.
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

/// Returns the selector `base` with the node's index among its matches, from 0. It is the last resort. If
/// `base` does not match the node, there is no index.
pub(super) fn by_index(screen: &Screen, node: Node<'_>, base: Selector) -> Selector {
    let found = base.find_by(screen, SearchScope::for_node(node));
    let place = found.iter().position(|other| *other == node.index());
    Selector {
        index: place.and_then(|place| i64::try_from(place).ok()),
        ..base
    }
}
