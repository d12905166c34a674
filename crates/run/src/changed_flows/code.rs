//! Searches changed lines of code for names and texts of the app's screens.

use std::collections::HashMap;

/// Entities of XML, which stand for marks between words.
const ENTITIES: [&str; 6] = ["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"];

/// Words of the changed lines and of the changed files' names.
pub(super) struct CodeWords<'a> {
    /// All words in their order.
    words: Vec<&'a str>,
    /// Indices of each word.
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> CodeWords<'a> {
    /// Splits `text` into its words: letters, digits and `_` in a row.
    pub fn new(text: &'a str) -> Self {
        let mut parts = vec![text];
        for entity in ENTITIES {
            parts = parts
                .into_iter()
                .flat_map(|part| part.split(entity))
                .collect();
        }
        let words: Vec<&str> = parts.into_iter().flat_map(words).collect();
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, word) in words.iter().enumerate() {
            places.entry(*word).or_default().push(at);
        }
        Self { words, places }
    }

    /// Returns true if the words of a name or text of a screen occur as whole words, one after the other. Case counts,
    /// and what stands between them does not: a file of texts has `Don\'t` and `Terms &amp; Conditions`. `sign_in` also
    /// matches `signIn`, the spelling of some code. False for a text without words.
    pub fn mentions(&self, name: &str) -> bool {
        let wanted: Vec<&str> = words(name).collect();
        let Some((first, rest)) = wanted.split_first() else {
            return false;
        };
        let places = self.places.get(*first);
        let mut places = places.into_iter().flatten();
        places.any(|at| self.words[at + 1..].starts_with(rest))
            || name.contains('_') && self.places.contains_key(camel_case(name).as_str())
    }
}

/// Returns the words of a text in their order, with duplicates: letters, digits and `_` in a row.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

/// Converts `sign_in` to `signIn`. The first part and the letters after an initial stay as they are; empty parts are
/// left out. A name without `_` is returned as it is.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_').filter(|part| !part.is_empty());
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut letters = part.chars();
        text.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        text.push_str(letters.as_str());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_mentioned() {
        let code = CodeWords::new(
            "binding.signIn.setOnClickListener { }\n<string name=\"title\">Welcome, friend</string>\napp/LoginActivity.kt\nid_of_row 登录\nDon\\'t show again; Terms &amp; Conditions; Please wait\\u2026\n",
        );
        for (name, is_mentioned) in [
            ("sign_in", true),
            ("signIn", true),
            ("sign", false),
            ("LoginActivity", true),
            ("Login", false),
            ("Welcome, friend", true),
            ("friend Welcome", false),
            ("friend app", false),
            ("Don't show again", true),
            ("don't show again", false),
            ("Don't show", true),
            ("Terms & Conditions", true),
            ("Please wait…", true),
            ("amp", false),
            ("id_of_row", true),
            ("id", false),
            ("登录", true),
            ("…", false),
            ("", false),
            ("_", false),
        ] {
            assert_eq!(code.mentions(name), is_mentioned, "{name}");
        }
    }
}
