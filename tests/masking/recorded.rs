//! Checks that text typed into a password field is masked in recorded flows.

use serde_json::json;

use super::servers::{NOTES, TYPISTS, opened, project, typing};
use crate::common::Project;
use crate::common::mcp::Client;
use crate::common::pages::PageServer;

/// Password that begins with letters, digits or their base64 in every encoding, so that a search finds it.
const PASSWORD: &str = "Zq7 'k\"ä&<x9";
const BEGINNINGS: [&str; 2] = ["Zq7", "WnE3"];

#[track_caller]
fn is_not_in(how: &str, text: &str) {
    for beginning in BEGINNINGS {
        assert!(!text.contains(beginning), "{how}: {text}");
    }
}

/// Asserts that the flow of a session and the one of `--record` do not hold the password.
fn holds_none(how: &str, project: &Project, client: &mut Client) {
    let stop = json!({ "action": "stop", "name": "a", "path": "a.yaml" });
    let stopped = client.call("runner_record", stop);
    is_not_in(how, &stopped.result.to_string());
    let flow = project.read("flows/a.yaml");
    is_not_in(how, &flow);
    // The value of a password field is unknown after an insertion into its middle.
    let is_told = flow.contains("text: \"${os.NOTES_");
    assert_eq!(is_told, how != "android_type_insert_text", "{how}: {flow}");
    is_not_in(how, &project.read("flows/whole.yaml"));
}

#[test]
fn s1_no_recorded_flow_holds_what_was_typed_into_a_password_field() {
    let record = ["--record", "flows/whole.yaml"];
    let start = json!({ "action": "start" });
    for typist in &TYPISTS {
        let tools: &[&str] = match typist.0 {
            "android" => &["android_type_append_text", "android_type_insert_text"],
            _ => &[typist.2[0]],
        };
        for tool in tools {
            let project = Project::with_demo_app();
            let mut client = opened(&project, typist, &record);
            client.call("runner_record", start.clone());
            let mut args = typing(&mut client, typist, "password", PASSWORD);
            if *tool == "android_type_insert_text" {
                args["offset"] = 0.into();
            }
            let typed = client.call(tool, args);
            assert!(!typed.is_error, "{tool}: {}", typed.text);
            is_not_in(tool, &typed.result.to_string());
            holds_none(tool, &project, &mut client);
        }
    }
    // The step `type`, in its two ways.
    for args in [
        json!({ "id": "password", "text": PASSWORD }),
        json!({ "text": PASSWORD }),
    ] {
        let project = Project::with_demo_app();
        let mut client = Client::start(&project, &[&["--tools", "lean"][..], &record].concat());
        client.call("runner_launch", json!({ "app": NOTES }));
        client.call("runner_record", start.clone());
        client.call("runner_click", json!({ "id": "password" }));
        let typed = client.call("runner_type", args);
        assert!(!typed.is_error, "{}", typed.text);
        holds_none("runner_type", &project, &mut client);
    }
}

#[test]
fn s1_the_studio_writes_no_password_that_was_typed_on_its_picture() {
    let project = Project::with_demo_app();
    let command = project.command(&["studio", "--no-open", "--log", "a.log", "flows/a.yaml"]);
    let server = PageServer::started(command, &project, "Studio");
    let act = |what| {
        let body = json!({ "wish": { "what": what, "seq": null }, "block": 0 });
        let (status, message) = server.own("POST /act", &body.to_string());
        assert_eq!(status, 200, "{what}: {message}");
        message
    };
    act(json!({ "act": "launch", "app": NOTES }));
    act(json!({ "act": "tap", "x": 540, "y": 1040 }));
    let reported = act(json!({ "act": "type", "text": PASSWORD }));
    assert!(reported.contains("${os.NOTES_PASSWORD}"), "{reported}");
    is_not_in("act", &reported);
    is_not_in("log", &project.read("a.log"));
}

/// Types the values of secret names of the project and of the environment, alone and within other text.
#[test]
fn s1_a_secret_that_has_a_name_is_recorded_by_it() {
    for (field, text, written) in [
        ("username", PASSWORD.to_owned(), "\"${S0}\""),
        ("username", format!("it is {PASSWORD}!"), "\"it is ${S0}!\""),
        ("password", PASSWORD.to_owned(), "\"${S0}\""),
        ("username", "Yq5-of-os".to_owned(), "\"${os.S1}\""),
        ("username", "Yq6-of-env".to_owned(), "\"${os.SHOP_TOKEN}\""),
    ] {
        let project = project(&[PASSWORD, "another"]);
        let mut command = project.command(&["mcp", "--record", "flows/whole.yaml"]);
        command
            .env("S1", "Yq5-of-os")
            .env("SHOP_TOKEN", "Yq6-of-env");
        let mut client = Client::from_command(command);
        client.initialize("2025-11-25");
        client.call(
            "runner_do",
            json!({ "steps": [{ "launch": { "app": NOTES } }] }),
        );
        client.call("runner_record", json!({ "action": "start" }));
        let step = json!({ "type": { "into": { "id": field }, "text": text } });
        let typed = client.call("runner_do", json!({ "steps": [step] }));
        assert!(!typed.is_error, "{}", typed.text);
        let stop = json!({ "action": "stop", "name": "a", "path": "a.yaml" });
        client.call("runner_record", stop);
        for file in ["flows/a.yaml", "flows/whole.yaml"] {
            let flow = project.read(file);
            is_not_in(file, &flow);
            assert!(!flow.contains("Yq"), "{file}: {flow}");
            assert!(flow.contains(&format!("text: {written}")), "{file}: {flow}");
        }
    }
}

/// Tries each way in which a server learns a secret that is no act of the recording, and each act that repeats it.
#[test]
fn s2_no_recorded_flow_holds_a_secret_that_the_server_knows() {
    let secret = "Qvxhunter-long";
    let typing = |field: &str, text: &str, is_secret: bool| json!({ "type": { "into": { "id": field }, "text": text, "secret": is_secret } });
    let pw = typing("password", secret, false);
    let named = typing("username", secret, true);
    for (before, after) in [
        (vec![&pw], Vec::new()),
        (vec![&named], Vec::new()),
        (Vec::new(), vec![pw.clone(), typing("password", "1", false)]),
    ] {
        for repeated in [
            typing("username", secret, false),
            typing("username", &format!("it is {secret}!"), false),
            json!({ "set_clipboard": secret }),
        ] {
            let how = format!("{before:?} {after:?} {repeated}");
            let project = Project::with_demo_app();
            let mut client = Client::start(&project, &["--record", "flows/whole.yaml"]);
            let does = |client: &mut Client, step: &serde_json::Value| {
                let done = client.call("runner_do", json!({ "steps": [step], "look": false }));
                assert!(!done.is_error, "{how}: {}", done.text);
            };
            does(&mut client, &json!({ "launch": { "app": NOTES } }));
            for step in &before {
                does(&mut client, step);
            }
            client.call(
                "runner_record",
                json!({ "action": "start", "name": secret }),
            );
            for step in &after {
                does(&mut client, step);
            }
            does(&mut client, &repeated);
            let stop = json!({ "action": "stop", "path": "a.yaml" });
            let stopped = client.call("runner_record", stop);
            assert!(!stopped.text.contains("error:"), "{how}: {}", stopped.text);
            for file in ["flows/a.yaml", "flows/whole.yaml"] {
                let flow = project.read(file);
                assert!(!flow.contains(secret), "{how}, {file}: {flow}");
                assert!(flow.contains("${os.NOTES_"), "{how}, {file}: {flow}");
            }
        }
    }
}
