//! Whether what a field holds is the text that was typed.

/// What fields put between the letters of codes. Other marks between letters are a keyboard's, which still composes.
const SEPARATORS: [char; 7] = [' ', '\u{a0}', '-', '–', '.', '/', ':'];

/// Whether the text arrived. Fields may group digits or change letter case, so where the contents are not just what was
/// expected, every typed character must be there in its order and the field must have changed.
pub(super) fn arrived(before: &str, text: &str, whole: &str, content: &str) -> bool {
    if content == whole {
        return true;
    }
    if text.is_empty() || content == before {
        return false;
    }
    let mut left = content.chars().flat_map(char::to_lowercase);
    let mut last = None::<char>;
    whole.chars().flat_map(char::to_lowercase).all(|wanted| {
        let among_letters = wanted.is_alphabetic() && last.is_some_and(char::is_alphabetic);
        last = Some(wanted);
        for character in left.by_ref() {
            if character == wanted {
                return true;
            }
            if among_letters && !SEPARATORS.contains(&character) {
                return false;
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fields_do_to_texts_is_taken_and_what_keyboards_do_is_not() {
        for (text, content, is_there) in [
            ("ada", "ada", true),
            ("ada", "ADA", true),
            ("4111111111111111", "4111 1111 1111 1111", true),
            ("1234.5", "$1,234.50", true),
            ("de89370400", "DE89 3704 00", true),
            ("abcdefgh", "ABCD-EFGH", true),
            ("ada", "ad", false),
            ("ada", "daa", false),
            // A keyboard that composes shows its syllables.
            ("ada", "a'da", false),
            ("ada", "adxa", false),
        ] {
            assert_eq!(
                arrived("", text, text, content),
                is_there,
                "{text} {content}"
            );
        }
        assert!(!arrived("ada", "ada", "adaada", "ada"), "nothing new");
    }
}
