//! Tests how calls are merged, and the flow around them.

use serde_json::json;

use super::super::Assertion;
use super::{Notebook, Outcome, PASSWORD, ROW, USER, at, form, node, screen};
use runner_screen::Selector;

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
fn each_element_that_came_with_the_scrolls_is_scrolled_to() {
    let page = |texts: &[&str]| {
        let items = (1..).zip(texts).map(|(place, text)| {
            let attributes = format!(r#"text="{text}" clickable="true""#);
            let top = place * 300;
            node("Button", &attributes, [0, top, 1080, top + 100], "")
        });
        let items: String = items.collect();
        let list = node(
            "ListView",
            r#"scrollable="true""#,
            [0, 300, 1080, 2400],
            &items,
        );
        screen(&list)
    };
    let tap = |place: i32| json!({ "x": 500, "y": place * 300 + 50 });
    let mut notebook = Notebook::new();
    notebook
        .shows(page(&["Old", "Kept"]))
        .does("scenario.swipeUp", json!({}));
    notebook.shows(page(&["Kept", "New", "Last"]));
    notebook.does("tap", tap(2)).does("tap", tap(3));
    notebook.does("tap", tap(1)).does("tap", tap(3));
    // A dialog did not come with the scrolls.
    notebook
        .shows(page(&["Kept", "New", "Last", "Sure"]))
        .does("tap", tap(4));
    assert_eq!(
        notebook.steps(),
        [
            "scroll_to: New",
            "click: New",
            "scroll_to: Last",
            "click: Last",
            "click: Kept",
            "click: Last",
            "click: Sure",
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
            "launch: { clear: true }",
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
        .types(PASSWORD, "xyzzy")
        .types(PASSWORD, "plugh")
        .does("other.poke", json!({ "text": "is it xyzzyplugh?" }))
        .says(
            "other.poke",
            json!({ "text": "hush-hush" }),
            Outcome::text("").hiding(Some("hush-hush")),
        )
        .says(
            "type_replace_text",
            json!({ "element_id": "node_1", "search": "xyzzyplugh", "new_text": "byron" }),
            Outcome::value("", json!({ "text": "" }))
                .at(PASSWORD)
                .hiding(Some("byron")),
        );
    let recorded = notebook
        .recorder
        .flow(Some("xyzzyplugh"), true, None)
        .unwrap();
    let everything = format!("{recorded:?} {:?}", notebook.recorder);
    for secret in ["xyzzy", "plugh", "hush", "byron"] {
        assert!(!everything.contains(secret), "{secret}: {everything}");
    }
    assert_eq!(recorded.variables, ["EXAMPLE_PASSWORD", "EXAMPLE_TEXT"]);
    // Who runs the steps at once knows them, by each name that a step may have.
    let known = notebook.recorder.secrets();
    assert_eq!(known["EXAMPLE_PASSWORD"], known["PASSWORD"]);
    assert_eq!(known["EXAMPLE_PASSWORD"], "xyzzyplugh");
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
fn a_long_secret_is_not_cut() {
    let secret = "correct horse battery staple and then some more words than one would type";
    for (display, step) in [
        (secret.to_owned(), r#"click: "${os.EXAMPLE_PASSWORD}""#),
        (
            format!("You typed {secret} as your key"),
            r#"click: "You typed ${os.EXAMPLE_PASSWORD}*""#,
        ),
    ] {
        let text = format!(r#"text="{display}" clickable="true""#);
        let mut notebook = Notebook::new();
        notebook
            .types(PASSWORD, secret)
            .shows(screen(&node("TextView", &text, at(ROW), "")))
            .does("tap", json!({ "x": 500, "y": 1100 }));
        let steps = notebook.steps();
        assert_eq!(steps.last().unwrap(), step, "{steps:?}");
        assert!(!notebook.flow().contains("horse"), "{steps:?}");
    }
}

#[test]
fn keys_of_the_everyday_steps_are_joined_too() {
    let mut notebook = Notebook::new();
    notebook.shows(form());
    notebook.does("press", json!({ "key": "ENTER" }));
    notebook.does("press", json!({ "key": "ENTER", "times": 2 }));
    notebook.does("press", json!({ "key": "BACK", "times": 1 }));
    notebook.does("press", json!({ "key": "POWER", "long": true }));
    assert_eq!(
        notebook.steps(),
        [
            "press: { key: ENTER, times: 3 }",
            "back",
            "press: { key: POWER, long: true }"
        ]
    );
}

#[test]
fn what_a_person_asserts_stands_where_it_was_said() {
    let mut notebook = Notebook::new();
    notebook.shows(form());
    notebook.does("press", json!({ "key": "ENTER" }));
    let user = Selector::from_id("user");
    for assertion in [
        Assertion::Visible(user.clone()),
        Assertion::Gone(Selector::from_words("Wrong")),
        Assertion::State(user.clone(), vec![("enabled", json!(true))]),
        Assertion::State(Selector::from_words("A"), vec![("checked", json!(false))]),
        Assertion::Wait(user.clone()),
        Assertion::Snapshot {
            name: "home".to_owned(),
            of: None,
        },
        Assertion::Snapshot {
            name: "part".to_owned(),
            of: Some(user),
        },
    ] {
        notebook.recorder.assert(assertion, None);
    }
    let from = notebook.recorder.pause();
    assert_eq!(from, 8);
    notebook.does("press", json!({ "key": "ENTER" }));
    assert_eq!(notebook.recorder.steps(from).steps, ["- press: ENTER\n"]);
    assert_eq!(
        notebook.recorder.steps(1).steps[..7],
        [
            "- assert visible: { id: user }\n",
            "- assert not visible: Wrong\n",
            "- assert: { id: user, enabled: true }\n",
            "- assert: { text: A, checked: false }\n",
            "- wait_for: { id: user }\n",
            "- snapshot: home\n",
            "- snapshot: { name: part, of: { id: user } }\n",
        ]
    );
}
