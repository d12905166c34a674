//! Catalogue C in its dialect, on an app with every kind of input.

#[path = "semantic/a2ui.rs"]
mod a2ui;
#[path = "semantic/flows.rs"]
mod flows;
#[path = "semantic/resources.rs"]
mod resources;
#[path = "semantic/select.rs"]
mod select;

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::{Answer, Client};

/// Makes a project with the app of `semantic/kit`.
fn project() -> Project {
    let project = Project::empty();
    project.copy("tests/mcp/semantic/kit");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [tests/mcp/semantic/kit]\n",
    );
    project
}

/// Starts a server with the app on its first screen.
fn started(project: &Project) -> Client {
    let mut client = Client::start(project, &["--dialect", "semantic"]);
    // The only app on the launcher, whose icons have no names of their own.
    done(&mut client, "click", json!({ "element_id": "Button-1" }));
    client
}

/// Calls a tool that must succeed. Returns its result, and asserts that its text is the same.
#[track_caller]
fn done(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    assert_eq!(answer.json(), answer.text_json());
    answer.json()
}

/// Asserts that a call is refused with this text, to the letter.
#[track_caller]
fn refused(client: &mut Client, tool: &str, arguments: Value, text: &str) -> Answer {
    let answer = client.call(tool, arguments);
    assert_eq!(
        (answer.is_error, answer.text.as_str()),
        (true, text),
        "{tool}"
    );
    answer
}

/// Reads a resource that exists.
#[track_caller]
fn read(client: &mut Client, uri: &str) -> Value {
    let result = client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(result["contents"][0]["mimeType"], "application/json");
    let text = result["contents"][0]["text"].as_str().expect("a text");
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{uri}: {error}: {text}"))
}

/// Reads a property of an element from the current screen.
#[track_caller]
fn read_property(client: &mut Client, id: &str, property: &str) -> Value {
    read(client, &format!("ui://element/{id}"))[property].clone()
}

/// Asserts the errors that all tools for one element have. `arguments` are those beside the id.
#[track_caller]
fn refuses_bad_elements(client: &mut Client, tool: &str, arguments: &Value, unable: &str) {
    let with = |id: Option<Value>| {
        let mut arguments = arguments.clone();
        if let Some(id) = id {
            arguments["element_id"] = id;
        }
        arguments
    };
    for (id, text, code) in [
        (
            None,
            "Missing required parameter: element_id".to_owned(),
            -32602,
        ),
        (
            Some(Value::Null),
            "Missing required parameter: element_id".to_owned(),
            -32602,
        ),
        (
            Some(json!(5)),
            "Parameter 'element_id' must be a string, got: 5".to_owned(),
            -32602,
        ),
        (
            Some(json!("")),
            "Parameter 'element_id' must be non-empty".to_owned(),
            -32602,
        ),
        (
            Some(json!("unknown-id")),
            "Element not found: unknown-id".to_owned(),
            -32002,
        ),
        (
            Some(json!("node_1")),
            "Element not found: node_1".to_owned(),
            -32002,
        ),
        (
            Some(json!(unable)),
            format!("Element '{unable}' does not support '{tool}'"),
            -32003,
        ),
    ] {
        let answer = refused(client, tool, with(id), &text);
        assert_eq!(answer.json()["code"], code, "{tool}: {}", answer.result);
    }
    let mut more = with(Some(json!(unable)));
    more["elment"] = json!(1);
    // The reference's server does not look at it either.
    refused(
        client,
        tool,
        more,
        &format!("Element '{unable}' does not support '{tool}'"),
    );
}

#[test]
fn c01_click_clicks() {
    let project = project();
    let mut client = started(&project);
    let answer = client.call("click", json!({ "element_id": "save" }));
    assert_eq!(
        answer.text,
        r#"{"success":true,"element_id":"save","message":"Clicked save"}"#
    );
    assert_eq!(read_property(&mut client, "status", "label"), "Saved");

    refuses_bad_elements(&mut client, "click", &json!({}), "greeting");
    let text = "Element 'locked' does not support 'click'";
    let answer = refused(
        &mut client,
        "click",
        json!({ "element_id": "locked" }),
        text,
    );
    assert_eq!(answer.json()["code"], -32003);
    assert_eq!(
        answer.json()["details"],
        json!(["it is of type Button and disabled"])
    );
    // Text inside something that can be clicked: the answer says what.
    let text = "Element 'Text-1' does not support 'click'";
    let answer = refused(
        &mut client,
        "click",
        json!({ "element_id": "Text-1" }),
        text,
    );
    assert!(
        answer.json()["details"][1]
            .as_str()
            .is_some_and(|line| line.starts_with("`Tab-1`")),
        "{:?}",
        answer.result
    );
}

#[test]
fn c01_click_takes_the_ids_of_nodes_too() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "semantic"]);
    // The launcher's icon in a dump of the Android dialect, on a device that looks the same.
    let mut other = Client::start(&project, &[]);
    let found = other.call(
        "android_find_elements",
        json!({ "by": "text", "value": "Notes" }),
    );
    let id = found.json()["elements"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|element| element["clickable"] == true)
        .map(|element| element["id"].clone())
        .expect("an icon");
    let result = done(&mut client, "click", json!({ "element_id": id }));
    assert_eq!(result["element_id"], id);
    assert_eq!(read_property(&mut client, "username", "type"), "Input");
}

