//! Tests of the whole registry, and of tools on a scripted device.

mod covers;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use schemars::SchemaGenerator;
use serde_json::{Value, json};

use super::registry::{entries, find};
use super::*;
use runner_device::fake::{Fake, node};
use runner_device::{Device, DeviceError, DumpFailure, Input, ShellOutput};
use runner_engine::{MIN_REQUEST_LIMIT, Session, StorageLocation};
use runner_screen::{Point, Selector};

fn call() -> Call {
    Call {
        timeout: Duration::from_secs(5),
        app: Some("com.example".to_owned()),
        root: ".".into(),
        artifacts: "artifacts".into(),
        allow_shell: false,
        http_hosts: std::sync::Arc::default(),
        progress: Progress::default(),
        caller: Caller::default(),
    }
}

async fn run_on(session: &Session, name: &str, args: Value) -> Result<Outcome, Failure> {
    let entry = find(name).unwrap();
    entry.call(session, entry.arguments(args)?, &call()).await
}

async fn run(fake: &Arc<Fake>, name: &str, args: Value) -> Result<Outcome, Failure> {
    let session = Session::new(Arc::clone(fake) as Arc<dyn Device>);
    run_on(&session, name, args).await
}

fn button(attributes: &str) -> String {
    node("Button", attributes, [0, 100, 1080, 300], "")
}

#[test]
fn names_are_unique() {
    let mut observed = HashSet::new();
    for entry in entries() {
        assert!(observed.insert(entry.name), "{}", entry.name);
    }
}

#[test]
fn the_android_catalogue_is_whole() {
    let count = entries()
        .iter()
        .filter(|entry| entry.catalogue == Catalogue::Android)
        .count();
    assert_eq!(count, 39);
}

