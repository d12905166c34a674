//! Secrets that an attempt typed, and the masking of what is left of them in a field: a text that did not arrive whole, or of
//! which a part was erased, is none that the mask knows.

use std::sync::{Arc, Mutex, PoisonError};

use runner_device::{Input, Picture};
use runner_engine::{Observer, Session, focused_text};
use runner_screen::Screen;
use runner_text::secret::Scrubber;

/// The secrets that an attempt typed. As an observer it looks at the field with the focus.
#[derive(Debug)]
pub(super) struct TypedSecrets {
    scrubber: Scrubber,
    typed: Mutex<Vec<String>>,
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
        if !typed.iter().any(|known| known == text) {
            typed.push(text.to_owned());
        }
    }

    fn is_left_of_one(&self, text: &str) -> bool {
        let typed = self.typed.lock().unwrap_or_else(PoisonError::into_inner);
        typed
            .iter()
            .any(|secret| secret != text && is_left_of(text, secret))
    }
}

/// Returns true if a text is another one of which characters are missing.
fn is_left_of(text: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    !text.is_empty() && text.chars().all(|it| whole.any(|other| other == it))
}

#[async_trait::async_trait]
impl Observer for TypedSecrets {
    fn saw(&self, screen: &Arc<Screen>) {
        if let Some(text) = focused_text(screen)
            && self.is_left_of_one(text)
            && self.scrubber.find(text).is_empty()
        {
            self.scrubber.add(text);
        }
    }

    fn took(&self, _: &Picture) {}

    async fn before_input(&self, _: &Session, _: &[Input]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_secret_is_known() {
        for (text, is_left) in [
            ("hunter", true),
            ("hunter2-lon", true),
            ("unter2-long", true),
            ("huner2-long", true),
            ("h", true),
            ("", false),
            ("Hunter", false),
            ("hunter3", false),
            ("2hunter", false),
            ("hunter2-longer", false),
        ] {
            assert_eq!(is_left_of(text, "hunter2-long"), is_left, "{text}");
        }
    }
}
