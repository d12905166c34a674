//! Generates `docs/reference/diagnostics.md` from the table of codes.

use super::{Code, Severity};

const HEAD: &str = "# Diagnostics

`runner lint` and `runner test` say what is wrong in a file, with a code in brackets: `error[unknown-step]`. The codes stay
the same from version to version. An error keeps a file from being used; a warning does not. Some errors of an app are
warnings where little is lost.

<!-- Made from the program: `cargo test -p runner-text --lib write_the_document -- --ignored` -->

| code | is | meaning |
|---|---|---|
";

/// Returns the whole page: [`HEAD`], and a row for each code in the order of the table.
fn docs() -> String {
    let rows = Code::ALL.iter().map(|code| {
        let severity = match code.severity() {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        format!("| `{code}` | {severity} | {} |\n", code.meaning())
    });
    HEAD.to_owned() + &rows.collect::<String>()
}

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/reference/diagnostics.md"
);

/// Fails if the stored page is missing or differs from the table. Line ends of Windows do not count.
#[test]
fn the_document_is_current() {
    let stored = fs_err::read_to_string(FILE).unwrap_or_default();
    assert!(
        stored.replace("\r\n", "\n") == docs(),
        "docs/reference/diagnostics.md is out of date; make it again with \
         `cargo test -p runner-text --lib write_the_document -- --ignored`"
    );
}

#[test]
#[ignore = "writes docs/reference/diagnostics.md"]
fn write_the_document() {
    fs_err::write(FILE, docs()).unwrap();
}
