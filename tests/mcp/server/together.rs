//! Several clients and endpoints at one device: each sees what the others do.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::calls::OwnDevice;
use super::http_client::{HttpClient, HttpServer, begin, good_headers};
use crate::common::Project;

const NOTES: &str = "com.example.notes";
const CONTROLS: &str = "get_app_window_controls_target_info";

/// Calls a tool that must succeed, and returns its text.
#[track_caller]
fn done(client: &mut HttpClient, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments);
    assert_ne!(answer["result"]["isError"], true, "{tool}: {answer}");
    let text = answer["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// Returns the dictionary of a mobile-agent tool.
#[track_caller]
fn dictionary(client: &mut HttpClient, tool: &str, arguments: Value) -> Value {
    let text = done(client, tool, arguments);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the short id of the line that holds the text.
#[track_caller]
fn short_id(look: &str, part: &str) -> String {
    let line = look
        .lines()
        .find(|line| line.starts_with('@') && line.contains(part))
        .unwrap_or_else(|| panic!("no {part} in\n{look}"));
    line.split(' ').next().unwrap_or_default().to_owned()
}

/// Returns the id of a control, from a fresh list of the data endpoint.
#[track_caller]
fn control(data: &mut HttpClient, name: &str) -> Value {
    let list = dictionary(data, CONTROLS, json!({}));
    let item = list
        .as_array()
        .into_iter()
        .flatten()
        .rfind(|item| item["name"] == name)
        .unwrap_or_else(|| panic!("no {name}: {list}"));
    item["id"].clone()
}

#[test]
fn clients_see_what_the_others_did_since_their_own_look() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let (mut ada, mut bob) = (
        HttpClient::join(server.address()),
        HttpClient::join(server.address()),
    );
    done(&mut ada, "android_open_app", json!({ "package_id": NOTES }));
    let seen_by_ada = done(&mut ada, "runner_look", json!({}));
    let seen_by_bob = done(&mut bob, "runner_look", json!({}));
    assert!(seen_by_ada.starts_with("look 1: "), "{seen_by_ada}");
    assert!(seen_by_bob.starts_with("look 2: "), "{seen_by_bob}");
    // Ids are the device's, not a client's.
    let field = short_id(&seen_by_ada, "Username");
    assert_eq!(field, short_id(&seen_by_bob, "Username"));

    let typing = json!({ "element_id": field, "text": "ada" });
    done(&mut ada, "android_type_append_text", typing);
    let change = format!("~ {field} EditText \"\" → \"ada\"");
    let since = |number: u32| json!({ "since": number });
    let for_bob = done(&mut bob, "runner_changes", since(2));
    assert!(for_bob.contains(&change), "{for_bob}");
    let for_ada = done(&mut ada, "runner_changes", since(1));
    assert!(for_ada.starts_with("look 4 since 1: "), "{for_ada}");
    assert!(for_ada.contains(&change), "{for_ada}");
    assert_eq!(
        done(&mut bob, "runner_changes", since(3)),
        "look 5 since 3: nothing changed"
    );
}

#[test]
fn clients_that_look_and_act_at_once_have_each_their_looks() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    done(
        &mut HttpClient::join(address),
        "android_open_app",
        json!({ "package_id": NOTES }),
    );
    let looks = std::thread::scope(|scope| {
        let clients = (0..6).map(|number| {
            scope.spawn(move || {
                let mut client = HttpClient::join(address);
                let mut looks = Vec::new();
                for turn in 0..4 {
                    let tool = if turn == 0 {
                        "runner_look"
                    } else {
                        "runner_changes"
                    };
                    let text = done(&mut client, tool, json!({}));
                    let field = "android_find_elements";
                    let found = done(
                        &mut client,
                        field,
                        json!({ "by": "resource_id", "value": "username" }),
                    );
                    let found: Value = serde_json::from_str(&found).expect("JSON");
                    let typing = json!({
                        "element_id": found["elements"][0]["id"], "text": number.to_string(),
                    });
                    done(&mut client, "android_type_append_text", typing);
                    let number: String = text
                        .trim_start_matches("look ")
                        .chars()
                        .take_while(char::is_ascii_digit)
                        .collect();
                    looks.push(number.parse::<u32>().expect("a number"));
                }
                looks
            })
        });
        let clients: Vec<_> = clients.collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().expect("it goes well"))
            .collect::<Vec<_>>()
    });
    let numbers: BTreeSet<u32> = looks.iter().copied().collect();
    assert_eq!(numbers, (1..=24).collect(), "{looks:?}");
    // Nothing that anybody typed was lost or mixed up.
    let mut client = HttpClient::join(address);
    let look = done(&mut client, "runner_look", json!({}));
    let line = look.lines().find(|line| line.contains("id=username"));
    let line = line.unwrap_or_else(|| panic!("{look}"));
    for number in 0..6 {
        let digit = char::from(b'0' + number);
        let typed = line.split('"').nth(1).unwrap_or_default();
        assert_eq!(typed.matches(digit).count(), 4, "{line}");
    }
}

