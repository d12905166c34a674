//! Finds near misses: elements that almost match, each with the selector that finds it.
//!
//! One condition at a time is changed. A suggestion is made only if the changed selector does find the
//! element.

use std::collections::HashSet;

use super::confusables;
use super::find::{SearchScope, short_id};
use super::pattern::one_space;
use super::similarity::{Similarity, similarity};
use super::{ElementState, ElementWords, Node, NodeIndex, Pattern, Relation, Screen, Selector};

/// Element that almost matched, with the selector that matches it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    pub node: NodeIndex,
    /// Reason why it did not match, for people: `text differs only in case`.
    pub why: String,
    /// Selector that finds the element.
    pub selector: Selector,
    /// True if this is surely the intended element: its words differ in letter case only, look the same, or are one of
    /// those in `A or B`.
    pub is_meant: bool,
    /// True if it is surely a misspelling: only letter case, a few letters or signs, or characters that look alike
    /// differ.
    pub is_typo: bool,
}

/// Use of the selector that matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Operating the element: any selector of it will do.
    Action,
    /// Asserting what is there: the suggested selector may have other values, but never fewer conditions.
    Assertion,
}

struct Candidate {
    /// Similarity: larger is nearer, 1 at most.
    similarity: f64,
    node: NodeIndex,
    why: String,
    edited: Selector,
    is_meant: bool,
    is_typo: bool,
}

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

    /// Adds elements with similar words, or with the same words in another property. All other conditions but
    /// `index` must hold. The string form also finds an id that is written like the words.
    fn other_words(&self, screen: &Screen, purpose: Purpose, candidates: &mut Vec<Candidate>) {
        if let Some(wanted) = &self.any {
            let ready = WantedText::new(wanted, purpose);
            for node in screen.nodes() {
                for words in ElementWords::ALL {
                    let edit = |pattern| with_words(&Self::default(), words, pattern);
                    candidates.extend(ready.like(words, node, edit));
                }
                candidates.extend(id_like_words(wanted, node));
            }
            return;
        }
        for words in ElementWords::ALL {
            let Some(wanted) = words.wanted(self) else {
                continue;
            };
            let mut rest = self.without_index();
            *words.slot(&mut rest) = None;
            let ready = WantedText::new(wanted, purpose);
            let with_words = |words: ElementWords, pattern| match purpose {
                Purpose::Action => with_words(&rest, words, pattern),
                Purpose::Assertion => {
                    let mut edited = rest.clone();
                    edited.index = self.index;
                    *words.slot(&mut edited) = Some(pattern);
                    edited
                }
            };
            for node in rest.pool(screen) {
                let edit = |pattern| with_words(words, pattern);
                candidates.extend(ready.like(words, node, edit));
                // While a field is empty, its hint is its text too.
                if words == ElementWords::Text && node.shows_hint() {
                    candidates.extend(ready.like(ElementWords::Hint, node, edit));
                }
                candidates.extend(id_in_words(wanted, node, &rest));
                for other in ElementWords::ALL {
                    let value = other.value_in(node);
                    // An empty text is matched by any element without the other words.
                    if other != words && !value.is_empty() && wanted.matches(value) {
                        let why = format!(
                            "the words are its {}, not its {}",
                            other.name(),
                            words.name()
                        );
                        let edited = with_words(other, wanted.clone());
                        candidates.push(Candidate::new(0.95, node, why, edited));
                    }
                }
            }
        }
    }

    /// Adds elements with a similar id or class for which all other conditions but `index` hold. For an assertion the
    /// id must be misspelt, with the same digits, or differ in its package only. With other conditions any class
    /// counts.
    fn other_names(&self, screen: &Screen, purpose: Purpose, candidates: &mut Vec<Candidate>) {
        if let Some(wanted) = &self.id {
            let mut rest = self.without_index();
            rest.id = None;
            for node in rest.pool(screen) {
                candidates.extend(id_of_other_package(wanted, node, purpose, &rest));
                let (wanted, actual) = (short_id(wanted), short_id(node.resource_id()));
                if let Some(like) = similarity(wanted, actual)
                    && (purpose == Purpose::Action || is_slip(&like, wanted, actual))
                {
                    let id = Some(actual.to_owned());
                    let edited = Self { id, ..rest.clone() };
                    let names = (wanted, actual);
                    candidates.push(Candidate::similar(&like, "id", names, node, edited));
                }
            }
        }
        if let Some(wanted) = &self.class {
            let mut rest = self.without_index();
            rest.class = None;
            let is_alone = rest.is_empty();
            for node in rest.pool(screen) {
                let actual = node.short_class();
                let like = similarity(wanted, actual);
                let score = like.as_ref().map(Similarity::score);
                // An element that all other conditions select is a near miss whatever its class.
                if let Some(score) = score.or((!is_alone).then_some(0.7)) {
                    let class = Some(actual.to_owned());
                    let edited = Self {
                        class,
                        ..rest.clone()
                    };
                    let why = format!("its class is {actual}");
                    candidates.push(Candidate::new(score, node, why, edited));
                }
            }
        }
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
    /// `enabled is false`. A selector of nothing but states and relations differs in no state alone.
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

    fn without_index(&self) -> Self {
        Self {
            index: None,
            ..self.clone()
        }
    }

    /// Returns all matches on the screen without regard to `index`; all nodes if there is no condition.
    fn pool<'a>(&self, screen: &'a Screen) -> Vec<Node<'a>> {
        let found = self.find_all(screen, SearchScope::OnScreen);
        found.into_iter().map(|node| screen.node(node)).collect()
    }
}

