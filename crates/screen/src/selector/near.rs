//! Near misses: elements that almost match, each with the selector to write instead.
//!
//! One condition at a time is changed; a suggestion is made only if the changed selector does find the element.

use std::collections::HashSet;

use super::find::{Sight, short_id};
use super::pattern::one_space;
use super::{ElementWords, Node, NodeIndex, Pattern, Screen, Selector, State};
use runner_text::secret::Excerpt;

/// An element that almost matched, and the edit of the selector that would match it.
#[derive(Debug, Clone, PartialEq)]
pub struct NearMiss {
    /// The element.
    pub node: NodeIndex,
    /// Why it did not match, for a person: `text differs only in case`.
    pub why: String,
    /// The selector to write instead, as YAML on one line.
    pub write: String,
}

/// What the selector is for that nothing matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Something is done to the element: any selector of it will do.
    Action,
    /// It says what has to be there: the selector to write may ask for something else, but never for less.
    Assertion,
}

/// Below this likeness (0–1) two words are different words.
const LIKE: f64 = 0.6;
/// So many characters of a word are shown.
const LONGEST: usize = 60;
/// Longer words are not compared letter by letter.
const MAX_COMPARED: usize = 200;
/// Longer texts are not compared word by word.
const MAX_WORDS: usize = 24;

struct Candidate {
    /// Larger is nearer; at most 1.
    likeness: f64,
    node: NodeIndex,
    why: String,
    edited: Selector,
}

/// Two texts with fewer of the longer one's words in common (0–1) are different texts.
const SHARED: f64 = 0.5;

/// How a wanted and an actual word are alike.
enum Similarity {
    Case,
    /// The actual words hold all of the wanted ones, whole.
    Part,
    /// They hold them amid a word, or in other letters.
    Longer,
    /// They are only a part of the wanted ones.
    Shorter,
    Spelling(f64),
    /// Words that both have, as written on the screen, and their share of the longer one's.
    Words(String, f64),
}

