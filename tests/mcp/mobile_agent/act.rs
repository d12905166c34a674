//! B6–B13: tools that act.

use serde_json::{Value, json};

use super::*;

#[test]
fn b06_tap_touches_the_place() {
    let (_project, mut client) = start();
    let answer = client.call("tap", json!({ "x": 540, "y": 860 }));
    assert_eq!(
        answer.text,
        r#"{"success":true,"action":"tap(540, 860)","output":"","error":""}"#
    );
    assert_eq!(answer.json(), answer.text_json());
    let field = attributes(&mut client, "username").expect("the field");
    assert!(field.contains("focused=\"true\""), "{field}");
    refused(
        &client.call("tap", json!({ "x": -1, "y": 5 })),
        "x must be >= 0, got -1",
    );
    bad_arguments(
        &mut client,
        "tap",
        json!({ "x": 5 }),
        "Missing required parameter 'y'",
    );
    bad_arguments(
        &mut client,
        "tap",
        json!({ "x": "abc", "y": 5 }),
        "Parameter 'x' must be a whole number of at least 0, got: 'abc'",
    );
    bad_arguments(
        &mut client,
        "tap",
        json!({ "x": 5.5, "y": 5 }),
        "must be a whole number",
    );
}

#[test]
fn b07_swipe_moves_the_content() {
    let (_project, mut client) = start();
    sign_in(&mut client);
    control(&mut client, "Groceries", "TextView");
    let way = json!({ "start_x": 540, "start_y": 1500, "end_x": 540, "end_y": 500 });
    let answer = client.call("swipe", way.clone());
    assert_eq!(
        answer.text,
        r#"{"success":true,"action":"swipe(540,1500)->(540,500) in 300ms","output":"","error":""}"#
    );
    let moved = controls(&mut client);
    assert!(
        moved.iter().all(|item| item["name"] != "Groceries"),
        "{moved:?}"
    );
    let with = |name: &str, value: Value| {
        let mut way = way.clone();
        way[name] = value;
        way
    };
    let answer = client.call("swipe", with("duration", json!(50)));
    assert_eq!(
        answer.json()["action"],
        "swipe(540,1500)->(540,500) in 50ms"
    );
    let answer = client.call("swipe", with("duration", json!(0)));
    refused(&answer, "duration must be between 1 and 60000 ms, got 0");
    let answer = client.call("swipe", with("end_y", json!(-2)));
    refused(&answer, "end_y must be >= 0, got -2");
    bad_arguments(
        &mut client,
        "swipe",
        with("duration", json!("soon")),
        "Parameter 'duration' must be a whole number from 1 to 60000, got: 'soon'",
    );
}

#[test]
fn b08_type_text_clicks_types_and_says_so() {
    let (_project, mut client) = start();
    let id = control(&mut client, "Username", "EditText");
    let answer = client.call(
        "type_text",
        json!({ "text": "hello wörld", "control_id": id, "control_name": "Username" }),
    );
    assert_eq!(
        answer.text,
        r#"{"success":true,"action":"type_text(text='hello wörld', control_id='4', control_name='Username')","message":"Clicked control 'Username' at (540, 859) | Typed text: 'hello wörld'","control_info":{"id":"4","name":"Username","type":"EditText"}}"#
    );
    let field = attributes(&mut client, "username").expect("the field");
    assert!(field.contains("text=\"hello wörld\""), "{field}");

    // Cleared first; a name that differs is a warning, and the id wins.
    let id = control(&mut client, "hello wörld", "EditText");
    let answer = client.call("type_text", json!({ "text": "日本 😀", "control_id": id, "control_name": "Search", "clear_current_text": true }));
    assert_eq!(
        answer.json()["message"],
        "Warning: Control ID 4 has name 'hello wörld', but provided name is 'Search'. Using ID 4. | Clicked control 'hello wörld' at (540, 859) | Cleared existing text | Typed text: '日本 😀'"
    );
    let field = attributes(&mut client, "username").expect("the field");
    assert!(field.contains("text=\"日本 😀\""), "{field}");

    // Every action ends the ids.
    let answer = client.call(
        "type_text",
        json!({ "text": "x", "control_id": id, "control_name": "x" }),
    );
    refused(
        &answer,
        "Control with ID '4' not found. Please call get_app_window_controls_target_info first.",
    );
    // What takes no text is not typed into, nor is the field that has the focus.
    let id = control(&mut client, "Welcome to Notes", "TextView");
    let answer = client.call(
        "type_text",
        json!({ "text": "x", "control_id": id, "control_name": "Welcome to Notes" }),
    );
    refused(
        &answer,
        "Failed to type text: control 'Welcome to Notes' did not take the focus as a text field; it may not be editable",
    );
    let field = attributes(&mut client, "username").expect("the field");
    assert!(field.contains("text=\"日本 😀\""), "{field}");
    bad_arguments(
        &mut client,
        "type_text",
        json!({ "text": "x", "control_id": 4, "control_name": "x" }),
        "must be text, got: ",
    );
    bad_arguments(
        &mut client,
        "type_text",
        json!({ "text": "x", "control_id": "4" }),
        "Missing required parameter 'control_name'",
    );
}