impl Candidate {
    /// Creates a candidate that is neither surely meant nor a misspelling.
    fn new(similarity: f64, node: Node<'_>, why: String, edited: Selector) -> Self {
        Self {
            similarity,
            node: node.index(),
            why,
            edited,
            is_meant: false,
            is_typo: false,
        }
    }

    /// Creates a candidate whose words or name are similar to the wanted ones. Another letter case and characters
    /// that look alike count as surely meant.
    fn similar(
        like: &Similarity,
        property: &str,
        (wanted, actual): (&str, &str),
        node: Node<'_>,
        edited: Selector,
    ) -> Self {
        Self {
            is_meant: matches!(like, Similarity::Case | Similarity::LookAlike(_)),
            is_typo: like.is_typo(wanted, actual),
            ..Self::new(like.score(), node, like.why(property, actual), edited)
        }
    }

    fn into_near_miss(self) -> NearMiss {
        NearMiss {
            node: self.node,
            why: self.why,
            selector: self.edited,
            is_meant: self.is_meant,
            is_typo: self.is_typo,
        }
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

/// Returns true if `wanted` is a misspelt `actual`, also in another letter case: with the same digits, and no
/// part of it.
fn is_slip(like: &Similarity, wanted: &str, actual: &str) -> bool {
    let digits = |id: &str| -> String { id.chars().filter(char::is_ascii_digit).collect() };
    matches!(like, Similarity::Case | Similarity::Spelling(_)) && digits(wanted) == digits(actual)
}

/// Returns `rest` with this pattern for words of this kind. If there is no other condition and the pattern is for the
/// whole words, it is in the string form.
fn with_words(rest: &Selector, words: ElementWords, pattern: Pattern) -> Selector {
    let mut edited = rest.clone();
    if rest.is_empty() && pattern.is_whole() {
        edited.any = Some(pattern);
    } else {
        *words.slot(&mut edited) = Some(pattern);
    }
    edited
}

/// Wanted words, prepared for the comparison with many nodes.
struct WantedText<'a> {
    wanted: &'a Pattern,
    /// Words without stars.
    literal: String,
    /// Pattern for the same words in any letter case.
    any_case: Option<Pattern>,
    purpose: Purpose,
}

impl<'a> WantedText<'a> {
    /// Prepares the wanted words for the comparison with many. `*` is left out of the literal ones.
    fn new(wanted: &'a Pattern, purpose: Purpose) -> Self {
        Self {
            wanted,
            literal: one_space(&wanted.source().replace('*', "")).into_owned(),
            any_case: wanted.in_any_case(),
            purpose,
        }
    }

