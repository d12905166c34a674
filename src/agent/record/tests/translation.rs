//! What each tool becomes.

use serde_json::{Value, json};

use super::super::translate::needs_screen;
use super::{Notebook, Outcome, PASSWORD, ROW, Rect, SIGN_IN, USER, entry, form, node, screen};
use crate::tools::Failure;

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
fn texts_of_every_catalogue_become_type() {
    let at = |bounds| Outcome::text("").at(bounds);
    for (tool, args, steps) in [
        (
            "type_append_text",
            json!({ "element_id": "node_0", "text": "ada", "typing_speed": 70 }),
            &["type: { into: { id: user }, text: ada }"] as &[&str],
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
        (
            "scenario.startScreenRecording",
            json!({}),
            "record: { action: start }",
        ),
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
        &["launch"],
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
fn texts_into_one_field_are_one_step() {
    let mut notebook = Notebook::new();
    notebook
        .does("tap", json!({ "x": 500, "y": 450 }))
        .types(USER, "a")
        .types(USER, "da")
        .types(PASSWORD, "x")
        .types(USER, "!");
    assert_eq!(
        notebook.steps(),
        [
            "type: { into: { id: user }, text: ada }",
            "# EXAMPLE_PASSWORD of the environment is typed here.",
            r#"type: { into: { id: password }, text: "${os.EXAMPLE_PASSWORD}", secret: true }"#,
            r#"type: { into: { id: user }, text: "!" }"#,
        ]
    );

    let mut notebook = Notebook::new();
    let clear = json!({ "element_id": "node_1" });
    notebook
        .types(USER, "wrong")
        .acts_at("type_clear_text", clear, USER)
        .types(USER, "right");
    assert_eq!(
        notebook.steps(),
        ["type: { into: { id: user }, text: right, clear: true }"]
    );

    let mut notebook = Notebook::new();
    let text = |text: &str| json!({ "fieldSelector": "user", "text": text });
    notebook
        .acts_at("scenario.inputText", text("a"), USER)
        .acts_at("scenario.inputText", text("b"), USER);
    assert_eq!(
        notebook.steps(),
        ["type: { into: { id: user }, text: ab }", "hide_keyboard"]
    );
}

#[test]
fn keys_in_a_row_are_one_step() {
    let mut notebook = Notebook::new();
    for _ in 0..3 {
        notebook.does("press_key", json!({ "key": "DEL" }));
    }
    assert_eq!(notebook.steps(), ["press: { key: DEL, times: 3 }"]);
}

#[test]
fn scrolls_that_brought_an_element_become_scroll_to() {
    let list = |text: &str| {
        let item = node(
            "Button",
            &format!(r#"text="{text}" clickable="true""#),
            [0, 900, 1080, 1000],
            "",
        );
        let side = node(
            "HorizontalScrollView",
            r#"resource-id="a:id/side" scrollable="true""#,
            [0, 100, 1080, 300],
            "",
        );
        screen(
            &(side
                + &node(
                    "ListView",
                    r#"scrollable="true""#,
                    [0, 300, 1080, 2400],
                    &item,
                )),
        )
    };
    let tap = json!({ "x": 500, "y": 950 });
    let path =
        |x1: i32, y1: i32, x2: i32, y2: i32| json!({ "x1": x1, "y1": y1, "x2": x2, "y2": y2 });
    for (tool, args, step) in [
        (
            "scroll",
            json!({ "direction": "Up" }),
            "scroll_to: { on: New, direction: up }",
        ),
        ("swipe", path(500, 1800, 510, 600), "scroll_to: New"),
        (
            "swipe",
            path(900, 200, 100, 210),
            "scroll_to: { on: New, direction: right, in: { id: side } }",
        ),
        ("scenario.swipeUp", json!({}), "scroll_to: New"),
        (
            "scenario.scrollVertically",
            json!({ "distance": -500 }),
            "scroll_to: { on: New, direction: up }",
        ),
        (
            "scenario.scrollHorizontally",
            json!({}),
            "scroll_to: { on: New, direction: left }",
        ),
    ] {
        let mut notebook = Notebook::new();
        notebook.shows(list("Old")).does(tool, args);
        notebook.shows(list("New")).does("tap", tap.clone());
        assert_eq!(notebook.steps(), [step, "click: New"], "{tool}");
    }
    // What was to be seen before needed no scroll: it stays what it was.
    let mut notebook = Notebook::new();
    notebook
        .shows(list("Old"))
        .does("swipe", path(500, 1800, 500, 600))
        .does("tap", tap);
    assert_eq!(
        notebook.steps(),
        [
            "swipe: { x1: 500, y1: 1800, x2: 500, y2: 600 }",
            "click: Old"
        ]
    );
}

#[test]
fn a_pause_before_an_element_that_came_is_left_out() {
    let wait = || json!({ "seconds": 2 });
    let tap = json!({ "x": 500, "y": 850 });
    let mut notebook = Notebook::new();
    notebook.shows(screen("")).does("mobile_agent.wait", wait());
    notebook.shows(form()).does("tap", tap.clone());
    assert_eq!(notebook.steps(), ["click: Sign in"]);

    let mut notebook = Notebook::new();
    notebook.does("mobile_agent.wait", wait()).does("tap", tap);
    notebook
        .does("mobile_agent.wait", wait())
        .does("press_back", json!({}));
    assert_eq!(
        notebook.steps(),
        [
            "mobile_agent.wait: { seconds: 2 }",
            "click: Sign in",
            "mobile_agent.wait: { seconds: 2 }",
            "back",
        ]
    );
}

#[test]
fn apps_are_launched_anew_the_first_time() {
    let open = |package: &str| json!({ "package_id": package });
    let mut notebook = Notebook::new();
    notebook
        .does("open_app", open("com.example.notes"))
        .does("open_app", open("com.example.maps"))
        .does("open_app", open("com.example.notes"))
        .does(
            "scenario.startTestingScenario",
            json!({ "appPackage": "com.example.notes" }),
        );
    let flow = notebook.flow();
    assert!(flow.contains("\napp: com.example.notes\n"), "{flow}");
    assert_eq!(
        notebook.steps(),
        [
            "launch",
            "launch: com.example.maps",
            "launch: { stop: false }",
            "launch"
        ]
        .into_iter()
        .filter(|step| *step != "launch: { stop: false }")
        .collect::<Vec<_>>()
    );
    assert!(
        flow.contains("maps\n  - launch: { stop: false }\n  - launch\n"),
        "{flow}"
    );
}

#[test]
fn nothing_shows_what_was_typed_into_a_password_field() {
    let mut notebook = Notebook::new();
    notebook
        .types(PASSWORD, "sword")
        .types(PASSWORD, "fish")
        .does("other.poke", json!({ "text": "is it swordfish?" }))
        .says(
            "other.poke",
            json!({ "text": "hush-hush" }),
            Outcome::text("").hiding(Some("hush-hush")),
        )
        .says(
            "type_replace_text",
            json!({ "element_id": "node_1", "search": "swordfish", "new_text": "byron" }),
            Outcome::value("", json!({ "text": "" }))
                .at(PASSWORD)
                .hiding(Some("byron")),
        );
    let recorded = notebook
        .recorder
        .flow(Some("swordfish"), true, None)
        .unwrap();
    let everything = format!("{recorded:?} {:?}", notebook.recorder);
    for secret in ["sword", "fish", "hush", "byron"] {
        assert!(!everything.contains(secret), "{secret}: {everything}");
    }
    assert_eq!(recorded.variables, ["EXAMPLE_PASSWORD", "EXAMPLE_TEXT"]);
    assert!(
        recorded
            .text
            .contains("EXAMPLE_PASSWORD=… EXAMPLE_TEXT=… runner test")
    );
    assert!(
        recorded
            .text
            .contains(r#"text: "is it ${os.EXAMPLE_PASSWORD}?""#)
    );
}

#[test]
fn a_flow_ends_with_what_is_new_on_the_last_screen() {
    let shows = |texts: &[&str]| {
        let texts = texts.iter().enumerate().map(|(place, text)| {
            let top = place as i32 * 100;
            node(
                "TextView",
                &format!(r#"text="{text}""#),
                [0, top, 1080, top + 90],
                "",
            )
        });
        screen(&texts.collect::<String>())
    };
    let mut notebook = Notebook::new();
    notebook
        .shows(shows(&["Notes", "Menu"]))
        .does("press_back", json!({}));
    let last = shows(&["12:31", "Menu", "3 notes", "Saved", "Again"]);
    let flow = notebook.recorder.flow(None, true, Some(&last)).unwrap();
    assert!(
        flow.text.ends_with("  - assert visible: Saved\n"),
        "{}",
        flow.text
    );
    let flow = notebook.recorder.flow(None, false, Some(&last)).unwrap();
    assert!(flow.text.ends_with("  - back\n"), "{}", flow.text);
    assert!(
        flow.notes
            .iter()
            .any(|note| note.contains("asserts nothing"))
    );
}

#[test]
fn a_recording_is_bounded() {
    let mut notebook = Notebook::new();
    for number in 0..5_010 {
        let key = if number % 2 == 0 { "ENTER" } else { "DEL" };
        notebook.does("press_key", json!({ "key": key }));
    }
    let flow = notebook.recorder.flow(None, false, None).unwrap();
    assert!(
        flow.text.contains("# the last 10 acts were left out"),
        "{}",
        &flow.text[..300]
    );
    assert_eq!(flow.steps, 5_001, "with the launch");
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
