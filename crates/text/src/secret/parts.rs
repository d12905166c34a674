//! Recognizes texts that contain a part of a secret.

use std::collections::HashSet;

use super::pieces::is_plain_word;

/// Length of a part in characters. Chosen: shorter ones occur in ordinary words.
pub const MIN_PART: usize = 4;

/// Set of all substrings of [`MIN_PART`] characters of some texts.
#[derive(Debug, Clone, Default)]
pub struct SecretParts(HashSet<[char; MIN_PART]>);

impl SecretParts {
    /// Adds all parts of a text: each run of `MIN_PART` characters. A shorter text has none.
    pub fn add(&mut self, text: &str) {
        self.0.extend(parts(text));
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if `text` contains one of the parts anywhere. Case counts.
    pub fn stand_in(&self, text: &str) -> bool {
        !self.is_empty() && parts(text).any(|part| self.0.contains(&part))
    }
}

/// Returns true if a written part of a secret is masked by itself: it has at least [`MIN_PART`] characters, letters or
/// digits among them, and is no plain word, such as `Bearer ` and `https://`, which other texts have too.
pub fn is_telling(part: &str) -> bool {
    let is_long = part.trim().chars().count() >= MIN_PART;
    is_long && part.contains(char::is_alphanumeric) && !is_plain_word(part)
}

/// Iterates over all parts of `MIN_PART` characters, at each character once. Empty for a shorter text.
fn parts(text: &str) -> impl Iterator<Item = [char; MIN_PART]> {
    let mut last = ['\0'; MIN_PART];
    let rows = text.chars().map(move |character| {
        last.rotate_left(1);
        last[MIN_PART - 1] = character;
        last
    });
    rows.skip(MIN_PART - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_characters_in_a_row_of_a_secret_is_known() {
        let mut secret = SecretParts::default();
        assert!(!secret.stand_in("hunter2-long"));
        secret.add("hunter2-long");
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
            assert_eq!(secret.stand_in(text), is_part, "{text}");
        }
    }

    #[test]
    fn a_written_part_tells_a_secret_unless_it_is_short_or_a_word() {
        for (part, is_told) in [
            ("tok-9f8e7d6c-", true),
            ("Sup3rGeheim", true),
            ("9182", true),
            (" 9182 ", true),
            ("/v1/login?key=", true),
            ("geheim", false),
            ("Bearer ", false),
            ("https://", false),
            ("--------", false),
            ("a1-", false),
            ("  1  ", false),
            ("", false),
        ] {
            assert_eq!(is_telling(part), is_told, "{part:?}");
        }
    }
}
