//! Secrets that an attempt typed, and the masking of their remains in fields: a text that arrived or was
//! erased in part is not known to the mask.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use runner_device::{Input, Picture};
use runner_engine::{Observer, Session};
use runner_screen::{Node, Rect, Screen};
use runner_text::secret::{Scrubber, SecretParts};

/// Secrets that an attempt typed. As an observer it watches the fields that they were typed into.
#[derive(Debug)]
pub(super) struct TypedSecrets {
    scrubber: Scrubber,
    typed: Mutex<Vec<TypedSecret>>,
}

#[derive(Debug)]
struct TypedSecret {
    text: String,
    parts: SecretParts,
    /// Field, once a look has shown it.
    field: Option<FieldKey>,
}

/// Key that identifies a field on later looks.
#[derive(Debug, PartialEq, Eq)]
enum FieldKey {
    Id(String),
    Place(String, Rect),
}

impl FieldKey {
    /// Identifies a field by its id, or, without one, by class and bounds.
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
        let mut parts = SecretParts::default();
        parts.add(text);
        Self {
            text: text.to_owned(),
            parts,
            field: None,
        }
    }

    /// Returns true if the field shows a part of the secret. The first field that does is taken for its field
    /// from then on, and others no longer count.
    fn is_shown_in(&mut self, node: Node<'_>) -> bool {
        if !self.parts.stand_in(node.text()) {
            return false;
        }
        let key = FieldKey::new(node);
        *self.field.get_or_insert_with(|| FieldKey::new(node)) == key
    }
}

impl TypedSecrets {
    pub(super) fn new(scrubber: Scrubber) -> Self {
        Self {
            scrubber,
            typed: Mutex::default(),
        }
    }

    /// Notes a text that is typed, if it contains a secret.
    pub(super) fn note(&self, text: &str) {
        if self.scrubber.scrub(text) != text {
            self.add(text);
        }
    }

    /// Notes the secrets in the arguments of `shell`, which may type them: in the texts of `argv`, or of the list
    /// itself. Any other form has none.
    pub(super) fn note_words(&self, arguments: &Value) {
        let words = arguments.get("argv").unwrap_or(arguments).as_array();
        for word in words.into_iter().flatten().filter_map(Value::as_str) {
            for place in self.scrubber.note_typed(word) {
                self.add(&word[place]);
            }
        }
    }

    /// Notes a secret that is typed: it and its parts are masked where its field shows them. After a second call for
    /// the same text any field may be its field.
    pub(super) fn add(&self, text: &str) {
        self.scrubber.note_typed(text);
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        // Typed again, it may be in another field.
        typed.retain(|known| known.text != text);
        typed.push(TypedSecret::new(text));
    }

    /// Returns true for a text that is a part of a typed secret.
    pub(super) fn has_part(&self, text: &str) -> bool {
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed.iter().any(|secret| secret.text.contains(text))
    }
}

#[async_trait::async_trait]
impl Observer for TypedSecrets {
    /// Masks what fields, other than password fields, show of typed secrets from now on, for this attempt only.
    fn saw(&self, screen: &Arc<Screen>) {
        let mut typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        if typed.is_empty() {
            return;
        }
        let is_readable = |node: &Node<'_>| node.is_editable() && !node.flags().password;
        for node in screen.nodes().filter(is_readable) {
            let mut stand_in = typed.iter_mut().map(|secret| secret.is_shown_in(node));
            if stand_in.any(|stands| stands) {
                // For this attempt only: another may show the same text with another meaning.
                self.scrubber.add_shown(node.text());
            }
        }
    }

    fn took(&self, _: &Picture) {}

    async fn before_input(&self, _: &Session, _: &[Input]) {}
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_among_the_arguments_of_shell_is_noted_as_typed() {
        let secret = "Tr0ub4dor.3-x";
        let words = json!(["input", "text", format!("a{secret}"), 5]);
        for arguments in [words.clone(), json!({ "argv": words })] {
            let scrubber = Scrubber::default();
            scrubber.add(secret);
            let typed = TypedSecrets::new(scrubber.clone());
            assert_eq!(scrubber.scrub_outside("is r0ub4dor.3"), "is r0ub4dor.3");
            typed.note_words(&arguments);
            assert_eq!(scrubber.scrub_outside("is r0ub4dor.3"), "is ***");
            assert!(typed.has_part("ub4d") && !typed.has_part("aTr0"));
        }
    }
}
