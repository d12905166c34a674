//! Judges what a field holds of a text that did not arrive whole.

/// Returns a guess, in words, why a field holds a part of the text only: it has a limit, or refuses characters.
/// `None` if neither explains it, and for an empty field, which the app may have emptied. It names kinds of
/// characters only, as the text may hold a secret.
pub(super) fn guess(expected: &str, actual: &str) -> Option<String> {
    if actual.is_empty() || expected == actual {
        return None;
    }
    let mut refused: Vec<char> = Vec::new();
    for character in expected.chars() {
        if !actual.contains(character) && !refused.contains(&character) {
            refused.push(character);
        }
    }
    let is_rest = |text: String| !refused.is_empty() && text == actual;
    let refuses = is_rest(expected.chars().filter(|c| !refused.contains(c)).collect());
    let is_cut = expected.starts_with(actual);
    let refusal = format!("refuse {}", kind(&refused));
    match (is_cut, refuses) {
        (true, true) => Some(format!("the field may {refusal}, or limit its length")),
        (true, false) => Some("the field may limit its length".to_owned()),
        (false, true) => Some(format!("the field may {refusal}")),
        (false, false) => None,
    }
}

/// Returns the kind that all of these characters have; `some characters` if they are mixed, or signs beyond ASCII.
fn kind(characters: &[char]) -> &'static str {
    let are_all = |is_kind: fn(char) -> bool| characters.iter().all(|c| is_kind(*c));
    if are_all(char::is_alphabetic) {
        "letters"
    } else if are_all(char::is_numeric) {
        "digits"
    } else if are_all(char::is_whitespace) {
        "spaces"
    } else if are_all(|c| c.is_ascii_punctuation()) {
        "signs"
    } else {
        "some characters"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_is_explained_only_by_what_it_proves() {
        for (expected, actual, guessed) in [
            (
                "1three",
                "1",
                Some("the field may refuse letters, or limit its length"),
            ),
            ("12-34-56", "123456", Some("the field may refuse signs")),
            ("a1 b2", "ab", Some("the field may refuse some characters")),
            ("a 1", "a1", Some("the field may refuse spaces")),
            ("a1b2", "ab", Some("the field may refuse digits")),
            (
                "hello world",
                "hello wor",
                Some("the field may limit its length"),
            ),
            ("hello", "help", None),
            ("hello", "olleh", None),
            ("hello", "hello", None),
            ("hello", "", None),
            ("", "hello", None),
        ] {
            assert_eq!(guess(expected, actual).as_deref(), guessed, "{expected}");
        }
    }
}
