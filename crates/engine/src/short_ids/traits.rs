//! What distinguishes the elements of one screen, from the next screen's point of view.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use crate::elements::Elements;
use runner_screen::{Node, NodeIndex, Screen};

/// An element by what it is and where, without its screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Traits {
    /// Its node id.
    pub(super) place: String,
    /// Node id of what scrolls it.
    pub(super) scroller: Option<String>,
    /// Activity in front, where it belongs to that app.
    pub(super) activity: Option<String>,
    /// App, class and resource id.
    pub(super) kind: u64,
    /// Its kind and its words.
    pub(super) looks: u64,
    /// The words around it.
    pub(super) context: u64,
    /// It has a resource id.
    pub(super) named: bool,
    /// It has words, its own or of its parts.
    pub(super) worded: bool,
    /// It takes text.
    pub(super) editable: bool,
}

/// An element on a screen.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) node: NodeIndex,
    pub(super) traits: Traits,
    /// How many on the screen look like it, itself counted.
    pub(super) similar_count: u32,
    /// How many are of its kind.
    pub(super) of_kind: u32,
    /// Its place among those of its kind.
    pub(super) nth_of_kind: u32,
    /// Nothing else that looks like it has the same words around it.
    pub(super) alone_in_context: bool,
}

/// All that could have an id on a screen, in document order.
pub(super) fn candidates(screen: &Screen) -> Vec<Candidate> {
    let elements = Elements::of(screen);
    let mut surroundings = Surroundings::of(screen);
    let traits: Vec<(NodeIndex, Traits)> = screen
        .nodes()
        .filter(|node| is_candidate(*node))
        .map(|node| (node.index(), traits(node, &elements, &mut surroundings)))
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

fn traits(node: Node<'_>, elements: &Elements<'_>, surroundings: &mut Surroundings) -> Traits {
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
        context: surroundings.context(node),
        named: !node.resource_id().is_empty(),
        worded,
        editable: node.is_editable(),
    }
}

/// The words around the nodes of one screen, each read once.
pub(super) struct Surroundings {
    /// How many nodes before each place say something.
    saying: Vec<u32>,
    /// Hash of all words below a node.
    hashes: HashMap<NodeIndex, u64>,
}

impl Surroundings {
    pub(super) fn of(screen: &Screen) -> Self {
        let mut saying = vec![0];
        for node in screen.nodes() {
            saying.extend(saying.last().map(|before| before + u32::from(says(node))));
        }
        Self {
            saying,
            hashes: HashMap::new(),
        }
    }

    /// The nodes whose words were read.
    #[cfg(test)]
    pub(super) fn read(&self) -> impl Iterator<Item = NodeIndex> {
        self.hashes.keys().copied()
    }

    /// How many nodes in these places say something.
    fn count(&self, places: &Range<usize>) -> u32 {
        self.saying[places.end] - self.saying[places.start]
    }

    /// The words of the smallest surroundings that say more than the node itself; of two equal buttons in two rows it
    /// shows which is which. What scrolls is the largest: whatever lies around it does not distinguish its rows.
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
