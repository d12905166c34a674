//! Tables of words of other tools, with what to write here.

/// Table with a line for each hint: what to write, a tab, and the options that people try instead. After a
/// second tab stand the subcommands that it is for, else it is for all. Text that begins with one of
/// [`SENTENCES`] is a whole sentence.
pub(super) const OPTIONS: &str = include_str!("options.tsv");

/// Beginnings of advice that does not follow `write`.
pub(super) const SENTENCES: [&str; 2] = ["there ", "leave it out"];

/// Words that switch an option on, and those that switch it off.
pub(super) const ON: &str = "true yes on 1 enabled";
pub(super) const OFF: &str = "false no off 0 none disabled never";

pub(super) struct Row {
    /// Text of the advice.
    pub ours: &'static str,
    /// Words that mean it, with spaces between them.
    pub words: &'static str,
    /// Subcommands that it is for, with spaces between them; empty if it is for all.
    pub only: &'static str,
}

/// Iterates over the rows of a table, in their order. Lines that begin with `#`, and lines without a tab, are left
/// out; a missing third column is empty.
pub(super) fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (ours, rest) = line.split_once('\t')?;
        let (words, only) = rest.split_once('\t').unwrap_or((rest, ""));
        Some(Row { ours, words, only })
    })
}

/// Returns the letters and digits of a word in lower case.
pub(super) fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns true if a list with spaces between its words has the word.
pub(super) fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns every row of the table for a word, whatever its case and punctuation, in the order of the table.
pub(super) fn known(table: &'static str, word: &str) -> impl Iterator<Item = Row> {
    let plain = plain(word);
    rows(table).filter(move |row| lists(row.words, &plain))
}

/// Returns the first advice of the table for an option of a subcommand. `word` counts whatever its case and
/// punctuation. Advice that begins with an option fits only if that is one of `options`; advice of the subcommand
/// itself does not fit. `None` if there is none.
pub(super) fn known_option(word: &str, options: &[&str], subcommand: &str) -> Option<&'static str> {
    let fits = |row: &Row| {
        let long = row.ours.strip_prefix("`--");
        let long = long.and_then(|rest| rest.split([' ', '`', '=']).next());
        let is_itself = row
            .ours
            .starts_with(&format!("the subcommand `runner {subcommand}`"));
        let is_for = row.only.is_empty() || lists(row.only, subcommand);
        is_for && !is_itself && long.is_none_or(|long| options.contains(&long))
    };
    known(OPTIONS, word).find(fits).map(|row| row.ours)
}
