//! The catalogue as steps of flows, and what a recording and an agent see of it.

use serde_json::json;

use super::Bench;
use crate::common::Project;

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
