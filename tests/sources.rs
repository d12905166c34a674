//! Rules that the sources keep and the compiler cannot hold.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Whatever shortens text elsewhere would cut a secret before it is masked.
#[test]
fn nothing_else_cuts_text_that_may_hold_a_secret() {
    // These cut names of files, or what was masked before, or what no secret stands in.
    const MAY: [&str; 19] = [
        "crates/text/src/secret/",
        // A place in a text, not a part of it.
        "crates/text/src/yaml.rs",
        // Pieces that are all typed, one after another.
        "crates/device/src/text.rs",
        // A protocol's method, told to who called it; what is masked already; what schemas say.
        "src/mcp/server.rs",
        "src/mcp/result.rs",
        "src/mcp/schema.rs",
        // File names; of cases, from columns that are no secret.
        "crates/flow/src/case",
        "crates/flow/src/goldens.rs",
        "crates/snapshot/src/name.rs",
        "crates/tools/src/scenario/media.rs",
        // The scrubber stands before the rows that are compared.
        "crates/snapshot/src/row.rs",
        "crates/snapshot/src/words.rs",
        // Events arrive scrubbed.
        "src/report/",
        "crates/run/src/shorten.rs",
        // A pattern made from a longer text, which is shown as an excerpt.
        "crates/screen/src/selector/pick.rs",
        // Typed, not shown.
        "crates/engine/src/text.rs",
        // What is masked is read from files.
        "src/review/terminal/text.rs",
        "crates/virtual-device/",
        // A unit test cuts what a device sends.
        "crates/engine/src/tests.rs",
    ];
    let cuts = regex::Regex::new(
        r"chars\(\)\s*\.take\(|char_indices\(\)\s*\.nth\(|truncate_str|floor_char_boundary|ceil_char_boundary|\.truncate\(end\)",
    )
    .unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["src", "crates"]
        .into_iter()
        .flat_map(|folder| walkdir::WalkDir::new(root.join(folder)))
        .flatten();
    for file in files.filter(|file| file.path().extension().is_some_and(|ending| ending == "rs")) {
        let path = file.path().strip_prefix(root).unwrap().to_str().unwrap();
        let path = path.replace('\\', "/");
        let text = std::fs::read_to_string(file.path()).unwrap();
        let found = cuts.find(&text).map(|found| found.as_str());
        let may = MAY.iter().any(|may| path.starts_with(may));
        assert!(
            found.is_none() || may,
            "{path} cuts text ({found:?}): make it a `secret::Excerpt`, which is cut after it is scrubbed"
        );
    }
}

/// Each module of `src/` on its floor, from the table in `docs/architecture.md`.
fn floors() -> BTreeMap<String, u32> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let floor = cells.next()?.parse().ok()?;
        Some((cells.next()?.trim_matches('`').to_owned(), floor))
    });
    rows.collect()
}

/// The sources of the program below `src/`, without tests, as their path there and their code without comments.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let is_of_tests = |path: &Path| {
        path.iter().filter_map(|part| part.to_str()).any(|part| {
            [
                "tests",
                "tests.rs",
                "testing",
                "fixture.rs",
                "fake.rs",
                "corpus_tests.rs",
            ]
            .contains(&part)
        })
    };
    let files = walkdir::WalkDir::new(&root).into_iter().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|ending| ending == "rs"))
        .map(|file| file.path().strip_prefix(&root).unwrap().to_owned())
        .filter(|path| !is_of_tests(path))
        .map(|path| {
            let text = std::fs::read_to_string(root.join(&path)).unwrap();
            let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
            let code = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let code = code.collect::<Vec<_>>().join("\n");
            (path, code)
        })
        .collect()
}

#[test]
fn no_module_uses_one_of_its_own_floor_or_above() {
    let floors = floors();
    let import = regex::Regex::new(r"crate::(?:\{([^}]*)\}|(\w+))").unwrap();
    let name = regex::Regex::new(r"\w+").unwrap();
    let mut upward = Vec::new();
    let mut seen = 0;
    for (path, code) in sources() {
        let module = path.iter().next().unwrap().to_str().unwrap();
        let module = module.trim_end_matches(".rs");
        if ["lib", "main"].contains(&module) {
            continue;
        }
        let floor = floors.get(module);
        let floor =
            floor.unwrap_or_else(|| panic!("docs/architecture.md has no floor of {module}"));
        for found in import.captures_iter(&code) {
            let list = found.get(1).or(found.get(2)).unwrap().as_str();
            let used = name.find_iter(list).map(|used| used.as_str());
            for used in used.filter(|used| *used != module) {
                let Some(other) = floors.get(used) else {
                    continue;
                };
                seen += 1;
                if other >= floor {
                    upward.push(format!("src/{}: crate::{used}", path.display()));
                }
            }
        }
    }
    assert!(seen > 60, "only {seen} imports were read");
    assert!(upward.is_empty(), "these look up: {upward:#?}");
}
