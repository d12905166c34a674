//! Catalogue B in its dialect.

mod act;
mod faults;
mod look;
mod steps;

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::{Answer, Client};

const NOTES: &str = "com.example.notes";
const CONTROLS: &str = "get_app_window_controls_target_info";
const APPS: &str = "get_mobile_app_target_info";

/// Starts a server on a virtual device, with the demo app on its sign-in screen.
fn start() -> (Project, Client) {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "mobile-agent"]);
    launch(&mut client);
    (project, client)
}

fn launch(client: &mut Client) {
    let answer = client.call("launch_app", json!({ "package_name": NOTES }));
    assert_eq!(
        answer.text,
        r#"{"success":true,"message":"Launched com.example.notes","package_name":"com.example.notes","output":"Events injected: 1","error":""}"#
    );
}

fn controls(client: &mut Client) -> Vec<Value> {
    let answer = client.call(CONTROLS, json!({}));
    answer.text_json().as_array().cloned().expect("a list")
}

/// Returns the id of the control with this name and type, from a fresh list.
#[track_caller]
fn control(client: &mut Client, name: &str, class: &str) -> String {
    let controls = controls(client);
    let item = controls
        .iter()
        .find(|item| item["name"] == name && item["type"] == class)
        .unwrap_or_else(|| panic!("no {class} {name}: {controls:?}"));
    item["id"].as_str().expect("an id").to_owned()
}

/// Returns the tree's line of the element with this resource id, read anew.
fn attributes(client: &mut Client, id: &str) -> Option<String> {
    client.call("invalidate_cache", json!({ "cache_type": "ui_tree" }));
    let tree = client.call("get_ui_tree", json!({})).json()["ui_tree"].clone();
    let tree = tree.as_str().expect("a tree").to_owned();
    let at = tree.find(&format!("resource-id=\"{NOTES}:id/{id}\""))?;
    let from = tree[..at].rfind('<')?;
    let to = at + tree[at..].find('>')?;
    Some(tree[from..to].to_owned())
}

fn sign_in(client: &mut Client) {
    for (field, text) in [("Username", "ada"), ("Password", "lovelace")] {
        let id = control(client, field, "EditText");
        let args = json!({ "text": text, "control_id": id, "control_name": field });
        let answer = client.call("type_text", args);
        assert_eq!(answer.json()["success"], true, "{}", answer.text);
    }
    let id = control(client, "Sign in", "Button");
    let args = json!({ "control_id": id, "control_name": "Sign in" });
    client.call("click_control", args);
    assert!(attributes(client, "greeting").is_some(), "signed in");
}

/// Asserts the dictionary of a refused call, to the letter. It is an answer, no tool error.
#[track_caller]
fn refused(answer: &Answer, error: &str) {
    let dictionary = json!({ "success": false, "error": error });
    assert_eq!(answer.text, dictionary.to_string());
    assert!(!answer.is_error);
    assert_eq!(answer.json()["error"], error);
}

/// Asserts that impossible arguments are a tool error with this message.
#[track_caller]
fn bad_arguments(client: &mut Client, tool: &str, args: Value, says: &str) {
    let answer = client.call(tool, args);
    assert!(answer.is_error && answer.text.contains(says), "{answer:?}");
}
