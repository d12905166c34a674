//! Compares each older form with its message of 0.9.1.

use serde_json::{Value, json};

use super::*;

fn read(message: &Value) -> Result<Vec<Message>, MessageError> {
    read_any_version(&message.to_string())
}

fn data(path: &str, value: Value) -> Message {
    Message::UpdateDataModel {
        surface: "s".to_owned(),
        path: path.to_owned(),
        value: Some(value),
    }
}

/// Reads a message that brings components, and returns its surface and components.
fn updated(message: &Value) -> (String, Vec<Map<String, Value>>) {
    match read(message).unwrap().pop() {
        Some(Message::UpdateComponents {
            surface,
            components,
            early: false,
        }) => (surface, components),
        other => panic!("{other:?}"),
    }
}

/// Converts the only component of an 0.8 message. Returns it with the messages that come before.
fn component(component: &Value) -> (Value, Vec<Message>) {
    let message = json!({ "surfaceUpdate": { "surfaceId": "s", "components": [component] } });
    let mut messages = read(&message).unwrap();
    match messages.pop() {
        Some(Message::UpdateComponents {
            components, early, ..
        }) if early && components.len() == 1 => (Value::from(components[0].clone()), messages),
        other => panic!("{other:?}"),
    }
}

#[test]
fn c08_components_of_0_8_get_the_names_of_now() {
    let text = |text: &str| json!({ "literalString": text });
    let table = [
        (
            json!({ "Text": { "text": text("Hi"), "usageHint": "h2" } }),
            json!({ "component": "Text", "text": "Hi", "variant": "h2" }),
        ),
        (
            json!({ "Text": { "text": { "path": "/greeting" } } }),
            json!({ "component": "Text", "text": { "path": "/greeting" } }),
        ),
        (
            json!({ "Image": { "url": text("u"), "altText": text("a"), "fit": "scale-down", "usageHint": "avatar" } }),
            json!({ "component": "Image", "url": "u", "description": "a", "fit": "scaleDown", "variant": "avatar" }),
        ),
        (
            json!({ "Row": { "children": { "explicitList": ["a", "b"] }, "distribution": "spaceBetween", "alignment": "center" } }),
            json!({ "component": "Row", "children": ["a", "b"], "justify": "spaceBetween", "align": "center" }),
        ),
        (
            json!({ "List": { "children": { "template": { "componentId": "row", "dataBinding": "/items" } } } }),
            json!({ "component": "List", "children": { "componentId": "row", "path": "/items" } }),
        ),
        (
            json!({ "Tabs": { "tabItems": [{ "title": text("One"), "child": "one" }] } }),
            json!({ "component": "Tabs", "tabs": [{ "title": "One", "child": "one" }] }),
        ),
        (
            json!({ "Modal": { "entryPointChild": "open", "contentChild": "inside" } }),
            json!({ "component": "Modal", "trigger": "open", "content": "inside" }),
        ),
        (
            json!({ "Button": { "child": "c", "primary": true, "action": { "name": "save", "context": [
                { "key": "title", "value": { "path": "/title" } },
                { "key": "copies", "value": { "literalNumber": 2 } },
            ] } } }),
            json!({ "component": "Button", "child": "c", "variant": "primary",
                "action": { "event": { "name": "save", "context": { "title": { "path": "/title" }, "copies": 2 } } } }),
        ),
        (
            json!({ "TextField": { "label": text("Name"), "text": { "path": "/name" }, "textFieldType": "date" } }),
            json!({ "component": "TextField", "label": "Name", "value": { "path": "/name" }, "variant": "shortText" }),
        ),
        (
            json!({ "CheckBox": { "label": text("On"), "value": { "literalBoolean": true } } }),
            json!({ "component": "CheckBox", "label": "On", "value": true }),
        ),
        (
            json!({ "MultipleChoice": { "selections": { "literalArray": ["a"] }, "maxAllowedSelections": 1, "variant": "chips",
                "options": [{ "label": text("A"), "value": "a" }] } }),
            json!({ "component": "ChoicePicker", "value": ["a"], "variant": "mutuallyExclusive", "displayStyle": "chips",
                "options": [{ "label": "A", "value": "a" }] }),
        ),
        (
            json!({ "Slider": { "value": { "literalNumber": 3 }, "minValue": 1, "maxValue": 5 } }),
            json!({ "component": "Slider", "value": 3, "min": 1, "max": 5 }),
        ),
    ];
    for (old, expected) in table {
        let (mut new, before) = component(&json!({ "id": "x", "component": old }));
        assert_eq!(new.as_object_mut().unwrap().remove("id"), Some("x".into()));
        assert_eq!(new, expected);
        assert_eq!(before, []);
    }
    let (weighted, _) =
        component(&json!({ "id": "x", "weight": 2, "component": { "Divider": {} } }));
    assert_eq!(
        weighted,
        json!({ "id": "x", "component": "Divider", "weight": 2 })
    );
}

