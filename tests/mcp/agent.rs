//! Tools for agents: lint, run, snapshots; resources and prompts.

use crate::common::Project;
use crate::common::mcp::{Answer, Client};
use base64::Engine as _;
use serde_json::{Value, json};

mod files;
mod run;
mod session;
mod snapshots;

/// Makes a project with a flow that signs in, and a sub-flow.
fn project() -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "sign-in",
        "name: Sign in
tags: [smoke]
env: { PASSWORD: lovelace, USER: ada }
secrets: [PASSWORD]
steps:
  - launch: { clear: true }
  - type: { into: { id: username }, text: \"${USER}\" }
  - type: { into: { id: password }, text: \"${PASSWORD}\", secret: true }
  - hide_keyboard
  - click: { id: sign_in }
  - assert visible: \"Welcome, *\"
",
    );
    project.write(
        "flows/_open.yaml",
        "app: com.example.notes\nsteps:\n  - launch: { clear: true }\n",
    );
    project
}

/// Returns the pictures of an answer.
fn pictures(answer: &Answer) -> Vec<Vec<u8>> {
    let items = answer.result["content"].as_array().into_iter().flatten();
    items
        .filter(|item| item["type"] == "image")
        .map(|item| {
            assert_eq!(item["mimeType"], "image/jpeg");
            let data = item["data"].as_str().expect("data");
            let bytes = base64::engine::general_purpose::STANDARD.decode(data);
            bytes.expect("base64")
        })
        .collect()
}

/// Returns width and height of a JPEG, from its frame header.
fn size(bytes: &[u8]) -> (u16, u16) {
    assert!(bytes.starts_with(&[0xFF, 0xD8]), "a JPEG");
    let number = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let mut at = 2;
    while !matches!(bytes[at + 1], 0xC0..=0xC2) {
        at += 2 + usize::from(number(at + 2));
    }
    (number(at + 7), number(at + 5))
}

/// Reads the text of a resource.
#[track_caller]
fn read(client: &mut Client, uri: &str) -> String {
    let result = client.request("resources/read", json!({ "uri": uri }));
    let text = result["contents"][0]["text"].as_str();
    text.expect("a text").to_owned()
}

/// Calls a tool, and asserts an error that holds `part`.
#[track_caller]
fn refused(client: &mut Client, tool: &str, arguments: Value, part: &str) {
    let answer = client.call(tool, arguments);
    assert!(
        answer.is_error && answer.text.contains(part),
        "{part:?} is not what {tool} says: {}",
        answer.text
    );
}

#[track_caller]
fn shows(client: &mut Client, text: &str) {
    let screen = client.call("android_get_screen_state", json!({}));
    assert!(screen.text.contains(text), "{}", screen.text);
}

#[test]
fn flows_are_listed_with_what_does_not_read() {
    let project = project();
    project.flow("bad", "steps:\n  - clik: here\n");
    project.write("flows/_parts/enter.YML", "steps: [ launch ]\n");
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_list_flows", json!({}));
    assert_eq!(
        answer.text,
        "flows/sign-in.yaml  Sign in  app com.example.notes  [smoke]\n\
         flows/bad.yaml  does not read: 1 error; runner_lint_flow says which\n\
         flows/_open.yaml  sub-flow, for `run:`\n\
         flows/_parts/enter.YML  sub-flow, for `run:`"
    );
    let value = answer.json();
    assert_eq!(value["flows"][0]["steps"], 6);
    assert_eq!(value["unreadable"][0]["path"], "flows/bad.yaml");
    assert_eq!(
        value["sub_flows"],
        json!(["flows/_open.yaml", "flows/_parts/enter.YML"])
    );
    let tagged = client.call("runner_list_flows", json!({ "tag": "other" }));
    assert_eq!(tagged.json()["flows"], json!([]));

    let empty = Project::with_demo_app();
    let mut client = Client::start(&empty, &[]);
    let answer = client.call("runner_list_flows", json!({}));
    assert_eq!(
        answer.text,
        "`flows`: there is no such file or folder\nso no flow is listed: write one there with runner_save_flow, or correct `flows` in runner.yaml"
    );
    empty.write("flows/readme.txt", "");
    let answer = client.call("runner_list_flows", json!({}));
    assert_eq!(
        answer.text,
        "there are no flows yet; write one with runner_save_flow"
    );
}

#[test]
fn a_missing_folder_of_flows_is_named() {
    let project = project();
    project.replace(
        "runner.yaml",
        "devices:",
        "flows: [flows, nowhere]\ndevices:",
    );
    let mut client = Client::start(&project, &[]);
    let answer = client.call("runner_list_flows", json!({}));
    assert!(
        answer
            .text
            .starts_with("`nowhere`: there is no such file or folder"),
        "{}",
        answer.text
    );
    assert!(!answer.text.contains("no flows yet"), "{}", answer.text);
}