fn properties(entry: &Entry) -> serde_json::Map<String, Value> {
    let mut generator = SchemaGenerator::default();
    let schema = entry.schema(&mut generator).to_value();
    let name = schema["$ref"]
        .as_str()
        .map(|reference| reference.rsplit('/').next().unwrap_or_default().to_owned());
    let schema = match name {
        Some(name) => generator.definitions()[&name].clone(),
        None => schema,
    };
    assert_eq!(schema["type"], "object", "{}", entry.name);
    assert_eq!(schema["additionalProperties"], false, "{}", entry.name);
    schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn every_schema_builds_and_its_writing_fits() {
    for entry in entries() {
        let properties = properties(entry);
        let needed = match entry.writing {
            StepSyntax::Map => continue,
            StepSyntax::Element => "on",
            StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => name,
        };
        assert!(properties.contains_key(needed), "{}: {needed}", entry.name);
    }
}

#[test]
fn no_option_is_named_like_a_selector_key() {
    for entry in entries() {
        if entry.writing == StepSyntax::Element {
            for name in properties(entry).keys() {
                assert!(
                    !Selector::KEYS.contains(&name.as_str()),
                    "{}.{name}",
                    entry.name
                );
            }
        }
    }
}

#[tokio::test]
async fn bare_words_need_no_arguments() {
    // Those that act on an element or on files are tried elsewhere; here only the arguments count.
    for entry in entries().iter().filter(|entry| entry.value_optional) {
        let fake = Fake::showing([&button(r#"text="Go""#)]);
        let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
        let mut call = call();
        let folder = tempfile::tempdir().unwrap();
        call.artifacts = camino::Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        if let Err(failure) = entry
            .call(&session, entry.arguments(Value::Null).unwrap(), &call)
            .await
        {
            assert_ne!(
                failure.kind,
                FailureKind::Usage,
                "{}: {failure:?}",
                entry.name
            );
        }
    }
}

/// Invalid arguments, with the messages that the references quote for them.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn argument_errors_are_the_references() {
    let point = |time: Value| json!({ "x": 1, "y": 1, "time": time });
    let table = [
        ("tap", json!({ "y": 1 }), "Missing required parameter: 'x'"),
        (
            "tap",
            json!({ "x": "500", "y": 1 }),
            "Parameter 'x' must be a number, got: '500'",
        ),
        (
            "tap",
            json!({ "x": -1, "y": 1 }),
            "Parameter 'x' must be >= 0, got: -1.0",
        ),
        (
            "tap",
            json!({ "x": 1, "y": -0.5 }),
            "Parameter 'y' must be >= 0, got: -0.5",
        ),
        (
            "long_press",
            json!({ "x": 1, "y": 1, "duration": 0 }),
            "Parameter 'duration' must be between 1 and 60000, got: 0",
        ),
        (
            "swipe",
            json!({ "x1": 1, "y1": 1, "x2": 1, "y2": 1, "duration": 60001 }),
            "Parameter 'duration' must be between 1 and 60000, got: 60001",
        ),
        (
            "scroll",
            json!({}),
            "Missing required parameter: 'direction'",
        ),
        (
            "scroll",
            json!({ "direction": "diagonal" }),
            "Parameter 'direction' must be one of: up, down, left, right. Got: 'diagonal'",
        ),
        (
            "scroll",
            json!({ "direction": "up", "amount": "huge" }),
            "Parameter 'amount' must be one of: small, medium, large. Got: 'huge'",
        ),
        (
            "pinch",
            json!({ "center_x": 1, "center_y": 1, "scale": 0 }),
            "Parameter 'scale' must be > 0, got: 0.0",
        ),
        (
            "custom_gesture",
            json!({}),
            "Missing required parameter: 'paths'",
        ),
        (
            "custom_gesture",
            json!({ "paths": 1 }),
            "Parameter 'paths' must be an array",
        ),
        (
            "custom_gesture",
            json!({ "paths": [] }),
            "Parameter 'paths' must not be empty",
        ),
        (
            "custom_gesture",
            json!({ "paths": [1] }),
            "Path at index 0 must be an array of point objects",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(0))]] }),
            "Path at index 0 must have at least 2 points, has 1",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[1, 2]] }),
            "Point at path[0][0] must be an object with x, y, time",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[{ "x": 1, "y": 1 }, point(json!(1))]] }),
            "Missing 'time' in point at path[0][0]",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!("a")), point(json!(1))]] }),
            "Field 'time' in point at path[0][0] must be a number, got: 'a'",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(-1)), point(json!(1))]] }),
            "Point at path[0][0].time must be >= 0, got: -1",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(5)), point(json!(5))]] }),
            "Times must be monotonically increasing within each path. path[0][1].time (5) <= previous time (5)",
        ),
        (
            "find_elements",
            json!({ "value": "a" }),
            "Missing required parameter: 'by'",
        ),
        (
            "find_elements",
            json!({ "by": "text", "value": "" }),
            "Parameter 'value' must be non-empty",
        ),
        (
            "find_elements",
            json!({ "by": "xpath", "value": "a" }),
            "Invalid 'by' value: 'xpath'. Must be one of: text, content_desc, resource_id, class_name",
        ),
        (
            "click_element",
            json!({}),
            "Missing required parameter: 'element_id'",
        ),
        (
            "click_element",
            json!({ "element_id": 7 }),
            "Parameter 'element_id' must be a string",
        ),
        (
            "long_click_element",
            json!({ "element_id": "" }),
            "Parameter 'element_id' must be non-empty",
        ),
        (
            "type_append_text",
            json!({ "text": "a" }),
            "Missing required parameter: 'element_id'",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "" }),
            "Parameter 'text' must be non-empty",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a".repeat(2001) }),
            "text exceeds maximum length of 2000 characters (got 2001)",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 9 }),
            "Parameter 'typing_speed' must be between 10 and 5000, got: 9",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 5001 }),
            "Parameter 'typing_speed' must be between 10 and 5000, got: 5001",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed_variance": -1 }),
            "Parameter 'typing_speed_variance' must be >= 0, got: -1",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 10.5 }),
            "Parameter 'typing_speed' must be an integer, got: '10.5'",
        ),
        (
            "type_insert_text",
            json!({ "element_id": "e", "text": "a" }),
            "Missing required parameter: 'offset'",
        ),
        (
            "type_replace_text",
            json!({ "element_id": "e", "search": "a".repeat(10_001), "new_text": "" }),
            "search exceeds maximum length of 10000 characters (got 10001)",
        ),
        ("press_key", json!({}), "Missing required parameter: 'key'"),
        (
            "press_key",
            json!({ "key": "F1" }),
            "Invalid key: 'F1'. Allowed values: ENTER, BACK, DEL, HOME, TAB, SPACE",
        ),
        (
            "set_clipboard",
            json!({}),
            "Missing required parameter: 'text'",
        ),
        (
            "wait_for_element",
            json!({ "by": "text", "value": "a", "timeout": 30001 }),
            "Parameter 'timeout' must be between 1 and 30000, got: 30001",
        ),
        (
            "wait_for_idle",
            json!({ "match_percentage": 101 }),
            "Parameter 'match_percentage' must be between 0 and 100, got: 101",
        ),
        (
            "get_element_details",
            json!({ "ids": "a" }),
            "Parameter 'ids' must be an array of strings",
        ),
        (
            "get_element_details",
            json!({ "ids": [] }),
            "Parameter 'ids' must not be empty",
        ),
        (
            "get_element_details",
            json!({ "ids": [1] }),
            "Each element in 'ids' must be a string",
        ),
        (
            "get_device_logs",
            json!({ "last_lines": 0 }),
            "Parameter 'last_lines' must be between 1 and 1000, got: 0",
        ),
        (
            "get_device_logs",
            json!({ "level": "x" }),
            "Parameter 'level' must be one of: V, D, I, W, E, F. Got: 'x'",
        ),
        (
            "list_apps",
            json!({ "filter": "mine" }),
            "Parameter 'filter' must be one of: all, user, system. Got: 'mine'",
        ),
        (
            "open_app",
            json!({}),
            "Missing required parameter: 'package_id'",
        ),
        (
            "download_from_url",
            json!({ "location_id": "l", "path": "p", "url": "nope" }),
            "Invalid URL: nope",
        ),
    ];
    for (name, args, message) in table {
        let fake = Fake::showing([""]);
        let failure = run(&fake, name, args.clone()).await.unwrap_err();
        assert_eq!(failure.message, message, "{name} {args}");
        assert_eq!(
            failure.code,
            Some(ErrorCode::INVALID_PARAMS),
            "{name} {args}"
        );
        assert_eq!(failure.kind, FailureKind::Usage);
        assert_eq!(fake.counters().read().round_trips, 0, "{name} {args}");
    }
}

