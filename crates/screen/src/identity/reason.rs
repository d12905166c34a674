//! Reasons for people why an element is taken for an earlier one.

use std::fmt::{Display, Formatter, Result};

use runner_text::secret::Excerpt;

use super::comparison::Comparison;
use super::traits::Traits;
use crate::Node;
use crate::selector::{lasting_words, name_similarity, word_similarity};

/// Number of characters of a text that a reason shows. Chosen: a line of a terminal holds two such texts.
const MAX_SHOWN_CHARS: usize = 60;

/// Reason to take an element for one of an earlier screen. Its `Display` is a clause of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    SameId(String),
    SameWords(String),
    /// Same text in a descendant.
    SameParts(String),
    /// Similar id: the earlier and the new one.
    SimilarId(String, String),
    /// Similar words: the earlier and the new ones.
    SimilarWords(String, String),
    /// Same ancestor, by its name.
    Inside(String),
    /// Same neighbour before it, by its name.
    After(String),
    /// Same neighbour behind it, by its name.
    Before(String),
    /// Place, from 1, and number of siblings that look alike.
    Order(usize, usize),
}

impl Display for Reason {
    /// Writes a clause for a message. Texts are in quotes and marked to be cut after 60 characters, ids in backquotes
    /// and whole.
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let quoted = |words| Excerpt::new(words, MAX_SHOWN_CHARS).in_quotes();
        match self {
            Self::SameId(id) => write!(f, "it has the id `{id}`, as before"),
            Self::SameWords(words) => write!(f, "it says {}, as before", quoted(words)),
            Self::SameParts(words) => write!(f, "it holds {}, as before", quoted(words)),
            Self::SimilarId(from, to) => write!(f, "its id `{to}` is like `{from}`"),
            Self::SimilarWords(from, to) => {
                write!(f, "it says {}, which is like {}", quoted(to), quoted(from))
            }
            Self::Inside(name) => write!(f, "it is in {}, as before", quoted(name)),
            Self::After(name) => write!(f, "it comes after {}, as before", quoted(name)),
            Self::Before(name) => write!(f, "it comes before {}, as before", quoted(name)),
            Self::Order(place, count) => {
                write!(
                    f,
                    "it is number {place} of {count} that look alike, as before"
                )
            }
        }
    }
}

/// Returns the reasons to take `new` for `old`, the strongest first: id, words, parts, similar id, order
/// among siblings, ancestor, neighbours. Only those that hold are in it, so it may be empty.
pub(super) fn reasons(
    comparison: &Comparison<'_>,
    old: &Traits<'_>,
    new: &Traits<'_>,
) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if !old.id.is_empty() && old.id == new.id {
        reasons.push(Reason::SameId(new.id.to_owned()));
    }
    let pairs = old
        .words
        .iter()
        .flat_map(|one| new.words.iter().map(move |other| (one, other)));
    let pairs = pairs.map(|(one, other)| (word_similarity(one, other), one, other));
    if let Some((similarity, from, to)) = pairs.max_by(|one, other| one.0.total_cmp(&other.0)) {
        if from == to {
            reasons.push(Reason::SameWords(to.to_string()));
        } else if similarity > 0.0 {
            reasons.push(Reason::SimilarWords(from.to_string(), to.to_string()));
        }
    }
    let part = new.parts.iter().find(|part| old.parts.contains(part));
    reasons.extend(part.map(|part| Reason::SameParts(part.to_string())));
    if old.id != new.id && name_similarity(old.id, new.id) > 0.0 {
        reasons.push(Reason::SimilarId(old.id.to_owned(), new.id.to_owned()));
    }
    reasons.extend(order(comparison, old, new));
    let mut above = old
        .node
        .ancestors()
        .filter(|it| comparison.is_above(*it, new.node));
    reasons.extend(above.find_map(name).map(Reason::Inside));
    for ((one, other), reason) in comparison
        .neighbours(old.node, new.node)
        .into_iter()
        .zip([Reason::After as fn(String) -> Reason, Reason::Before])
    {
        if let (Some(one), Some(other)) = (one, other)
            && comparison.pairs.partner(one) == Some(other.index())
        {
            reasons.extend(name(other).map(reason));
        }
    }
    reasons
}

/// Returns the place among siblings that look alike, if it is the same on both screens. Returns `None` if there is only
/// one.
fn order(comparison: &Comparison<'_>, old: &Traits<'_>, new: &Traits<'_>) -> Option<Reason> {
    let was = place_among_alike(old, comparison.old)?;
    let is = place_among_alike(new, comparison.new)?;
    (was == is && is.1 > 1).then_some(Reason::Order(is.0, is.1))
}

/// Returns the place of an element, counted from 1, among its siblings that look alike, and their number. `all` are the
/// traits of its screen. Returns `None` for a root.
fn place_among_alike(one: &Traits<'_>, all: &[Traits<'_>]) -> Option<(usize, usize)> {
    let siblings = one.node.parent()?.children();
    let alike: Vec<_> = siblings
        .filter(|it| all[it.index().0 as usize].look == one.look)
        .map(Node::index)
        .collect();
    let place = alike.iter().position(|it| *it == one.node.index())?;
    Some((place + 1, alike.len()))
}

/// Returns the name of an element for people: its first words that are likely to stay, else its id. Returns
/// `None` without either.
fn name(node: Node<'_>) -> Option<String> {
    let words = lasting_words(node).next().map(std::borrow::Cow::into_owned);
    let id = node.resource_name();
    words.or_else(|| (!id.is_empty()).then(|| id.to_owned()))
}