impl Selector {
    /// The nearest misses, best first, at most `limit`.
    pub fn near_misses(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<NearMiss> {
        let found = self.nearest(screen, limit, purpose).into_iter();
        found.map(Candidate::into_near_miss).collect()
    }

    fn nearest(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<Candidate> {
        if !self.any_of.is_empty() {
            let each = self.any_of.iter();
            let misses = each.flat_map(|selector| selector.nearest(screen, limit, purpose));
            return misses.take(limit).collect();
        }
        let mut candidates = Vec::new();
        self.other_words(screen, purpose, &mut candidates);
        self.other_names(screen, &mut candidates);
        self.other_states(screen, &mut candidates);
        self.other_anchors(screen, purpose, &mut candidates);
        self.other_places(screen, &mut candidates);
        if purpose == Purpose::Assertion {
            candidates.retain(|candidate| candidate.edited.asks_as_much_as(self));
        }
        candidates.sort_by(|a, b| {
            let by_likeness = b.likeness.total_cmp(&a.likeness);
            by_likeness.then(a.node.cmp(&b.node))
        });
        let mut observed = HashSet::new();
        let mut misses = Vec::new();
        for candidate in candidates {
            if misses.len() == limit {
                break;
            }
            // Checked only now, the best first: each check searches the screen.
            if observed.contains(&candidate.node)
                || !candidate.edited.find(screen).contains(&candidate.node)
            {
                continue;
            }
            observed.insert(candidate.node);
            misses.push(candidate);
        }
        misses
    }

    /// Whether it asks for no less than `other`, of which it is an edit: for each thing that `other` asks, though it may
    /// be with another value. The one rule of what may be written into an assertion, which would pass where it should
    /// not if it asked for an id in place of words, for a part of the words, or without an anchor.
    fn asks_as_much_as<'s>(&'s self, other: &'s Self) -> bool {
        let patterns = |it: &'s Self| -> Vec<&'s Pattern> {
            let named = ElementWords::ALL
                .into_iter()
                .filter_map(|words| words.wanted(it));
            named.chain(&it.any).collect()
        };
        let (mine, its) = (patterns(self), patterns(other));
        let states =
            |it: &Self| -> Vec<State> { it.states.iter().map(|(state, _)| *state).collect() };
        let mut anchors = self.relations.iter().zip(&other.relations);
        mine.len() >= its.len()
            && mine.iter().all(|it| it.is_literal() || its.contains(it))
            // The string form looks in three properties: it asks less than one that names its own.
            && (self.any.is_none() || other.any.is_some())
            && self.id.is_some() >= other.id.is_some()
            && self.class.is_some() >= other.class.is_some()
            && states(self) == states(other)
            && self.relations.len() == other.relations.len()
            && anchors.all(|(mine, its)| mine.0 == its.0 && mine.1.asks_as_much_as(&its.1))
            && self.window == other.window
            && self.index == other.index
            && self.any_of.len() == other.any_of.len()
    }

    /// Elements with similar words, or with the same words in another property.
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
                for other in ElementWords::ALL {
                    if other != words && wanted.matches(other.of(node)) {
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

    /// Elements with a similar id or class.
    fn other_names(&self, screen: &Screen, candidates: &mut Vec<Candidate>) {
        if let Some(wanted) = &self.id {
            let mut rest = self.without_index();
            rest.id = None;
            for node in rest.pool(screen) {
                let actual = short_id(node.resource_id());
                if let Some(like) = likeness(short_id(wanted), actual) {
                    let id = Some(actual.to_owned());
                    let edited = Self { id, ..rest.clone() };
                    let why = like.why("id", actual);
                    candidates.push(Candidate::new(like.score(), node, why, edited));
                }
            }
        }
        if let Some(wanted) = &self.class {
            let mut rest = self.without_index();
            rest.class = None;
            let is_alone = rest.is_empty();
            for node in rest.pool(screen) {
                let actual = node.short_class();
                let like = likeness(wanted, actual);
                let score = like.as_ref().map(Similarity::score);
                // What all else points at is a near miss whatever its class.
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

    /// Elements that differ in one state.
    fn other_states(&self, screen: &Screen, candidates: &mut Vec<Candidate>) {
        for (place, (state, wanted)) in self.states.iter().enumerate() {
            let mut rest = self.without_index();
            rest.states.remove(place);
            if rest.is_empty() {
                continue;
            }
            let mut edited = self.without_index();
            edited.states[place] = (*state, !wanted);
            for node in rest.pool(screen) {
                if state.of(node) != *wanted {
                    let why = format!("{} is {}", state.name(), !wanted);
                    candidates.push(Candidate::new(0.92, node, why, edited.clone()));
                }
            }
        }
    }

    /// Elements for which one relation does not hold, or whose anchor is misspelt.
    fn other_anchors(&self, screen: &Screen, purpose: Purpose, candidates: &mut Vec<Candidate>) {
        for (place, (relation, anchor)) in self.relations.iter().enumerate() {
            let name = relation.name();
            let mut rest = self.without_index();
            rest.relations.remove(place);
            let is_missing = anchor.find_anywhere(screen).is_empty();
            let why = if is_missing {
                format!("nothing matches `{name}: {anchor}`")
            } else {
                format!("it is not {} {anchor}", name.replace('_', " "))
            };
            if is_missing {
                for miss in anchor.nearest(screen, 3, purpose) {
                    let mut edited = self.clone();
                    edited.relations[place].1 = match purpose {
                        Purpose::Action => Self::picking(screen, miss.node),
                        Purpose::Assertion => miss.edited,
                    };
                    edited.index = self.index.filter(|_| purpose == Purpose::Assertion);
                    let found = edited.find(screen);
                    let nodes = found.into_iter().take(3).map(|node| screen.node(node));
                    candidates.extend(
                        nodes.map(|node| Candidate::new(0.88, node, why.clone(), edited.clone())),
                    );
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

    /// Elements at another index or in another window.
    fn other_places(&self, screen: &Screen, candidates: &mut Vec<Candidate>) {
        if let Some(index) = self.index {
            let rest = self.without_index();
            let pool = rest.pool(screen);
            let why = format!("there are only {} such elements", pool.len());
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

    fn without_index(&self) -> Self {
        Self {
            index: None,
            ..self.clone()
        }
    }

    /// What matches, everything where nothing is asked.
    fn pool<'a>(&self, screen: &'a Screen) -> Vec<Node<'a>> {
        let found = self.find_all(screen, Sight::OnScreen);
        found.into_iter().map(|node| screen.node(node)).collect()
    }
}

impl Candidate {
    fn new(likeness: f64, node: Node<'_>, why: String, edited: Selector) -> Self {
        Self {
            likeness,
            node: node.index(),
            why,
            edited,
        }
    }

    fn into_near_miss(self) -> NearMiss {
        NearMiss {
            node: self.node,
            why: self.why,
            write: self.edited.to_string(),
        }
    }
}

impl Similarity {
    fn score(&self) -> f64 {
        match self {
            Self::Case => 0.99,
            Self::Part => 0.9,
            Self::Longer | Self::Shorter => 0.6,
            Self::Spelling(likeness) => likeness * 0.9,
            Self::Words(_, share) => share * 0.8,
        }
    }

    fn why(&self, property: &str, actual: &str) -> String {
        match self {
            Self::Case => format!("{property} differs only in case"),
            Self::Part | Self::Longer => format!("{property} is longer"),
            Self::Shorter => format!("{property} is shorter"),
            Self::Spelling(_) => {
                let actual = Excerpt::new(actual, LONGEST).in_quotes();
                format!("{property} is spelt {actual}")
            }
            Self::Words(words, _) => format!("{property} has {words:?} too"),
        }
    }
}

/// The selector with these words; alone, in its shortest form.
fn with_words(rest: &Selector, words: ElementWords, pattern: Pattern) -> Selector {
    let mut edited = rest.clone();
    if rest.is_empty() && pattern.is_whole() {
        edited.any = Some(pattern);
    } else {
        *words.slot(&mut edited) = Some(pattern);
    }
    edited
}

/// Wanted words, made ready to be compared with every node's.
struct WantedText {
    /// Without stars.
    literal: String,
    /// A regular expression that leaves letter case out.
    any_case: Option<Pattern>,
    is_regex: bool,
    purpose: Purpose,
}

impl WantedText {
    fn new(wanted: &Pattern, purpose: Purpose) -> Self {
        let is_regex = wanted.is_regex();
        let any_case = || Pattern::regex(&format!("(?i){}", wanted.source())).ok();
        Self {
            literal: one_space(&wanted.source().replace('*', "")).into_owned(),
            any_case: is_regex.then(any_case).flatten(),
            is_regex,
            purpose,
        }
    }

    /// A candidate, if the node's words are like the wanted ones.
    fn like(
        &self,
        words: ElementWords,
        node: Node<'_>,
        edit: impl Fn(Pattern) -> Selector,
    ) -> Option<Candidate> {
        let actual = one_space(words.of(node));
        let (like, pattern) = if self.is_regex {
            let any_case = self.any_case.as_ref()?;
            let is_like = !actual.is_empty() && any_case.matches(&actual);
            let pattern = match self.purpose {
                Purpose::Action => any_case.clone(),
                Purpose::Assertion => Pattern::literal(&actual),
            };
            is_like.then_some((Similarity::Case, pattern))?
        } else {
            let like = likeness(&self.literal, &actual)?;
            let pattern = match like {
                Similarity::Part if self.purpose == Purpose::Action => {
                    Pattern::contains(&self.literal)
                }
                _ => Pattern::literal(&actual),
            };
            (like, pattern)
        };
        let why = like.why(words.name(), &actual);
        Some(Candidate::new(like.score(), node, why, edit(pattern)))
    }
}

/// A candidate, if the wanted words are the node's id written as words: `Sign in` for `sign_in`.
fn id_like_words(wanted: &Pattern, node: Node<'_>) -> Option<Candidate> {
    let letters = |words: &str| -> String {
        let letters = words.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let id = short_id(node.resource_id());
    let is_same = !id.is_empty() && letters(wanted.source()) == letters(id);
    let why = "the words are its id".to_owned();
    is_same.then(|| Candidate::new(0.94, node, why, Selector::of_id(id)))
}

fn likeness(wanted: &str, actual: &str) -> Option<Similarity> {
    if wanted.is_empty() || actual.is_empty() || wanted == actual {
        return None;
    }
    let (wanted_lower, actual_lower) = (wanted.to_lowercase(), actual.to_lowercase());
    if wanted_lower == actual_lower {
        return Some(Similarity::Case);
    }
    // One or two letters are in everything.
    let says_something = |words: &str| words.chars().count() > 2;
    if says_something(wanted) && holds_whole(actual, wanted) {
        return Some(Similarity::Part);
    }
    if wanted.len() <= MAX_COMPARED && actual.len() <= MAX_COMPARED {
        let likeness = strsim::normalized_damerau_levenshtein(&wanted_lower, &actual_lower);
        if likeness >= LIKE {
            return Some(Similarity::Spelling(likeness));
        }
    }
    let (shared, share) = shared_words(&wanted_lower, actual);
    // One word of many is not a significant part: `Like` of `Nothing like this`.
    let is_part = says_something(actual)
        && (share >= SHARED || actual_lower.len() * 2 >= wanted_lower.len())
        && wanted_lower.contains(&actual_lower);
    if is_part {
        return Some(Similarity::Shorter);
    }
    if says_something(wanted) && actual_lower.contains(&wanted_lower) {
        return Some(Similarity::Longer);
    }
    (share >= SHARED).then_some(Similarity::Words(shared, share))
}

/// Whether the wanted words stand in the actual ones and end no word in its middle: `Grocerie` is `Groceries` misspelt,
/// and no part of it.
fn holds_whole(actual: &str, wanted: &str) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let cuts = |before: Option<char>, after: Option<char>| is_letter(before) && is_letter(after);
    actual.match_indices(wanted).any(|(at, _)| {
        let (before, after) = (&actual[..at], &actual[at + wanted.len()..]);
        !cuts(before.chars().next_back(), wanted.chars().next())
            && !cuts(wanted.chars().next_back(), after.chars().next())
    })
}

/// The words of `actual` that `wanted`, which is in lower case, has too, and their share of the longer one's words. One
/// word alone is compared by its letters.
fn shared_words(wanted: &str, actual: &str) -> (String, f64) {
    let split = |text| -> Vec<&str> {
        str::split(text, |c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MAX_WORDS)
            .collect()
    };
    let (wanted, actual): (Vec<&str>, Vec<&str>) = (split(wanted), split(actual));
    let longer = wanted.len().max(actual.len());
    // As many as are taken: there may be more, and a share of them says nothing.
    if longer < 2 || longer == MAX_WORDS {
        return (String::new(), 0.0);
    }
    let shared: Vec<&str> = actual
        .into_iter()
        .filter(|word| wanted.contains(&word.to_lowercase().as_str()))
        .collect();
    let share = shared.len().min(wanted.len()) as f64 / longer as f64;
    (shared.join(" "), share)
}
