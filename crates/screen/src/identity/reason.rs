//! Why an element is taken for another, for a person.

use std::fmt::{Display, Formatter, Result};

use runner_text::secret::Excerpt;

use crate::Node;
use crate::selector::lasting_words;

/// So many characters of a text are shown.
const MAX_SHOWN: usize = 60;

/// One reason to take an element for the one of an earlier screen. It prints itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Its id stayed.
    SameId(String),
    /// Its words stayed.
    SameWords(String),
    /// The texts in it stayed.
    SameParts(String),
    /// Its id is like the earlier one.
    SimilarId(String, String),
    /// Its words are like the earlier ones.
    SimilarWords(String, String),
    /// The element around it stayed.
    Inside(String),
    /// What stands before or after it stayed.
    Beside(String),
    /// Which of so many that look alike.
    Order(usize, usize),
}

impl Display for Reason {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let quoted = |words| Excerpt::new(words, MAX_SHOWN).in_quotes();
        match self {
            Self::SameId(id) => write!(f, "it has the same id `{id}`"),
            Self::SameWords(words) => write!(f, "it says {}, as before", quoted(words)),
            Self::SameParts(words) => write!(f, "it holds {}, as before", quoted(words)),
            Self::SimilarId(from, to) => write!(f, "its id `{to}` is like `{from}`"),
            Self::SimilarWords(from, to) => {
                write!(f, "it says {}, which is like {}", quoted(to), quoted(from))
            }
            Self::Inside(name) => write!(f, "it is in {name}, as before"),
            Self::Beside(name) => write!(f, "it stands beside {name}, as before"),
            Self::Order(place, count) => {
                write!(
                    f,
                    "it is number {place} of {count} that look alike, as before"
                )
            }
        }
    }
}

/// The reasons that the two elements give by themselves.
pub(super) fn reasons(old: Node<'_>, new: Node<'_>) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if !old.resource_name().is_empty() && old.resource_name() == new.resource_name() {
        reasons.push(Reason::SameId(new.resource_name().to_owned()));
    }
    let same = lasting_words(new).find(|words| lasting_words(old).any(|other| other == *words));
    reasons.extend(same.map(|words| Reason::SameWords(words.into_owned())));
    reasons
}