    /// Returns a candidate if the node's words of this kind are similar to the wanted ones but do not match
    /// them. `edit` makes the selector to advise from a pattern for these words. A regular expression is only
    /// compared in another letter case.
    fn like(
        &self,
        words: ElementWords,
        node: Node<'_>,
        edit: impl Fn(Pattern) -> Selector,
    ) -> Option<Candidate> {
        let actual = one_space(words.value_in(node));
        let looks_alike = || confusables::difference(words.name(), &self.literal, &actual);
        let (like, pattern) = match self.in_other_case(words.value_in(node)) {
            Some(pattern) => (Similarity::Case, pattern),
            None if !self.wanted.is_regex()
                && let Some(difference) = looks_alike() =>
            {
                (Similarity::LookAlike(difference), Pattern::literal(&actual))
            }
            // A regular expression is not compared word by word.
            None if self.wanted.is_regex() => return None,
            None => {
                let like = similarity(&self.literal, &actual)?;
                let pattern = match like {
                    Similarity::Part if self.purpose == Purpose::Action => {
                        Pattern::contains(&self.literal)
                    }
                    _ => Pattern::literal(&actual),
                };
                (like, pattern)
            }
        };
        let texts = (self.literal.as_str(), &*actual);
        let edited = edit(pattern);
        Some(Candidate::similar(&like, words.name(), texts, node, edited))
    }

    /// Returns the pattern to write if the words differ only in letter case. It is literal, but that of a regular
    /// expression for an action stays an expression. Returns `None` if the words match already, differ in more, or
    /// are empty.
    fn in_other_case(&self, actual: &str) -> Option<Pattern> {
        let any_case = self.any_case.as_ref()?;
        if actual.is_empty() || self.wanted.matches(actual) || !any_case.matches(actual) {
            return None;
        }
        let keeps_form = self.wanted.is_regex() && self.purpose == Purpose::Action;
        Some(if keeps_form {
            any_case.clone()
        } else {
            Pattern::literal(actual)
        })
    }
}

/// Returns a candidate if only the package of the wanted id differs from that of the node's, or the node's has
/// none. An assertion asks for the whole id of the node.
fn id_of_other_package(
    wanted: &str,
    node: Node<'_>,
    purpose: Purpose,
    rest: &Selector,
) -> Option<Candidate> {
    let actual = node.resource_id();
    let name = short_id(actual);
    // An id without a package is of any.
    if !wanted.contains('/') || name.is_empty() || wanted == actual || short_id(wanted) != name {
        return None;
    }
    let why = match actual.split_once(":id/") {
        Some((package, _)) => format!("its id is of {package}"),
        None => format!("its id is {actual}"),
    };
    let id = match purpose {
        Purpose::Action => name,
        Purpose::Assertion => actual,
    };
    let edited = Selector {
        id: Some(id.to_owned()),
        ..rest.clone()
    };
    Some(Candidate::new(0.98, node, why, edited))
}

/// Returns a candidate if the wanted words are the node's id in the form of ids: with `:id/` or `_` in it. `None` if
/// `rest`, the other conditions, asks for an id too.
fn id_in_words(wanted: &Pattern, node: Node<'_>, rest: &Selector) -> Option<Candidate> {
    let is_id = wanted.is_literal()
        && [":id/", "_"]
            .iter()
            .any(|sign| wanted.source().contains(sign));
    let mut found = id_like_words(wanted, node).filter(|_| is_id && rest.id.is_none())?;
    found.edited = Selector {
        id: found.edited.id.take(),
        ..rest.clone()
    };
    Some(found)
}

/// Returns a candidate if the wanted words are the node's id written as words: `Sign in` for `sign_in`.
/// Letter case, signs and a package do not count.
fn id_like_words(wanted: &Pattern, node: Node<'_>) -> Option<Candidate> {
    let letters = |words: &str| -> String {
        let letters = words.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let id = short_id(node.resource_id());
    let source = wanted.source();
    let wanted = source.split_once(":id/").map_or(source, |(_, name)| name);
    let is_same = !id.is_empty() && letters(wanted) == letters(id);
    let why = "the words are its id".to_owned();
    is_same.then(|| Candidate::new(0.94, node, why, Selector::from_id(id)))
}