#[test]
fn c02_type_text_appends_and_replaces() {
    let project = project();
    let mut client = started(&project);
    let result = done(
        &mut client,
        "type_text",
        json!({ "element_id": "name", "text": "Alice Smith" }),
    );
    assert_eq!(
        result,
        json!({ "success": true, "element_id": "name", "message": "Typed text into name" })
    );
    // The reference's second name of the tool, which is not listed.
    done(
        &mut client,
        "type_text_tool",
        json!({ "element_id": "name", "text": " Jr.", "replace": false }),
    );
    assert_eq!(
        read_property(&mut client, "name", "value"),
        "Alice Smith Jr."
    );
    done(
        &mut client,
        "type_text",
        json!({ "element_id": "name", "text": "Zoë 🙂", "replace": true }),
    );
    assert_eq!(read_property(&mut client, "name", "value"), "Zoë 🙂");
    done(
        &mut client,
        "type_text",
        json!({ "element_id": "name", "text": "", "replace": true }),
    );
    assert_eq!(read_property(&mut client, "name", "value"), "");
    assert!(!client.tools().contains(&"type_text_tool".to_owned()));

    refuses_bad_elements(&mut client, "type_text", &json!({ "text": "a" }), "save");
    for (arguments, text) in [
        (
            json!({ "element_id": "name" }),
            "Missing required parameter: text",
        ),
        (
            json!({ "element_id": "name", "text": 5 }),
            "Parameter 'text' must be a string, got: 5",
        ),
        (
            json!({ "element_id": "name", "text": "a", "replace": "yes" }),
            "Parameter 'replace' must be a boolean, got: 'yes'",
        ),
    ] {
        refused(&mut client, "type_text", arguments, text);
    }
    assert_eq!(read_property(&mut client, "name", "value"), "");
}

#[test]
fn c03_focus_gives_the_focus() {
    let project = project();
    let mut client = started(&project);
    assert_eq!(read(&mut client, "ui://focus")["element_id"], Value::Null);
    for id in ["name", "pin", "pin"] {
        let result = done(&mut client, "focus", json!({ "element_id": id }));
        assert_eq!(result["message"], format!("Focused {id}"));
        assert_eq!(read(&mut client, "ui://focus")["element_id"], id);
    }
    refuses_bad_elements(&mut client, "focus", &json!({}), "save");
}

#[test]
fn c04_scroll_moves_the_content_by_pixels() {
    let project = project();
    let mut client = started(&project);
    done(&mut client, "click", json!({ "element_id": "long" }));
    // The place of the row that is the third now; as it moves, others are above it.
    let row = |client: &mut Client| {
        read(client, "ui://elements")
            .as_array()
            .into_iter()
            .flatten()
            .find(|element| element["label"] == "Row 9")
            .map(|element| element["bounds"]["y"].as_i64().expect("a number"))
            .expect("the row is shown")
    };
    let top = row(&mut client);
    for (arguments, message, moved) in [
        (
            json!({ "direction": "down", "amount": 200 }),
            "Scrolled down by 200",
            200,
        ),
        (json!({ "direction": "up" }), "Scrolled up by 100", 100),
        // Less than a finger's way before anything moves.
        (
            json!({ "direction": "down", "amount": 2.5 }),
            "Scrolled down by 3",
            103,
        ),
        (
            json!({ "direction": "up", "amount": 5000 }),
            "Scrolled up by 103, not by 5000",
            0,
        ),
    ] {
        let mut arguments = arguments;
        arguments["element_id"] = json!("messages");
        let result = done(&mut client, "scroll", arguments);
        assert_eq!(result["message"], message);
        assert_eq!(top - row(&mut client), moved, "{message}");
    }

    // R12: what does not scroll that way, and what is at its end, is reported.
    for (direction, amount) in [("right", 200), ("left", 200), ("up", 200)] {
        let arguments = json!({ "element_id": "messages", "direction": direction, "amount": amount.to_string() });
        let result = done(&mut client, "scroll", arguments);
        assert_eq!(
            result["message"],
            format!("Nothing moved: 'messages' does not scroll {direction}, or not further")
        );
    }
    let tools = client.request("tools/list", json!({}));
    let scroll = tools["tools"]
        .as_array()
        .and_then(|tools| tools.iter().find(|tool| tool["name"] == "scroll"));
    assert_eq!(
        scroll.expect("scroll")["inputSchema"]["properties"]["amount"]["default"],
        100
    );

    let down = json!({ "direction": "down" });
    refuses_bad_elements(&mut client, "scroll", &down, "toolbar");
    for (arguments, text) in [
        (json!({}), "Missing required parameter: direction"),
        (
            json!({ "direction": "sideways" }),
            "Parameter 'direction' must be one of: up, down, left, right. Got: 'sideways'",
        ),
        (
            json!({ "direction": "down", "amount": "abc" }),
            "Parameter 'amount' must be a number, got: 'abc'",
        ),
        (
            json!({ "direction": "down", "amount": true }),
            "Parameter 'amount' must be a number, got: 'true'",
        ),
        (
            json!({ "direction": "down", "amount": 0 }),
            "Parameter 'amount' must be greater than 0 and at most 20000, got: 0",
        ),
    ] {
        let mut arguments = arguments;
        arguments["element_id"] = json!("messages");
        refused(&mut client, "scroll", arguments, text);
    }
}

#[test]
fn c05_toggle_turns_over_and_tells_the_new_value() {
    let project = project();
    let mut client = started(&project);
    for on in [true, false, true] {
        let result = done(&mut client, "toggle", json!({ "element_id": "dark_mode" }));
        assert_eq!(
            result,
            json!({ "success": true, "element_id": "dark_mode", "new_value": on, "message": "Toggled dark_mode" })
        );
        assert_eq!(read_property(&mut client, "dark_mode", "checked"), on);
    }
    refused(
        &mut client,
        "toggle",
        json!({ "element_id": "stubborn" }),
        "Element 'stubborn' did not change when it was touched; it was off",
    );
    refuses_bad_elements(&mut client, "toggle", &json!({}), "save");
}
