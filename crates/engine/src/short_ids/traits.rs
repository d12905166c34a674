//! Traits that distinguish the elements of a screen, for finding them on the next one.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::elements::Elements;
use runner_screen::{Node, NodeIndex, Screen};

/// Properties and place of an element, without its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traits {
    /// Node id.
    pub(super) place: String,
    /// Node id of its scrollable ancestor.
    pub(super) scroller: Option<String>,
    /// Front activity, if it belongs to the element's app.
    pub(super) activity: Option<String>,
    /// Hash of app, class and resource id.
    pub(super) kind: u64,
    /// Hash of the kind and the words.
    pub(super) looks: u64,
    /// Hash of the surrounding words.
    pub(super) context: u64,
    /// True if it has a resource id.
    pub(super) named: bool,
    /// True if it or one of its parts has words.
    pub(super) worded: bool,
    /// True if it takes text.
    pub(super) editable: bool,
}

/// An element on a screen, which may get an id.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) node: NodeIndex,
    pub(super) traits: Traits,
    /// Number of elements on the screen with the same appearance, including itself.
    pub(super) similar_count: u32,
    /// Number of elements of its kind.
    pub(super) of_kind: u32,
    /// Index among the elements of its kind, from 1.
    pub(super) nth_of_kind: u32,
    /// True if no other element with the same appearance has the same surrounding words.
    pub(super) alone_in_context: bool,
}

/// Returns all elements of a screen that may get an id, in document order. Each has the number of elements
/// that look alike, so of the same kind and words, and its index, from 1, among those of the same kind: the
/// same app, class and resource id, whatever their words.
pub(super) fn candidates(screen: &Screen) -> Vec<Candidate> {
    let elements = Elements::new(screen);
    let mut contexts = WordContexts::new(screen);
    let traits: Vec<(NodeIndex, Traits)> = screen
        .nodes()
        .filter(|node| is_candidate(*node))
        .map(|node| (node.index(), traits(node, &elements, &mut contexts)))
        .collect();
    let mut similar: HashMap<u64, u32> = HashMap::new();
    let mut in_context: HashMap<(u64, u64), u32> = HashMap::new();
    let mut of_kind: HashMap<u64, u32> = HashMap::new();
    for (_, one) in &traits {
        *similar.entry(one.looks).or_default() += 1;
        *in_context.entry((one.looks, one.context)).or_default() += 1;
        *of_kind.entry(one.kind).or_default() += 1;
    }
    let mut passed: HashMap<u64, u32> = HashMap::new();
    traits
        .into_iter()
        .map(|(node, traits)| {
            let nth = passed.entry(traits.kind).or_default();
            *nth += 1;
            Candidate {
                node,
                similar_count: similar[&traits.looks],
                of_kind: of_kind[&traits.kind],
                nth_of_kind: *nth,
                alone_in_context: in_context[&(traits.looks, traits.context)] == 1,
                traits,
            }
        })
        .collect()
}

/// Returns true if a node may have a number: it has words or an id, or can be acted on or scrolled.
fn is_candidate(node: Node<'_>) -> bool {
    let flags = node.flags();
    says(node)
        || !node.resource_id().is_empty()
        || flags.clickable
        || flags.long_clickable
        || flags.scrollable
        || flags.checkable
        || node.is_editable()
}

fn says(node: Node<'_>) -> bool {
    !node.text().is_empty() || !node.desc().is_empty()
}

/// Returns what an element is recognized by. What is typed into a field does not count.
fn traits(node: Node<'_>, elements: &Elements<'_>, contexts: &mut WordContexts) -> Traits {
    let screen = node.screen();
    let package = node.window().package.as_str();
    let kind = hash_of(|hasher| {
        (package, node.class(), node.resource_id()).hash(hasher);
    });
    // What is typed into a field does not make it another field.
    let own = if node.is_editable() {
        (node.hint(), node.desc())
    } else {
        (node.text(), node.desc())
    };
    let worded =
        !own.0.is_empty() || !own.1.is_empty() || elements.parts(node.index()).next().is_some();
    let looks = hash_of(|hasher| {
        (kind, own).hash(hasher);
        for part in elements.parts(node.index()) {
            (part.text(), part.desc()).hash(hasher);
        }
    });
    let activity = screen
        .foreground()
        .filter(|(front, _)| *front == package)
        .map(|(_, activity)| activity.to_owned());
    Traits {
        place: node.id(),
        scroller: node
            .ancestors()
            .find(|above| above.flags().scrollable)
            .map(Node::id),
        activity,
        kind,
        looks,
        context: contexts.context(node),
        named: !node.resource_id().is_empty(),
        worded,
        editable: node.is_editable(),
    }
}

/// Words around the nodes of a screen, each computed once.
pub(super) struct WordContexts {
    /// Number of nodes with words before each place.
    saying: Vec<u32>,
    /// Hash of all words below a node.
    hashes: HashMap<NodeIndex, u64>,
}

impl WordContexts {
    /// Counts the nodes with words before each node, so that a range of them is known at once.
    pub(super) fn new(screen: &Screen) -> Self {
        let mut saying = vec![0];
        for node in screen.nodes() {
            saying.extend(saying.last().map(|before| before + u32::from(says(node))));
        }
        Self {
            saying,
            hashes: HashMap::new(),
        }
    }

    /// Returns the nodes whose words were computed.
    #[cfg(test)]
    pub(super) fn read(&self) -> impl Iterator<Item = NodeIndex> {
        self.hashes.keys().copied()
    }

    /// Returns the number of nodes with words in a range of places.
    fn count(&self, places: &Range<usize>) -> u32 {
        self.saying[places.end] - self.saying[places.start]
    }

    /// Hashes the words of the smallest ancestor that has more words than the node itself; this tells equal
    /// buttons in two rows apart. Does not go beyond the scrollable container, as words around it do not
    /// distinguish its rows.
    pub(super) fn context(&mut self, node: Node<'_>) -> u64 {
        let own = self.count(&node.subtree());
        let below = |above: Node<'_>| above.subtree().start + 1..above.subtree().end;
        let around = node
            .ancestors()
            .take_while(|above| !above.flags().scrollable)
            .find(|above| self.count(&below(*above)) > own);
        let Some(around) = around else {
            return 0;
        };
        let words = |hasher: &mut DefaultHasher| {
            for other in around.descendants().filter(|other| says(*other)) {
                (other.text(), other.desc()).hash(hasher);
            }
        };
        *self
            .hashes
            .entry(around.index())
            .or_insert_with(|| hash_of(words))
    }
}

fn hash_of(write: impl FnOnce(&mut DefaultHasher)) -> u64 {
    let mut hasher = DefaultHasher::new();
    write(&mut hasher);
    hasher.finish()
}