#[test]
fn b09_launch_app_by_package_id_and_name() {
    let (_project, mut client) = start();
    let by_id = |id: &str, name: &str| json!({ "package_name": name, "id": id });
    let answer = client.call("launch_app", by_id("1", NOTES));
    refused(
        &answer,
        "App cache is empty. Please call get_mobile_app_target_info first.",
    );
    client.call(APPS, json!({}));
    client.call("press_key", json!({ "key_code": "KEYCODE_HOME" }));
    assert_eq!(attributes(&mut client, "username"), None);
    let launched = r#"{"success":true,"message":"Launched com.example.notes","package_name":"com.example.notes","output":"Events injected: 1","error":"""#;
    let info = r#""app_info":{"id":"1","name":"com.example.notes","package":"com.example.notes"}}"#;
    let answer = client.call("launch_app", by_id("1", NOTES));
    assert_eq!(answer.text, format!("{launched},{info}"));
    assert!(attributes(&mut client, "username").is_some());
    // The id wins over another package.
    let answer = client.call("launch_app", by_id("1", "com.android.settings"));
    let warning = r#""warning":"Warning: App ID 1 has package 'com.example.notes', but provided package_name is 'com.android.settings'. Using ID 1.""#;
    assert_eq!(answer.text, format!("{launched},{warning},{info}"));
    for id in ["2", "0", "-1", "notes"] {
        let answer = client.call("launch_app", by_id(id, NOTES));
        refused(
            &answer,
            &format!("App with ID '{id}' not found in cached app list."),
        );
    }
    // Ids are of the list that was given last.
    let listed = client
        .call(APPS, json!({ "include_system_apps": true }))
        .text_json();
    let apps = listed.as_array().expect("apps");
    let notes = apps
        .iter()
        .find(|app| app["package"] == "com.example.notes");
    let id = notes.and_then(|app| app["id"].as_str()).expect("its id");
    assert_ne!(id, "1", "{listed}");
    let answer = client.call("launch_app", by_id(id, NOTES));
    assert_eq!(answer.json()["app_info"]["id"], id, "{}", answer.text);

    // A part of the name, whole or not, in any letter case.
    client.call("press_key", json!({ "key_code": "KEYCODE_HOME" }));
    for name in ["Notes", "xampl"] {
        let answer = client.call("launch_app", json!({ "package_name": name }));
        let warning = format!(r#""warning":"Resolved '{name}' to package 'com.example.notes'""#);
        assert_eq!(answer.text, format!("{launched},{warning}}}"));
        assert!(attributes(&mut client, "username").is_some());
    }
    for name in ["Maps", ""] {
        let answer = client.call("launch_app", json!({ "package_name": name }));
        refused(
            &answer,
            &format!("No app found with name containing '{name}'. Try using full package name."),
        );
    }
    let answer = client.call("launch_app", json!({ "package_name": "com.none" }));
    refused(
        &answer,
        "Failed to launch com.none: package 'com.none' is not installed",
    );
    let answer = client.call("launch_app", json!({ "package_name": "-x.$(id)" }));
    refused(
        &answer,
        "'-x.$(id)' is not a package name. Try using full package name.",
    );
    bad_arguments(
        &mut client,
        "launch_app",
        json!({ "id": "1" }),
        "Missing required parameter 'package_name'",
    );
    bad_arguments(
        &mut client,
        "launch_app",
        json!({ "package_name": NOTES, "id": 1 }),
        "must be text, got: ",
    );
}

#[test]
fn b10_press_key_presses_it() {
    let (_project, mut client) = start();
    let answer = client.call("press_key", json!({ "key_code": "KEYCODE_HOME" }));
    assert_eq!(
        answer.text,
        r#"{"success":true,"action":"press_key(KEYCODE_HOME)","output":"","error":""}"#
    );
    assert_eq!(attributes(&mut client, "username"), None);
    let answer = client.call("press_key", json!({ "key_code": "KEYCODE_FOO" }));
    let error = answer.json()["error"].clone();
    assert!(
        error
            .as_str()
            .is_some_and(|error| error.contains("Unknown keycode")),
        "{error}"
    );
    let answer = client.call("press_key", json!({ "key_code": "$(id)" }));
    refused(
        &answer,
        "`$(id)` is not a key name; keys are Android's names without KEYCODE_, such as ENTER, BACK, DPAD_DOWN, or a number",
    );
    bad_arguments(
        &mut client,
        "press_key",
        json!({ "key_code": 4 }),
        "must be text, got: ",
    );
}

#[test]
fn b11_click_control_clicks_the_middle() {
    let (_project, mut client) = start();
    let not_found = |id: &str| {
        format!(
            "Control with ID '{id}' not found. Please call get_app_window_controls_target_info first."
        )
    };
    let click = |id: &str, name: &str| json!({ "control_id": id, "control_name": name });
    refused(
        &client.call("click_control", click("4", "Username")),
        &not_found("4"),
    );
    let id = control(&mut client, "Username", "EditText");
    for id in ["0", "8", "node_1", "x"] {
        refused(
            &client.call("click_control", click(id, "Username")),
            &not_found(id),
        );
    }
    let answer = client.call("click_control", click(&id, "Username"));
    let info =
        r#""control_info":{"id":"4","name":"Username","type":"EditText","rect":[42,783,1038,935]}"#;
    assert_eq!(
        answer.text,
        format!(
            r#"{{"success":true,"action":"click_control(id=4, name=Username)","message":"Clicked control 'Username' at (540, 859)",{info}}}"#
        )
    );
    let field = attributes(&mut client, "username").expect("the field");
    assert!(field.contains("focused=\"true\""), "{field}");
    // Another name is a warning; the id wins.
    let id = control(&mut client, "Username", "EditText");
    let answer = client.call("click_control", click(&id, "Save"));
    assert_eq!(
        answer.text,
        format!(
            r#"{{"success":true,"action":"click_control(id=4, name=Save)","message":"Clicked control 'Username' at (540, 859)",{info},"warning":"Warning: Control ID 4 has name 'Username', but provided name is 'Save'. Using ID 4."}}"#
        )
    );
    bad_arguments(
        &mut client,
        "click_control",
        json!({ "control_id": "4" }),
        "Missing required parameter 'control_name'",
    );
    bad_arguments(
        &mut client,
        "click_control",
        json!({ "control_id": 4, "control_name": "x" }),
        "must be text, got: ",
    );
}

#[test]
fn b12_wait_within_its_bounds() {
    let (_project, mut client) = start();
    for (args, seconds) in [
        (json!({}), "1.0"),
        (json!({ "seconds": 0.5 }), "0.5"),
        (json!({ "seconds": 2 }), "2.0"),
        (json!({ "seconds": "2.5" }), "2.5"),
        (json!({ "seconds": 0 }), "0.0"),
        (json!({ "seconds": 60 }), "60.0"),
    ] {
        let answer = client.call("wait", args);
        assert_eq!(
            answer.text,
            format!(
                r#"{{"success":true,"action":"wait({seconds}s)","message":"Waited for {seconds} seconds"}}"#
            )
        );
    }
    let answer = client.call("wait", json!({ "seconds": -0.1 }));
    refused(&answer, "Wait time must be non-negative");
    let answer = client.call("wait", json!({ "seconds": 60.1 }));
    refused(&answer, "Wait time cannot exceed 60 seconds");
    bad_arguments(
        &mut client,
        "wait",
        json!({ "seconds": "soon" }),
        "Parameter 'seconds' must be a number from 0 to 60, got: 'soon'",
    );
}

#[test]
fn b13_invalidate_cache_empties_what_it_names() {
    let (_project, mut client) = start();
    client.call(APPS, json!({}));
    for (cache, message) in [
        ("controls", "Controls cache invalidated"),
        ("ui_tree", "UI tree cache invalidated"),
        ("device_info", "Device info cache invalidated"),
        ("apps", "Apps cache invalidated"),
        ("all", "All caches invalidated"),
    ] {
        let id = control(&mut client, "Username", "EditText");
        let answer = client.call("invalidate_cache", json!({ "cache_type": cache }));
        assert_eq!(
            answer.text,
            format!(r#"{{"success":true,"message":"{message}"}}"#)
        );
        let args = json!({ "control_id": id, "control_name": "Username" });
        let clicked = client.call("click_control", args).json()["success"] == true;
        assert_eq!(clicked, !["controls", "all"].contains(&cache), "{cache}");
        let args = json!({ "package_name": NOTES, "id": "1" });
        let launched = client.call("launch_app", args).json()["success"] == true;
        assert_eq!(launched, !["apps", "all"].contains(&cache), "{cache}");
    }
    let answer = client.call("invalidate_cache", json!({}));
    assert_eq!(
        answer.text,
        r#"{"success":true,"message":"All caches invalidated"}"#
    );
    let answer = client.call("invalidate_cache", json!({ "cache_type": "x" }));
    refused(
        &answer,
        "Invalid cache_type: x. Must be 'controls', 'apps', 'ui_tree', 'device_info', or 'all'",
    );
    bad_arguments(
        &mut client,
        "invalidate_cache",
        json!({ "cache_type": 1 }),
        "must be one of 'controls'",
    );
}

/// Looking leaves the ids, acting ends them.
#[test]
fn b06_to_b12_every_action_but_a_wait_ends_the_ids() {
    let (_project, mut client) = start();
    let first = json!({ "control_id": "1", "control_name": "Hills at dawn" });
    for tool in [
        "get_ui_tree",
        "get_device_info",
        APPS,
        CONTROLS,
        "capture_screenshot",
        // R9: time that passes ends none.
        "wait",
    ] {
        controls(&mut client);
        client.call(tool, json!({}));
        let answer = client.call("click_control", first.clone());
        assert_eq!(answer.json()["success"], true, "{tool}: {}", answer.text);
    }
    let field = control(&mut client, "Username", "EditText");
    for (tool, args) in [
        ("tap", json!({ "x": 540, "y": 300 })),
        (
            "swipe",
            json!({ "start_x": 540, "start_y": 1500, "end_x": 540, "end_y": 1400 }),
        ),
        (
            "type_text",
            json!({ "text": "a", "control_id": field, "control_name": "Username" }),
        ),
        ("launch_app", json!({ "package_name": NOTES })),
        ("click_control", first.clone()),
        ("press_key", json!({ "key_code": "KEYCODE_HOME" })),
    ] {
        controls(&mut client);
        let answer = client.call(tool, args);
        assert_eq!(answer.json()["success"], true, "{tool}: {}", answer.text);
        refused(
            &client.call("click_control", first.clone()),
            "Control with ID '1' not found. Please call get_app_window_controls_target_info first.",
        );
    }
}
