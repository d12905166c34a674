//! The catalogue as steps of flows, and in recordings and agents' tools.

use runner::tools::{Catalogue, registry};
use serde_json::{Value, json};

use super::Bench;
use crate::common::{Project, needs};

#[test]
fn android_tools_are_steps() {
    let project = Project::with_demo_app();
    project.flow(
        "good",
        "steps:
  - open_app: com.example.notes
  - wait_for_element: { by: text, value: welcome }
  - find_elements: { by: resource_id, value: username }
    as: found
  - type_append_text: { element_id: \"${found.elements[0].id}\", text: ada }
  - assert: { id: username, text: ada }
  - wait_for_idle
",
    );
    project
        .run(&["test", "flows/good.yaml"])
        .expect(0)
        .says("1 passed");
    project.flow(
        "bad",
        "steps:
  - open_app: com.example.notes
  - wait_for_element: { by: text, value: nowhere, timeout: 1000 }
",
    );
    project
        .run(&["test", "flows/bad.yaml"])
        .expect(1)
        .says("no element whose text contains 'nowhere' appeared within 1000 ms");
}

#[test]
fn lint_tells_arguments_that_cannot_be() {
    let project = Project::with_demo_app();
    project.flow(
        "wrong",
        "steps:
  - wait_for_element: { by: text, value: a, timeout: 30001 }
  - swipe: { x1: 1, y1: 1, x2: 2 }
",
    );
    project
        .run(&["lint", "flows/wrong.yaml"])
        .expect(2)
        .says("wrong.yaml:3:")
        .says("30001 is out of range: 1 to 30000 is possible")
        .says("wrong.yaml:4:")
        .says("y2");
}

#[test]
fn all_39_are_listed_with_what_they_are_for() {
    let mut bench = Bench::start();
    let result = bench.client.request("tools/list", json!({}));
    let tools = result["tools"].as_array().expect("tools");
    let own: Vec<_> = tools
        .iter()
        .filter(|tool| {
            tool["name"]
                .as_str()
                .is_some_and(|name| name.starts_with("android_"))
        })
        .collect();
    assert_eq!(own.len(), 39);
    for tool in own {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert!(
            tool["description"]
                .as_str()
                .is_some_and(|text| text.len() > 20),
            "{tool}"
        );
        let properties = tool["inputSchema"]["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            assert!(
                property["description"].is_string()
                    || property["anyOf"].is_array()
                    || property["oneOf"].is_array(),
                "{name}: {tool}"
            );
            assert!(!property["type"].is_array(), "{name}: {property}");
        }
    }
    drop(bench.project);
}

/// Returns the first sentence of the reference about a tool.
fn first_sentence(section: &str) -> String {
    let paragraph = section.trim().split("\n\n").next().unwrap_or_default();
    let text = paragraph.replace("**", "").replace('\n', " ");
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}

/// Returns the arguments in the tool's schema, if the reference has one.
fn quoted_arguments(section: &str) -> serde_json::Map<String, Value> {
    let schema = section.split_once("**Input Schema**:\n```json\n");
    let schema = schema.and_then(|(_, rest)| rest.split_once("\n```"));
    let schema = schema.and_then(|(json, _)| serde_json::from_str::<Value>(json).ok());
    let properties = schema.and_then(|schema| schema["properties"].as_object().cloned());
    properties.unwrap_or_default()
}

/// T13 of 2026-11-26: clients know these tools by the words of their reference.
#[test]
fn each_description_begins_as_the_reference_has_it() {
    let reference = needs::shared_text("reference/000-android-remote-control-tools.md");
    let Some(reference) = reference else {
        return;
    };
    let mut bench = Bench::start();
    let listed = bench.client.request("tools/list", json!({}));
    let tools = listed["tools"].as_array().expect("tools");
    let sections: Vec<_> = reference.split("\n### `").skip(1).collect();
    assert_eq!(sections.len(), 39);
    for section in sections {
        let (name, section) = section.split_once("`\n").expect("a name");
        let tool = tools.iter().find(|tool| tool["name"] == name).expect(name);
        let description = tool["description"].as_str().expect("a description");
        let sentence = first_sentence(section);
        assert!(
            description.starts_with(&sentence),
            "{name}: {sentence}: {description}"
        );
        for (argument, quoted) in quoted_arguments(section) {
            let ours = &tool["inputSchema"]["properties"][&argument]["description"];
            assert_eq!(*ours, quoted["description"], "{name} {argument}");
        }
    }
}