#[test]
fn controls_listed_at_one_endpoint_are_clicked_at_the_other() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--dialect", "mobile-agent"], 2);
    let mut data = HttpClient::join(&server.addresses[0]);
    let mut action = HttpClient::join(&server.addresses[1]);
    dictionary(&mut action, "launch_app", json!({ "package_name": NOTES }));
    for (name, text) in [("Username", "ada"), ("Password", "lovelace")] {
        let id = control(&mut data, name);
        let typing = json!({ "text": text, "control_id": id, "control_name": name });
        let answer = dictionary(&mut action, "type_text", typing.clone());
        assert_eq!(answer["success"], true, "{answer}");
        // The act at the one endpoint ended the ids of the other.
        let again = dictionary(&mut action, "type_text", typing);
        assert_eq!(
            again["error"],
            format!(
                "Control with ID {} not found. Please call get_app_window_controls_target_info first.",
                id.to_string().replace('"', "'")
            )
        );
    }
    // Ids of looks too: the looks are at the first endpoint only.
    let look = done(&mut data, "runner_look", json!({}));
    let button = short_id(&look, "Button \"Sign in\"");
    let click = json!({ "control_id": button, "control_name": "Sign in" });
    let answer = dictionary(&mut action, "click_control", click.clone());
    assert_eq!(answer["success"], true, "{answer}");
    assert!(control(&mut data, "Welcome, Ada").is_string());
    let gone = dictionary(&mut action, "click_control", click);
    assert_eq!(
        gone["error"],
        format!(
            "{button} was Button \"Sign in\", which is not on the screen now; look again (`runner_look`)"
        )
    );
}

#[test]
fn what_tools_remember_outlives_a_lost_device() {
    let project = Project::with_demo_app();
    let device = OwnDevice::start(&project, "0");
    let port = device.port.clone();
    let address = device.address();
    let server = HttpServer::start(
        &project,
        &["--dialect", "mobile-agent", "--device", &address],
        2,
    );
    let mut data = HttpClient::join(&server.addresses[0]);
    let mut action = HttpClient::join(&server.addresses[1]);
    dictionary(&mut action, "launch_app", json!({ "package_name": NOTES }));
    let look = done(&mut data, "runner_look", json!({}));
    let field = short_id(&look, "Username");
    let about = dictionary(&mut data, "get_device_info", json!({}));
    assert_eq!(about["from_cache"], false, "{about}");
    control(&mut data, "Username");

    drop(device);
    let answer = dictionary(&mut action, "tap", json!({ "x": 5, "y": 5 }));
    assert_eq!(answer["success"], false, "{answer}");
    let still = dictionary(&mut action, "tap", json!({ "x": 5, "y": 5 }));
    assert!(still["error"].to_string().contains(&port), "{still}");

    let _back = OwnDevice::start(&project, &port);
    let about = dictionary(&mut data, "get_device_info", json!({}));
    assert_eq!(about["from_cache"], true, "{about}");
    // The device began anew, on its home screen; what the field was is still known.
    let typing = json!({ "text": "ada", "control_id": field, "control_name": "Username" });
    let gone = dictionary(&mut action, "type_text", typing.clone());
    assert_eq!(
        gone["error"],
        format!(
            "{field} was EditText \"Username\", which is not on the screen now; look again (`runner_look`)"
        )
    );
    dictionary(&mut action, "launch_app", json!({ "package_name": NOTES }));
    let look = done(&mut data, "runner_look", json!({}));
    assert!(look.starts_with("look 2: "), "{look}");
    assert_eq!(short_id(&look, "Username"), field, "{look}");
    let answer = dictionary(&mut action, "type_text", typing);
    assert_eq!(answer["success"], true, "{answer}");
}

