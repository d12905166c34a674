//! B1–B5: tools that read data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::*;

#[test]
fn b01_capture_screenshot_is_a_data_uri() {
    let (_project, mut client) = start();
    let answer = client.call("capture_screenshot", json!({}));
    let data = answer.text.strip_prefix("data:image/png;base64,");
    let png = STANDARD.decode(data.expect("a data URI")).expect("base64");
    let picture = image::load_from_memory(&png).expect("a PNG").into_rgba8();
    assert_eq!(picture.dimensions(), (1080, 2400));
    // Sent once, and nothing of a password field in it.
    assert_eq!(answer.result["content"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer.result["structuredContent"], Value::Null);
    assert_eq!(picture.get_pixel(540, 1030).0, [0, 0, 0, 255]);
    assert_ne!(picture.get_pixel(540, 860).0, [0, 0, 0, 255]);
    let answer = client.call("capture_screenshot", json!({ "x": 1 }));
    let note = "there is no parameter 'x', so it has no effect";
    assert_eq!(answer.result["content"][1]["text"], note);
}

#[test]
fn b02_get_ui_tree_is_xml_of_the_active_window() {
    let (_project, mut client) = start();
    let answer = client.call("get_ui_tree", json!({}));
    assert!(
        answer
            .text
            .starts_with(r#"{"success":true,"ui_tree":"<?xml version='1.0' encoding='UTF-8'"#)
    );
    assert!(answer.text.ends_with(r#"</hierarchy>","format":"xml"}"#));
    assert_eq!(answer.json(), answer.text_json());
    let tree = answer.json()["ui_tree"].clone();
    let tree = tree.as_str().expect("a text");
    let mut reader = quick_xml::Reader::from_str(tree);
    let mut nodes = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag)
                if tag.name().as_ref() == b"node" =>
            {
                nodes += 1;
            }
            _ => {}
        }
    }
    assert_eq!(nodes, tree.matches("<node ").count());
    assert!(tree.contains(r#"<node index="3" text="Username" resource-id="com.example.notes:id/username" class="android.widget.EditText" package="com.example.notes" content-desc="" checkable="false" checked="false" clickable="true""#));
    assert!(!tree.contains("com.android.systemui"), "{tree}");
}

#[test]
fn b03_get_device_info_and_its_cache() {
    let (_project, mut client) = start();
    let info = |from_cache: bool| {
        format!(
            r#"{{"success":true,"device_info":{{"model":"virtual1","android_version":"14","sdk_version":"34","screen_size":"Physical size: 1080x2400","screen_density":"Physical density: 420","battery_level":"100","battery_status":"2"}},"from_cache":{from_cache}}}"#
        )
    };
    let ask = |client: &mut Client| client.call("get_device_info", json!({})).text;
    assert_eq!(ask(&mut client), info(false));
    assert_eq!(ask(&mut client), info(true));
    client.call("press_key", json!({ "key_code": "KEYCODE_HOME" }));
    assert_eq!(ask(&mut client), info(true), "an action leaves it");
    for cache in ["device_info", "all"] {
        client.call("invalidate_cache", json!({ "cache_type": cache }));
        assert_eq!(ask(&mut client), info(false), "{cache}");
    }
}

#[test]
fn b04_apps_are_listed_with_ids() {
    let (_project, mut client) = start();
    let answer = client.call(APPS, json!({}));
    assert_eq!(
        answer.text,
        r#"[{"id":"1","name":"com.example.notes","package":"com.example.notes"}]"#
    );
    let all = client.call(APPS, json!({ "include_system_apps": true }));
    let all = all.text_json();
    assert!(all.as_array().is_some_and(|all| all.len() > 3), "{all}");
    // A filter keeps the ids that launch_app knows.
    let args = json!({ "include_system_apps": true, "filter": "NOTES", "force_refresh": true });
    let some = client.call(APPS, args).text_json();
    assert_eq!(some.as_array().map(Vec::len), Some(1));
    let id = some[0]["id"].as_str().and_then(|id| id.parse().ok());
    assert_eq!(all[id.unwrap_or(0_usize) - 1], some[0]);
    let none = client.call(APPS, json!({ "filter": "nothing" }));
    assert_eq!(none.text, "[]");
    bad_arguments(
        &mut client,
        APPS,
        json!({ "filter": 5 }),
        "must be text, got: ",
    );
    bad_arguments(
        &mut client,
        APPS,
        json!({ "force_refresh": "yes" }),
        "must be true or false, got: ",
    );
}

#[test]
fn b05_controls_are_those_that_act_or_say_something() {
    let (_project, mut client) = start();
    let answer = client.call(CONTROLS, json!({}));
    assert!(answer.text.starts_with(
        r#"[{"kind":"control","id":"1","name":"Hills at dawn","type":"ImageView","package":"com.example.notes","rect":[42,95,1038,568]},{"#
    ), "{}", answer.text);
    let list = answer.text_json();
    let list = list.as_array().expect("a list");
    let names: Vec<_> = list.iter().map(|item| item["name"].clone()).collect();
    assert_eq!(
        names,
        [
            "Hills at dawn",
            "Welcome to Notes",
            "Sign in to read what you wrote.",
            "Username",
            "Password",
            "Sign in",
            "Forgot password?"
        ]
    );
    for (place, item) in list.iter().enumerate() {
        assert_eq!(item["id"], (place + 1).to_string());
    }
    bad_arguments(
        &mut client,
        CONTROLS,
        json!({ "force_refresh": 1 }),
        "must be true or false, got: ",
    );
}
