//! How near two elements are that do not look the same.

use std::collections::HashMap;

use super::pairs::Pairs;
use super::traits::Traits;
use crate::selector::{is_list_item, likeness_of_names, likeness_of_words};
use crate::{Node, NodeIndex};

/// So many elements above are compared.
const MAX_ANCESTORS: usize = 8;
/// What an id counts that others on the screen have too.
const SHARED_ID: f64 = 0.4;
/// What an element has itself must be at least so near.
const MIN_OWN: f64 = 0.6;
/// All of it must be at least so near.
const MIN_ALL: f64 = 0.6;
/// So much nearer than the second it must be, from both sides.
const MIN_MARGIN: f64 = 0.12;

/// How near two elements are, each part 0–1.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Nearness {
    pub(super) id: f64,
    pub(super) words: f64,
    /// The elements above and beside it.
    pub(super) place: f64,
    class: f64,
}

impl Nearness {
    fn own(self) -> f64 {
        let (most, least) = (self.id.max(self.words), self.id.min(self.words));
        (most + 0.25 * least).min(1.0)
    }

    fn all(self) -> f64 {
        0.6 * self.own() + 0.3 * self.place + 0.1 * self.class
    }
}

/// Two screens, made ready to compare their elements.
pub(super) struct Comparison<'a> {
    old: &'a [Traits<'a>],
    new: &'a [Traits<'a>],
    pairs: &'a Pairs,
    old_ids: HashMap<&'a str, usize>,
    new_ids: HashMap<&'a str, usize>,
}

/// What a search comes to.
pub(super) enum Nearest {
    One(NodeIndex),
    Several,
    None,
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
    pub(super) fn nearest(&self, wanted: Node<'_>) -> Nearest {
        let wanted = &self.old[wanted.index().0 as usize];
        let open = self.new.iter().filter(|it| !self.pairs.is_taken(it.node));
        let mut found: Vec<_> = open.map(|it| (self.nearness(wanted, it), it)).collect();
        found.sort_by(|(one, _), (other, _)| other.all().total_cmp(&one.all()));
        let Some((first, nearest)) = found.first() else {
            return Nearest::None;
        };
        if first.own() < MIN_OWN || first.all() < MIN_ALL {
            return if first.own() > 0.0 {
                Nearest::Several
            } else {
                Nearest::None
            };
        }
        let second = found.get(1).map_or(0.0, |(second, _)| second.all());
        let rivals = self.old.iter().filter(|it| {
            it.node.index() != wanted.node.index() && self.pairs.partner(it.node).is_none()
        });
        let rival = rivals
            .map(|it| self.nearness(it, nearest).all())
            .fold(second, f64::max);
        if first.all() - rival < MIN_MARGIN {
            return Nearest::Several;
        }
        Nearest::One(nearest.node.index())
    }

    pub(super) fn nearness(&self, old: &Traits<'_>, new: &Traits<'_>) -> Nearness {
        if old.node.is_editable() != new.node.is_editable() {
            return Nearness::default();
        }
        Nearness {
            id: self.ids(old, new),
            words: words(old, new),
            place: self.places(old.node, new.node),
            class: f64::from(u8::from(old.node.short_class() == new.node.short_class())),
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
    fn places(&self, old: Node<'_>, new: Node<'_>) -> f64 {
        let same = |one: Node<'_>, other: Node<'_>| match self.pairs.partner(one) {
            Some(partner) => partner == other.index(),
            None => {
                one.short_class() == other.short_class() && one.resource_id() == other.resource_id()
            }
        };
        let above: Vec<_> = new.ancestors().take(MAX_ANCESTORS + 2).collect();
        let (mut shared, mut count) = (0, 0);
        for ancestor in old.ancestors().take(MAX_ANCESTORS) {
            count += 1;
            shared += usize::from(above.iter().any(|it| same(ancestor, *it)));
        }
        let above = if count == 0 {
            1.0
        } else {
            f64::from(shared as u32) / f64::from(count)
        };
        let beside = |one: Option<usize>, other: Option<usize>| match (one, other) {
            (Some(one), Some(other)) => {
                let partner = self.pairs.partner(self.old[one].node);
                f64::from(u8::from(partner.is_some_and(|it| it.0 as usize == other)))
            }
            (None, None) => 1.0,
            _ => 0.0,
        };
        let is_old = |place: &usize| {
            self.pairs.partner(self.old[*place].node).is_some() && is_leaf(self.old, *place)
        };
        let is_new =
            |place: &usize| self.pairs.is_taken(self.new[*place].node) && is_leaf(self.new, *place);
        let (own, other) = (old.subtree(), new.subtree());
        let before = beside(
            (0..own.start).rev().find(is_old),
            (0..other.start).rev().find(is_new),
        );
        let after = beside(
            (own.end..self.old.len()).find(is_old),
            (other.end..self.new.len()).find(is_new),
        );
        (above + before + after) / 3.0
    }
}

fn is_leaf(all: &[Traits<'_>], place: usize) -> bool {
    all[place].node.child_count() == 0
}

fn words(old: &Traits<'_>, new: &Traits<'_>) -> f64 {
    if old.words.is_empty() && new.words.is_empty() {
        let shared = old.parts.iter().filter(|it| new.parts.contains(it)).count();
        let count = old.parts.len().max(new.parts.len()).max(1);
        return shared as f64 / count as f64;
    }
    let pairs = old
        .words
        .iter()
        .flat_map(|one| new.words.iter().map(move |other| (one, other)));
    pairs
        .map(|(one, other)| likeness_of_words(one, other))
        .fold(0.0, f64::max)
}

fn counts<'a>(all: &'a [Traits<'a>]) -> HashMap<&'a str, usize> {
    let mut counts = HashMap::new();
    for traits in all {
        *counts.entry(traits.id).or_default() += 1;
    }
    counts
}
