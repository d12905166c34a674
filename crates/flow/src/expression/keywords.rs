//! Words that cannot be names: those of the language, and those of other languages for values.

/// Words of other languages for values, with advice.
const WORDS: [(&str, &str); 8] = [
    ("null", "write `none`"),
    ("Null", "write `none`"),
    ("NULL", "write `none`"),
    ("nil", "write `none`"),
    ("undefined", "write `NAME is undefined`"),
    ("TRUE", "write `true`"),
    ("FALSE", "write `false`"),
    (
        "typeof",
        "write `NAME is string`, `is number`, `is boolean`",
    ),
];

/// Keywords of expressions, which cannot be names.
pub(super) const KEYWORDS: [&str; 7] = ["and", "or", "not", "in", "is", "if", "else"];

/// Returns a message for a keyword or a word of another language, such as `null`, in the place of a value;
/// `None` for any other word.
pub(super) fn wrong_word(word: &str) -> Option<String> {
    if KEYWORDS.contains(&word) {
        return Some(format!(
            "`{word}` cannot stand here; it is a word of the language"
        ));
    }
    let (theirs, advice) = WORDS.iter().find(|(theirs, _)| *theirs == word)?;
    Some(format!("there is no `{theirs}` here; {advice}"))
}

/// Returns true if a word cannot be a name: a constant, a keyword, or a word of another language such as
/// `null`.
pub(crate) fn is_reserved(word: &str) -> bool {
    ["true", "false", "none", "True", "False", "None"].contains(&word) || wrong_word(word).is_some()
}
