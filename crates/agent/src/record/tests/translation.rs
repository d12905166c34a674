//! Tests the step that each tool becomes.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::table::needs_screen;
use super::{Notebook, Outcome, ROW, Rect, SIGN_IN, USER, entry, form, node, screen};
use runner_tools::Failure;

#[track_caller]
fn becomes(tool: &str, args: Value, outcome: Outcome, steps: &[&str]) {
    let mut notebook = Notebook::new();
    notebook.says(tool, args, outcome);
    assert_eq!(notebook.steps(), steps, "{tool}");
}

#[test]
fn every_way_to_point_at_an_element_becomes_its_selector() {
    let point = json!({ "x": 500, "y": 850 });
    for (tool, args, bounds) in [
        ("tap", point.clone(), None),
        (
            "click_element",
            json!({ "element_id": "node_0" }),
            Some(SIGN_IN),
        ),
        ("mobile_agent.tap", point.clone(), None),
        (
            "mobile_agent.click_control",
            json!({ "control_id": "4" }),
            Some(SIGN_IN),
        ),
        (
            "semantic.click",
            json!({ "element_id": "button-1" }),
            Some(SIGN_IN),
        ),
        (
            "semantic.toggle",
            json!({ "element_id": "button-1" }),
            Some(SIGN_IN),
        ),
        ("scenario.tap", json!({ "text": "sign" }), Some(SIGN_IN)),
        ("scenario.tapByCoordinates", point, None),
    ] {
        let outcome = Outcome {
            bounds,
            ..Outcome::text("")
        };
        becomes(tool, args, outcome, &["click: Sign in"]);
    }
    let id = form()
        .nodes()
        .find(|node| node.text() == "Sign in")
        .unwrap()
        .id();
    let by_id = json!({ "element_id": id });
    becomes(
        "click_element",
        by_id,
        Outcome::text(""),
        &["click: Sign in"],
    );
}

#[test]
fn a_touch_is_named_by_what_a_person_sees() {
    let touch = |x: i32, y: i32| json!({ "x": x, "y": y });
    let nothing = || Outcome::text("");
    // The row has no name of its own, and its date none that lasts.
    becomes("tap", touch(700, 1100), nothing(), &["click: Groceries"]);
    becomes(
        "double_tap",
        touch(900, 1300),
        nothing(),
        &["double_click: Travel"],
    );
    becomes(
        "long_press",
        json!({ "x": 700, "y": 1100, "duration": 1500 }),
        nothing(),
        &["long_click: { on: Groceries, duration: \"1500ms\" }"],
    );
    becomes(
        "long_click_element",
        json!({ "element_id": "node_0" }),
        Outcome::text("").at(ROW),
        &["long_click: Groceries"],
    );
    // Where it is touched matters, or nothing is there.
    let nameless = "# Nothing that has a name was there; it is a place of this display.";
    becomes(
        "tap",
        touch(200, 1550),
        nothing(),
        &[nameless, "tap: { x: 200, y: 1550 }"],
    );
    becomes(
        "tap",
        touch(500, 2300),
        nothing(),
        &[nameless, "tap: { x: 500, y: 2300 }"],
    );
}

#[test]
fn steps_that_only_look_are_kept_as_they_were_written() {
    for (tool, args, step) in [
        ("wait_for", json!({ "on": "Travel" }), "wait_for: Travel"),
        (
            "wait_for",
            json!({ "on": "Loading", "gone": true }),
            "wait_for: { on: Loading, gone: true }",
        ),
        (
            "assert visible",
            json!({ "on": { "id": "title" } }),
            "assert visible: { id: title }",
        ),
        (
            "assert not visible",
            json!({ "on": "Wrong" }),
            "assert not visible: Wrong",
        ),
        (
            "assert",
            json!({ "on": { "id": "total", "text": "3" } }),
            "assert: { id: total, text: \"3\" }",
        ),
        (
            "assert",
            json!({ "on": "Note", "count": 2 }),
            "assert: { text: Note, count: 2 }",
        ),
    ] {
        becomes(tool, args, Outcome::text(""), &[step]);
    }
}

