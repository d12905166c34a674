//! Finds near misses: elements that almost match, each with the selector that finds it.
//!
//! One condition at a time is changed. A suggestion is made only if the changed selector does find the
//! element.

mod candidate;
mod names;
mod words;

use std::collections::HashSet;

use super::{ElementState, ElementWords, NodeIndex, Pattern, Relation, Screen, Selector};
use candidate::Candidate;
pub use candidate::{NearMiss, Purpose};

impl Selector {
    /// Returns the nearest misses, best first, at most `limit`: elements on the screen that an edit of the
    /// selector, which is in each miss, would find. If one is surely the intended element, others are left
    /// out. Those of alternatives come in the order of the alternatives.
    pub fn near_misses(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<NearMiss> {
        let found = self.nearest(screen, limit, purpose).into_iter();
        found.map(Candidate::into_near_miss).collect()
    }

    /// Returns elements that nearly match, with the selector that would match, the most similar first and each
    /// once; of equally similar ones the first in the document comes first. Those that were surely meant exclude
    /// all others. `limit` holds for all alternatives together. For an assertion only edits count that ask for as
    /// much.
    fn nearest(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<Candidate> {
        // An index beyond the matches of an alternative is no fault of the alternatives.
        if !self.any_of.is_empty() && !self.has_too_few(screen) {
            let each = self.any_of.iter();
            let misses = each.flat_map(|selector| selector.nearest(screen, limit, purpose));
            return misses.take(limit).collect();
        }
        if let Some(either) = self.either(screen).filter(|_| limit > 0) {
            return vec![either];
        }
        let mut candidates = Vec::new();
        // Where all else is right, only the number or a state is wrong. No other state is advised to an assertion.
        let is_of_state = purpose == Purpose::Assertion && !self.other_in_state(screen).is_empty();
        if !self.has_too_few(screen) && !is_of_state {
            self.other_words(screen, purpose, &mut candidates);
            self.other_names(screen, purpose, &mut candidates);
            self.other_states(screen, purpose, &mut candidates);
            self.other_anchors(screen, purpose, &mut candidates);
        }
        self.other_places(screen, &mut candidates);
        if purpose == Purpose::Assertion {
            candidates.retain(|candidate| candidate.edited.has_all_conditions_of(self));
        }
        candidates.sort_by(|a, b| {
            let by_similarity = b.similarity.total_cmp(&a.similarity);
            by_similarity.then(a.node.cmp(&b.node))
        });
        let mut observed = HashSet::new();
        let mut misses = Vec::new();
        for candidate in candidates {
            if misses.len() == limit {
                break;
            }
            // Checked only now, best first, because each check searches the screen.
            if observed.contains(&candidate.node)
                || !candidate.edited.find(screen).contains(&candidate.node)
            {
                continue;
            }
            observed.insert(candidate.node);
            misses.push(candidate);
        }
        // The person surely meant these, so other similar elements are left out.
        if misses.iter().any(|miss| miss.is_meant) {
            misses.retain(|miss| miss.is_meant);
        }
        misses
    }

    /// Returns an element that one of the texts of `Inbox or Sign in` selects, with a selector that takes any of
    /// them. `None` for other texts, and if none of them is there. It counts as surely meant.
    fn either(&self, screen: &Screen) -> Option<Candidate> {
        let text = self.any.as_ref().and_then(Pattern::literal_words)?;
        let parts: Vec<&str> = text.split(" or ").map(str::trim).collect();
        if parts.len() < 2 || parts.iter().any(|part| part.is_empty()) {
            return None;
        }
        let edited = Self {
            any_of: parts.into_iter().map(Self::from_words).collect(),
            ..Self::default()
        };
        let node = *edited.find(screen).first()?;
        let why = "one of these texts is there".to_owned();
        Some(Candidate {
            is_meant: true,
            ..Candidate::new(1.0, screen.node(node), why, edited)
        })
    }

    /// Returns true if the selector, an edit of `other`, has all conditions of `other`, perhaps with other
    /// values that are literal. Only such an edit may be suggested for an assertion: one that asks for an id
    /// in place of words, for a part of the words, or without an anchor would pass where it should not.
    fn has_all_conditions_of<'s>(&'s self, other: &'s Self) -> bool {
        let patterns = |it: &'s Self| -> Vec<&'s Pattern> {
            let named = ElementWords::ALL
                .into_iter()
                .filter_map(|words| words.wanted(it));
            named.chain(&it.any).collect()
        };
        let (mine, its) = (patterns(self), patterns(other));
        let states = |it: &Self| -> Vec<ElementState> {
            it.states.iter().map(|(state, _)| *state).collect()
        };
        let mut anchors = self.relations.iter().zip(&other.relations);
        mine.len() >= its.len()
            && mine.iter().all(|it| it.is_literal() || its.contains(it))
            // The string form tries three properties, so it is weaker than a selector that names one.
            && (self.any.is_none() || other.any.is_some())
            && self.id.is_some() >= other.id.is_some()
            && self.class.is_some() >= other.class.is_some()
            && states(self) == states(other)
            && self.relations.len() == other.relations.len()
            && anchors.all(|(mine, its)| mine.0 == its.0 && mine.1.has_all_conditions_of(&its.1))
            && self.window == other.window
            && self.index == other.index
            && self.any_of.len() == other.any_of.len()
    }

    /// Adds elements that differ in exactly one state, if the selector has other conditions. There are none
    /// for an assertion, since the other state would be its opposite.
    fn other_states(&self, screen: &Screen, purpose: Purpose, candidates: &mut Vec<Candidate>) {
        // The other state would be the opposite of the assertion.
        if purpose == Purpose::Assertion {
            return;
        }

        for (place, (state, wanted)) in self.states.iter().enumerate() {
            let mut rest = self.without_index();
            rest.states.remove(place);
            if rest.is_empty() {
                continue;
            }
            let mut edited = self.without_index();
            edited.states[place] = (*state, !wanted);
            for node in rest.pool(screen) {
                if state.is_set_on(node) != *wanted {
                    let why = format!("{} is {}", state.name(), !wanted);
                    candidates.push(Candidate::new(0.92, node, why, edited.clone()));
                }
            }
        }
    }

    /// Adds elements for which one relation does not hold, or whose anchor (the element that the relation
    /// names) is missing. For a missing anchor it searches up to three similar ones.
    fn other_anchors(&self, screen: &Screen, purpose: Purpose, candidates: &mut Vec<Candidate>) {
        for (place, (relation, anchor)) in self.relations.iter().enumerate() {
            let name = relation.name();
            let mut rest = self.without_index();
            rest.relations.remove(place);
            let is_missing = anchor.find_anywhere(screen).is_empty();
            let why = if is_missing {
                format!("nothing matches `{name}: {anchor}`")
            } else {
                format!("it is {}", lack(*relation, anchor))
            };
            if is_missing {
                for miss in anchor.nearest(screen, 3, purpose) {
                    let is_typo = miss.is_typo;
                    let mut edited = self.clone();
                    edited.relations[place].1 = match purpose {
                        Purpose::Action => Self::picking(screen, miss.node),
                        Purpose::Assertion => miss.edited,
                    };
                    edited.index = self.index.filter(|_| purpose == Purpose::Assertion);
                    let found = edited.find(screen);
                    let nodes = found.into_iter().take(3).map(|node| screen.node(node));
                    candidates.extend(nodes.map(|node| Candidate {
                        is_typo,
                        ..Candidate::new(0.88, node, why.clone(), edited.clone())
                    }));
                }
            }
            if !rest.is_empty() {
                let nodes = rest.pool(screen).into_iter();
                candidates.extend(
                    nodes.map(|node| Candidate::new(0.65, node, why.clone(), rest.clone())),
                );
            }
        }
    }

    /// Returns the elements that differ in one state alone from a selector with words, id or class that matches nothing,
    /// each with its state: `enabled is false`.
    fn other_in_state(&self, screen: &Screen) -> Vec<(NodeIndex, String)> {
        let mut found = Vec::new();
        if !self.has_words() && self.id.is_none() && self.class.is_none() {
            return found;
        }
        for (place, (state, wanted)) in self.states.iter().enumerate() {
            let mut rest = self.without_index();
            rest.states.remove(place);
            let why = format!("{} is {}", state.name(), !wanted);
            let nodes = rest.pool(screen).into_iter();
            found.extend(nodes.map(|node| (node.index(), why.clone())));
        }
        found
    }

    /// Returns elements on the screen for which one relation alone does not hold, though what it refers to is there, or
    /// which differ in one state alone, at most `limit`, each with what it lacks: `not inside { id: notes }`,
    /// `enabled is false`. A selector of nothing but states and relations differs in no state alone. Those of alternatives
    /// come in the order of the alternatives, each once.
    pub fn apart(&self, screen: &Screen, limit: usize) -> Vec<(NodeIndex, String)> {
        let mut found = Vec::new();
        // Each relation holds, and `index` asks for more.
        if self.has_too_few(screen) {
            return found;
        }
        found.extend(self.other_in_state(screen));
        for (place, (relation, anchor)) in self.relations.iter().enumerate() {
            let mut rest = self.without_index();
            rest.relations.remove(place);
            if rest.is_empty() || anchor.find_anywhere(screen).is_empty() {
                continue;
            }
            let why = lack(*relation, anchor);
            let nodes = rest.pool(screen).into_iter();
            found.extend(nodes.map(|node| (node.index(), why.clone())));
        }
        let each = self.any_of.iter();
        for one in each.flat_map(|selector| selector.apart(screen, limit)) {
            if !found.contains(&one) {
                found.push(one);
            }
        }
        found.truncate(limit);
        found
    }

    /// Adds elements at another index, if there are fewer than the index needs. Adds elements in another window, if
    /// the selector has other conditions. All other conditions must hold.
    fn other_places(&self, screen: &Screen, candidates: &mut Vec<Candidate>) {
        if let Some(index) = self.index {
            let rest = self.without_index();
            let pool = rest.pool(screen);
            let why = too_large_index(pool.len());
            let last = i64::try_from(pool.len()).unwrap_or(i64::MAX) - 1;
            if index > last || index < -last - 1 {
                for (place, node) in pool.into_iter().enumerate() {
                    let edited = Self {
                        index: i64::try_from(place).ok(),
                        ..self.clone()
                    };
                    candidates.push(Candidate::new(0.8, node, why.clone(), edited));
                }
            }
        }
        if self.window.is_some() {
            let mut rest = self.without_index();
            rest.window = None;
            if !rest.is_empty() {
                for node in rest.pool(screen) {
                    let window = node.window();
                    let why = format!("it is in window {} ({})", window.id, window.title);
                    candidates.push(Candidate::new(0.85, node, why, rest.clone()));
                }
            }
        }
    }

    /// Returns true if elements match without regard to `index`, so that a selector which finds nothing asks for more of
    /// them.
    fn has_too_few(&self, screen: &Screen) -> bool {
        self.index.is_some() && !self.without_index().pool(screen).is_empty()
    }
}

/// Names a relation that an element lacks, for people: `not inside { id: notes }`, `without Buy in it`.
fn lack(relation: Relation, anchor: &Selector) -> String {
    match relation {
        Relation::Has => format!("without {anchor} in it"),
        other => format!("not {} {anchor}", other.name().replace('_', " ")),
    }
}

/// Explains an index beyond the last of `count` elements, with the indexes that there are.
pub(crate) fn too_large_index(count: usize) -> String {
    match count {
        1 => "there is only one such element, index 0".to_owned(),
        _ => format!(
            "there are only {count} such elements, index 0 to {}",
            count.saturating_sub(1)
        ),
    }
}
