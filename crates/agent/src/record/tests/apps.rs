//! Tests apps opened by their icon, waits for other screens, and elements that everyday steps name by words.

use std::sync::Arc;

use serde_json::json;

use super::{Notebook, Outcome, PASSWORD, Rect, SIGN_IN, USER, node, screen_of};
use runner_screen::Screen;

const LAUNCHER: (&str, &str) = ("com.google.android.apps.nexuslauncher", ".Home");
const NOTES: (&str, &str) = ("com.example.notes", ".Main");
const ICON: Rect = Rect {
    left: 100,
    top: 100,
    right: 300,
    bottom: 300,
};

fn labelled(front: (&str, &str), labels: &[&str]) -> Arc<Screen> {
    let items = (0..).zip(labels).map(|(place, label)| {
        let top = ICON.top + place * 200;
        let attributes = format!(r#"text="{label}" clickable="true""#);
        let item = node("TextView", &attributes, [100, top, 300, top + 200], "");
        item.replace(
            r#"package="com.example""#,
            &format!(r#"package="{}""#, front.0),
        )
    });
    screen_of(front, &items.collect::<String>())
}

fn launcher() -> Arc<Screen> {
    labelled(LAUNCHER, &["Notes", "Maps"])
}

fn touches_icon(notebook: &mut Notebook, place: i32) {
    let y = ICON.top + place * 200 + 100;
    notebook
        .shows(launcher())
        .does("tap", json!({ "x": 200, "y": y }));
}

#[test]
fn an_icon_that_was_touched_is_a_launch() {
    let mut notebook = Notebook::new();
    notebook.shows(launcher()).does("home", json!({}));
    notebook.does(
        "swipe",
        json!({ "x1": 500, "y1": 1800, "x2": 500, "y2": 600 }),
    );
    touches_icon(&mut notebook, 0);
    // It takes a while, and the system may ask something first.
    notebook
        .shows(labelled(
            ("com.android.permissioncontroller", ".Grant"),
            &["Allow"],
        ))
        .does("tap", json!({ "x": 200, "y": 200 }));
    notebook
        .shows(labelled(NOTES, &["Write"]))
        .does("tap", json!({ "x": 200, "y": 200 }))
        .does("home", json!({}));
    touches_icon(&mut notebook, 1);
    notebook
        .shows(labelled(("com.example.maps", ".Map"), &["Here"]))
        .does("home", json!({}));
    touches_icon(&mut notebook, 0);
    notebook
        .shows(labelled(NOTES, &["Write"]))
        .does("tap", json!({ "x": 200, "y": 200 }));
    let flow = notebook.flow();
    assert!(flow.contains("\napp: com.example.notes\n"), "{flow}");
    let steps: Vec<&str> = flow
        .lines()
        .filter_map(|line| line.strip_prefix("  - "))
        .collect();
    assert_eq!(
        steps,
        [
            "launch: { clear: true }",
            "click: Allow",
            "click: Write",
            "launch: com.example.maps",
            "home",
            "launch: { stop: false }",
            "click: Write",
        ]
    );
}

#[test]
fn pauses_while_an_app_opens_are_not_needed() {
    let mut notebook = Notebook::new();
    notebook.shows(launcher()).does("home", json!({}));
    touches_icon(&mut notebook, 0);
    // The launcher is still in front.
    notebook.does("wait_for_idle", json!({}));
    notebook
        .shows(labelled(NOTES, &["Write"]))
        .does("tap", json!({ "x": 200, "y": 200 }));
    assert_eq!(
        notebook.steps(),
        ["launch: { clear: true }", "click: Write"]
    );
}

#[test]
fn a_folder_of_the_launcher_is_only_touched() {
    let mut notebook = Notebook::new();
    touches_icon(&mut notebook, 0);
    touches_icon(&mut notebook, 1);
    assert_eq!(
        notebook.steps(),
        ["home", "click: Notes", "click: Maps"],
        "nothing opened"
    );
}

#[test]
fn what_waits_for_nothing_waits_for_another_screen() {
    let list = || labelled(NOTES, &["First", "Second", "Third"]);
    let note = || labelled(("com.example.notes", ".Note"), &["12:30", "Milk", "Eggs"]);
    let first = json!({ "x": 200, "y": 200 });
    let mut notebook = Notebook::new();
    notebook.shows(list()).does("tap", first.clone());
    notebook.shows(note()).does("press_back", json!({}));
    // Its step waits for its element.
    notebook.shows(list()).does("tap", first.clone());
    // The same screen.
    notebook.shows(list()).does("press_back", json!({}));
    assert_eq!(
        notebook.steps(),
        [
            "click: First",
            "wait_for: Milk",
            "back",
            "click: First",
            "back"
        ]
    );
    // A person waited already, or content moved.
    let way = json!({ "x1": 500, "y1": 1800, "x2": 500, "y2": 600 });
    let mut notebook = Notebook::new();
    notebook.shows(list()).does("swipe", way);
    notebook.shows(note()).does("press_back", json!({}));
    notebook.shows(list()).does("tap", first);
    notebook
        .shows(note())
        .does("wait_for", json!({ "on": "Eggs" }))
        .does("press_back", json!({}));
    assert_eq!(
        notebook.steps()[1..],
        ["back", "click: First", "wait_for: Eggs", "back"]
    );
}

#[test]
fn everyday_steps_are_recorded_as_what_they_touched() {
    let mut notebook = Notebook::new();
    let typed = |text: &str, on: serde_json::Value| json!({ "into": on, "text": text });
    notebook
        .acts_at("type", typed("ada", json!("Name")), USER)
        .says(
            "type",
            typed("lovelace", json!({ "id": "password" })),
            Outcome::text("").at(PASSWORD).hiding(Some("lovelace")),
        )
        .acts_at("click", json!({ "on": "Sign in" }), SIGN_IN)
        .does("click", json!({ "at": { "x": "50%", "y": "50%" } }));
    assert_eq!(
        notebook.steps(),
        [
            "type: { into: { id: user }, text: ada }",
            "# EXAMPLE_PASSWORD of the environment is typed here.",
            r#"type: { into: { id: password }, text: "${os.EXAMPLE_PASSWORD}", secret: true }"#,
            "click: Sign in",
            "click: { at: { x: 50%, y: 50% } }",
        ]
    );
}

#[test]
fn a_secret_is_one_also_where_its_field_is_gone() {
    let mut notebook = Notebook::new();
    notebook.shows(labelled(NOTES, &["Other"])).says(
        "type",
        json!({ "into": "Password", "text": "lovelace" }),
        Outcome::text("").hiding(Some("lovelace")),
    );
    let flow = notebook.flow();
    assert!(
        flow.contains(r#"type: { into: Password, text: "${os.NOTES_PASSWORD}", secret: true }"#),
        "{flow}"
    );
}

#[test]
fn a_launch_keeps_what_else_it_says() {
    let mut notebook = Notebook::new();
    notebook
        .does(
            "launch",
            json!({ "app": "com.example.notes", "clear": false, "stop": true, "permissions": "all" }),
        )
        .does("launch", json!({ "app": "com.example.notes", "clear": true }))
        .does("launch", json!({ "app": "com.example.maps", "stop": false }));
    assert_eq!(
        notebook.steps(),
        [
            "launch: { clear: true, permissions: all }",
            "launch: { clear: true }",
            "launch: com.example.maps",
        ]
    );
}
