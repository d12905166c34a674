//! Finds the changed words of a text.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::row::quoted;

/// Number of words from which texts are not compared word by word. Chosen: the comparison takes the square of
/// it in time.
const MAX_WORDS: usize = 2000;

/// Largest number of characters of a text that is shown in full. Chosen: two such texts fit on a line.
const MAX_SHORT_CHARS: usize = 40;

/// Number of changed parts of a text that are shown. Chosen: more are as hard to read as both texts.
const MAX_DISPLAYED_PARTS: usize = 10;

/// Part of a text: its words before and now, which are equal if they did not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPart {
    /// Words in the golden; empty if words were added.
    pub before: String,
    /// Words now; empty if words were removed.
    pub after: String,
}

impl TextPart {
    /// Returns true if the words did not change.
    pub fn is_same(&self) -> bool {
        self.before == self.after
    }
}

/// Splits two texts into equal and changed parts, in order; joined, the parts give both texts again. Runs of letters
/// and digits are compared as words, each other character by itself. Changed words with only spaces or signs between
/// them are one part. A text of more than 2000 words and signs makes a single part of both; two empty texts make none.
pub fn words(before: &str, after: &str) -> Vec<TextPart> {
    let (old, new) = (tokens(before), tokens(after));
    let part = |old: &[&str], new: &[&str]| TextPart {
        before: old.concat(),
        after: new.concat(),
    };
    // The comparison takes the square of the number of differing words in time.
    if old.len().max(new.len()) > MAX_WORDS {
        return vec![part(&old, &new)];
    }
    let mut parts: Vec<TextPart> = Vec::new();
    for step in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (tag, from, to) = step.as_tag_tuple();
        let next = part(&old[from], &new[to]);
        match parts.last_mut() {
            // The library reports removed and inserted words separately; for a reader they are one change.
            Some(last) if tag != DiffTag::Equal && !last.is_same() => {
                last.before.push_str(&next.before);
                last.after.push_str(&next.after);
            }
            _ => parts.push(next),
        }
    }
    without_gaps(parts)
}

/// Shows a change for people: both texts in quotes, each cut if it is long. If one has more than [`MAX_SHORT_CHARS`]
/// characters and they have words in common, it is a single text with the changes in brackets, such as `"Welcome to
/// [Shop → Store], Ann"`; it ends with `…` behind [`MAX_DISPLAYED_PARTS`] of them. Added and removed words are `[+new]`
/// and `[-old]`.
pub(super) fn in_short(before: &str, after: &str) -> String {
    let is_long = |text: &str| text.chars().nth(MAX_SHORT_CHARS).is_some();
    let parts = words(before, after);
    let is_common =
        |part: &TextPart| part.is_same() && part.after.chars().any(char::is_alphanumeric);
    if !(is_long(before) || is_long(after)) || !parts.iter().any(is_common) {
        return format!("{} → {}", quoted(before), quoted(after));
    }
    let mut text = String::from("\"");
    let last = parts.len() - 1;
    let mut changed = 0;
    for (at, part) in parts.iter().enumerate() {
        if part.is_same() {
            text.push_str(&without_middle(&part.after, at > 0, at < last));
            continue;
        }
        changed += 1;
        if changed > MAX_DISPLAYED_PARTS {
            text.push('…');
            break;
        }
        let [old, new] = [&part.before, &part.after].map(|side| without_middle(side, true, true));
        text.push_str(&match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("[+{new}]"),
            (_, true) => format!("[-{old}]"),
            _ => format!("[{old} → {new}]"),
        });
    }
    text.push('"');
    text
}

