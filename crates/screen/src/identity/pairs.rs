//! What stayed the same between two screens.

use std::collections::HashMap;
use std::hash::Hash;

use super::traits::Traits;
use crate::selector::is_list_item;
use crate::{Node, NodeIndex};

/// So many names in the surroundings of an element are looked at.
const MAX_NAMES: usize = 24;

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
        let look = |traits: &Traits<'_>| traits.tells_itself_apart().then_some(traits.look);
        for (olds, news) in groups(old, new, |_, traits| look(traits), |_, traits| look(traits)) {
            if let ([one], [other]) = (olds.as_slice(), news.as_slice()) {
                pairs.add(*one, *other);
            }
        }
        pairs.add_twins(old, new);
        pairs
    }

    /// Pairs elements that look alike by what is around them; those with the same around them by their order, where they are
    /// as many on both sides.
    fn add_twins(&mut self, old: &[Traits<'_>], new: &[Traits<'_>]) {
        let anchor = |node: Node<'_>, partners: &[Option<usize>]| {
            let around = node.ancestors();
            let mut names = around.map(|above| {
                let below = above.descendants().filter(|it| !node.holds(*it));
                let places = below.map(|it| it.index().0 as usize).take(MAX_NAMES);
                places.filter(|place| partners[*place].is_some()).min()
            });
            names.find_map(|name| name)
        };
        let of_old = |place: usize, traits: &Traits<'_>| {
            let is_open = self.to_new[place].is_none() && traits.is_named();
            let anchor = anchor(traits.node, &self.to_new)?;
            is_open.then_some((traits.look, self.to_new[anchor]))
        };
        let of_new = |place: usize, traits: &Traits<'_>| {
            let is_open = self.to_old[place].is_none() && traits.is_named();
            let anchor = anchor(traits.node, &self.to_old)?;
            is_open.then_some((traits.look, Some(anchor)))
        };
        let twins = groups(old, new, of_old, of_new);
        for (olds, news) in twins {
            if olds.len() == news.len() {
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

    /// Whether the new element is another old one.
    pub(super) fn is_taken(&self, new: Node<'_>) -> bool {
        self.to_old[new.index().0 as usize].is_some()
    }
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

impl Traits<'_> {
    /// Whether its look alone may say which it is: a list's items have their ids from the template.
    fn tells_itself_apart(&self) -> bool {
        let is_worded = !self.words.is_empty() || !self.parts.is_empty();
        is_worded || !self.id.is_empty() && !is_list_item(self.node)
    }
}
