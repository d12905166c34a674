//! Recorded sessions in each of the other dialects: they sign in and write a note, and the flow does it
//! again.

use serde_json::{Value, json};

use super::does;
use crate::common::mcp::Client;
use crate::common::{Project, Ran};

const NOTES: &str = "com.example.notes";
const NOTE: &str = "Milk & honey";
/// Steps that every recorded flow must hold in the middle; their fields may differ.
const WRITES: [&str; 5] = [
    "  - type: { into: { id: username }, text: ada }\n",
    "  - click: { id: sign_in }\n",
    "  - click: { id: new_note }\n",
    "  - type: { into: { id: title }, text: \"Milk & honey\" }\n",
    "  - click: { id: save }\n",
];

/// Ends the recording, and returns the flow.
#[track_caller]
fn recorded(project: &Project, client: &mut Client) -> String {
    let stop = json!({ "action": "stop", "name": "Write a note", "path": "write.yaml" });
    does(client, "runner_record", stop);
    let flow = project.read("flows/write.yaml");
    for step in WRITES {
        assert!(flow.contains(step), "no {step:?} in\n{flow}");
    }
    assert!(!flow.contains("lovelace"), "{flow}");
    assert!(!flow.contains("Not recorded"), "{flow}");
    project.run(&["lint"]).expect(0).says("no errors");
    flow
}

/// Runs the flow on a fresh device.
fn runs(project: &Project, password: &str) -> Ran {
    let mut command = project.command(&["test", "-v", "flows/write.yaml"]);
    command.env(password, "lovelace");
    command.output().map(Ran::from).expect("the program starts")
}

/// Asserts that the flow passes, and that after a renamed button it names the failed step and a similar
/// element.
#[track_caller]
fn passes_until_the_app_changes(project: &Project, password: &str) {
    runs(project, password).expect(0);
    project.replace(
        "apps/demo/form.yaml",
        "{ id: save_text, component: Text, text: Save }",
        "{ id: save_text, component: Text, text: Keep }",
    );
    project.replace("apps/demo/form.yaml", "- id: save\n", "- id: keep\n");
    project.replace("apps/demo/form.yaml", "saving, save]", "saving, keep]");
    runs(project, password)
        .expect(1)
        .says("FAIL  scroll_to: { id: save }")
        .says("--> flows/write.yaml:");
}

/// Calls a tool on the control with this name and type, as a fresh list has it.
#[track_caller]
fn control(client: &mut Client, tool: &str, (name, class): (&str, &str), more: Value) {
    let list = client.call("get_app_window_controls_target_info", json!({}));
    let list = list.text_json();
    let item = list
        .as_array()
        .into_iter()
        .flatten()
        .find(|item| item["name"] == name && item["type"] == class)
        .unwrap_or_else(|| panic!("no {class} {name}: {list}"));
    let mut arguments = more;
    arguments["control_id"] = item["id"].clone();
    arguments["control_name"] = json!(name);
    let answer = client.call(tool, arguments);
    assert_eq!(answer.json()["success"], true, "{}", answer.text);
}

#[test]
fn a_mobile_agent_session_is_a_flow_that_passes() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "mobile-agent"]);
    let client = &mut client;
    does(client, "runner_record", json!({ "action": "start" }));
    does(client, "launch_app", json!({ "package_name": NOTES }));
    for (field, text) in [("Username", "ada"), ("Password", "lovelace")] {
        control(
            client,
            "type_text",
            (field, "EditText"),
            json!({ "text": text }),
        );
    }
    control(client, "click_control", ("Sign in", "Button"), json!({}));
    control(
        client,
        "click_control",
        ("New note", "ImageButton"),
        json!({}),
    );
    control(
        client,
        "type_text",
        ("Title", "EditText"),
        json!({ "text": NOTE }),
    );
    does(client, "press_key", json!({ "key_code": "KEYCODE_BACK" }));
    let way = json!({ "start_x": 540, "start_y": 1800, "end_x": 540, "end_y": 600 });
    does(client, "swipe", way);
    control(client, "click_control", ("Save", "Button"), json!({}));
    does(client, "wait", json!({ "seconds": 2 }));
    let flow = recorded(&project, client);
    assert!(flow.contains("  - launch: { clear: true }\n"), "{flow}");
    assert!(
        flow.contains("  - back\n  - scroll_to: { id: save }\n"),
        "{flow}"
    );
    assert!(!flow.contains("mobile_agent."), "{flow}");
    passes_until_the_app_changes(&project, "NOTES_PASSWORD");
}

