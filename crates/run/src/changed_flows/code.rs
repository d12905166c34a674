//! Searches changed lines of code for names and texts of the app's screens.

use std::collections::HashSet;

/// Words of the changed lines and of the changed files' names.
pub(super) struct CodeWords<'a> {
    text: &'a str,
    words: HashSet<&'a str>,
}

impl<'a> CodeWords<'a> {
    /// Splits `text` into its words: letters, digits and `_` in a row.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            words: words(text).collect(),
        }
    }

    /// Returns true if all words of a name or text of a screen occur as whole words, and, if it has several, the
    /// whole text too. Case counts. `sign_in` also matches `signIn`, the spelling of some code. False for a text
    /// without words.
    pub fn mentions(&self, name: &str) -> bool {
        let mut parts = words(name).peekable();
        if parts.peek().is_none() || !parts.all(|word| self.words.contains(word)) {
            return name.contains('_') && self.words.contains(camel_case(name).as_str());
        }
        words(name).nth(1).is_none() || self.text.contains(name)
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
            "binding.signIn.setOnClickListener { }\n<string name=\"title\">Welcome, friend</string>\napp/LoginActivity.kt\nid_of_row 登录\n",
        );
        for (name, is_mentioned) in [
            ("sign_in", true),
            ("signIn", true),
            ("sign", false),
            ("LoginActivity", true),
            ("Login", false),
            ("Welcome, friend", true),
            ("friend Welcome", false),
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
