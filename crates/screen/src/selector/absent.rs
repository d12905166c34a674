//! Why a selector selects nothing: what it means is not on the screen, or an element that it goes by is not there.

use super::find::Sight;
use super::{NodeIndex, Relation, Screen, Selector};
use crate::Unseen;

impl Selector {
    /// What matches and is not on the screen, each with why not.
    pub fn unseen(&self, screen: &Screen) -> Vec<(NodeIndex, Unseen)> {
        // Without `index`, which counts what is on the screen.
        let found = self.find_all(screen, Sight::Anywhere).into_iter();
        found
            .filter_map(|index| Some((index, screen.node(index).unseen()?)))
            .collect()
    }

    /// The first of the elements and windows it goes by that is not there, as it is written: `inside: { id: list }`.
    /// That nothing matches then says nothing about what is looked for.
    ///
    /// `has` is none of them: it says what the element itself is like. Nor is a window that is all that is looked for.
    pub fn missing_anchor(&self, screen: &Screen) -> Option<String> {
        if !self.any_of.is_empty() {
            // They stand for variants of an app: one whose anchors are there is enough.
            let each = self.any_of.iter();
            let missing: Option<Vec<_>> = each.map(|one| one.missing_anchor(screen)).collect();
            return missing?.into_iter().next();
        }
        let is_missing = |(relation, anchor): &&(Relation, Self)| {
            *relation != Relation::Has && anchor.find_anywhere(screen).is_empty()
        };
        if let Some((relation, anchor)) = self.relations.iter().find(is_missing) {
            let inner = anchor.missing_anchor(screen);
            return inner.or_else(|| Some(format!("{}: {anchor}", relation.name())));
        }
        let window = self.window.as_ref()?;
        let alone = Self {
            window: Some(window.clone()),
            ..Self::default()
        };
        let is_there = screen.windows().iter().any(|one| window.is_of(one));
        if is_there || *self == alone {
            return None;
        }
        let written = alone.to_string();
        Some(written.trim_matches(['{', ' ', '}']).to_owned())
    }
}
