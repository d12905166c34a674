//! `docs/developers/rows.md`: each row of the four catalogues and the tests that call it. It is made from the
//! registry and the names of the tests; `cargo test --test tests rows::write_the_document -- --ignored` makes
//! it again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use runner::tools::{Catalogue, registry};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Row of a catalogue: its letter and number, the tool's name in its dialect.
struct RowOfTable {
    letter: char,
    number: usize,
    tool: String,
}

const CATALOGUES: [(Catalogue, char, &str, usize); 4] = [
    (Catalogue::Android, 'A', "Android", 39),
    (Catalogue::MobileAgent, 'B', "Mobile agent", 13),
    (Catalogue::Semantic, 'C', "Semantic UI", 8),
    (Catalogue::Scenario, 'D', "Scenario", 23),
];

fn rows() -> Vec<RowOfTable> {
    CATALOGUES
        .into_iter()
        .flat_map(|(catalogue, letter, _, _)| {
            registry::entries()
                .iter()
                .filter(move |entry| entry.catalogue == catalogue)
                .enumerate()
                .map(move |(index, entry)| RowOfTable {
                    letter,
                    number: index + 1,
                    tool: match catalogue {
                        Catalogue::Android => format!("android_{}", entry.name),
                        _ => entry.name.rsplit('.').next().unwrap_or_default().to_owned(),
                    },
                })
        })
        .collect()
}

/// Returns the names of the tests by row, such as `a08`.
fn tests() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for folder in ["tests", "src", "crates"] {
        let files = walkdir::WalkDir::new(Path::new(ROOT).join(folder))
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.path().extension().is_some_and(|kind| kind == "rs"));
        for file in files {
            let text = std::fs::read_to_string(file.path()).expect("a readable source");
            for name in test_names(&text) {
                if let Some(row) = row_of(name) {
                    found.entry(row).or_default().push(name.to_owned());
                }
            }
        }
    }
    for names in found.values_mut() {
        names.sort();
    }
    found
}

/// Returns the names of the functions right below a `#[test]` or `#[tokio::test…]`.
fn test_names(text: &str) -> impl Iterator<Item = &str> {
    let mut expecting = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            expecting = true;
            return None;
        }
        let (_, rest) = line.split_once("fn ")?;
        std::mem::take(&mut expecting)
            .then(|| rest.split('(').next())
            .flatten()
    })
}

/// Returns the row in a test's name: `a08` for `a08_tap_…`.
fn row_of(name: &str) -> Option<String> {
    let (row, _) = name.split_once('_')?;
    let (letter, number) = row.split_at_checked(1)?;
    let known = matches!(letter, "a" | "b" | "c" | "d") && number.len() == 2;
    (known && number.bytes().all(|byte| byte.is_ascii_digit())).then(|| row.to_owned())
}

fn document() -> String {
    let mut text = String::from(
        "# Rows and their tests\n\n\
         Every tool of the four catalogues and the tests that call it, by result and by error. Made from the registry \
         and the tests' names; do not edit.\n\n\
         A name such as `a08_…` is a test in `tests/mcp/`, which calls the tool through its dialect, or, for what no \
         device can be brought to over adb, at the engine's seam. [Texts out of reach](unreachable.md) are listed apart.\n",
    );
    let tests = tests();
    for (_, letter, title, _) in CATALOGUES {
        let _ = write!(
            text,
            "\n## {title}\n\n| row | tool | tests |\n|---|---|---|\n"
        );
        for row in rows().iter().filter(|row| row.letter == letter) {
            let key = format!("{}{:02}", letter.to_ascii_lowercase(), row.number);
            let names = tests.get(&key).map(Vec::as_slice).unwrap_or_default();
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(
                text,
                "| {letter}{} | `{}` | {} |",
                row.number,
                row.tool,
                names.join(", ")
            );
        }
    }
    text
}

#[test]
fn the_catalogues_are_whole() {
    for (catalogue, letter, _, count) in CATALOGUES {
        let found = registry::entries()
            .iter()
            .filter(|entry| entry.catalogue == catalogue)
            .count();
        assert_eq!(found, count, "catalogue {letter}");
    }
}

#[test]
fn every_row_has_a_test() {
    let tests = tests();
    let untested: Vec<String> = rows()
        .iter()
        .filter(|row| {
            let key = format!("{}{:02}", row.letter.to_ascii_lowercase(), row.number);
            !tests.contains_key(&key)
        })
        .map(|row| format!("{}{} {}", row.letter, row.number, row.tool))
        .collect();
    assert!(untested.is_empty(), "no test for {untested:?}");
}

/// The tests that `docs/developers/unreachable.md` names are there.
#[test]
fn texts_out_of_reach_are_tested_where_the_document_says() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/developers/unreachable.md"))
        .expect("docs/developers/unreachable.md");
    let tests = tests();
    let named: Vec<&str> = text
        .split('`')
        .filter(|part| row_of(part).is_some())
        .collect();
    assert!(named.len() >= 10, "{named:?}");
    for name in named {
        let row = row_of(name).unwrap_or_default();
        let known = tests
            .get(&row)
            .is_some_and(|tests| tests.iter().any(|test| test == name));
        assert!(known, "no test {name}");
    }
}

fn path() -> std::path::PathBuf {
    Path::new(ROOT).join("docs/developers/rows.md")
}

#[test]
fn the_document_is_current() {
    let stored = std::fs::read_to_string(path()).unwrap_or_default();
    assert!(
        stored.replace("\r\n", "\n") == document(),
        "docs/developers/rows.md is out of date; make it again with `cargo test --test tests rows::write_the_document -- --ignored`"
    );
}

#[test]
#[ignore = "writes docs/developers/rows.md"]
fn write_the_document() {
    std::fs::write(path(), document()).expect("docs/developers/rows.md is written");
}
