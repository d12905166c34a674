//! Calls every tool of every dialect with two clients by other authors. One prefers structured content, one
//! reads the text, and both must get the same.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::{Value, json};

use super::http_client::{HttpServer, TOKEN};
use crate::common::{Project, needs};

const SCRIPT: &str = include_str!("same_answers.py");

/// Tools whose results differ from call to call, such as times and process ids.
const VOLATILE: [&str; 7] = [
    "android_get_device_logs",
    "android_list_files",
    "android_wait_for_element",
    "android_wait_for_idle",
    "capture_screenshot",
    "generateTestScenarioReport",
    "get_device_info",
];

fn android() -> Value {
    json!([
        ["android_list_apps", {}],
        ["android_open_app", { "package_id": "com.example.notes" }],
        ["android_wait_for_element", { "by": "text", "value": "Sign in", "timeout": 5000 }],
        ["android_wait_for_idle", { "timeout": 5000 }],
        ["android_get_screen_state", {}],
        ["android_find_elements", { "by": "text", "value": "Sign in" }],
        ["runner_look", {}],
        ["android_type_append_text", { "element_id": "@Username", "text": "ada", "typing_speed": 10, "typing_speed_variance": 0 }],
        ["android_type_insert_text", { "element_id": "@Username", "text": "x", "offset": 1, "typing_speed": 10, "typing_speed_variance": 0 }],
        ["android_type_replace_text", { "element_id": "@Username", "search": "x", "new_text": "y", "typing_speed": 10, "typing_speed_variance": 0 }],
        ["android_get_element_details", { "ids": ["@Username"] }],
        ["android_get_element_details", { "ids": ["nobody"] }],
        ["android_type_clear_text", { "element_id": "@Username" }],
        ["android_scroll_to_element", { "element_id": "@Username" }],
        ["android_click_element", { "element_id": "@Username" }],
        ["android_long_click_element", { "element_id": "@Username" }],
        ["android_click_element", { "element_id": "nobody" }],
        ["android_press_key", { "key": "ENTER" }],
        ["android_set_clipboard", { "text": "a" }],
        ["android_get_clipboard", {}],
        ["android_tap", { "x": 5, "y": 500 }],
        ["android_double_tap", { "x": 5, "y": 500 }],
        ["android_long_press", { "x": 5, "y": 500 }],
        ["android_swipe", { "x1": 5, "y1": 900, "x2": 5, "y2": 500 }],
        ["android_scroll", { "direction": "down" }],
        ["android_pinch", { "center_x": 500, "center_y": 900, "scale": 2 }],
        ["android_custom_gesture", { "paths": [[{ "x": 5, "y": 900, "time": 0 }, { "x": 5, "y": 500, "time": 100 }]] }],
        ["android_list_storage_locations", {}],
        ["android_write_file", { "location_id": "x", "path": "a.txt", "content": "one\ntwo\nthree" }],
        ["android_append_file", { "location_id": "x", "path": "a.txt", "content": "\nfour" }],
        ["android_file_replace", { "location_id": "x", "path": "a.txt", "old_string": "two", "new_string": "2" }],
        ["android_read_file", { "location_id": "x", "path": "a.txt", "offset": 2, "limit": 1 }],
        ["android_write_file", { "location_id": "x", "path": "b.json", "content": "{\"a\": 1}" }],
        ["android_read_file", { "location_id": "x", "path": "b.json" }],
        ["android_list_files", { "location_id": "x" }],
        ["android_download_from_url", { "location_id": "x", "path": "c", "url": "http://127.0.0.1:1/c" }],
        ["android_delete_file", { "location_id": "x", "path": "a.txt" }],
        ["android_get_device_logs", { "last_lines": 5 }],
        ["android_open_notifications", {}],
        ["android_open_quick_settings", {}],
        ["android_press_back", {}],
        ["android_press_recents", {}],
        ["android_press_home", {}],
        ["android_close_app", { "package_id": "com.example.notes" }],
    ])
}

fn looking() -> Value {
    json!([
        ["get_mobile_app_target_info", { "include_system_apps": true }],
        ["get_mobile_app_target_info", { "filter": "no such app" }],
        ["get_app_window_controls_target_info", {}],
        ["get_ui_tree", {}],
        ["get_device_info", {}],
        ["capture_screenshot", {}],
    ])
}

fn acting() -> Value {
    json!([
        ["launch_app", { "package_name": "com.example.notes" }],
        ["launch_app", { "package_name": "com.example.nobody" }],
        ["click_control", { "control_id": "77", "control_name": "nobody" }],
        ["type_text", { "text": "a", "control_id": "77", "control_name": "nobody" }],
        ["tap", { "x": 5, "y": 500 }],
        ["swipe", { "start_x": 5, "start_y": 900, "end_x": 5, "end_y": 500 }],
        ["press_key", { "key_code": "KEYCODE_BACK" }],
        ["wait", { "seconds": 0.1 }],
        ["invalidate_cache", {}],
    ])
}

fn semantic() -> Value {
    json!([
        ["list_actionable", {}],
        ["runner_look", {}],
        ["click", { "element_id": "@Notes" }],
        ["runner_look", {}],
        ["type_text", { "element_id": "@Username", "text": "ada" }],
        ["focus", { "element_id": "@Username" }],
        ["toggle", { "element_id": "@Username" }],
        ["select", { "element_id": "@Username", "value": "a" }],
        ["scroll", { "element_id": "@Username", "direction": "down" }],
        ["click", { "element_id": "nobody" }],
        ["send_a2ui", { "message": {} }],
    ])
}

