//! The other way round: a stable selector for a node one points at.

use super::find::short_id;
use super::pattern::one_space;
use super::{Node, NodeIndex, Pattern, Relation, Screen, Selector, WindowName, Words};

/// Words longer than this are cut, with `*` for the rest.
const MAX_WORDS: usize = 60;
/// How many neighbours of each kind are tried as anchors.
const MAX_ANCHORS: usize = 4;
/// How many neighbours of each kind are looked at: a container may hold thousands that have no name.
const MAX_NEIGHBOURS: usize = 24;

impl Selector {
    /// A stable selector that picks just this node: by id, else text, else desc, else by relation or index.
    pub fn picking(screen: &Screen, node: NodeIndex) -> Self {
        let node = screen.node(node);
        let picks = |selector: &Self| selector.find(screen) == [node.index()];
        let own = own_selectors(node);
        if let Some(selector) = own.iter().find(|selector| picks(selector)) {
            return selector.clone();
        }
        // The string form looks in one property after the other, so nothing can be added to it.
        let base = own.into_iter().find(|selector| selector.any.is_none());
        let base = base.unwrap_or_default();
        let related = related_selectors(screen, node, &base).find(picks);
        related.unwrap_or_else(|| by_index(screen, node, base))
    }
}

/// Selectors by what the node itself has, the most stable first.
fn own_selectors(node: Node<'_>) -> Vec<Selector> {
    let mut own = Vec::new();
    let id = short_id(node.resource_id());
    let by_id = (!id.is_empty()).then(|| Selector::of_id(id));
    own.extend(by_id.clone());
    for words in Words::ALL {
        if let Some(pattern) = words_of(node, words) {
            let mut map = by_id.clone().unwrap_or_default();
            *words.slot(&mut map) = Some(pattern.clone());
            if pattern.is_whole() {
                own.push(Selector {
                    any: Some(pattern.clone()),
                    ..Selector::default()
                });
            }
            let mut alone = Selector::default();
            *words.slot(&mut alone) = Some(pattern);
            own.push(alone);
            own.push(map);
        }
    }
    // A whole id tells apart what only shares the short one.
    if id.len() < node.resource_id().len() {
        own.push(Selector::of_id(node.resource_id()));
    }
    let class = node.short_class();
    if !class.is_empty() {
        own.push(Selector {
            class: Some(class.to_owned()),
            ..Selector::default()
        });
    }
    own
}

/// The node's words as a pattern, if they say something and may be written down.
fn words_of(node: Node<'_>, words: Words) -> Option<Pattern> {
    let is_secret = words == Words::Text && node.flags().password;
    let value = one_space(words.of(node));
    if is_secret || value.is_empty() {
        return None;
    }
    match value.char_indices().nth(MAX_WORDS) {
        Some((cut, _)) if !value[..cut].contains('*') => {
            Some(Pattern::whole(&format!("{}*", &value[..cut])))
        }
        _ => Some(Pattern::literal(&value)),
    }
}

/// Selectors by a neighbour that can be named: around it, in it, beside it.
fn related_selectors<'a>(
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
    let named = |(relation, anchor)| Some((relation, name(screen, anchor)?));
    let around = around.take(MAX_NEIGHBOURS).filter_map(named);
    let within = within.take(MAX_NEIGHBOURS).filter_map(named);
    let beside = beside.take(MAX_NEIGHBOURS).filter_map(named);
    around
        .take(MAX_ANCHORS)
        .chain(within.take(MAX_ANCHORS))
        .chain(beside.take(MAX_ANCHORS))
        .filter(|_| !base.is_empty())
        .map(|related| Selector {
            relations: vec![related],
            ..base.clone()
        })
}

/// A selector by which this very node can be named as an anchor.
fn name(screen: &Screen, node: Node<'_>) -> Option<Selector> {
    let mut own = own_selectors(node).into_iter();
    own.find(|selector| selector.find(screen) == [node.index()])
}

/// The last resort: which of all that are like it.
fn by_index(screen: &Screen, node: Node<'_>, base: Selector) -> Selector {
    let base = if base.is_empty() {
        Selector {
            window: Some(WindowName::Id(node.window().id)),
            ..base
        }
    } else {
        base
    };
    let found = base.find(screen);
    let place = found.iter().position(|other| *other == node.index());
    Selector {
        index: place.and_then(|place| i64::try_from(place).ok()),
        ..base
    }
}
