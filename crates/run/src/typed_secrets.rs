//! Secrets that an attempt typed, and the masking of what is left of them in their fields: a text that did not arrive whole,
//! or of which a part was erased, is none that the mask knows.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use runner_device::{Input, Picture};
use runner_engine::{Observer, Session};
use runner_screen::{Node, Rect, Screen};
use runner_text::secret::Scrubber;

/// The fewest characters in a row by which a text is known as a part of a secret. Fewer stand in ordinary words too.
const MIN_PART: usize = 4;

/// The secrets that an attempt typed. As an observer it looks at the fields that they were typed into.
#[derive(Debug)]
pub(super) struct TypedSecrets {
    scrubber: Scrubber,
    typed: Mutex<Vec<TypedSecret>>,
}

#[derive(Debug)]
struct TypedSecret {
    text: String,
    /// Each [`MIN_PART`] characters in a row of it.
    parts: HashSet<Vec<char>>,
    /// Its field, once a look has shown it.
    field: Option<FieldKey>,
}

/// By which a field is known again on a later look.
#[derive(Debug, PartialEq, Eq)]
enum FieldKey {
    Id(String),
    Place(String, Rect),
}

impl FieldKey {
    fn new(node: Node<'_>) -> Self {
        if node.resource_name().is_empty() {
            Self::Place(node.class().to_owned(), node.bounds())
        } else {
            Self::Id(node.resource_name().to_owned())
        }
    }
}

impl TypedSecret {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            parts: parts(text).collect(),
            field: None,
        }
    }

    /// Returns true if some of these parts of a text are parts of this secret.
    fn has_some(&self, parts: &[Vec<char>]) -> bool {
        parts.iter().any(|part| self.parts.contains(part))
    }

    /// Returns true if its field shows a part of it. The first field that does is taken for its field.
    fn stands_in(&mut self, node: Node<'_>, parts: &[Vec<char>]) -> bool {
        let is_part = self.has_some(parts);
        let key = FieldKey::new(node);
        if is_part && self.field.is_none() {
            self.field = Some(key);
            return true;
        }
        is_part && self.field.as_ref() == Some(&key)
    }
}

fn parts(text: &str) -> impl Iterator<Item = Vec<char>> {
    let characters: Vec<char> = text.chars().collect();
    let last = (characters.len() + 1).saturating_sub(MIN_PART);
    (0..last).map(move |at| characters.iter().skip(at).take(MIN_PART).copied().collect())
}

impl TypedSecrets {
    pub(super) fn new(scrubber: Scrubber) -> Self {
        Self {
            scrubber,
            typed: Mutex::default(),
        }
    }

    /// Notes a text that is typed, where it holds a secret.
    pub(super) fn note(&self, text: &str) {
        if self.scrubber.scrub(text) != text {
            self.add(text);
        }
    }

    /// Notes a secret that is typed.
    pub(super) fn add(&self, text: &str) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        // Typed again, it may be in another field.
        typed.retain(|known| known.text != text);
        typed.push(TypedSecret::new(text));
    }
}

#[async_trait::async_trait]
impl Observer for TypedSecrets {
    fn saw(&self, screen: &Arc<Screen>) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        if typed.is_empty() {
            return;
        }
        let is_readable = |node: &Node<'_>| node.is_editable() && !node.flags().password;
        for node in screen.nodes().filter(is_readable) {
            let parts: Vec<Vec<char>> = parts(node.text()).collect();
            let mut stand_in = typed
                .iter_mut()
                .map(|secret| secret.stands_in(node, &parts));
            if stand_in.any(|stands| stands) {
                // For this attempt only: another one may show the same words and mean others.
                self.scrubber.add_typed(node.text());
            }
        }
    }

    fn took(&self, _: &Picture) {}

    async fn before_input(&self, _: &Session, _: &[Input]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_secret_is_known() {
        let secret = TypedSecret::new("hunter2-long");
        for (text, is_part) in [
            ("hunter", true),
            ("unter2-long", true),
            ("huner2-long", true),
            ("note: hunter2-lo", true),
            ("hun", false),
            ("1", false),
            ("", false),
            ("Hunt well", false),
        ] {
            let parts: Vec<Vec<char>> = parts(text).collect();
            assert_eq!(secret.has_some(&parts), is_part, "{text}");
        }
    }
}
