//! What stayed the same between two screens.

use std::collections::HashMap;

use super::traits::Traits;
use crate::{NodeIndex, Screen};

/// Elements of two screens that are the same ones.
#[derive(Debug)]
pub(super) struct Pairs {
    /// For each old element its place on the new screen.
    partners: Vec<Option<NodeIndex>>,
}

impl Pairs {
    pub(super) fn of(old: &Screen, new: &Screen) -> Self {
        let (old, new) = (Traits::all(old), Traits::all(new));
        let mut places: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (place, traits) in old.iter().enumerate() {
            places.entry(traits.look).or_default().0.push(place);
        }
        for (place, traits) in new.iter().enumerate() {
            places.entry(traits.look).or_default().1.push(place);
        }
        let mut partners = vec![None; old.len()];
        for (olds, news) in places.values() {
            if let ([one], [other]) = (olds.as_slice(), news.as_slice())
                && old[*one].is_named()
            {
                partners[*one] = Some(NodeIndex(*other as u32));
            }
        }
        Self { partners }
    }

    /// The element that an old one is now, as far as it looks the same.
    pub(super) fn partner(&self, old: NodeIndex) -> Option<NodeIndex> {
        self.partners.get(old.0 as usize).copied().flatten()
    }
}
