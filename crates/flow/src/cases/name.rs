//! Names of cases, which are also file names.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum characters of a name. Chosen: still readable in a report's table.
const MAX_CHARS: usize = 64;

/// Maximum bytes of a name. Chosen: with an extension it stays below the 255 bytes of usual file systems.
const MAX_BYTES: usize = 160;

/// The name of a case: safe as the name of a file, on every system.
///
/// What may not stand in one becomes `_`, so that a name that was read from anywhere is safe too.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String")]
#[schemars(with = "String")]
pub struct CaseName(String);

impl CaseName {
    /// Converts a text to a name that is safe as a file name on all systems. Trims it, and cuts it at `MAX_CHARS` and
    /// `MAX_BYTES`. Keeps letters and digits of any language, `.`, `_`, `-` and `@`; any other character becomes `_`,
    /// as does a dot at the end. A leading dot, an empty text and a name of a Windows device such as `con` get a leading
    /// `_`.
    pub fn new(text: &str) -> Self {
        let mut name = String::new();
        for c in text.trim().chars().take(MAX_CHARS) {
            let plain = if c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@') {
                c
            } else {
                '_'
            };
            if name.len() + plain.len_utf8() > MAX_BYTES {
                break;
            }
            name.push(plain);
        }
        without_end_dot(&mut name);
        // A leading dot would hide the file, and a leading `_` looks like a sub-flow.
        if name.starts_with('.') || name.is_empty() || is_reserved(&name) {
            name.insert(0, '_');
            while name.chars().count() > MAX_CHARS || name.len() > MAX_BYTES {
                name.pop();
            }
            without_end_dot(&mut name);
        }
        Self(name)
    }

    /// Joins the names of a row and a variant: `anna@de-dark`. If the result would have more than `MAX_CHARS`
    /// characters or `MAX_BYTES`, the row's part is shortened and gets `-` and 8 digits of its hash.
    pub(super) fn joined(row: &Self, variant: &str) -> Self {
        let ending = format!("@{variant}");
        if row.before(&ending) == row.0 {
            return Self::new(&format!("{row}{ending}"));
        }
        // The hash keeps names distinct that differ only at their ends.
        let hash = runner_base::files::hash(row.0.as_bytes());
        let ending = format!("-{}{ending}", hash.get(..8).unwrap_or_default());
        Self::new(&format!("{}{ending}", row.before(&ending)))
    }

    /// Returns as much of the name's beginning as leaves room for `ending` behind it.
    pub(super) fn before(&self, ending: &str) -> &str {
        let chars = MAX_CHARS.saturating_sub(ending.chars().count());
        let bytes = MAX_BYTES.saturating_sub(ending.len());
        let ends = self.0.char_indices().map(|(at, c)| at + c.len_utf8());
        let end = ends.take(chars).take_while(|end| *end <= bytes).last();
        &self.0[..end.unwrap_or_default()]
    }

    /// Returns the name in lower case. Two names with the same result are the same file on some systems.
    pub(super) fn folded(&self) -> String {
        self.0.to_lowercase()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Replaces a dot at the end by `_`: Windows drops it, and a name of dots is not a file.
fn without_end_dot(name: &mut String) {
    if name.ends_with('.') {
        name.pop();
        name.push('_');
    }
}

/// Returns true if Windows would open a device instead of a file of this name: `con`, `prn`, `aux`, `nul`, or
/// `com` or `lpt` with one digit. Case and all after the first dot do not count.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_lowercase();
    let numbered = |port: &str| {
        stem.strip_prefix(port)
            .is_some_and(|end| end.chars().count() == 1 && end.chars().all(char::is_numeric))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

impl From<String> for CaseName {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

impl fmt::Display for CaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_file_names() {
        for (text, name) in [
            ("anna", "anna"),
            ("de-dark-fs200", "de-dark-fs200"),
            ("anna@de-dark", "anna@de-dark"),
            (" Größe 7 ", "Größe_7"),
            ("日本", "日本"),
            ("a/b\\c:d", "a_b_c_d"),
            ("../x", "_.._x"),
            ("..", "_._"),
            ("v1.", "v1_"),
            ("", "_"),
            ("nul", "_nul"),
            ("Com1.txt", "_Com1.txt"),
            ("company", "company"),
            ("a\0b\n", "a_b"),
        ] {
            assert_eq!(CaseName::new(text).as_str(), name, "{text:?}");
        }
        assert_eq!(CaseName::new(&"x".repeat(500)).as_str().len(), MAX_CHARS);
    }

    proptest! {
        #[test]
        fn a_name_is_safe_and_stays_as_it_is(text in any::<String>()) {
            let name = CaseName::new(&text);
            prop_assert_eq!(&CaseName::new(name.as_str()), &name);
            let text = name.as_str();
            prop_assert!(!text.is_empty() && text.len() <= MAX_BYTES);
            prop_assert!(!text.contains(['/', '\\', ':', '\0']) && !text.starts_with('.') && !text.ends_with('.'));
        }

        // One character of a name may have four bytes.
        #[test]
        fn a_long_name_is_safe_and_keeps_its_variant(
            row in "[.a日𐌰]{40,70}", variant in "[a-z]{2}-(dark|light)-fs[1-5]00"
        ) {
            let row = CaseName::new(&row);
            prop_assert_eq!(&CaseName::new(row.as_str()), &row);
            let joined = CaseName::joined(&row, &variant);
            prop_assert!(joined.as_str().ends_with(&format!("@{variant}")), "{joined}");
            prop_assert!(joined.as_str().len() <= MAX_BYTES);
            prop_assert!(joined.as_str().chars().count() <= MAX_CHARS);
        }
    }
}