#[test]
fn lint_gives_every_error_its_place_marker_and_help() {
    let project = project();
    project.flow("bad", "steps:\n  - clik: here\n");
    let mut client = Client::start(&project, &[]);
    let good = client.call("runner_lint_flow", json!({ "path": "flows/sign-in.yaml" }));
    assert_eq!(good.text, "1 flow: no errors");
    assert_eq!(good.json()["ok"], true);

    let text = "steps:\n  - clik: Sign in\n  - press: { }\n";
    let bad = client.call("runner_lint_flow", json!({ "text": text }));
    assert!(!bad.is_error, "errors are the answer: {}", bad.text);
    for part in [
        "error[unknown-step]: there is no step `clik`\n --> flows/untitled.yaml:2:5\n",
        "2 |   - clik: Sign in\n  |     ^^^^\n",
        "= help: did you mean `click`?",
        "1 flow: 2 errors",
    ] {
        assert!(bad.text.contains(part), "{part:?}: {}", bad.text);
    }
    let value = bad.json();
    assert_eq!(
        (&value["ok"], &value["errors"]),
        (&json!(false), &json!(2)),
        "{value}"
    );
    assert_eq!(
        value["diagnostics"][0],
        json!({
            "file": "flows/untitled.yaml", "line": 2, "column": 5, "severity": "error",
            "code": "unknown-step", "message": "there is no step `clik`",
            "source": "  - clik: Sign in", "help": "did you mean `click`?",
        })
    );
    let all = client.call("runner_lint_flow", json!({}));
    assert!(all.text.contains("flows/bad.yaml:3:5"), "{}", all.text);
    assert!(all.text.ends_with("2 flows: 1 error"), "{}", all.text);

    let assumed = json!({ "path": "flows/sub/x.yaml", "text": "steps: [ run: nowhere.yaml ]\n" });
    let answer = client.call("runner_lint_flow", assumed);
    assert!(
        answer.text.contains("flows/sub/x.yaml:1:15"),
        "{}",
        answer.text
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "path": "../else.yaml" }),
        "the path `../else.yaml` leaves its folder",
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "path": "flows/nothing.yaml" }),
        "there is no such file or folder",
    );
    refused(
        &mut client,
        "runner_lint_flow",
        json!({ "file": "x" }),
        "there is no parameter 'file'",
    );
}

#[test]
fn a_flow_is_saved_only_where_flows_belong_and_only_without_errors() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let text = "# kept as written\napp: com.example.notes\nsteps:\n  - launch\n";
    let save = |path: &str, text: &str| json!({ "path": path, "text": text });
    let answer = client.call("runner_save_flow", save("flows/deep/open.yaml", text));
    assert_eq!(answer.text, "saved flows/deep/open.yaml");
    assert_eq!(project.read("flows/deep/open.yaml"), text);

    refused(
        &mut client,
        "runner_save_flow",
        save("flows/deep/open.yaml", "steps: [ back ]\n"),
        "flows/deep/open.yaml is there already; choose another path, or say `overwrite: true`",
    );
    assert_eq!(project.read("flows/deep/open.yaml"), text);
    let mut over = save("flows/deep/open.yaml", "steps: [ back ]\n");
    over["overwrite"] = true.into();
    let answer = client.call("runner_save_flow", over);
    assert_eq!(answer.json()["replaced"], true, "{}", answer.text);
    assert_eq!(project.read("flows/deep/open.yaml"), "steps: [ back ]\n");

    let before = project.files("");
    for (path, text, part) in [
        (
            "flows/bad.yaml",
            "steps:\n  - clik: x\n",
            "not saved: flows/bad.yaml has 1 error\n",
        ),
        (
            "flows/bad.yaml",
            "steps:\n  - clik: x\n",
            "flows/bad.yaml:2:5",
        ),
        ("flows/../x.yaml", text, "leaves its folder"),
        ("../x.yaml", text, "leaves its folder"),
        ("/tmp/x.yaml", text, "leaves its folder"),
        ("flows", text, "is not the name of a flow"),
        ("flows/x.sh", text, "is not the name of a flow"),
        ("flows/runner.yaml", text, "is not the name of a flow"),
        ("runner.yaml", text, "is not the name of a flow"),
        ("", text, "names no file"),
    ] {
        refused(&mut client, "runner_save_flow", save(path, text), part);
    }
    assert_eq!(project.files(""), before);
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_flows() {
    let project = project();
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("x.yaml"), "steps: [ back ]\n").expect("a file");
    std::os::unix::fs::symlink(outside.path(), project.path("flows/link")).expect("a link");
    let mut client = Client::start(&project, &[]);
    let arguments = json!({ "path": "flows/link/y.yaml", "text": "steps: [ back ]\n" });
    refused(&mut client, "runner_save_flow", arguments, "by a link");
    refused(
        &mut client,
        "runner_run_flow",
        json!({ "path": "flows/link/x.yaml" }),
        "by a link",
    );
    let uri = "runner://flows/flows/link/x.yaml";
    let answer = client.ask("resources/read", json!({ "uri": uri }));
    assert!(answer.get("error").is_some(), "{answer}");
}

