//! Rules that the sources keep and the compiler cannot hold.

#![expect(clippy::unwrap_used, reason = "a test may stop at once")]

use std::path::Path;

/// A3: whatever shortens text elsewhere would cut a secret before it is masked.
#[test]
fn nothing_else_cuts_text_that_may_hold_a_secret() {
    // These cut names of files, or what was masked before, or what no secret stands in.
    const MAY: [&str; 18] = [
        "crates/text/src/secret/",
        // A place in a text, not a part of it.
        "crates/text/src/yaml.rs",
        // Pieces that are all typed, one after another.
        "src/device/text.rs",
        // A protocol's method, told to who called it; what is masked already; what schemas say.
        "src/mcp/server.rs",
        "src/mcp/result.rs",
        "src/mcp/schema.rs",
        // File names.
        "src/flow/goldens.rs",
        "src/snapshot/name.rs",
        "src/tools/scenario/media.rs",
        // The scrubber stands before the rows that are compared.
        "src/snapshot/row.rs",
        "src/snapshot/words.rs",
        // Events arrive scrubbed.
        "src/report/",
        "src/run/shorten.rs",
        // A pattern made from a longer text, which is shown as an excerpt.
        "crates/screen/src/selector/pick.rs",
        // Typed, not shown.
        "src/engine/text.rs",
        // What is masked is read from files.
        "src/review/terminal/text.rs",
        "crates/virtual-device/",
        // A unit test cuts what a device sends.
        "src/engine/tests.rs",
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
