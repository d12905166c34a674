//! Generates the table of settings in `docs/reference/config.md`.

use std::fmt::Write as _;

use super::schema::EXTRA_KEYS;
use super::table::rows;

/// Returns a table in Markdown: each key of `runner.yaml` with its values, default, option and variable, in
/// the order of the settings. Settings without a key are in it too, and keys that are no settings follow
/// theirs.
pub fn docs() -> String {
    let mut text = "| key | value | default | option, variable |\n|---|---|---|---|\n".to_owned();
    let mut add = |key: &str, docs: &str, default: &str, others: &str| {
        let _ = writeln!(text, "| {key} | {docs} | {default} | {others} |");
    };
    for row in rows() {
        let flag = row.flag.map(|flag| format!("`--{}`", flag.name));
        let variable = row.variable.map(|variable| format!("`{variable}`"));
        let others: Vec<String> = flag.into_iter().chain(variable).collect();
        let key = row.key.map_or("–".to_owned(), |key| format!("`{key}`"));
        add(&key, row.docs, &row.default, &others.join(", "));
        for extra in EXTRA_KEYS.iter().filter(|extra| extra.after == row.name) {
            add(&format!("`{}`", extra.key), extra.docs, "–", "");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/reference/config.md"
    );
    const BEGIN: &str = "<!-- settings: made from their table, do not edit -->\n\n";
    const END: &str = "\n<!-- end of settings -->";

    /// Replaces the table in the page.
    fn renewed(stored: &str) -> String {
        runner_testing::with_section(stored, BEGIN, END, &docs())
    }

    #[test]
    fn the_document_is_current() {
        let stored = fs_err::read_to_string(FILE).unwrap().replace("\r\n", "\n");
        assert!(
            stored == renewed(&stored),
            "docs/reference/config.md is out of date; make its table again with \
             `cargo test -p runner-config --lib write_the_document -- --ignored`"
        );
    }

    #[test]
    #[ignore = "writes docs/reference/config.md"]
    fn write_the_document() {
        let stored = fs_err::read_to_string(FILE).unwrap();
        fs_err::write(FILE, renewed(&stored)).unwrap();
    }
}
