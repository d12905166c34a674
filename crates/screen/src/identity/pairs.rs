//! What stayed the same between two screens.

use std::collections::HashMap;
use std::hash::Hash;

use super::traits::Traits;
use crate::{Node, NodeIndex};

/// So many elements around one are looked at for what stayed.
const MAX_AROUND: usize = 24;

/// Elements of two screens that look the same.
#[derive(Debug)]
pub(super) struct Pairs {
    /// For each old element its place on the new screen.
    to_new: Vec<Option<usize>>,
    /// For each new element its place on the old screen.
    to_old: Vec<Option<usize>>,
}

impl Pairs {
    pub(super) fn of(old: &[Traits<'_>], new: &[Traits<'_>]) -> Self {
        let mut pairs = Self {
            to_new: vec![None; old.len()],
            to_old: vec![None; new.len()],
        };
        let look = |_, it: &Traits<'_>| it.tells_itself_apart().then_some(it.look);
        for (olds, news) in groups(old, new, look, look) {
            if let ([one], [other]) = (olds.as_slice(), news.as_slice()) {
                pairs.add(*one, *other);
            }
        }
        pairs.add_twins(old, new);
        pairs
    }

    /// Pairs elements that look alike by what stayed around them. Siblings with the same around them go by their order,
    /// where they are as many as before.
    fn add_twins(&mut self, old: &[Traits<'_>], new: &[Traits<'_>]) {
        let of_old = |place: usize, it: &Traits<'_>| {
            let is_open = self.to_new[place].is_none() && it.is_named();
            let anchor = is_open.then(|| stayed_around(it.node, &self.to_new))??;
            Some((it.look, self.to_new[anchor]))
        };
        let of_new = |place: usize, it: &Traits<'_>| {
            let is_open = self.to_old[place].is_none() && it.is_named();
            let anchor = is_open.then(|| stayed_around(it.node, &self.to_old))??;
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

    /// The element that an old one is now, as far as it looks the same.
    pub(super) fn partner(&self, old: Node<'_>) -> Option<NodeIndex> {
        let partner = self.to_new[old.index().0 as usize]?;
        Some(NodeIndex(partner as u32))
    }

    /// Whether the new element looks the same as an old one.
    pub(super) fn is_taken(&self, new: Node<'_>) -> bool {
        self.to_old[new.index().0 as usize].is_some()
    }
}

/// The first element that stayed, in the smallest surroundings that have one.
fn stayed_around(node: Node<'_>, partners: &[Option<usize>]) -> Option<usize> {
    node.ancestors().find_map(|above| {
        let others = above.descendants().filter(|it| !node.holds(*it));
        let mut places = others.map(|it| it.index().0 as usize).take(MAX_AROUND);
        places.find(|place| partners[*place].is_some())
    })
}

fn are_siblings(all: &[Traits<'_>], places: &[usize]) -> bool {
    let parent = |place: &usize| all[*place].node.parent().map(Node::index);
    places
        .windows(2)
        .all(|two| parent(&two[0]) == parent(&two[1]))
}

/// The places of both sides by a key, in document order.
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