fn scenario() -> Value {
    json!([
        ["initializeTestScenarioReport", { "goal": "g" }],
        ["startTestingScenario", { "appPackage": "com.example.notes" }],
        ["startTestingScenario", { "appPackage": "com.example.notes" }],
        ["findUiElementsByText", { "text": "sign" }],
        ["findUiElementsByText", { "text": "nobody" }],
        ["getScreenDump", {}],
        ["getScreenSize", {}],
        ["inputText", { "fieldSelector": "username", "text": "ada", "selectorType": "resource-id" }],
        ["tap", { "text": "nobody" }],
        ["tap", { "text": "sign_in", "selectorType": "resource-id" }],
        ["tapByCoordinates", { "x": 5, "y": 500 }],
        ["hideKeyboard", {}],
        ["swipeUp", {}],
        ["swipeDown", {}],
        ["scrollVertically", { "distance": 300 }],
        ["scrollHorizontally", { "distance": 300 }],
        ["verifyElementVisible", { "text": "Username" }],
        ["verifyElementNotVisible", { "text": "Username" }],
        ["wait", { "ms": 50 }],
        ["takeScreenshot", { "goalName": "a" }],
        ["startScreenRecording", {}],
        ["stopScreenRecording", {}],
        ["goBack", {}],
        ["launchAppByPackage", { "packageName": "com.example.notes" }],
        ["updateTestScenarioReport", { "description": "d" }],
        ["generateTestScenarioReport", {}],
    ])
}

/// Runs a client, and returns its output: the names of the tools, then each answer.
fn answers(
    client: &str,
    dialect: &str,
    part: usize,
    plan: &Value,
) -> Option<(BTreeSet<String>, Vec<Value>)> {
    let below = if client == "fastmcp" {
        "fastmcp"
    } else {
        "venv"
    };
    let mut program = needs::client_program(&format!("{below}/bin/python"))?;
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nstorage:\n  x: { path: /sdcard/x, allow_write: true, allow_delete: true, allow_http: true }\n",
    );
    let server = HttpServer::start(&project, &["--dialect", dialect], part + 1);
    let url = format!("http://{}/mcp", server.addresses[part]);
    let output = program
        .args(["-c", SCRIPT, client, &url, TOKEN, &plan.to_string()])
        .stdin(Stdio::null())
        .output()
        .expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{client} {dialect}: {text}\n{errors}"
    );
    let folder = project.path("").display().to_string();
    let text = text.replace(folder.trim_end_matches('/'), "PROJECT");
    let mut lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect(line));
    let tools = lines.next().expect("the tools");
    let tools = tools["tools"].as_array().into_iter().flatten();
    let tools = tools.filter_map(Value::as_str).map(str::to_owned);
    Some((tools.collect(), lines.collect()))
}

/// Parses the text as JSON; `None` if it is none.
fn text_json(answer: &Value) -> Option<Value> {
    serde_json::from_str(answer["texts"][0].as_str()?).ok()
}

fn compare(dialect: &str, part: usize, plan: &Value) {
    let (Some((tools, by_data)), Some((_, by_text))) = (
        answers("fastmcp", dialect, part, plan),
        answers("mcp", dialect, part, plan),
    ) else {
        return;
    };
    let called: BTreeSet<&str> = by_data
        .iter()
        .filter_map(|answer| answer["tool"].as_str())
        .collect();
    for tool in tools.iter().filter(|tool| !tool.starts_with("runner_")) {
        assert!(called.contains(tool.as_str()), "{tool} was not called");
    }
    assert_eq!(by_data.len(), by_text.len());
    for (data, text) in by_data.iter().zip(&by_text) {
        let tool = data["tool"].as_str().expect("a tool");
        assert_eq!(data["is_error"], text["is_error"], "{data}\n{text}");
        if !VOLATILE.contains(&tool) {
            assert_eq!(data["texts"], text["texts"], "{tool}");
        }
        let is_list = text["data"].get("result").is_some_and(Value::is_array);
        let plain = if is_list {
            &text["data"]["result"]
        } else {
            &text["data"]
        };
        for (json, answer) in [(&data["data"], data), (plain, text)] {
            if !json.is_null() {
                assert_eq!(Some(json.clone()), text_json(answer), "{tool}");
            }
        }
        let lists = [
            "get_mobile_app_target_info",
            "get_app_window_controls_target_info",
        ];
        if lists.contains(&tool) {
            assert!(data["data"].is_array(), "{data}");
        }
        if tool == "capture_screenshot" || dialect == "scenario" {
            assert!(data["data"].is_null(), "{data}");
        }
    }
}

// R1
#[test]
fn both_kinds_of_clients_are_told_the_same_by_android_tools() {
    compare("android", 0, &android());
}

// R1
#[test]
fn both_kinds_of_clients_are_told_the_same_by_mobile_agent_tools() {
    compare("mobile-agent", 0, &looking());
    compare("mobile-agent", 1, &acting());
}

// R1
#[test]
fn both_kinds_of_clients_are_told_the_same_by_semantic_tools() {
    compare("semantic", 0, &semantic());
}

// R1
#[test]
fn both_kinds_of_clients_are_told_the_same_by_scenario_tools() {
    compare("scenario", 0, &scenario());
}