/// The short id of the first element whose line holds the text.
#[track_caller]
fn short_id(client: &mut Client, part: &str) -> String {
    let look = does(client, "runner_look", json!({}));
    let line = look
        .lines()
        .find(|line| line.starts_with('@') && line.contains(part))
        .unwrap_or_else(|| panic!("no {part} in\n{look}"));
    line.split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn a_semantic_session_is_a_flow_that_passes() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "semantic"]);
    let client = &mut client;
    let on = |id: &str| json!({ "element_id": id });
    does(client, "runner_record", json!({ "action": "start" }));
    let icon = short_id(client, "\"Notes\"");
    does(client, "click", on(&icon));
    for (field, text) in [("username", "ada"), ("password", "lovelace")] {
        does(
            client,
            "type_text",
            json!({ "element_id": field, "text": text }),
        );
    }
    does(client, "click", on("sign_in"));
    does(client, "click", on("new_note"));
    let title = json!({ "element_id": "title", "text": NOTE });
    does(client, "type_text", title);
    let folder = json!({ "element_id": "folder", "value": "Work" });
    does(client, "select", folder);
    let form = short_id(client, "ScrollView");
    let far = json!({ "element_id": form, "direction": "down", "amount": 2000 });
    does(client, "scroll", far);
    // The same scroll brought both.
    does(client, "toggle", on("pinned"));
    does(client, "click", on("save"));
    let flow = recorded(&project, client);
    for step in [
        "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n",
        "  - semantic.select: { element_id: folder, value: Work }\n",
        "  - scroll_to: { id: pinned }\n  - click: { id: pinned }\n",
        "  - scroll_to: { id: save }\n  - click: { id: save }\n",
    ] {
        assert!(flow.contains(step), "no {step:?} in\n{flow}");
    }
    passes_until_the_app_changes(&project, "NOTES_PASSWORD");
}

#[test]
fn a_scenario_session_is_a_flow_that_passes() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "scenario"]);
    let client = &mut client;
    does(client, "runner_record", json!({ "action": "start" }));
    does(
        client,
        "startTestingScenario",
        json!({ "appPackage": NOTES }),
    );
    for (field, text) in [
        ("Username", "ada"),
        ("id/password", "lovelace"),
        ("Title", NOTE),
    ] {
        if field == "Title" {
            does(client, "tap", json!({ "text": "id/sign_in" }));
            does(client, "tap", json!({ "text": "New note" }));
        }
        does(
            client,
            "inputText",
            json!({ "fieldSelector": field, "text": text }),
        );
    }
    does(client, "swipeUp", json!({}));
    does(client, "tap", json!({ "text": "Save" }));
    does(client, "wait", json!({ "ms": 1500 }));
    let welcome = json!({ "text": "welcome, ada" });
    let says = does(client, "verifyElementVisible", welcome);
    assert!(says.starts_with("VISIBLE: "), "{says}");
    let flow = recorded(&project, client);
    assert!(flow.contains("  - scroll_to: { id: save }\n"), "{flow}");
    assert!(
        flow.ends_with("  - assert visible: \"Welcome, Ada\"\n"),
        "{flow}"
    );
    passes_until_the_app_changes(&project, "NOTES_PASSWORD");
}

#[test]
fn an_agent_runs_what_it_recorded_with_the_password_as_env() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "mobile-agent"]);
    let client = &mut client;
    does(client, "runner_record", json!({ "action": "start" }));
    does(client, "launch_app", json!({ "package_name": NOTES }));
    control(
        client,
        "type_text",
        ("Password", "EditText"),
        json!({ "text": "lovelace" }),
    );
    let says = does(
        client,
        "runner_record",
        json!({ "action": "stop", "path": "in" }),
    );
    assert!(
        says.contains("give NOTES_PASSWORD with `env` of runner_run_flow"),
        "{says}"
    );
    let run = |client: &mut Client, env: Value| {
        let arguments = json!({ "path": "flows/in.yaml", "env": env });
        client.call("runner_run_flow", arguments)
    };
    let answer = run(client, json!({}));
    assert_eq!(answer.json()["passed"], false, "{}", answer.text);
    assert!(
        answer
            .text
            .contains("the environment variable `NOTES_PASSWORD` is not set"),
        "{}",
        answer.text
    );
    let answer = run(client, json!({ "NOTES_PASSWORD": "babbage-7" }));
    assert_eq!(answer.json()["passed"], true, "{}", answer.text);
    assert!(
        !answer.result.to_string().contains("babbage-7"),
        "{}",
        answer.text
    );
}