#[test]
fn c08_a_literal_beside_a_path_is_the_first_value() {
    let old = json!({ "id": "x", "component": { "TextField": {
        "text": { "path": "/name", "literalString": "Ada" },
        "label": { "path": "label", "literalString": "of an item" },
    } } });
    let (new, before) = component(&old);
    assert_eq!(new["value"], json!({ "path": "/name" }));
    assert_eq!(new["label"], json!({ "path": "label" }));
    assert_eq!(
        before,
        [Message::UpdateDataModel {
            surface: SURFACE_IN_FRONT.to_owned(),
            path: "/name".to_owned(),
            value: Some("Ada".into()),
        }]
    );
}

#[test]
fn c08_the_other_messages_of_0_8() {
    let table = [
        (
            json!({ "beginRendering": { "surfaceId": "s", "root": "main", "styles": { "primaryColor": "#ff0000" } } }),
            Message::BeginRendering {
                surface: "s".to_owned(),
                root: "main".to_owned(),
                theme: Some(json!({ "primaryColor": "#ff0000" })),
            },
        ),
        (
            json!({ "dataModelUpdate": { "surfaceId": "s", "path": "user", "contents": [
                { "key": "name", "valueString": "Ada" },
                { "key": "age", "valueNumber": 36 },
                { "key": "admin", "valueBoolean": true },
                { "key": "notes", "valueMap": [{ "key": "0", "valueString": "first" }] },
            ] } }),
            data(
                "/user",
                json!({ "name": "Ada", "age": 36, "admin": true, "notes": { "0": "first" } }),
            ),
        ),
        (
            json!({ "version": "v0.8", "dataModelUpdate": { "surfaceId": "s", "path": "/n", "contents": [{ "key": ".", "valueNumber": 1 }] } }),
            data("/n", json!(1)),
        ),
        (
            json!({ "dataModelUpdate": { "surfaceId": "s", "contents": [] } }),
            data("", json!({})),
        ),
        (
            json!({ "version": "0.8", "deleteSurface": { "surfaceId": "s" } }),
            Message::DeleteSurface {
                surface: "s".to_owned(),
            },
        ),
    ];
    for (old, expected) in table {
        assert_eq!(read(&old), Ok(vec![expected]), "{old}");
    }
}

#[test]
fn c08_messages_without_a_version_are_read() {
    let message = json!({ "updateDataModel": { "surfaceId": "s", "data": { "/counter": 42, "/status": "Updated!" } } });
    let expected = vec![
        data("/counter", json!(42)),
        data("/status", json!("Updated!")),
    ];
    assert_eq!(read(&message), Ok(expected));

    let message = json!({ "updateComponents": { "components": [
        { "id": "a", "component": "Text", "text": { "literalString": "Done!" } },
        { "id": "b", "component": { "Text": { "text": { "literalString": "Old" } } } },
    ] } });
    let (surface, components) = updated(&message);
    assert_eq!(surface, SURFACE_IN_FRONT);
    assert_eq!(components[0]["text"], "Done!");
    assert_eq!(components[1]["component"], "Text");

    let message = json!({ "updateDataModel": { "surfaceId": "s", "path": "/a", "value": 1 } });
    assert_eq!(read(&message), Ok(vec![data("/a", json!(1))]));
}

