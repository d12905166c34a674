//! Recognizes texts that contain a part of a secret.

use std::collections::HashSet;

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
}
