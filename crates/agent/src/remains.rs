//! Masks what fields hold of a typed secret, after a part of it was erased or something else was typed.

use std::sync::{Mutex, PoisonError};

use runner_screen::Screen;
use runner_text::secret::{Scrubber, SecretParts};

/// Parts of the secrets that clients typed.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    parts: Mutex<SecretParts>,
}

impl Remains {
    /// Notes the secrets in a text that is typed. A text without secrets changes nothing.
    pub(crate) fn note(&self, text: &str, scrubber: &Scrubber) {
        let secrets = scrubber.note_typed(text);
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        for place in secrets {
            parts.add(&text[place]);
        }
    }

    /// Adds the texts of fields to the secrets if a part of a typed one is left in them that is not masked
    /// already. Password fields hold no text.
    pub(crate) fn hide(&self, screen: &Screen, scrubber: &Scrubber) {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.is_empty() {
            return;
        }
        for node in screen.nodes().filter(|node| node.is_editable()) {
            if parts.stand_in(&scrubber.scrub_outside(node.text())) {
                scrubber.add_shown(node.text());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use runner_screen::DisplayContext;

    use super::*;

    fn screen(class: &str, text: &str) -> Screen {
        let dump = format!(
            r#"<hierarchy rotation="0"><node index="0" text="{text}" class="{class}" package="a.b" bounds="[0,0][9,9]" /></hierarchy>"#
        );
        Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
    }

    #[test]
    fn what_is_left_in_a_field_is_masked_however_it_was_edited() {
        let field = "android.widget.EditText";
        for (class, text, is_hidden) in [
            (field, "Tr0ub4dor.3", true),
            (field, "r0ub4dor.3-x", true),
            (field, "Tr0ubzz", true),
            (field, "aTr0u4dor.3-x", true),
            (field, "note: Tr0ub4dor.3-x", false),
            (field, "Tr0 and more", false),
            ("android.widget.TextView", "r0ub4do", false),
        ] {
            let scrubber = Scrubber::default();
            scrubber.add("Tr0ub4dor.3-x");
            let remains = Remains::default();
            remains.note("note: Tr0ub4dor.3-x", &scrubber);
            remains.hide(&screen(class, text), &scrubber);
            scrubber.begin_step();
            let is_masked = scrubber.scrub_outside(text) == "***";
            assert_eq!(is_masked, is_hidden, "{class} {text}");
        }
    }
}
