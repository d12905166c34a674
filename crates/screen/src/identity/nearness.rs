//! How near two elements are that do not look the same.

use std::collections::HashMap;

use super::pairs::Pairs;
use super::traits::Traits;
use crate::selector::{is_list_item, likeness_of_names, likeness_of_words};
use crate::{Node, NodeIndex};

/// So many elements above are compared.
const MAX_ANCESTORS: usize = 8;
/// So many more there may be now: containers that were put around it.
const MAX_WRAPPERS: usize = 2;
/// What an id counts that others have too.
const SHARED_ID: f64 = 0.4;
/// What an element has itself must be at least so near.
const MIN_OWN: f64 = 0.5;
/// Words so near need no place.
const SURE: f64 = 0.6;
/// What is less sure must be at least so near by its place.
const MIN_PLACE: f64 = 0.7;
/// Words must be at least so near where the ids have nothing in common.
const SAME_BUT_ID: f64 = 0.9;
/// All of it must be so much nearer than the second, from both sides.
const MIN_MARGIN: f64 = 0.1;
/// What it has itself must be so much nearer than that of any other element of the old screen.
const MIN_OWN_MARGIN: f64 = 0.05;

/// How near two elements are, each part 0–1.
#[derive(Debug, Clone, Copy, Default)]
struct Nearness {
    id: f64,
    words: f64,
    /// What is above and beside it.
    place: f64,
    class: f64,
    /// Both have ids, which have nothing in common.
    is_denied: bool,
    /// Both say something.
    is_worded: bool,
}

impl Nearness {
    /// How near they are by what they have themselves.
    fn own(self) -> f64 {
        // A like id says little beside other words or another class.
        let is_other = self.words < MIN_OWN && (self.is_worded || self.class < 1.0);
        let (most, least) = (self.id.max(self.words), self.id.min(self.words));
        if self.id < 1.0 && is_other || self.is_denied && self.words < SAME_BUT_ID {
            return least;
        }
        (most + 0.25 * least).min(1.0)
    }

    fn all(self) -> f64 {
        0.6 * self.own() + 0.3 * self.place + 0.1 * self.class
    }

    fn is_enough(self) -> bool {
        // A like id, or few like words, do not say where it went.
        let is_sure = self.id >= 1.0 || self.words >= SURE;
        self.own() >= MIN_OWN && (is_sure || self.place >= MIN_PLACE)
    }
}

/// What a search comes to.
pub(super) enum Nearest {
    One(NodeIndex),
    Several,
    None,
}

