//! Tables of words, and how a word is looked up in them.

use runner_text::suggest::snake_case;

/// Table of steps: the equivalent, and words for it.
pub(super) const STEPS: &str = include_str!("steps.tsv");

/// Table of steps by parts of words: the equivalent, and the parts.
pub(super) const PARTS: &str = include_str!("parts.tsv");

/// Returns the letters and digits of a word's last part behind a dot in lower case: `get` of `cy.get('x')`. All from
/// the first `(`, `"` or `=` on is cut off. May be empty.
pub(super) fn plain(word: &str) -> String {
    let word = word.split(['(', '"', '=']).next().unwrap_or_default();
    let last = word.rsplit('.').next().unwrap_or_default();
    let letters = last.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns the rows of a table, in its order. Lines that begin with `#` or have not just `N` cells between tabs are
/// left out. The last cell lists words.
pub(super) fn rows<const N: usize>(
    table: &'static str,
) -> impl Iterator<Item = [&'static str; N]> + Clone {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

/// Returns true if `word` is exactly one of `words`, which are separated by single blanks.
pub(crate) fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns true if `word`, split as `snake_case` splits it, has for each part one of its choices as a whole word.
/// Parts are separated by blanks, their choices by `|`; `!` means any negation, such as `not` or `hidden`. Order and
/// case of the words do not count.
pub(super) fn has_parts(word: &str, parts: &str) -> bool {
    const NEGATIONS: &str = "not no never dont gone hidden invisible absent disappear disappears disappeared removed missing detached";
    let word = snake_case(word);
    let words: Vec<&str> = word.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |one: &str| match one {
        "!" => words.iter().any(|word| lists(NEGATIONS, word)),
        one => words.contains(&one),
    };
    parts.split(' ').all(|part| part.split('|').any(has))
}