#[test]
fn what_is_set_on_the_device_is_written_as_people_write_it() {
    let nothing = || Outcome::text("");
    for (tool, args, step) in [
        ("rotate", json!({ "to": "landscape" }), "rotate: landscape"),
        (
            "set_device",
            json!({ "dark": true }),
            "set_device: { dark: true }",
        ),
        (
            "set_device",
            json!({ "locale": "de-DE" }),
            "set_device: { locale: de-DE }",
        ),
        ("stop", json!({ "app": "com.example" }), "stop: com.example"),
        (
            "open_link",
            json!({ "link": "notes://note/7" }),
            "open_link: \"notes://note/7\"",
        ),
        (
            "install",
            json!({ "path": "artifacts/a.apk" }),
            "install: artifacts/a.apk",
        ),
        (
            "grant",
            json!({ "permission": "CAMERA", "app": "com.example" }),
            "grant: { permission: CAMERA, app: com.example }",
        ),
        (
            "set_clipboard",
            json!({ "text": "hi" }),
            "set_clipboard: { text: hi }",
        ),
    ] {
        becomes(tool, args, nothing(), &[step]);
    }
}

#[test]
fn texts_of_every_catalogue_become_type() {
    let at = |bounds| Outcome::text("").at(bounds);
    for (tool, args, steps) in [
        (
            "type_append_text",
            json!({ "element_id": "node_0", "text": "ada", "typing_speed": 70 }),
            &["type: { into: { id: user }, text: ada }"] as &[&str],
        ),
        (
            "type",
            json!({ "text": "ada" }),
            &["type: { into: { id: user }, text: ada }"],
        ),
        (
            "type",
            json!({ "text": "ada", "clear": true }),
            &["type: { into: { id: user }, text: ada, clear: true }"],
        ),
        (
            "type",
            json!({ "into": "Name", "text": "ada" }),
            &["type: { into: { id: user }, text: ada }"],
        ),
        (
            "mobile_agent.type_text",
            json!({ "text": "ada", "control_id": "2", "clear_current_text": true }),
            &["type: { into: { id: user }, text: ada, clear: true }"],
        ),
        (
            "semantic.type_text",
            json!({ "element_id": "user", "text": "ada", "replace": false }),
            &["type: { into: { id: user }, text: ada }"],
        ),
        (
            "scenario.inputText",
            json!({ "fieldSelector": "name", "text": "ada" }),
            &["type: { into: { id: user }, text: ada }", "hide_keyboard"],
        ),
        (
            "type_clear_text",
            json!({ "element_id": "node_0" }),
            &["erase: { id: user }"],
        ),
        (
            "semantic.focus",
            json!({ "element_id": "user" }),
            &["click: { id: user }"],
        ),
    ] {
        becomes(tool, args, at(USER), steps);
    }
    // What the field holds afterwards needs no offset.
    let content = |text: &str| Outcome::value("", json!({ "text": text })).at(USER);
    becomes(
        "type_insert_text",
        json!({ "element_id": "node_0", "text": "d", "offset": 1 }),
        content("ada"),
        &["type: { into: { id: user }, text: ada, clear: true }"],
    );
    becomes(
        "type_replace_text",
        json!({ "element_id": "node_0", "search": "ada", "new_text": "" }),
        content(""),
        &["erase: { id: user }"],
    );
}

#[test]
fn other_tools_become_everyday_steps_or_stay_what_they_are() {
    let nothing = || Outcome::text("");
    for (tool, args, step) in [
        ("press_back", json!({}), "back"),
        ("press_home", json!({}), "home"),
        ("press_key", json!({ "key": "enter" }), "press: ENTER"),
        ("press_key", json!({ "key": "BACK" }), "back"),
        (
            "press_key",
            json!({ "key": "TAB" }),
            "press_key: { key: TAB }",
        ),
        (
            "mobile_agent.press_key",
            json!({ "key_code": "KEYCODE_DPAD_DOWN" }),
            "press: DPAD_DOWN",
        ),
        ("mobile_agent.press_key", json!({ "key_code": "4" }), "back"),
        ("scenario.hideKeyboard", json!({}), "hide_keyboard"),
        ("scenario.startScreenRecording", json!({}), "record: start"),
        ("open_notifications", json!({}), "open_notifications"),
        (
            "close_app",
            json!({ "package_id": "com.a.b" }),
            "close_app: { package_id: com.a.b }",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[{ "x": 1, "y": 2, "time": 0 }, { "x": 3, "y": 4, "time": 5 }]] }),
            "custom_gesture: { paths: [ [ { x: 1, y: 2, time: 0 }, { x: 3, y: 4, time: 5 } ] ] }",
        ),
        (
            "semantic.select",
            json!({ "element_id": "tabs", "value": "Look" }),
            "semantic.select: { element_id: tabs, value: Look }",
        ),
        ("other.poke", json!({ "at": "x" }), "other.poke: { at: x }"),
        // An id of one screen means nothing in another run.
        (
            "other.poke",
            json!({ "id": "node_12ab_w1" }),
            "# Not recorded: other.poke: the element it acted on has no name that lasts",
        ),
        (
            "mobile_agent.wait",
            json!({ "seconds": 1.5 }),
            "mobile_agent.wait: { seconds: 1.5 }",
        ),
    ] {
        becomes(tool, args, nothing(), &[step]);
    }
    let opened = Outcome::value("", json!({ "package_name": "com.example.maps" }));
    becomes(
        "mobile_agent.launch_app",
        json!({ "package_name": "Maps" }),
        opened,
        &["launch: { clear: true }"],
    );
    for look in ["get_screen_state", "find_elements", "list_apps"] {
        becomes(look, json!({}), nothing(), &[]);
        assert!(!needs_screen(entry(look)), "{look}");
    }
}

