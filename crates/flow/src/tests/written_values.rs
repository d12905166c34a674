//! Checks that values written as a part of a flow are read back unchanged.

use camino::Utf8Path;
use proptest::prelude::*;

use serde_json::Value;

use crate::{ReadOptions, Scope, StepAction, read_flow, resolve};
use runner_screen::Selector;
use runner_text::diagnostic::Code;
use runner_text::flow_text::literal;

/// Returns the value of a step `click:` with this text.
fn read(written: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    let text = format!("steps:\n  - click: {written}\n");
    fs_err::write(root.join("a.yaml"), &text).unwrap();
    let options = ReadOptions {
        root: root.to_owned(),
        ..ReadOptions::default()
    };
    let (flow, mut diagnostics) = read_flow(Utf8Path::new("a.yaml"), &options);
    // Generated ids may have a star, and texts may look like another tool's syntax.
    diagnostics.retain(|it| ![Code::StarInId, Code::Doubtful].contains(&it.code));
    assert!(diagnostics.is_empty(), "{diagnostics:?}\n{text}");
    let StepAction::Call { arguments, .. } = &flow.unwrap().steps[0].action else {
        panic!("{text}");
    };
    resolve(arguments, &Scope::default()).unwrap()
}

fn texts() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "${os.TOKEN}",
        "${",
        "$${",
        "$",
        "$$",
        "}",
        "{{ x }}",
        "{",
        "a: b",
        " #",
        "'",
        "\"",
        "\\",
        "\n",
        "\t",
        "- ",
        "*",
        "&x",
        "007",
        "true",
        "~",
        "null",
        "12:30",
        "é",
        "日本",
        "\u{2028}",
        "\u{7f}",
        "${1 + 1}",
    ]);
    let any = "\\PC{1,12}".prop_map(|text: String| text);
    let part = prop_oneof![hostile.prop_map(str::to_owned), any];
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_that_is_written_is_read_as_that_text(text in texts()) {
        prop_assume!(!text.trim().is_empty());
        for selector in [Selector::from_words(&text), Selector::from_id(&text)] {
            let found = read(&selector.to_string());
            let found = found.get("on").cloned().unwrap_or(found);
            prop_assert_eq!(found, selector.to_value());
        }
        let value = serde_json::json!({ "text": text });
        let found = read(&literal(&value));
        let found = found.get("on").cloned().unwrap_or(found);
        prop_assert_eq!(found, value);
    }
}
