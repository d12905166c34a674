//! Finds elements that almost match one of Maestro's selectors, with the selector to write instead.

use super::expression::Expression;
use super::find::{Match, text_of};
use super::selector::MaestroSelector;
use crate::selector::{Purpose, too_large_index};
use crate::{Node, NodeIndex, Screen, selector};

/// Element that almost matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    pub node: NodeIndex,
    /// Reason why it did not match, for people.
    pub why: String,
    /// Selector to write instead, as Maestro reads it.
    pub write: String,
    /// True if it is surely a misspelling of the words or the id.
    pub is_typo: bool,
}

impl MaestroSelector {
    /// Returns the nearest misses of a selector that matches nothing on the screen, at most `limit`: matches off
    /// the screen, then those of the selector without one condition, then elements with similar words or id. Each
    /// element is listed once, with its first reason. For an assertion no condition is dropped, and similar ones
    /// are only searched for a selector of nothing but words or an id. Nor are they if only the index is too large.
    /// Matching that takes too many steps counts as no match, and toasts are left out.
    pub fn near_misses(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<NearMiss> {
        let mut misses = self.off_the_screen(screen);
        // An assertion with a condition removed would pass where it should not.
        if purpose == Purpose::Action {
            misses.extend(self.relaxed_matches(screen));
        }
        // The suggestions have only words or only an id. Where the rest is right, only the number is wrong.
        let may_be_similar = purpose == Purpose::Action || self.asks_one_thing();
        if may_be_similar && !self.has_too_few(screen) {
            misses.extend(self.similar(screen, limit, purpose));
        }
        let mut observed = Vec::new();
        misses.retain(|miss| {
            let is_new = !observed.contains(&miss.node);
            observed.push(miss.node);
            is_new
        });
        misses.truncate(limit);
        misses
    }

    /// Returns true if there is an `index`, and elements match without regard to it. Matching that takes too many steps
    /// counts as no match.
    fn has_too_few(&self, screen: &Screen) -> bool {
        if self.index.is_none() {
            return false;
        }
        let rest = Self {
            index: None,
            ..self.clone()
        };
        let found = rest.find(screen).unwrap_or_default();
        nodes(&found).next().is_some()
    }

    /// Returns true if the selector has no condition but its text, or else its id.
    fn asks_one_thing(&self) -> bool {
        let alone = Self {
            text: self.text.clone(),
            id: self.id.clone().filter(|_| self.text.is_none()),
            ..Self::default()
        };
        self.to_string() == alone.to_string()
    }

    /// Returns the matches in the whole tree, with the advice to scroll to them. The caller makes sure that none of
    /// them is on the screen.
    fn off_the_screen(&self, screen: &Screen) -> Vec<NearMiss> {
        let found = self.find_anywhere(screen).unwrap_or_default();
        nodes(&found)
            .map(|node| NearMiss {
                node,
                why: "it is not on the screen".to_owned(),
                write: format!("scrollUntilVisible: {{ element: {self} }}"),
                is_typo: false,
            })
            .collect()
    }

    /// Returns the matches of the selector without one of its conditions, which `why` names: `childOf`, a relation, a
    /// state or `index`. The others are never removed. A selector with neither words nor id left finds nothing.
    /// Matching that takes too many steps counts as no match.
    fn relaxed_matches(&self, screen: &Screen) -> Vec<NearMiss> {
        let mut misses = Vec::new();
        let mut without = |edited: Self, why: String| {
            let is_something = edited.text.is_some() || edited.id.is_some();
            let found = edited.find(screen).unwrap_or_default();
            if is_something {
                misses.extend(nodes(&found).map(|node| NearMiss {
                    node,
                    why: why.clone(),
                    write: edited.to_string(),
                    is_typo: false,
                }));
            }
        };
        if let Some(parent) = &self.child_of {
            let edited = Self {
                child_of: None,
                ..self.clone()
            };
            let why = if parent.find(screen).unwrap_or_default().is_empty() {
                format!("nothing matches `childOf: {parent}`")
            } else {
                "it is not in what `childOf` selects".to_owned()
            };
            without(edited, why);
        }
        for (place, (relation, other)) in self.relations.iter().enumerate() {
            let mut edited = self.clone();
            edited.relations.remove(place);
            let name = relation.name();
            let why = if other.find(screen).unwrap_or_default().is_empty() {
                format!("nothing matches `{name}: {other}`")
            } else {
                format!("`{name}: {other}` does not hold")
            };
            without(edited, why);
        }
        for (place, (name, wanted)) in self.states().into_iter().enumerate() {
            let Some(wanted) = wanted else { continue };
            let mut edited = self.clone();
            let states = [
                &mut edited.enabled,
                &mut edited.checked,
                &mut edited.focused,
                &mut edited.selected,
            ];
            if let Some(state) = states.into_iter().nth(place) {
                *state = None;
            }
            without(edited, format!("{name} is {}", !wanted));
        }
        if self.index.is_some() {
            let edited = Self {
                index: None,
                ..self.clone()
            };
            let count = edited.find(screen).unwrap_or_default().len();
            without(edited, too_large_index(count));
        }
        misses
    }

    /// Returns elements with similar words or a similar id, by the rules for this program's own selectors.
    /// The advice is words or an id as Maestro writes them. Returns none for a selector with neither.
    fn similar(&self, screen: &Screen, limit: usize, purpose: Purpose) -> Vec<NearMiss> {
        let plain = |expression: &Expression| {
            let source = expression.source().replace(".*", " ").replace('\\', "");
            source.trim().to_owned()
        };
        let may_be_id = purpose == Purpose::Action || self.text.is_none();
        let own = match (&self.text, &self.id) {
            (Some(text), _) => selector::Selector::from_words(&plain(text)),
            (None, Some(id)) => selector::Selector::from_id(&plain(id)),
            (None, None) => return Vec::new(),
        };
        let misses = own.near_misses(screen, limit, purpose).into_iter();
        misses
            .filter_map(|miss| {
                let node = screen.node(miss.node);
                let write = if self.text.is_some() {
                    words(node)
                } else {
                    None
                };
                Some(NearMiss {
                    node: miss.node,
                    why: miss.why,
                    write: write.or_else(|| id(node).filter(|_| may_be_id))?,
                    is_typo: miss.is_typo,
                })
            })
            .collect()
    }
}

/// Returns the nodes among matches, without toasts.
fn nodes(found: &[Match]) -> impl Iterator<Item = NodeIndex> {
    found.iter().filter_map(|found| match found {
        Match::Node(node) => Some(*node),
        Match::Toast(_) => None,
    })
}

/// Returns the node's words in quotes, as a text by which Maestro finds it: the first of text, hint and description
/// that is not empty. Special characters of regular expressions are not escaped. Returns `None` if all are empty.
fn words(node: Node<'_>) -> Option<String> {
    let text = text_of(node);
    let words = [text.as_ref(), node.hint(), node.desc()]
        .into_iter()
        .find(|words| !words.is_empty())?;
    Some(serde_json::Value::from(words).to_string())
}

fn id(node: Node<'_>) -> Option<String> {
    let name = node.resource_name();
    (!name.is_empty()).then(|| format!("{{ id: {} }}", serde_json::Value::from(name)))
}
