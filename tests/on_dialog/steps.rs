//! Law: `docs/developers/verdicts.md` says of each step when it answers dialogs, and the step does so.

use std::collections::{BTreeMap, BTreeSet};

use runner::tools::registry;
use serde_json::{Value, json};

use super::{asks_after, firings};
use crate::common::Project;
use crate::verdicts::table;

/// Returns the rows of the document's table: a tool, when it answers, and a step or why it never does.
fn rows() -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/developers/verdicts.md");
    let document = std::fs::read_to_string(path).expect("the document");
    table(&document, "Dialogs").split_off(2)
}

#[test]
fn each_step_has_a_row() {
    let named: BTreeSet<String> = rows().into_iter().map(|row| row[0].clone()).collect();
    let entries = registry::entries().iter();
    let all: BTreeSet<String> = entries.map(|entry| entry.name.to_owned()).collect();
    assert_eq!(named, all);
}

#[test]
fn each_step_answers_dialogs_when_its_row_says() {
    let project = Project::empty();
    asks_after(&project, 1);
    let rows = rows();
    let steps = || rows.iter().filter(|row| row[1] != "never").enumerate();
    for (number, row) in steps() {
        let flow = format!(
            "app: com.example.late
step_timeout: 1s
steps:
  - launch: {{ clear: true }}
  - find_elements: {{ by: text, value: Ask }}
    as: seen
  - click: Ask
  - {}
",
            row[2]
        );
        project.write(&format!("flows/{number}.yaml"), &flow);
    }
    // Some steps fail after the dialog was answered: `Ask` is no field, for example.
    project.run(&["test", "--json", "run.ndjson"]);
    let mut answered: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for event in firings(&project) {
        let flow = event["id"]["flow"].as_str().unwrap_or_default().to_owned();
        answered
            .entry(flow)
            .or_default()
            .push(event["step"].clone());
    }
    for (number, row) in steps() {
        let places = answered.remove(&format!("flows/{number}.yaml"));
        let places = places.unwrap_or_default();
        // A step that touches `Ask` brings the dialog back, and may answer it again.
        let is_there = !places.is_empty() && places.iter().all(|place| *place == json!([3]));
        assert!(is_there, "{}: {places:?}", row[2]);
    }
}

#[test]
fn a_point_that_maestro_touches_is_touched_after_the_dialog_was_answered() {
    for command in ["tapOn", "doubleTapOn", "longPressOn"] {
        let project = Project::empty();
        asks_after(&project, 1);
        let flow = format!(
            "appId: com.example.late
---
- launchApp: {{ permissions: {{ all: unset }} }}
- tapOn: Ask
- {command}: {{ point: '50%,50%' }}
"
        );
        project.write("flows/a.yaml", &flow);
        project.run(&["test", "--json", "run.ndjson"]).expect(0);
        let reported = firings(&project);
        assert_eq!(reported.len(), 1, "{command}: {reported:?}");
        assert_eq!(reported[0]["step"], json!([2]), "{command}");
    }
}

/// Adds a field to the app of [`asks_after`] and focuses it before the dialog comes.
fn text_below_a_dialog(is_maestro: bool, step: &str) -> Project {
    let project = Project::empty();
    asks_after(&project, 1500);
    project.replace(
        "late/main.yaml",
        "children: [ask, rows] }",
        "children: [ask, name, rows] }\n      - { id: name, component: TextField, label: Name, value: { path: /name } }",
    );
    project.replace(
        "late/main.yaml",
        "value: { rows:",
        "value: { name: bob, rows:",
    );
    let flow = if is_maestro {
        format!(
            "appId: com.example.late
---
- launchApp: {{ permissions: {{ all: unset }} }}
- tapOn: Ask
- tapOn: {{ id: name }}
- extendedWaitUntil: {{ visible: {{ id: .*permission_message }}, timeout: 5000 }}
- {step}
"
        )
    } else {
        format!(
            "app: com.example.late
steps:
  - launch: {{ clear: true }}
  - click: Ask
  - click: {{ id: name }}
  - wait_for: {{ id: permission_message }}
  - {step}
"
        )
    };
    project.write("flows/a.yaml", &flow);
    project
}

#[test]
fn text_for_the_focus_is_typed_after_the_dialog_was_answered() {
    for (is_maestro, step) in [
        (
            false,
            "type: \" ada\"\n  - assert: { id: name, text: bob ada }",
        ),
        (
            false,
            "type: { text: ada, clear: true }\n  - assert: { id: name, text: ada }",
        ),
        (
            false,
            "erase: { characters: 2 }\n  - assert: { id: name, text: b }",
        ),
        (true, "inputText: ada\n- assertVisible: bobada"),
        (true, "eraseText: 2\n- assertVisible: b"),
    ] {
        let project = text_below_a_dialog(is_maestro, step);
        project.run(&["test", "--json", "run.ndjson"]).expect(0);
        let reported = firings(&project);
        assert_eq!(reported.len(), 1, "{step}: {reported:?}");
        assert_eq!(reported[0]["step"], json!([4]), "{step}");
    }
}

#[test]
fn forced_text_goes_to_what_has_the_focus() {
    let project = text_below_a_dialog(false, "type: { text: ada, force: true }");
    project
        .run(&["test", "--json", "run.ndjson"])
        .expect(1)
        .says("no text field has the focus");
    assert!(firings(&project).is_empty());
}

#[test]
fn a_forced_touch_goes_into_the_dialog() {
    let project = Project::empty();
    asks_after(&project, 1);
    let flow = "app: com.example.late
steps:
  - launch: { clear: true }
  - click: Ask
  - click: { at: { x: 50%, y: 10% }, force: true }
  - find: { id: permission_message }
";
    project.write("flows/a.yaml", flow);
    project.run(&["test", "--json", "run.ndjson"]).expect(0);
    assert!(firings(&project).is_empty());
}