#[tokio::test]
async fn unknown_arguments_are_refused() {
    let failure = run(
        &Fake::showing([""]),
        "tap",
        json!({ "x": 1, "y": 1, "z": 1 }),
    )
    .await
    .unwrap_err();
    assert!(
        failure.message.contains("there is no parameter 'z'"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn touches_say_where_they_went() {
    let table = [
        (
            "tap",
            json!({ "x": 500.7, "y": 1000 }),
            "Tap executed at (500, 1000)",
        ),
        (
            "long_press",
            json!({ "x": 5, "y": 6 }),
            "Long press executed at (5, 6) for 1000ms",
        ),
        (
            "double_tap",
            json!({ "x": 5, "y": 6 }),
            "Double tap executed at (5, 6)",
        ),
        (
            "swipe",
            json!({ "x1": 1, "y1": 2, "x2": 3, "y2": 4 }),
            "Swipe executed from (1, 2) to (3, 4) over 300ms",
        ),
        (
            "scroll",
            json!({ "direction": "Down", "amount": "LARGE" }),
            "Nothing moved: the screen does not scroll down (large), or not further",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[{ "x": 1, "y": 1, "time": 0 }, { "x": 9, "y": 9, "time": 300 }]] }),
            "Custom gesture executed with 1 path(s), total 2 point(s)",
        ),
        (
            "press_back",
            Value::Null,
            "Back button press executed successfully",
        ),
        (
            "press_home",
            Value::Null,
            "Home button press executed successfully",
        ),
        (
            "press_recents",
            Value::Null,
            "Recents button press executed successfully",
        ),
        (
            "press_key",
            json!({ "key": "back" }),
            "Key 'BACK' pressed successfully",
        ),
    ];
    for (name, args, text) in table {
        let fake = Fake::showing([&button(r#"text="Go""#)]);
        let outcome = run(&fake, name, args).await.unwrap();
        assert_eq!(outcome.words(), text);
        assert_eq!(fake.inputs().len(), 1, "{name}");
    }
}

#[tokio::test]
async fn scrolling_down_moves_the_finger_up() {
    let fake = Fake::showing([""]);
    run(&fake, "scroll", json!({ "direction": "down" }))
        .await
        .unwrap();
    let inputs = fake.inputs();
    let [Input::Swipe(gesture)] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    assert_eq!(gesture.from, Point { x: 540, y: 1799 });
    assert_eq!(gesture.to, Point { x: 540, y: 599 });
}

#[tokio::test]
async fn a_drag_holds_an_element_and_lets_it_go_on_another() {
    let low = node("TextView", r#"text="Bread""#, [0, 1000, 1080, 1100], "");
    let screen = format!("{}{low}", button(r#"text="Milk" clickable="true""#));
    let fake = Fake::showing([&screen]);
    let args = json!({ "from": "Milk", "to": "Bread", "hold": "700ms" });
    let outcome = run(&fake, "drag", args).await.unwrap();
    assert_eq!(outcome.value["text"], "Milk");
    let inputs = fake.inputs();
    let [Input::Fingers { paths, .. }] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    let points = &paths[0].points;
    let from = points[0].0;
    assert_eq!(points[1], (from, Duration::from_millis(700)));
    assert_eq!(points.last().unwrap().0, Point { x: 540, y: 1050 });
    for (args, kind, says) in [
        (
            json!({ "from": "Milc", "to": "Bread" }),
            FailureKind::Assertion,
            "Milc",
        ),
        (
            json!({ "from": "Milk", "to": "Bred" }),
            FailureKind::Assertion,
            "Bred",
        ),
        (
            json!({ "from": "Milk", "to": { "x": 5000, "y": 1 } }),
            FailureKind::Usage,
            "outside",
        ),
        (
            json!({ "from": "Milk", "to": "Bread", "hold": "11s" }),
            FailureKind::Usage,
            "at most 10s",
        ),
        (
            json!({ "from": "Milk", "to": "Bread", "duration": "0ms" }),
            FailureKind::Usage,
            "more than nothing",
        ),
    ] {
        let failure = run(&fake, "drag", args).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure:?}");
        assert!(failure.message.contains(says), "{failure:?}");
    }
    assert_eq!(fake.inputs().len(), 1, "a refused drag moves nothing");
}

#[tokio::test]
async fn a13_fingers_move_apart_where_there_is_room() {
    let fake = Fake::showing([""]);
    let at = |y: i32| json!({ "center_x": 540, "center_y": y, "scale": 2 });
    run(&fake, "pinch", at(1200)).await.unwrap();
    let inputs = fake.inputs();
    let [Input::Fingers { paths, .. }] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    let ends = |index: usize| {
        let points = &paths[index].points;
        (points[0].0, points[1].0)
    };
    let point = |y: i32| Point { x: 540, y };
    assert_eq!(ends(0), (point(900), point(600)));
    assert_eq!(ends(1), (point(1500), point(1800)));
    let corner = json!({ "center_x": 5, "center_y": 5, "scale": 2 });
    let failure = run(&fake, "pinch", corner).await.unwrap_err();
    assert!(
        failure.message.contains("no room for two fingers"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn elements_are_found_and_acted_on_by_id() {
    let screen = format!(
        "{}{}",
        button(r#"text="Submit" resource-id="a:id/submit" clickable="true""#),
        node("TextView", r#"text="Sub""#, [0, 400, 1080, 500], "")
    );
    let fake = Fake::showing([&screen]);
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let by_text = json!({ "by": "text", "value": "SUB" });
    let outcome = run_on(&session, "find_elements", by_text).await.unwrap();
    let elements = outcome.value["elements"].as_array().unwrap();
    assert_eq!(elements.len(), 2);
    assert_eq!(
        elements[0].as_object().unwrap().keys().collect::<Vec<_>>(),
        [
            "id",
            "text",
            "contentDescription",
            "resourceId",
            "className",
            "bounds",
            "clickable",
            "longClickable",
            "scrollable",
            "editable",
            "enabled"
        ]
    );
    assert_eq!(elements[0]["contentDescription"], Value::Null);
    let (submit, label) = (&elements[0]["id"], &elements[1]["id"]);
    let name = |id: &Value| id.as_str().unwrap().to_owned();

    let outcome = run_on(&session, "click_element", json!({ "element_id": submit }))
        .await
        .unwrap();
    assert_eq!(
        outcome.words(),
        format!("Click performed on element '{}'", name(submit))
    );
    let failure = run_on(&session, "click_element", json!({ "element_id": label }))
        .await
        .unwrap_err();
    assert_eq!(
        failure.message,
        format!("Node '{}' is not clickable", name(label))
    );
    let failure = run_on(
        &session,
        "long_click_element",
        json!({ "element_id": submit }),
    )
    .await
    .unwrap_err();
    assert_eq!(
        failure.message,
        format!("Node '{}' is not long-clickable", name(submit))
    );
    let failure = run_on(&session, "click_element", json!({ "element_id": "node_0" }))
        .await
        .unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        (
            "Element 'node_0' not found in accessibility tree",
            Some(ErrorCode::ELEMENT_NOT_FOUND)
        )
    );
    let outcome = run_on(
        &session,
        "scroll_to_element",
        json!({ "element_id": submit }),
    )
    .await
    .unwrap();
    assert_eq!(
        outcome.words(),
        format!("Element '{}' is already visible", name(submit))
    );
    let outcome = run_on(
        &session,
        "get_element_details",
        json!({ "ids": [submit, "node_0"] }),
    )
    .await
    .unwrap();
    assert_eq!(
        outcome.words(),
        format!(
            "id\ttext\tdesc\n{}\tSubmit\t-\nnode_0\tnot_found\tnot_found",
            name(submit)
        )
    );
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));
}

#[tokio::test]
async fn waits_that_run_out_fail_the_step() {
    let fake = Fake::showing([&button(r#"text="Go""#)]);
    let args = json!({ "by": "text", "value": "never", "timeout": 1000 });
    let outcome = run(&fake, "wait_for_element", args).await.unwrap();
    assert_eq!(outcome.value["found"], false);
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));

    let fake = Fake::showing([&button(r#"text="Go now""#)]);
    let args = json!({ "by": "text", "value": "GO" });
    let outcome = run(&fake, "wait_for_element", args).await.unwrap();
    assert_eq!(outcome.value["found"], true);
    assert_eq!(outcome.verdict, Verdict::Passed);
}

#[tokio::test]
async fn a_screen_that_cannot_be_read_tells_its_cause() {
    let table = [
        (
            DeviceError::NoDump {
                cause: "could not get idle state".to_owned(),
                kind: DumpFailure::NotIdle,
            },
            "No windows available and no active window root node. The screen may be transitioning.",
            FailureKind::Assertion,
        ),
        (
            DeviceError::NoDump {
                cause: "null root node".to_owned(),
                kind: DumpFailure::NullRoot,
            },
            "All windows returned null root nodes.",
            FailureKind::Infrastructure,
        ),
        (
            DeviceError::NoDump {
                cause: "another client".to_owned(),
                kind: DumpFailure::SlotTaken,
            },
            "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
            FailureKind::Infrastructure,
        ),
        (
            DeviceError::Lost {
                serial: "fake".to_owned(),
                cause: "gone".to_owned(),
            },
            "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
            FailureKind::Infrastructure,
        ),
    ];
    for (error, message, kind) in table {
        let fake = Fake::showing([""]);
        fake.with(|state| state.looks.push_front(Err(error)));
        let failure = run(&fake, "get_screen_state", Value::Null)
            .await
            .unwrap_err();
        assert_eq!(
            (failure.message.masked_text(), failure.kind),
            (message, kind)
        );
        assert!(failure.details[0].starts_with("cause: "), "{failure:?}");
    }
}

#[tokio::test]
async fn the_screen_comes_with_its_picture() {
    let fake = Fake::showing([&button(r#"text="Go" clickable="true""#)]);
    let args = json!({ "include_screenshot": true });
    let outcome = run(&fake, "get_screen_state", args).await.unwrap();
    assert!(
        outcome.words().contains("\tButton\tGo\t"),
        "{}",
        outcome.words()
    );
    let [(kind, jpeg)] = outcome.images.as_slice() else {
        panic!("no picture");
    };
    assert_eq!(
        (kind.as_str(), &jpeg[..2]),
        ("image/jpeg", &[0xff, 0xd8][..])
    );
}

#[tokio::test]
async fn expectations_name_expected_and_actual() {
    let fake = Fake::showing([&button(r#"text="2" resource-id="a:id/count""#)]);
    let args = json!({ "on": { "id": "count", "text": "3" } });
    let failure = run(&fake, "assert", args).await.unwrap_err();
    assert_eq!(failure.expected.as_deref(), Some("text: 3"));
    assert_eq!(failure.actual.as_deref(), Some("text: 2"));
}

#[tokio::test]
async fn find_keeps_what_it_found() {
    let fake = Fake::showing([&button(r#"text="42" resource-id="a:id/total""#)]);
    let outcome = run(&fake, "find", json!({ "on": { "id": "total" } }))
        .await
        .unwrap();
    assert_eq!(outcome.value["text"], "42");
    assert_eq!(outcome.value["bounds"]["bottom"], 300);
    assert_eq!(outcome.value["enabled"], true);
}

#[tokio::test]
async fn the_shell_is_closed_unless_it_is_allowed() {
    let fake = Fake::showing([""]);
    let args = json!({ "argv": ["echo", "a b"] });
    let failure = run(&fake, "shell", args.clone()).await.unwrap_err();
    assert!(failure.message.contains("allow_shell"), "{failure:?}");
    assert!(fake.with(|state| state.scripts.is_empty()));

    let fake = fake.on_shell(|_| ShellOutput {
        stdout: b"hi".to_vec(),
        exit_code: Some(3),
        ..ShellOutput::default()
    });
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let call = Call {
        allow_shell: true,
        http_hosts: std::sync::Arc::default(),
        ..call()
    };
    let entry = find("shell").unwrap();
    let args = entry.arguments(args).unwrap();
    let outcome = entry.call(&session, args, &call).await.unwrap();
    assert_eq!(outcome.value["exit_code"], 3);
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));
    assert_eq!(fake.with(|state| state.scripts.clone()), ["echo 'a b'"]);
}

#[tokio::test]
async fn storage_is_read_only_unless_the_configuration_says_otherwise() {
    let fake = Fake::showing([""]);
    let file = json!({ "location_id": "downloads", "path": "a.txt", "content": "x" });
    let failure = run(&fake, "write_file", file.clone()).await.unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        ("Write not allowed", Some(ErrorCode::PERMISSION_DENIED))
    );
    let gone = json!({ "location_id": "downloads", "path": "a.txt" });
    let failure = run(&fake, "delete_file", gone).await.unwrap_err();
    assert_eq!(failure.message, "Delete not allowed");
    let nowhere = json!({ "location_id": "moon", "path": "a.txt" });
    let failure = run(&fake, "read_file", nowhere).await.unwrap_err();
    assert_eq!(
        failure.message,
        "Storage location 'moon' not found. Please add it in the app settings."
    );

    let location = StorageLocation {
        allow_write: true,
        ..StorageLocation::defaults().remove(0)
    };
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>).with_locations(vec![location]);
    let outside = json!({ "location_id": "sdcard", "path": "../data/a", "content": "x" });
    let failure = run_on(&session, "write_file", outside).await.unwrap_err();
    assert!(failure.message.contains("leaves"), "{failure:?}");
}

#[tokio::test]
async fn whole_numbers_may_be_written_with_a_point() {
    let fake = Fake::showing([""]);
    let args = json!({ "last_lines": 5.0 });
    run(&fake, "get_device_logs", args).await.unwrap();
}

/// A screenshot that begins as PNG but cannot be decoded. No device over adb was seen to send one.
#[tokio::test]
async fn a01_a_picture_that_does_not_decode_is_told() {
    let fake = Fake::showing([&button(r#"text="Go""#)]);
    fake.with(|state| state.screenshot = Some(b"\x89PNG\r\n\x1a\n broken".to_vec()));
    let args = json!({ "include_screenshot": true });
    let failure = run(&fake, "get_screen_state", args).await.unwrap_err();
    assert_eq!(failure.message, "Screenshot annotation failed");
    assert_eq!(failure.code, Some(ErrorCode::ACTION_FAILED));
}

/// A storage that accepts files but cannot append to them. No device over adb was seen to have one.
#[tokio::test]
async fn a33_a_storage_that_cannot_be_appended_to_is_told() {
    let printed = |text: String, code: i32| ShellOutput {
        stdout: text.into_bytes(),
        exit_code: Some(code),
        ..ShellOutput::default()
    };
    let fake = Fake::showing([""]).on_shell(move |script| {
        if script.starts_with("cat ") {
            let text = "cat: write error: Operation not supported on transport endpoint\n";
            return printed(text.to_owned(), 1);
        }
        // What is at the path: the parts of the answer, each after the script's own mark.
        let mark = script.split("echo ").find(|part| part.starts_with('@'));
        let mark = mark.and_then(|part| part.split(';').next()).unwrap_or("@");
        let file = "regular file|3|1700000000|/sdcard/a.txt\n";
        let parts = ["/sdcard", "/sdcard", "", file];
        printed(parts.join(&format!("\n{mark}\n")), 0)
    });
    let location = StorageLocation {
        allow_write: true,
        ..StorageLocation::defaults().remove(0)
    };
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>).with_locations(vec![location]);
    let args = json!({ "location_id": "sdcard", "path": "a.txt", "content": "x" });
    let failure = run_on(&session, "append_file", args).await.unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        (
            "This storage provider does not support append mode. Use write_file to write the entire file content instead.",
            Some(ErrorCode::ACTION_FAILED)
        )
    );
}

/// Each character is followed by its pause, which passes on the device.
#[tokio::test]
async fn a19_typing_pauses_after_every_character() {
    let field = |text: &str| {
        node(
            "EditText",
            &format!(
                r#"text="{text}" resource-id="f" focused="true" focusable="true" clickable="true""#
            ),
            [0, 0, 100, 100],
            "",
        )
    };
    let fake = Fake::showing([&field(""), &field("abcdefghijklmnopqrstuvwxyz")]);
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let id = session.look().await.unwrap().nodes().next().unwrap().id();
    let args = json!({
        "element_id": id, "text": "abcdefghijklmnopqrstuvwxyz", "typing_speed": 200, "typing_speed_variance": 50,
    });
    fake.with(|state| state.looks.push_front(Ok(field(""))));
    run_on(&session, "type_append_text", args).await.unwrap();
    let rests: Vec<u128> = fake
        .inputs()
        .iter()
        .filter_map(|input| match input {
            Input::Pause(time) => Some(time.as_millis()),
            _ => None,
        })
        .collect();
    assert_eq!(rests.len(), 26);
    assert!(
        rests.iter().all(|rest| (150..=250).contains(rest)),
        "{rests:?}"
    );
    assert!(
        rests.iter().any(|rest| rest != &rests[0]),
        "nothing varies: {rests:?}"
    );
    let typed: String = fake
        .inputs()
        .iter()
        .filter_map(|input| match input {
            Input::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(typed, "abcdefghijklmnopqrstuvwxyz");
}

/// Clients get errors for missing arguments and defaults for others; flows get neither.
#[test]
fn clients_get_the_references_defaults() {
    let filled = |name: &str, args: Value| {
        let entry = find(name).unwrap();
        let args = entry.client_arguments(args).unwrap().arguments;
        entry.with_client_defaults(args)
    };
    let typing = "type_append_text";
    let args = json!({ "element_id": "e", "text": "a" });
    let typed = filled(typing, args.clone()).unwrap();
    assert_eq!(typed.get("typing_speed"), Some(&json!(70)));
    assert_eq!(typed.get("typing_speed_variance"), Some(&json!(15)));
    let named = json!({ "element_id": "e", "text": "a", "typing_speed": 10 });
    let typed = filled(typing, named).unwrap();
    assert_eq!(typed.get("typing_speed"), Some(&json!(10)));
    let failure = filled("wait_for_idle", json!({})).unwrap_err();
    assert_eq!(failure.message, "Missing required parameter: 'timeout'");
    for (name, args) in [(typing, args), ("wait_for_idle", json!({}))] {
        let entry = find(name).unwrap();
        entry.check(&entry.arguments(args).unwrap()).unwrap();
    }
}

/// The references' servers ignore unknown arguments, and read numbers and booleans as text. Our own tools
/// list their arguments instead.
#[test]
fn t10_arguments_that_a_tool_does_not_have_are_ignored_as_by_the_references_servers() {
    let mut count = 0;
    for entry in entries() {
        let given = entry
            .client_arguments(json!({ "such_an_argument": 1 }))
            .unwrap();
        let note = &given.note;
        let is_own = entry.catalogue == Catalogue::Everyday;
        assert_eq!(note.is_none(), is_own, "{}: {note:?}", entry.name);
        assert_eq!(given.arguments.get("such_an_argument").is_some(), is_own);
        count += usize::from(!is_own);
    }
    assert!(count > 70, "{count}");
    let entry = find("find_elements").unwrap();
    let args = json!({ "by": "text", "value": 5, "exactMatch": true });
    let given = entry.client_arguments(args).unwrap();
    assert_eq!(given.arguments.get("value"), Some(&json!("5")));
    assert_eq!(
        given.note.unwrap(),
        "there is no parameter 'exactMatch', so it has no effect; did you mean 'exact_match'?"
    );
}

/// A log that hangs takes no longer than the step's limit allows.
#[tokio::test]
async fn reading_the_log_keeps_the_steps_limit() {
    let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
        stdout: if script.contains("pidof") { "4711" } else { "" }.into(),
        exit_code: Some(0),
        ..ShellOutput::default()
    });
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    session.begin_step(Duration::from_secs(1));
    let args = json!({ "contains": "never" });
    let failure = run_on(&session, "assert log", args).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Assertion);
    let limits = fake.with(|state| {
        let scripts = state.scripts.iter().zip(&state.script_limits);
        let reads = scripts.filter(|(script, _)| !script.contains("sleep"));
        reads.map(|(_, limit)| *limit).collect::<Vec<_>>()
    });
    assert!(
        limits.len() >= 2 && limits.iter().all(|limit| *limit == MIN_REQUEST_LIMIT),
        "{limits:?}"
    );
}

/// Only errors from a device are reported as errors on a device.
#[test]
fn a_fault_of_this_computer_is_not_the_devices() {
    let hung = DeviceError::Timeout {
        what: "`screencap`".to_owned(),
        limit: MIN_REQUEST_LIMIT,
    };
    let hung = Failure::from(hung);
    assert_eq!(
        (hung.kind, hung.is_of_device),
        (FailureKind::Infrastructure, true)
    );
    assert!(!Failure::infrastructure("a.png cannot be written").is_of_device);
}

/// A new step that acts on a given element must offer `force`, or be excepted here with a reason.
#[test]
fn v8_every_step_that_acts_on_an_element_can_be_forced() {
    // A swipe is a finger's; scrolling does nothing to the element.
    let exempt = ["swipe_across", "scroll_to"];
    let mut forced = Vec::new();
    for entry in entries() {
        let properties = properties(entry);
        let is_given = ["on", "into"]
            .iter()
            .any(|name| properties.contains_key(*name));
        let acts = ["find", "wait_for", "screenshot", "record"]
            .iter()
            .all(|name| *name != entry.name)
            && !entry.name.starts_with("assert");
        if entry.catalogue != Catalogue::Everyday
            || !is_given
            || !acts
            || exempt.contains(&entry.name)
        {
            continue;
        }
        assert!(properties.contains_key("force"), "{}", entry.name);
        forced.push(entry.name);
    }
    assert_eq!(
        forced,
        [
            "click",
            "long_click",
            "double_click",
            "type",
            "erase",
            "two_fingers"
        ]
    );
}

#[tokio::test]
async fn v8_places_and_the_tools_of_the_dialects_touch_what_is_disabled() {
    let off = r#"text="Go" clickable="true" enabled="false""#;
    let fake = Fake::showing([&button(off)]);
    for (name, args) in [
        (
            "click",
            json!({ "on": "Go", "at": { "x": "50%", "y": "50%" } }),
        ),
        ("click", json!({ "at": { "x": "50%", "y": "50%" } })),
        ("swipe_across", json!({ "on": "Go", "direction": "up" })),
        ("tap", json!({ "x": 5, "y": 150 })),
        ("scenario.tap", json!({ "text": "Go" })),
    ] {
        let before = fake.inputs().len();
        let done = run(&fake, name, args).await;
        if name != "swipe_across" {
            done.unwrap();
        }
        assert!(fake.inputs().len() > before, "{name}");
    }
    let failure = run(&fake, "click", json!({ "on": "Go" }))
        .await
        .unwrap_err()
        .advise(&FlowReader);
    assert_eq!(failure.message, "Go is there, but disabled for 4.5s");
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert!(
        failure
            .details
            .iter()
            .any(|line| line.contains("force: true")),
        "{failure:?}"
    );
    run(&fake, "click", json!({ "on": "Go", "force": true }))
        .await
        .unwrap();
}

#[tokio::test]
async fn t5_a_pinch_tells_what_the_device_did() {
    let fake = Fake::showing([""]).without_size();
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let pinch = json!({ "center_x": 500, "center_y": 900, "scale": 2 });
    let failure = run(&fake, "pinch", pinch).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Infrastructure, "{failure:?}");
    assert!(!failure.message.contains("no room"), "{failure:?}");
}

#[tokio::test]
async fn a_killed_command_is_no_refused_message() {
    let fake = Fake::showing([""]);
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let message = json!({ "message": { "deleteSurface": { "surfaceId": "a" } } });
    let failure = run(&fake, "semantic.send_a2ui", message).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Infrastructure, "{failure:?}");
    assert!(failure.message.contains("it was killed"), "{failure:?}");
}
