//! C8: A2UI messages.

use serde_json::json;

use super::{done, project, read, read_property, refused, started};
use crate::common::mcp::Client;

#[test]
fn c08_send_a2ui_changes_data_and_components() {
    let project = project();
    let mut client = started(&project);
    // The reference's own examples, on whatever surface is in front.
    let result = done(
        &mut client,
        "send_a2ui",
        json!({ "message": { "updateDataModel": { "surfaceId": "default", "data": { "/counter": 42, "/status": "Updated!" } } } }),
    );
    assert_eq!(
        result,
        json!({ "success": true, "message": "A2UI message sent" })
    );
    assert_eq!(read_property(&mut client, "counter", "label"), "42");
    assert_eq!(read_property(&mut client, "status", "label"), "Updated!");
    done(
        &mut client,
        "send_a2ui",
        json!({ "message": { "updateComponents": { "surfaceId": "default", "components": [
            { "id": "status", "component": "Text", "text": { "literalString": "Done!" } },
        ] } } }),
    );
    assert_eq!(read_property(&mut client, "status", "label"), "Done!");
    // Longer than a word of a command may be.
    let filler = "x".repeat(80_000);
    done(
        &mut client,
        "send_a2ui",
        json!({ "message": { "updateDataModel": { "data": { "/filler": filler, "/counter": 7 } } } }),
    );
    assert_eq!(read_property(&mut client, "counter", "label"), "7");
    for (version, text) in [("v0.9", "Nine"), ("v0.9.1", "Nine one"), ("v0.10", "Ten")] {
        done(
            &mut client,
            "send_a2ui",
            json!({ "message": { "version": version, "updateComponents": { "surfaceId": "kit", "components": [
                { "id": "greeting", "component": "Text", "text": text },
            ] } } }),
        );
        assert_eq!(read_property(&mut client, "greeting", "label"), text);
    }
}

#[test]
fn c08_send_a2ui_takes_surfaces_of_0_8() {
    let project = project();
    let mut client = started(&project);
    let send = |client: &mut Client, message: serde_json::Value| {
        done(client, "send_a2ui", json!({ "message": message }));
    };
    send(
        &mut client,
        json!({ "surfaceUpdate": { "surfaceId": "order", "components": [
            { "id": "main", "component": { "Column": { "children": { "explicitList": ["title", "list", "ok"] } } } },
            { "id": "title", "component": { "Text": { "text": { "literalString": "Your order" }, "usageHint": "h2" } } },
            { "id": "list", "component": { "List": { "children": { "template": { "componentId": "dish", "dataBinding": "/dishes" } } } } },
            { "id": "dish", "component": { "Text": { "text": { "path": "name" } } } },
            { "id": "ok", "component": { "Button": { "child": "ok_text", "primary": true, "action": { "name": "saved" } } } },
            { "id": "ok_text", "component": { "Text": { "text": { "literalString": "Order" } } } },
        ] } }),
    );
    // It is not shown before its rendering begins.
    assert_eq!(read_property(&mut client, "greeting", "label"), "Hello");
    send(
        &mut client,
        json!({ "dataModelUpdate": { "surfaceId": "order", "path": "/dishes", "contents": [
            { "key": "a", "valueMap": [{ "key": "name", "valueString": "Soup" }] },
            { "key": "b", "valueMap": [{ "key": "name", "valueString": "Bread" }] },
        ] } }),
    );
    send(
        &mut client,
        json!({ "beginRendering": { "surfaceId": "order", "root": "main" } }),
    );
    assert_eq!(
        read(&mut client, "a2ui://surfaces"),
        json!([{ "surface_id": "order", "root_widget_type": "Column", "widget_count": 6 }])
    );
    let labels: Vec<String> = read(&mut client, "ui://elements")
        .as_array()
        .into_iter()
        .flatten()
        .filter(|element| element["type"] == "Text")
        .filter_map(|element| element["label"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(labels[..3], ["Your order", "Soup", "Bread"], "{labels:?}");
    assert_eq!(read_property(&mut client, "ok", "label"), "Order");
}

#[test]
fn c08_send_a2ui_says_what_is_wrong_with_a_message() {
    let project = project();
    let mut client = started(&project);
    let table = [
        (json!({}), "Missing required parameter: message"),
        (
            json!({ "message": "hello" }),
            "Parameter 'message' must be an object, got: 'hello'",
        ),
        (
            json!({ "message": { "dance": {} } }),
            "A2UI message failed: unknown message `dance`; expected createSurface, updateComponents, updateDataModel or deleteSurface",
        ),
        (
            json!({ "message": { "version": "v9", "createSurface": { "surfaceId": "a" } } }),
            "A2UI message failed: A2UI version `9` is not supported; messages are of 0.8, 0.9, 0.9.1 or 0.10",
        ),
        (
            json!({ "message": { "deleteSurface": { "surfaceId": "other" } } }),
            "A2UI message failed: there is no surface `other`; the one in front is `kit`",
        ),
        (
            json!({ "message": { "beginRendering": { "surfaceId": "other", "root": "a" } } }),
            "A2UI message failed: the surface `other` has no components; send them with `surfaceUpdate` first",
        ),
    ];
    for (arguments, text) in table {
        refused(&mut client, "send_a2ui", arguments, text);
    }
    done(&mut client, "click", json!({ "element_id": "home" }));
    refused(
        &mut client,
        "send_a2ui",
        json!({ "message": { "deleteSurface": { "surfaceId": "kit" } } }),
        "A2UI message failed: no app is in front; start one first",
    );
}

#[test]
fn c08_send_a2ui_is_listed_only_where_the_device_renders_it() {
    let project = project();
    let mut client = Client::start(&project, &["--dialect", "semantic", "--no-agent-tools"]);
    let mut names = client.tools();
    assert_eq!(
        names,
        [
            "click",
            "type_text",
            "focus",
            "scroll",
            "toggle",
            "select",
            "list_actionable",
            "send_a2ui"
        ]
    );
    // Nobody is there: nothing says that it could.
    let nobody = [
        "--dialect",
        "semantic",
        "--no-agent-tools",
        "--device",
        "127.0.0.1:1",
    ];
    let mut client = Client::start(&project, &nobody);
    names.pop();
    assert_eq!(client.tools(), names);
}

#[test]
fn t5_data_for_a_surface_that_is_not_there_is_refused() {
    let project = project();
    let mut client = started(&project);
    let before = read_property(&mut client, "counter", "label");
    for message in [
        json!({ "updateDataModel": { "surfaceId": "nowhere", "data": { "/counter": 42 } } }),
        json!({ "version": "v0.9", "updateDataModel": { "surfaceId": "nowhere", "path": "/counter", "value": 42 } }),
        json!({ "dataModelUpdate": { "surfaceId": "nowhere", "contents": [{ "key": "counter", "valueNumber": 42 }] } }),
    ] {
        let answer = client.call("send_a2ui", json!({ "message": message }));
        assert!(answer.is_error, "{}", answer.text);
        assert!(
            answer.text.contains("there is no surface `nowhere`"),
            "{}",
            answer.text
        );
    }
    assert_eq!(read_property(&mut client, "counter", "label"), before);
}
