//! Searches changed lines of code for names and texts of the app's screens.

use std::collections::HashMap;

/// Characters of the longest entity of XML that is decoded, `#x10FFFF`.
const MAX_ENTITY_CHARS: usize = 8;

/// Words of the changed lines and of the changed files' names.
pub(super) struct CodeWords<'a> {
    /// All words in their order.
    words: Vec<&'a str>,
    /// Indices of each word.
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> CodeWords<'a> {
    /// Splits a text, which [`decoded`] returned, into its words: letters, digits and `_` in a row.
    pub fn new(text: &'a str) -> Self {
        let words: Vec<&str> = words(text).collect();
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

/// Returns changed lines with the signs that their escapes and entities stand for, as a screen shows them: `\u2019`,
/// `\u{2019}`, `\n`, `&amp;` and `&#8217;`. Any other `\` and `&` becomes a blank, as neither is a part of a word.
pub(super) fn decoded(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        let (before, code) = rest.split_at(at);
        decoded.push_str(before);
        let (is_escape, code) = (code.starts_with('\\'), &code[1..]);
        let found = if is_escape {
            escape(code)
        } else {
            entity(code)
        };
        let (sign, behind) = found.unwrap_or((' ', code));
        decoded.push(sign);
        rest = behind;
    }
    decoded.push_str(rest);
    decoded
}

/// Returns the sign of an escape, behind its `\`, and what follows it. `None` for one of another kind, as in `\'`.
fn escape(text: &str) -> Option<(char, &str)> {
    if let Some(behind) = text.strip_prefix(['n', 'r', 't']) {
        return Some((' ', behind));
    }
    let number = text.strip_prefix('u')?;
    let (hex, behind) = match number.strip_prefix('{') {
        Some(braced) => {
            let mut signs = braced.char_indices().take(MAX_ENTITY_CHARS);
            let end = signs.find(|(_, sign)| *sign == '}')?.0;
            (&braced[..end], &braced[end + 1..])
        }
        None => number.split_at_checked(4)?,
    };
    let code = u32::from_str_radix(hex, 16).ok()?;
    // Half of a pair, as of an emoji, is no sign.
    Some((char::from_u32(code).unwrap_or(' '), behind))
}

/// Returns the sign of an entity of XML, behind its `&`, and what follows it. `None` for a name that XML does not have.
fn entity(text: &str) -> Option<(char, &str)> {
    let mut signs = text.char_indices().take(MAX_ENTITY_CHARS + 1);
    let end = signs.find(|(_, sign)| *sign == ';')?.0;
    let (name, behind) = (&text[..end], &text[end + 1..]);
    let sign = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((sign, behind))
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
        let text = decoded(
            "binding.signIn.setOnClickListener { }\n<string name=\"title\">Welcome, friend</string>\napp/LoginActivity.kt\nid_of_row 登录\nDon\\'t show again; Terms &amp; Conditions; Please wait\\u2026\n\
             It\\u2019s\\u{20}on; You&#8217;re in; caf&#xe9; cr\\u00e8me; One\\nTwo; R&D; \\u12; &; \\",
        );
        let code = CodeWords::new(&text);
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
            ("It’s on", true),
            ("You’re in", true),
            ("café crème", true),
            ("One Two", true),
            ("R&D", true),
            ("u12", true),
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
