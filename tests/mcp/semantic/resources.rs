//! The five resources.

use serde_json::{Value, json};

use super::{done, project, read, started};
use crate::common::mcp::Client;

#[test]
fn resources_are_listed() {
    let project = project();
    let mut client = Client::start(&project, &["--dialect", "semantic", "--no-agent-tools"]);
    let uris = |list: &Value, name: &str| -> Vec<String> {
        list.as_array()
            .into_iter()
            .flatten()
            .filter_map(|resource| resource[name].as_str().map(str::to_owned))
            .collect()
    };
    let listed = client.request("resources/list", json!({}));
    assert_eq!(
        uris(&listed["resources"], "uri"),
        [
            "ui://tree",
            "ui://focus",
            "ui://elements",
            "a2ui://surfaces"
        ]
    );
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(
        uris(&templates["resourceTemplates"], "uriTemplate"),
        ["ui://element/{element_id}"]
    );
}

#[test]
fn resources_tell_the_screen() {
    let project = project();
    let mut client = started(&project);
    let tree = read(&mut client, "ui://tree");
    assert_eq!(
        (&tree["type"], &tree["label"], &tree["properties"]["width"]),
        (&json!("Screen"), &json!("com.example.kit"), &json!(1080))
    );
    let root = &tree["children"][0]["children"][0]["children"][0];
    assert_eq!(
        (&root["id"], &root["type"], &root["children"][0]["id"]),
        (&json!("root"), &json!("Container"), &json!("greeting"))
    );
    assert_eq!(
        root["children"][3]["properties"],
        json!({ "checked": false, "actions": ["toggle"] })
    );

    let elements = read(&mut client, "ui://elements");
    let by_id = |id: &str| {
        elements
            .as_array()
            .into_iter()
            .flatten()
            .find(|element| element["id"] == id)
            .cloned()
            .unwrap_or_default()
    };
    let mut name = by_id("name");
    let bounds = name["bounds"].take();
    assert_eq!(
        name,
        json!({
            "id": "name", "type": "Input", "label": "Name", "value": "", "checked": null, "enabled": true,
            "focused": false, "visible": true, "interactive": true, "bounds": null, "children": [],
        })
    );
    assert!(bounds["width"].as_i64() > Some(500), "{bounds}");
    assert!(bounds["x"].as_i64() > Some(0) && bounds["y"].as_i64() > Some(63));
    assert_eq!(
        by_id("size")["children"],
        json!(["Radio-1", "Radio-2", "Radio-3"])
    );
    assert_eq!(by_id("locked")["enabled"], false);
    assert_eq!(read(&mut client, "ui://element/save"), by_id("save"));

    done(&mut client, "focus", json!({ "element_id": "pin" }));
    assert_eq!(
        read(&mut client, "ui://focus"),
        json!({ "element_id": "pin", "element_type": "Input", "element_label": "PIN" })
    );
    assert_eq!(
        read(&mut client, "a2ui://surfaces"),
        json!([{ "surface_id": "kit", "root_widget_type": "Column", "widget_count": 22 }])
    );
    done(&mut client, "click", json!({ "element_id": "home" }));
    assert_eq!(read(&mut client, "a2ui://surfaces"), json!([]));
}

#[test]
fn resources_that_are_not_there_are_errors() {
    let project = project();
    let mut client = started(&project);
    for (uri, text) in [
        ("ui://element/unknown-id", "Element not found: unknown-id"),
        (
            "ui://nothing",
            "no resource `ui://nothing`; resources/list names them",
        ),
        (
            "ui://element/",
            "no resource `ui://element/`; resources/list names them",
        ),
    ] {
        let answer = client.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(answer["error"]["message"], text, "{answer}");
    }
}

#[test]
fn only_what_is_on_the_screen_needs_a_device() {
    let project = project();
    let mut client = Client::start(
        &project,
        &["--dialect", "semantic", "--device", "127.0.0.1:1"],
    );
    let uri = json!({ "uri": "runner://docs/steps" });
    let steps = client.request("resources/read", uri);
    let text = steps["contents"][0]["text"].as_str().unwrap_or_default();
    assert!(text.starts_with('#'), "{steps}");
    for uri in ["ui://tree", "a2ui://surfaces"] {
        let answer = client.ask("resources/read", json!({ "uri": uri }));
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
    }
}