/// Two screens, made ready to compare their elements.
pub(super) struct Comparison<'a> {
    pub(super) old: &'a [Traits<'a>],
    pub(super) new: &'a [Traits<'a>],
    pub(super) pairs: &'a Pairs,
    old_ids: HashMap<&'a str, usize>,
    new_ids: HashMap<&'a str, usize>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(old: &'a [Traits<'a>], new: &'a [Traits<'a>], pairs: &'a Pairs) -> Self {
        Self {
            old,
            new,
            pairs,
            old_ids: counts(old),
            new_ids: counts(new),
        }
    }

    /// The element that is nearest from both sides, with a margin to the second.
    pub(super) fn nearest(&self, wanted: &Traits<'_>) -> Nearest {
        let open = self.new.iter().filter(|it| !self.pairs.is_taken(it.node));
        let mut found: Vec<_> = open.map(|it| (self.nearness(wanted, it), it)).collect();
        found.sort_by(|(one, _), (other, _)| other.all().total_cmp(&one.all()));
        let Some((first, nearest)) = found.first() else {
            return Nearest::None;
        };
        if !first.is_enough() {
            let is_like = first.own() > 0.0;
            return if is_like {
                Nearest::Several
            } else {
                Nearest::None
            };
        }
        let second = found.get(1).map_or(0.0, |(second, _)| second.all());
        let (mut rival, mut likest) = (second, 0.0_f64);
        let others = self.old.iter();
        for other in others.filter(|it| it.node.index() != wanted.node.index()) {
            let nearness = self.nearness(other, nearest);
            if self.pairs.partner(other.node).is_none() {
                rival = rival.max(nearness.all());
            }
            // What is as like another element, though that is still there, is not like this one.
            likest = likest.max(nearness.own());
        }
        if first.all() - rival < MIN_MARGIN || first.own() - likest < MIN_OWN_MARGIN {
            return Nearest::Several;
        }
        Nearest::One(nearest.node.index())
    }

    fn nearness(&self, old: &Traits<'_>, new: &Traits<'_>) -> Nearness {
        if old.node.is_editable() != new.node.is_editable() {
            return Nearness::default();
        }
        let id = self.ids(old, new);
        Nearness {
            id,
            words: words(old, new),
            place: self.place(old.node, new.node),
            class: share(old.node.short_class() == new.node.short_class()),
            is_denied: id == 0.0 && !old.id.is_empty() && !new.id.is_empty(),
            is_worded: old.shown > 0 && new.shown > 0,
        }
    }

    fn ids(&self, old: &Traits<'_>, new: &Traits<'_>) -> f64 {
        if old.id.is_empty() || old.id != new.id {
            return likeness_of_names(old.id, new.id);
        }
        let is_alone = self.old_ids.get(old.id) == Some(&1) && self.new_ids.get(new.id) == Some(&1);
        if is_alone && !is_list_item(old.node) {
            1.0
        } else {
            SHARED_ID
        }
    }

    /// The share of what is above and beside the old element that is above and beside the new one.
    fn place(&self, old: Node<'_>, new: Node<'_>) -> f64 {
        let above = old.ancestors().take(MAX_ANCESTORS);
        let (mut same, mut count) = (0.0, 0.0);
        for ancestor in above {
            same += share(self.is_above(ancestor, new));
            count += 1.0;
        }
        let above = if count > 0.0 { same / count } else { 1.0 };
        let [before, behind] = self
            .neighbours(old, new)
            .map(|(one, other)| match (one, other) {
                (Some(one), Some(other)) => share(self.pairs.partner(one) == Some(other.index())),
                // Nothing that stayed: it says nothing.
                (None, None) => 0.5,
                _ => 0.0,
            });
        (above + before + behind) / 3.0
    }

    /// Whether an element above an old one is above the new one too.
    pub(super) fn is_above(&self, ancestor: Node<'_>, new: Node<'_>) -> bool {
        let partner = self.pairs.partner(ancestor);
        let mut above = new.ancestors().take(MAX_ANCESTORS + MAX_WRAPPERS);
        above.any(|it| match partner {
            Some(partner) => partner == it.index(),
            None => {
                let name = |node: Node<'_>| {
                    (
                        node.short_class().to_owned(),
                        node.resource_name().to_owned(),
                    )
                };
                name(ancestor) == name(it)
            }
        })
    }

    /// What stands before and behind each of the two, of what stayed.
    pub(super) fn neighbours(
        &self,
        old: Node<'_>,
        new: Node<'_>,
    ) -> [(Option<Node<'a>>, Option<Node<'a>>); 2] {
        let is_leaf = |it: &&Traits<'_>| it.node.child_count() == 0;
        let stayed = |it: &&Traits<'_>| is_leaf(it) && self.pairs.partner(it.node).is_some();
        let taken = |it: &&Traits<'_>| is_leaf(it) && self.pairs.is_taken(it.node);
        let node = |found: Option<&Traits<'a>>| found.map(|it| it.node);
        let (olds, news) = (old.subtree(), new.subtree());
        let before = (
            node(self.old[..olds.start].iter().rev().find(stayed)),
            node(self.new[..news.start].iter().rev().find(taken)),
        );
        let behind = (
            node(self.old[olds.end..].iter().find(stayed)),
            node(self.new[news.end..].iter().find(taken)),
        );
        [before, behind]
    }
}

fn share(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

fn words(old: &Traits<'_>, new: &Traits<'_>) -> f64 {
    if old.words.is_empty() && new.words.is_empty() {
        let shared = old.parts.iter().filter(|it| new.parts.contains(it));
        let count = old.parts.len().max(new.parts.len()).max(1);
        return shared.count() as f64 / count as f64;
    }
    // A letter or two stand on many elements.
    let said = old.words.iter().filter(|words| words.chars().count() > 2);
    let pairs = said.flat_map(|one| new.words.iter().map(move |other| (one, other)));
    let likeness = pairs.map(|(one, other)| likeness_of_words(one, other));
    likeness.fold(0.0, f64::max)
}

/// How many elements have each id.
fn counts<'a>(all: &'a [Traits<'a>]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for traits in all {
        *counts.entry(traits.id).or_default() += 1;
    }
    counts
}
