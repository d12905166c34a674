//! Tests recordings that a replay would not follow if they said less, or more, than what was done.

use serde_json::{Value, json};

use super::{Notebook, SIGN_IN, USER, at, node, screen};
use runner_tools::{Failure, Outcome};

fn button(text: &str, top: i32) -> String {
    let attributes = format!(r#"text="{text}" clickable="true""#);
    node("Button", &attributes, [0, top, 1080, top + 100], "")
}

fn list(rows: &str) -> String {
    let attributes = r#"scrollable="true""#;
    node("ListView", attributes, [0, 300, 1080, 2400], rows)
}

/// A swipe may close a dialog, or reach what shows and hides a bar: then it is no search.
#[test]
fn a_swipe_that_scrolled_nothing_to_an_element_stays_a_swipe() {
    for (before, now) in [
        (
            button("Yes", 1000),
            button("Up", 900) + &list(&button("Row", 1500)),
        ),
        (button("Yes", 1000), list(&button("Up", 900))),
        (list(&button("Old", 900)), list("") + &button("Up", 900)),
    ] {
        let way = json!({ "x1": 500, "y1": 1800, "x2": 500, "y2": 600 });
        let mut notebook = Notebook::new();
        notebook.shows(screen(&before)).does("swipe", way);
        notebook
            .shows(screen(&now))
            .does("tap", json!({ "x": 500, "y": 950 }));
        let swipe = "swipe: { x1: 500, y1: 1800, x2: 500, y2: 600 }";
        assert_eq!(notebook.steps(), [swipe, "click: Up"], "{before} {now}");
    }
}

/// The click shows the keyboard of a field that has the focus; it only gives the focus to any other.
#[test]
fn a_tool_that_clicks_the_focused_field_is_recorded_with_its_click() {
    let typed = "type: { into: { id: user }, text: ada }";
    for (focused, steps) in [
        (true, vec!["click: { id: user }", typed]),
        (false, vec![typed]),
    ] {
        let attributes = format!(
            r#"resource-id="com.example:id/user" clickable="true" focusable="true" focused="{focused}""#
        );
        let field = node("EditText", &attributes, at(USER), "");
        let mut notebook = Notebook::new();
        notebook.shows(screen(&field)).acts_at(
            "mobile_agent.type_text",
            json!({ "text": "ada", "control_id": "7", "control_name": "" }),
            USER,
        );
        assert_eq!(notebook.steps(), steps, "{focused}");
    }
}

#[test]
fn a_click_before_text_that_was_not_typed_is_recorded() {
    let args = || json!({ "text": "ada", "control_id": "4", "control_name": "Sign in" });
    let failed = || Outcome::text("").failed(Failure::assertion("it takes no text"));
    let mut notebook = Notebook::new();
    notebook.says("mobile_agent.type_text", args(), failed());
    assert_eq!(notebook.steps(), Vec::<String>::new());
    notebook.says("mobile_agent.type_text", args(), failed().at(SIGN_IN));
    assert_eq!(notebook.steps(), ["click: Sign in"]);
}

/// Ids of a look mean nothing in a replay.
#[test]
fn an_id_of_a_look_is_in_no_flow() {
    let rows = screen(&list(&(button("Apple", 400) + &button("Apple", 600))));
    let apples = rows.nodes().filter(|node| node.text() == "Apple");
    let id = apples.map(runner_screen::Node::id).next().unwrap();
    let reached = |scrolls: u32| Outcome::json(json!({ "id": id, "scrolls": scrolls }));
    let scroll = |given: &str| ("scroll_to_element", json!({ "element_id": given }));
    for (given, scrolls) in [("@e9", 0), ("@e9", 3), (id.as_str(), 0), (id.as_str(), 3)] {
        let mut notebook = Notebook::new();
        let (tool, args): (&str, Value) = scroll(given);
        notebook
            .shows(std::sync::Arc::clone(&rows))
            .says(tool, args, reached(scrolls));
        let flow = notebook.flow();
        assert!(!flow.contains(given), "{flow}");
        assert_eq!(flow.contains("Not recorded"), scrolls > 0, "{flow}");
    }
    let mut notebook = Notebook::new();
    notebook.shows(screen("")).does(
        "mobile_agent.type_text",
        json!({ "text": "ada", "control_id": "74", "control_name": "" }),
    );
    assert!(!notebook.flow().contains("74"), "{}", notebook.flow());
}