/// Flow that keeps the results of tools: fields, or a text.
const KEPT: &str = r#"steps:
  - open_app: com.example.notes
    as: opened
  - assert: { that: "${opened == 'App opened successfully: com.example.notes'}" }
  - get_screen_state:
    as: screen
  - assert: { that: "${'id/username' in screen}" }
  - wait_for_idle: { timeout: 3000 }
    as: idle
  - assert: { that: "${idle.message == 'UI is idle' and idle.similarity == 100}" }
  - find_elements: { by: resource_id, value: username }
    as: found
  - click_element: "${found.elements[0].id}"
    as: clicked
  - assert: { that: "${found.elements[0].id in clicked}" }
  - type_append_text: { element_id: "${found.elements[0].id}", text: ada }
    as: typed
  - assert: { that: "${typed.text == 'ada'}" }
  - type_replace_text: { element_id: "${found.elements[0].id}", search: ada, new_text: bob }
    as: typed
  - assert: { that: "${typed.text == 'bob'}" }
  - press_key: BACK
    as: key
  - assert: { that: "${key == \"Key 'BACK' pressed successfully\"}" }
  - tap: { x: 540.9, y: 300 }
    as: tapped
  - assert: { that: "${tapped == 'Tap executed at (540, 300)'}" }
  - swipe: { x1: 540, y1: 1500, x2: 540, y2: 900 }
    as: swiped
  - assert: { that: "${swiped == 'Swipe executed from (540, 1500) to (540, 900) over 300ms'}" }
  - scroll: DOWN
    as: scrolled
  - assert: { that: "${scrolled == 'Nothing moved: the screen does not scroll down (medium), or not further'}" }
  - set_clipboard: hello
    as: copied
  - assert: { that: "${copied == 'Clipboard set successfully (5 characters)'}" }
  - get_clipboard:
    as: clipboard
  - assert: { that: "${clipboard.text == 'hello'}" }
  - list_apps: { filter: user }
    as: apps
  - assert: { that: "${apps[0].package_id == 'com.example.notes'}" }
  - list_storage_locations:
    as: places
  - list_files: { location_id: "${places[0].id}" }
    as: files
  - assert: { that: "${files.total_count == files.files | length}" }
  - get_device_logs: { last_lines: 1 }
    as: logs
  - assert: { that: "${logs.line_count == 1}" }
  - press_home:
    as: home
  - assert: { that: "${home == 'Home button press executed successfully'}" }
"#;

#[test]
fn as_keeps_what_a_tool_answers() {
    let project = Project::with_demo_app();
    project.flow("kept", KEPT);
    project.run(&["test", "flows/kept.yaml"]).expect(0);
    project.flow(
        "other",
        "steps:
  - press_home:
    as: home
  - assert: { that: \"${home == 'something else'}\" }
",
    );
    project
        .run(&["test", "flows/other.yaml"])
        .expect(1)
        .says("Home button press executed successfully");
}

/// Every tool of every dialect: its arguments are checked when a flow is read.
#[test]
fn no_tool_takes_an_argument_that_it_does_not_have() {
    let project = Project::with_demo_app();
    let tools: Vec<&str> = registry::entries()
        .iter()
        .filter(|entry| entry.catalogue != Catalogue::Everyday)
        .map(|entry| entry.name)
        .collect();
    assert_eq!(tools.len(), 83);
    let steps: String = tools
        .iter()
        .map(|name| format!("  - {name}: {{ nonsense: 1 }}\n"))
        .collect();
    project.flow("all", &format!("steps:\n{steps}"));
    let mut ran = project.run(&["lint", "flows/all.yaml"]).expect(2);
    // A flow's first two lines are its header.
    for line in 3..tools.len() + 3 {
        ran = ran.says(&format!("all.yaml:{line}:"));
    }
}