#[test]
fn c08_messages_of_0_10_are_read() {
    let message = json!({ "version": "v0.10", "updateComponents": { "surfaceId": "s", "components": [
        { "id": "a", "component": "Icon", "name": { "path": "M0 0L24 24" } },
        { "id": "b", "component": "Icon", "name": { "path": "/icon" } },
        { "id": "c", "component": "TextField", "placeholder": "Name" },
    ] } });
    let (_, components) = updated(&message);
    assert_eq!(components[0]["name"], json!({ "svgPath": "M0 0L24 24" }));
    assert_eq!(components[1]["name"], json!({ "path": "/icon" }));
    assert_eq!(components[2]["label"], "Name");
    assert!(!components[2].contains_key("placeholder"));
}

#[test]
fn c08_several_messages_come_as_a_list_or_one_after_the_other() {
    let one = r#"{"version": "v0.9", "deleteSurface": {"surfaceId": "s"}}"#;
    for text in [
        format!("[{one}, {one}]"),
        format!("{{\"messages\": [{one}, {one}]}}"),
        format!("{one}\n{one}\n"),
    ] {
        assert_eq!(read_any_version(&text).unwrap().len(), 2, "{text}");
    }
}

#[test]
fn c08_what_is_wrong_with_a_message_is_said() {
    let table = [
        (json!([]), "there is no message"),
        (json!("x"), "expected an A2UI message or a list of them"),
        (
            json!([1]),
            "a message must be an object such as {\"updateComponents\": …}",
        ),
        (
            json!({ "version": "v2" }),
            "A2UI version `2` is not supported; messages are of 0.8, 0.9, 0.9.1 or 0.10",
        ),
        (
            json!({ "version": 9 }),
            "`version` must be a text such as \"v0.9\", not 9",
        ),
        (
            json!({ "oops": {} }),
            "unknown message `oops`; expected createSurface, updateComponents, updateDataModel or deleteSurface",
        ),
        (
            json!({ "updateDataModel": { "data": 1 } }),
            "`data` must be an object of JSON pointers such as {\"/counter\": 42}",
        ),
        (
            json!({ "beginRendering": { "surfaceId": "s" } }),
            "`beginRendering` has no `root`, the id of the root component",
        ),
        (
            json!({ "surfaceUpdate": { "components": [] } }),
            "`surfaceUpdate` has no `surfaceId`",
        ),
        (
            json!({ "surfaceUpdate": { "surfaceId": "s", "components": [{ "id": "a", "component": {} }] } }),
            "component `a` must have a `component` with one type, such as {\"Text\": {…}}",
        ),
        (
            json!({ "surfaceUpdate": { "surfaceId": "s", "components": [{ "component": {} }] } }),
            "a component has no `id`: {\"component\":{}}",
        ),
        (
            json!({ "dataModelUpdate": { "surfaceId": "s", "contents": [{ "key": "a" }] } }),
            "the entry `a` has none of valueString, valueNumber, valueBoolean, valueMap",
        ),
        (
            json!({ "version": "v0.10", "callFunction": {}, "functionCallId": "1" }),
            "`callFunction` is not supported: this renderer offers no functions to a server",
        ),
        (
            json!({ "version": "v0.10", "actionResponse": {}, "actionId": "1" }),
            "`actionResponse` is not supported: no action waits for a response here",
        ),
    ];
    for (message, problem) in table {
        assert_eq!(read(&message), Err(wrong(problem)));
    }
    let error = read_any_version("{\n oops").unwrap_err().to_string();
    assert!(error.starts_with("2:2: "), "{error}");
}

#[test]
fn c08_the_public_examples_of_0_10_are_read() {
    let Some(folder) = runner_testing::recording("a2ui/v0_10/catalogs") else {
        return;
    };
    let mut count = 0;
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        let path = entry.path();
        if !path.is_file()
            || !path
                .parent()
                .is_some_and(|above| above.ends_with("examples"))
        {
            continue;
        }
        let text = fs_err::read_to_string(path).unwrap();
        read_any_version(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        count += 1;
    }
    assert!(count > 10, "{count}");
}