/// Sends a message to `POST /message` with the token, and returns the answer.
#[track_caller]
fn message(address: &str, message: &Value) -> Value {
    let body = message.to_string();
    let reply = begin(address, "POST /message", &good_headers(address), &body).reply();
    assert_eq!(reply.status, 200, "{reply:?}");
    let answer = reply.json();
    assert_eq!(answer["type"], "tool_result", "{answer}");
    answer
}

#[track_caller]
fn call(address: &str, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    message(address, &json!({ "type": "call_tool", "params": params }))
}

#[test]
fn the_envelope_calls_the_same_tools_on_the_same_device() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--dialect", "semantic"], 1);
    let address = server.address();
    let sign_in = [
        ("click", json!({ "element_id": "Button-1" })),
        (
            "type_text",
            json!({ "element_id": "username", "text": "ada" }),
        ),
        (
            "type_text",
            json!({ "element_id": "password", "text": "lovelace" }),
        ),
        ("click", json!({ "element_id": "sign_in" })),
    ];
    for (tool, arguments) in sign_in {
        let answer = call(address, tool, arguments);
        assert_eq!(answer["content"]["success"], true, "{answer}");
        assert!(answer.get("isError").is_none(), "{answer}");
    }
    let read =
        json!({ "type": "read_resource", "id": "r", "params": { "uri": "ui://element/greeting" } });
    let answer = message(address, &read);
    assert_eq!(answer["id"], "r", "{answer}");
    let greeting = answer["content"]["text"].to_string();
    assert!(greeting.contains("Welcome, Ada"), "{answer}");

    // A client of the protocol sees what the envelope did, and its short ids are known there.
    let look = done(&mut HttpClient::join(address), "runner_look", json!({}));
    let button = short_id(&look, "New note");
    let answer = call(address, "click", json!({ "element_id": button }));
    assert_eq!(
        answer["content"]["message"],
        format!("Clicked {button}"),
        "{answer}"
    );
    let gone = call(address, "click", json!({ "element_id": button }));
    assert_eq!(gone["isError"], true, "{gone}");
    assert_eq!(
        gone["content"]["error"],
        format!(
            "{button} was ImageButton \"New note\", which is not on the screen now; look again (`runner_look`)"
        )
    );
    let look = call(address, "runner_look", json!({}));
    let display = look["content"]["result"].to_string();
    assert!(display.contains("id=title"), "{look}");
    // What was typed into the password field is shown to nobody, in whatever field of a message it comes.
    let unknown = call(address, "lovelace", json!({}));
    assert_eq!(unknown["content"]["error"], "Unknown tool: ***");
}

#[test]
fn a_run_keeps_off_the_device_that_a_server_uses() {
    let project = Project::with_demo_app();
    project.flow("short", "steps: [ launch ]\n");
    let device = OwnDevice::start(&project, "0");
    let address = device.address();
    let server = HttpServer::start(&project, &["--device", &address], 1);
    let run = || {
        let arguments = ["test", "flows/short.yaml", "--device", &address];
        project.run(&[&arguments[..], &["--device-wait", "0s"]].concat())
    };
    // A server that nobody asked anything keeps nobody out.
    let mut client = HttpClient::join(server.address());
    run().expect(0);
    done(&mut client, "runner_look", json!({}));
    run()
        .expect(3)
        .says("is in use: runner mcp, process ")
        .says("Wait until that is done, name another device");
    // What it holds ends with it.
    drop(server);
    run().expect(0);
}
