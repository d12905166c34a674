//! Pairs the elements that stayed the same between two screens.

use std::collections::HashMap;
use std::hash::Hash;

use super::traits::Traits;
use crate::{Node, NodeIndex};

/// Number of elements in an ancestor that are searched for a paired one. Chosen: large lists would take long,
/// and what lies farther says little.
const MAX_SEARCHED: usize = 24;

/// Pairs of elements that look the same on both screens.
#[derive(Debug)]
pub(super) struct Pairs {
    /// Index in the new screen for each old element.
    to_new: Vec<Option<usize>>,
    /// Index in the old screen for each new element.
    to_old: Vec<Option<usize>>,
}

impl Pairs {
    /// Pairs distinctive elements that look the same and occur once on both screens, then those that look alike among
    /// paired ones. No two share a partner.
    pub(super) fn new(old: &[Traits<'_>], new: &[Traits<'_>]) -> Self {
        let mut pairs = Self {
            to_new: vec![None; old.len()],
            to_old: vec![None; new.len()],
        };
        let look = |_, it: &Traits<'_>| it.is_distinctive().then_some(it.look);
        for (olds, news) in groups(old, new, look, look) {
            if let ([one], [other]) = (olds.as_slice(), news.as_slice()) {
                pairs.add(*one, *other);
            }
        }
        pairs.add_twins(old, new);
        pairs
    }

    /// Pairs elements that look alike and are paired with nothing yet, by the paired elements around them.
    /// Siblings with the same surroundings are paired in order if there are as many as before. Elements
    /// without id and words are left out.
    fn add_twins(&mut self, old: &[Traits<'_>], new: &[Traits<'_>]) {
        let of_old = |place: usize, it: &Traits<'_>| {
            let is_open = self.to_new[place].is_none() && it.is_named();
            let anchor = is_open.then(|| nearest_paired(it.node, &self.to_new))??;
            Some((it.look, self.to_new[anchor]))
        };
        let of_new = |place: usize, it: &Traits<'_>| {
            let is_open = self.to_old[place].is_none() && it.is_named();
            let anchor = is_open.then(|| nearest_paired(it.node, &self.to_old))??;
            Some((it.look, Some(anchor)))
        };
        for (olds, news) in groups(old, new, of_old, of_new) {
            if olds.len() == news.len() && are_siblings(old, &olds) && are_siblings(new, &news) {
                for (one, other) in olds.into_iter().zip(news) {
                    self.add(one, other);
                }
            }
        }
    }

    fn add(&mut self, old: usize, new: usize) {
        self.to_new[old] = Some(new);
        self.to_old[new] = Some(old);
    }

    /// Returns the new element that an old one is paired with; `None` for one without partner.
    pub(super) fn partner(&self, old: Node<'_>) -> Option<NodeIndex> {
        let partner = self.to_new[old.index().0 as usize]?;
        Some(NodeIndex(partner as u32))
    }

    /// Returns true if the new element is paired with an old one.
    pub(super) fn is_taken(&self, new: Node<'_>) -> bool {
        self.to_old[new.index().0 as usize].is_some()
    }
}

/// Returns the index of the first paired element in the smallest ancestor that holds one beside `node`. Of each
/// ancestor only the first [`MAX_SEARCHED`] elements are searched. Returns `None` if no ancestor has one.
fn nearest_paired(node: Node<'_>, partners: &[Option<usize>]) -> Option<usize> {
    node.ancestors().find_map(|above| {
        let others = above.descendants().filter(|it| !node.holds(*it));
        let mut places = others.map(|it| it.index().0 as usize).take(MAX_SEARCHED);
        places.find(|place| partners[*place].is_some())
    })
}

/// Returns true if all these elements have the same parent, or are roots.
fn are_siblings(all: &[Traits<'_>], places: &[usize]) -> bool {
    let parent = |place: &usize| all[*place].node.parent().map(Node::index);
    places
        .windows(2)
        .all(|two| parent(&two[0]) == parent(&two[1]))
}

/// Groups the indexes of both sides by a key, each in document order, old and new. Elements without a key are
/// left out. The groups are in no order, and a side of one may be empty.
fn groups<K: Hash + Eq>(
    old: &[Traits<'_>],
    new: &[Traits<'_>],
    of_old: impl Fn(usize, &Traits<'_>) -> Option<K>,
    of_new: impl Fn(usize, &Traits<'_>) -> Option<K>,
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut groups: HashMap<K, (Vec<usize>, Vec<usize>)> = HashMap::new();
    for (place, traits) in old.iter().enumerate() {
        if let Some(key) = of_old(place, traits) {
            groups.entry(key).or_default().0.push(place);
        }
    }
    for (place, traits) in new.iter().enumerate() {
        if let Some(key) = of_new(place, traits) {
            groups.entry(key).or_default().1.push(place);
        }
    }
    groups.into_values().collect()
}