#[test]
fn what_failed_is_no_step() {
    let args = json!({ "x": 500, "y": 850 });
    let failed = Outcome::text("").failed(Failure::assertion("no"));
    becomes("tap", args, failed, &[]);
}

#[test]
fn waits_and_assertions_are_said_in_the_apps_own_letters() {
    let nothing = || Outcome::text("");
    let wait = |by: &str, value: &str| json!({ "by": by, "value": value, "timeout": 5000 });
    for (args, step) in [
        (wait("text", "sign IN"), "wait_for: Sign in"),
        (
            wait("text", "GROCER"),
            "wait_for: { text: { contains: Grocer } }",
        ),
        (wait("content_desc", "volume"), "wait_for: Volume"),
        (wait("resource_id", "id/USER"), "wait_for: { id: user }"),
        (
            wait("class_name", "seekbar"),
            "wait_for: { class: SeekBar }",
        ),
    ] {
        becomes("wait_for_element", args, nothing(), &[step]);
    }
    becomes(
        "wait_for_element",
        json!({ "by": "text", "value": "Travel", "timeout": 30000 }),
        nothing(),
        &["wait_for: Travel", "timeout: 30s"],
    );
    becomes(
        "scenario.verifyElementVisible",
        json!({ "text": "travel", "selectorType": "any" }),
        nothing(),
        &["assert visible: Travel"],
    );
    becomes(
        "scenario.verifyElementNotVisible",
        json!({ "text": "Wrong", "selectorType": "text" }),
        nothing(),
        &["assert not visible: { text: { contains: Wrong } }"],
    );
}

#[test]
fn bounds_choose_the_element_that_takes_the_touch() {
    let bounds = Rect {
        left: 0,
        top: 0,
        right: 500,
        bottom: 500,
    };
    let inner = node("TextView", r#"text="Inner""#, [0, 0, 500, 500], "");
    let both = node(
        "Button",
        r#"content-desc="Outer" clickable="true""#,
        [0, 0, 500, 500],
        &inner,
    );
    let mut notebook = Notebook::new();
    notebook.shows(screen(&both));
    notebook.acts_at("scenario.tap", json!({ "text": "x" }), bounds);
    assert_eq!(notebook.steps(), ["click: Outer"]);
}

#[test]
fn v8_what_was_disabled_when_it_was_touched_is_forced() {
    let off = |class: &str, attributes: &str, bounds: Rect| {
        let attributes =
            format!(r#"{attributes} clickable="true" long-clickable="true" enabled="false""#);
        node(class, &attributes, super::at(bounds), "")
    };
    let screen = screen(&format!(
        "{}{}",
        off("Button", r#"text="Sign in""#, SIGN_IN),
        off("EditText", r#"resource-id="com.example:id/user""#, USER)
    ));
    let place = json!({ "x": 500, "y": 850 });
    let field = json!({ "element_id": "node_1", "text": "ada" });
    for (tool, args, bounds, steps) in [
        (
            "tap",
            place.clone(),
            SIGN_IN,
            "click: { on: Sign in, force: true }",
        ),
        (
            "double_tap",
            place.clone(),
            SIGN_IN,
            "double_click: { on: Sign in, force: true }",
        ),
        (
            "long_press",
            place,
            SIGN_IN,
            "long_click: { on: Sign in, force: true }",
        ),
        (
            "type_append_text",
            field,
            USER,
            "type: { into: { id: user }, text: ada, force: true }",
        ),
        (
            "type_clear_text",
            json!({ "element_id": "node_1" }),
            USER,
            "erase: { on: { id: user }, force: true }",
        ),
    ] {
        let mut notebook = Notebook::new();
        notebook
            .shows(Arc::clone(&screen))
            .acts_at(tool, args, bounds);
        assert_eq!(notebook.steps(), [steps], "{tool}");
    }
}
