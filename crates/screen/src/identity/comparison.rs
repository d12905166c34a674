//! Measures how near two elements are that do not look the same.
//!
//! The thresholds were chosen on the tuning half of the screens; `docs/developers/identity.md` has the
//! measurements of the other half.

use std::collections::HashMap;

use super::pairs::Pairs;
use super::traits::Traits;
use crate::selector::{is_list_item, name_similarity, word_similarity};
use crate::{Node, NodeIndex};

/// Number of ancestors that are compared.
const MAX_ANCESTORS: usize = 8;
/// Number of containers that may have been added above an element.
const MAX_WRAPPERS: usize = 2;
/// Nearness of two elements with the same id if other elements have it too.
const SHARED_ID_NEARNESS: f64 = 0.4;
/// Smallest nearness by the element's own id and words.
const MIN_OWN: f64 = 0.5;
/// Smallest similarity of words that are enough without the place.
const MIN_SURE_WORDS: f64 = 0.6;
/// Smallest nearness by place where id and words are not sure.
const MIN_PLACE: f64 = 0.7;
/// Smallest similarity of words where the ids have nothing in common.
const MIN_WORDS_WITH_OTHER_ID: f64 = 0.9;
/// Smallest lead in total nearness over the second best, from both sides.
const MIN_MARGIN: f64 = 0.1;
/// Smallest lead in own nearness over every other element of the old screen.
const MIN_OWN_MARGIN: f64 = 0.05;

/// Nearness of two elements by several criteria, each from 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
struct Nearness {
    id: f64,
    words: f64,
    /// Share of ancestors and neighbours that are the same.
    place: f64,
    class: f64,
    /// True if both have ids that have nothing in common.
    is_denied: bool,
    /// True if both have words.
    is_worded: bool,
}

impl Nearness {
    /// Returns the nearness by the elements' own ids and words, 0 to 1: the greater of both, with a quarter
    /// of the smaller added. If words or ids contradict each other, it is the smaller.
    fn own(self) -> f64 {
        // A similar id counts little if the words or the class differ.
        let is_other = self.words < MIN_OWN && (self.is_worded || self.class < 1.0);
        let (larger, smaller) = (self.id.max(self.words), self.id.min(self.words));
        if self.id < 1.0 && is_other || self.is_denied && self.words < MIN_WORDS_WITH_OTHER_ID {
            return smaller;
        }
        (larger + 0.25 * smaller).min(1.0)
    }

    fn all(self) -> f64 {
        0.6 * self.own() + 0.3 * self.place + 0.1 * self.class
    }

    fn is_enough(self) -> bool {
        // A similar id or few similar words are not enough without the place.
        let is_sure = self.id >= 1.0 || self.words >= MIN_SURE_WORDS;
        self.own() >= MIN_OWN && (is_sure || self.place >= MIN_PLACE)
    }
}

pub(super) enum NearestElement {
    One(NodeIndex),
    Several,
    None,
}

/// Two screens with the indexes that comparing their elements needs.
pub(super) struct Comparison<'a> {
    pub(super) old: &'a [Traits<'a>],
    pub(super) new: &'a [Traits<'a>],
    pub(super) pairs: &'a Pairs,
    old_ids: HashMap<&'a str, usize>,
    new_ids: HashMap<&'a str, usize>,
}

impl<'a> Comparison<'a> {
    /// Counts the ids of both screens; compares nothing yet.
    pub(super) fn new(old: &'a [Traits<'a>], new: &'a [Traits<'a>], pairs: &'a Pairs) -> Self {
        Self {
            old,
            new,
            pairs,
            old_ids: counts(old),
            new_ids: counts(new),
        }
    }

    /// Returns the new, not yet paired element that is nearest to `wanted`, if it is near enough, with a margin to
    /// the second and to all other old elements. [`NearestElement::Several`] means that one is similar but not sure;
    /// [`NearestElement::None`] that the nearest has no similar id or words, or all are paired.
    pub(super) fn nearest(&self, wanted: &Traits<'_>) -> NearestElement {
        let open = self.new.iter().filter(|it| !self.pairs.is_taken(it.node));
        let mut found: Vec<_> = open.map(|it| (self.nearness(wanted, it), it)).collect();
        found.sort_by(|(one, _), (other, _)| other.all().total_cmp(&one.all()));
        let Some((first, nearest)) = found.first() else {
            return NearestElement::None;
        };
        if !first.is_enough() {
            let is_like = first.own() > 0.0;
            return if is_like {
                NearestElement::Several
            } else {
                NearestElement::None
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
            // If another old element, even one that still exists, is as similar, the match is not unique.
            likest = likest.max(nearness.own());
        }
        if first.all() - rival < MIN_MARGIN || first.own() - likest < MIN_OWN_MARGIN {
            return NearestElement::Several;
        }
        NearestElement::One(nearest.node.index())
    }

    /// Compares two elements by id, words, place and class. A field and anything else have nothing in common.
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

    /// Returns the similarity of ids, 0 to 1. An equal id is 1 if it occurs once on both screens and not in an item of
    /// a list, else [`SHARED_ID_NEARNESS`]. Different ids are compared as names.
    fn ids(&self, old: &Traits<'_>, new: &Traits<'_>) -> f64 {
        if old.id.is_empty() || old.id != new.id {
            return name_similarity(old.id, new.id);
        }
        let is_alone = self.old_ids.get(old.id) == Some(&1) && self.new_ids.get(new.id) == Some(&1);
        if is_alone && !is_list_item(old.node) {
            1.0
        } else {
            SHARED_ID_NEARNESS
        }
    }

    /// Returns the share of the old element's ancestors and neighbours that the new element has too, 0 to 1. At
    /// most [`MAX_ANCESTORS`] ancestors count. A side without paired neighbours counts half. An element without
    /// ancestors counts as having them all.
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
                // Without paired neighbours on either side the place is unknown.
                (None, None) => 0.5,
                _ => 0.0,
            });
        (above + before + behind) / 3.0
    }

    /// Returns true if an ancestor of an old element is above the new one too: its partner, or without a partner
    /// one of the same class and id. Only the nearest ancestors of the new element are searched.
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

    /// Returns the nearest paired leaves before and behind the two elements in document order: for each side that
    /// of the old and that of the new one. The two need not be partners. `None` where there is none.
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

/// Returns the similarity of the most similar words, 0 to 1. Words of one or two letters of the old element do not
/// count. If neither element has words, it is the share of equal parts; if only one has some, it is 0.
fn words(old: &Traits<'_>, new: &Traits<'_>) -> f64 {
    if old.words.is_empty() && new.words.is_empty() {
        let shared = old.parts.iter().filter(|it| new.parts.contains(it));
        let count = old.parts.len().max(new.parts.len()).max(1);
        return shared.count() as f64 / count as f64;
    }
    // Texts of one or two letters are on many elements.
    let said = old.words.iter().filter(|words| words.chars().count() > 2);
    let pairs = said.flat_map(|one| new.words.iter().map(move |other| (one, other)));
    let similarity = pairs.map(|(one, other)| word_similarity(one, other));
    similarity.fold(0.0, f64::max)
}

/// Counts the elements with each id; those without one count under the empty text.
fn counts<'a>(all: &'a [Traits<'a>]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for traits in all {
        *counts.entry(traits.id).or_default() += 1;
    }
    counts
}
