//! Checks that the selectors of docs/guide/frameworks.md find their elements, on recordings of real apps and on
//! dumps written by hand.

use runner::screen::{DisplayContext, Screen, Selector};
use runner_testing::recorded_text;
use serde_json::Value;

use super::{blocks, page};

/// Returns the dump that the first line of a block names: `# recorded: FILE` or `# written: FILE`. `None` if
/// the recordings are missing.
fn dump(first: &str) -> Option<String> {
    if let Some(file) = first.strip_prefix("# recorded: ") {
        return recorded_text(&format!("screens/{file}"));
    }
    let file = first.strip_prefix("# written: ").expect("a dump");
    Some(page(&format!("tests/documents/dumps/{file}")))
}

/// Returns the selector of a step.
fn selector(step: &Value) -> Selector {
    let (name, value) = step
        .as_object()
        .and_then(|map| map.iter().next())
        .expect("a step");
    let mut value = match name.as_str() {
        "type" => value["into"].clone(),
        _ => value.clone(),
    };
    if let Some(map) = value.as_object_mut() {
        map.remove("in");
    }
    Selector::from_value(&value).unwrap_or_else(|error| panic!("{step}: {error}"))
}

#[test]
fn every_selector_finds_one_element_of_its_dump() {
    let (mut recorded, mut written) = (0, 0);
    for block in blocks(&page("docs/guide/frameworks.md"), "yaml") {
        let first = block.lines().next().unwrap_or_default();
        let Some(dump) = dump(first) else {
            continue;
        };
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).expect("a screen");
        let steps: Vec<Value> = serde_yaml::from_str(&block).expect("steps");
        for step in steps {
            let found = selector(&step).find(&screen);
            assert_eq!(found.len(), 1, "{first}: {step}");
            if first.contains("recorded") {
                recorded += 1;
            } else {
                written += 1;
            }
        }
    }
    assert!(written >= 9, "{written} steps on dumps by hand");
    assert!(recorded == 0 || recorded >= 7, "{recorded} on recordings");
}

#[test]
fn what_the_page_says_of_recorded_apps_is_so() {
    let Some(flutter) = recorded_text("screens/ImL1s__termux-flutter-ide/window_dump_fixed.xml")
    else {
        return;
    };
    let screen = Screen::parse(flutter.as_bytes(), &DisplayContext::default()).expect("a screen");
    assert!(screen.nodes().all(|node| node.text().is_empty()));
    let wordless = screen
        .nodes()
        .filter(|node| node.class().ends_with("Button") && node.desc().is_empty());
    assert_eq!(wordless.count(), 2);
}