#[test]
fn resources_hold_flows_documents_and_the_schema() {
    let project = project();
    project.write("secret.yaml", "steps: [ back ]\n");
    let mut client = Client::start(&project, &["--dialect", "scenario"]);
    let index: Value = serde_json::from_str(&read(&mut client, "runner://flows")).expect("JSON");
    let uri = index["flows"][0]["uri"].as_str().expect("a URI");
    let text = project.read("flows/sign-in.yaml");
    for uri in [
        uri,
        "runner://flows/sign-in.yaml",
        "runner://flows/flows%2Fsign-in.yaml",
    ] {
        assert_eq!(read(&mut client, uri), text, "{uri}");
    }
    for (uri, part) in [
        ("runner://flows/secret.yaml", "there is no flow"),
        ("runner://flows/../secret.yaml", "leaves its folder"),
        ("runner://flows/flows/../secret.yaml", "leaves its folder"),
        ("runner://flows/%2e%2e/secret.yaml", "leaves its folder"),
        ("runner://flows/%2Fetc%2Fpasswd", "leaves its folder"),
        ("runner://flows/runner.yaml", "there is no flow"),
        ("runner://docs/nothing", "no resource"),
    ] {
        let answer = client.ask("resources/read", json!({ "uri": uri }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{uri}: {answer}");
    }
    assert!(read(&mut client, "runner://docs/flows").starts_with("# Flows"));
    assert!(read(&mut client, "runner://docs/steps").contains("hide_keyboard"));
    let selectors = read(&mut client, "runner://docs/selectors");
    assert!(selectors.starts_with("## Which element"), "{selectors}");
    assert!(!selectors.contains("## Assertions"), "{selectors}");
    let schema: Value =
        serde_json::from_str(&read(&mut client, "runner://schema/flow")).expect("JSON");
    assert!(schema["properties"]["steps"].is_object(), "{schema}");
    let templates = client.request("resources/templates/list", json!({}));
    let template = &templates["resourceTemplates"][0];
    assert_eq!(template["uriTemplate"], "runner://flows/{path}");
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let project = project();
    let mut client = Client::start(&project, &[]);
    let list = client.request("prompts/list", json!({}));
    let names: Vec<&str> = list["prompts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|prompt| prompt["name"].as_str())
        .collect();
    assert_eq!(
        names,
        ["write_flow", "fix_flow", "explore_app", "review_snapshots"]
    );
    let arguments = json!({ "path": "flows/sign-in.yaml" });
    let prompt = client.request(
        "prompts/get",
        json!({ "name": "fix_flow", "arguments": arguments }),
    );
    let text = prompt["messages"][0]["content"]["text"]
        .as_str()
        .expect("a text");
    assert!(
        text.starts_with("Mend the flow flows/sign-in.yaml.\n"),
        "{text}"
    );
    let missing = client.ask("prompts/get", json!({ "name": "write_flow" }));
    let message = missing["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("needs the argument `goal`"), "{missing}");
}

#[test]
fn what_the_project_calls_secret_is_said_by_no_tool() {
    let project = project();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nsecrets: [TOKEN]\nenv: { TOKEN: hush-hush-9 }\n",
    );
    let text = "steps:\n  - clik: hush-hush-9\n";
    project.flow("leak", "steps:\n  - launch\n  - click: hush-hush-9\n");
    let mut client = Client::start(&project, &[]);
    for (tool, arguments) in [
        ("runner_lint_flow", json!({ "text": text })),
        ("runner_run_flow", json!({ "text": text })),
        (
            "runner_save_flow",
            json!({ "path": "flows/x.yaml", "text": text }),
        ),
        ("runner_run_flow", json!({ "path": "flows/leak.yaml" })),
    ] {
        let answer = client.call(tool, arguments);
        let message = answer.result.to_string();
        assert!(!message.contains("hush-hush-9"), "{tool}: {message}");
        assert!(message.contains("***"), "{tool}: {message}");
    }
    assert!(!read(&mut client, "runner://report/last").contains("hush-hush-9"));
    assert!(!read(&mut client, "runner://flows/leak.yaml").contains("hush-hush-9"));
}