/// Shortens a text of more than [`MAX_SHORT_CHARS`] characters with one `…`: half of these stay at its beginning, at
/// its end or at both, as the flags say. Without any flag both are kept. A shorter text stays.
fn without_middle(text: &str, keeps_beginning: bool, keeps_end: bool) -> String {
    let count = text.chars().count();
    if count <= MAX_SHORT_CHARS {
        return text.to_owned();
    }
    let stored = MAX_SHORT_CHARS / 2;
    let beginning: String = text.chars().take(stored).collect();
    let end: String = text.chars().skip(count - stored).collect();
    match (keeps_beginning, keeps_end) {
        (true, false) => format!("{beginning}…"),
        (false, true) => format!("…{end}"),
        _ => format!("{beginning}…{end}"),
    }
}

/// Merges changed parts that only spaces or signs separate.
fn without_gaps(parts: Vec<TextPart>) -> Vec<TextPart> {
    let mut whole: Vec<TextPart> = Vec::new();
    for part in parts {
        let is_gap =
            |gap: &TextPart| gap.is_same() && !gap.after.chars().any(char::is_alphanumeric);
        match whole.as_mut_slice() {
            [.., changed, gap] if !part.is_same() && !changed.is_same() && is_gap(gap) => {
                for more in [&*gap, &part].map(Clone::clone) {
                    changed.before.push_str(&more.before);
                    changed.after.push_str(&more.after);
                }
                whole.pop();
            }
            _ => whole.push(part),
        }
    }
    whole
}

/// Splits a text into runs of letters and digits, with each other character by itself. Joined, they give the text.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = if first.is_alphanumeric() {
            rest.find(|c: char| !c.is_alphanumeric())
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, left) = rest.split_at(end);
        tokens.push(token);
        rest = left;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_the_words_that_changed() {
        for (before, after, wanted) in [
            ("Shop", "Store", vec![("Shop", "Store")]),
            (
                "Welcome to Shop, Ann",
                "Welcome to Store, Ann",
                vec![
                    ("Welcome to ", "Welcome to "),
                    ("Shop", "Store"),
                    (", Ann", ", Ann"),
                ],
            ),
            ("Order now", "Buy later", vec![("Order now", "Buy later")]),
            (
                "Sign in",
                "Sign in now",
                vec![("Sign in", "Sign in"), ("", " now")],
            ),
            (
                "Größe: 3",
                "Größe: 4",
                vec![("Größe: ", "Größe: "), ("3", "4")],
            ),
            ("", "new", vec![("", "new")]),
            ("same", "same", vec![("same", "same")]),
            ("", "", vec![]),
        ] {
            let found = words(before, after);
            let found: Vec<(&str, &str)> = found
                .iter()
                .map(|part| (part.before.as_str(), part.after.as_str()))
                .collect();
            assert_eq!(found, wanted, "{before} → {after}");
        }
    }

    /// A long sentence must not be shown twice because of one word.
    #[test]
    fn of_long_texts_the_words_that_changed_are_shown() {
        let long = "The quick brown fox jumps over the lazy dog, and then it rests for a while";
        for (before, after, display) in [
            ("Shop", "Store", r#""Shop" → "Store""#.to_owned()),
            (
                "Welcome to the Shop, and thank you for your visit",
                "Welcome to the Store, and thank you for your visit",
                r#""Welcome to the [Shop → Store], and thank you for your visit""#.to_owned(),
            ),
            (
                &format!("{long} here"),
                &format!("{long} there"),
                r#""…t rests for a while [here → there]""#.to_owned(),
            ),
            (
                &format!("{long} now"),
                long,
                r#""…it rests for a while[- now]""#.to_owned(),
            ),
            ("", long, format!("\"\" → \"{long}\"")),
        ] {
            assert_eq!(in_short(before, after), display);
        }
    }

    proptest! {
        #[test]
        fn both_texts_are_in_it(before in "[ab ,ü]{0,12}", after in "[ab ,ü]{0,12}") {
            let parts = words(&before, &after);
            let old: String = parts.iter().map(|part| part.before.as_str()).collect();
            let new: String = parts.iter().map(|part| part.after.as_str()).collect();
            prop_assert_eq!(old, before);
            prop_assert_eq!(new, after);
        }
    }
}
