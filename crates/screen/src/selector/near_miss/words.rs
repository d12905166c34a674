//! Near misses by other words: those that are similar, in another property, or the element's id.

use super::super::confusables;
use super::super::find::short_id;
use super::super::pattern::one_space;
use super::super::similarity::{Similarity, similarity};
use super::super::{ElementWords, Node, Pattern, Screen, Selector};
use super::candidate::{Candidate, Purpose};

impl Selector {
    /// Adds elements with similar words, or with the same words in another property. All other conditions but
    /// `index` must hold. The string form also finds an id that is written like the words.
    pub(super) fn other_words(
        &self,
        screen: &Screen,
        purpose: Purpose,
        candidates: &mut Vec<Candidate>,
    ) {
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
