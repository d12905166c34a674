//! Random secrets through whole sessions of a server: no output and no file holds even the beginning of one.

use std::io::Read as _;

use serde_json::{Value, json};

use super::servers::{NOTES, project};
use crate::common::Project;
use crate::common::mcp::Client;
use crate::common::needs::long;
use crate::common::pages::PageServer;

/// Returns the number of secrets that a session is given.
fn count() -> usize {
    long(10, 500)
}

/// Returns secrets of 12 to 2,000 characters. Each begins with letters that occur nowhere else.
pub(super) fn secrets(seed: u64, count: usize) -> Vec<String> {
    let letters: Vec<char> = ('a'..='z')
        .chain(" \"'&<ä漢ж%\\/\n{}$:#*😀".chars())
        .collect();
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut secret = |length: usize| -> String {
        let begins: String = (0..8).map(|_| rng.char('A'..='Z')).collect();
        let more: String = (0..length - 10)
            .map(|_| rng.choice(&letters).expect("one"))
            .collect();
        format!("{begins}{more}zz")
    };
    let step = 1988 / (count - 1).max(1);
    (0..count).map(|n| secret(12 + n * step)).collect()
}

#[track_caller]
pub(super) fn stand_in_none(secrets: &[String], texts: &[(String, String)]) {
    assert!(texts.iter().any(|(_, text)| text.contains("***")));
    for value in secrets {
        for (name, text) in texts {
            if let Some(at) = text.find(&value[..6]) {
                let around: String = text[at..].chars().take(200).collect();
                panic!("{name} shows a secret: {around}\nof {value:?}");
            }
        }
    }
}

/// Returns the text of all files but those in which the secrets were given.
fn files(project: &Project) -> Vec<(String, String)> {
    let files = project.files(".").into_iter();
    let written = files.filter(|name| !name.ends_with("runner.yaml") && !name.ends_with(".png"));
    written
        .map(|name| {
            let bytes = std::fs::read(project.path(&name)).unwrap_or_default();
            (name, String::from_utf8_lossy(&bytes).into_owned())
        })
        .collect()
}

#[test]
fn s2_no_beginning_of_a_secret_stands_in_what_an_mcp_session_tells_or_writes() {
    let secrets = secrets(11, count());
    let all: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let project = project(&all);
    let mut command = project.command(&["mcp", "--record", "flows/all.yaml", "--log", "a.log"]);
    command.env("RUNNER_LOG", "trace");
    let mut client = Client::from_command(command);
    client.initialize("2025-11-25");
    client.request("logging/setLevel", json!({ "level": "debug" }));
    let mut texts = Vec::new();
    let mut call = |tool: &str, arguments: Value| {
        let id = client.begin(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let (answer, parsed) = client.finish(id);
        texts.push((tool.to_owned(), format!("{answer}{parsed:?}")));
        answer
    };
    call("android_open_app", json!({ "package_id": NOTES }));
    let by = json!({ "by": "resource_id", "value": "username" });
    let found = call("android_find_elements", by);
    let field = &found["result"]["structuredContent"]["elements"][0]["id"];
    let field = field.as_str().expect("a field").to_owned();
    for secret in &secrets {
        call("android_type_clear_text", json!({ "element_id": field }));
        call(
            "android_type_append_text",
            json!({ "element_id": field, "text": secret }),
        );
        call(
            "android_find_elements",
            json!({ "by": "text", "value": secret }),
        );
        call("android_click_element", json!({ "element_id": secret }));
        call("android_open_app", json!({ "package_id": secret }));
        call("android_set_clipboard", json!({ "content": secret }));
        call("android_get_clipboard", json!({}));
        call(secret, json!({}));
        let flow = format!("app: {NOTES}\nsteps:\n  - clik: {}\n", json!(secret));
        call("runner_lint_flow", json!({ "yaml": flow }));
    }
    call("runner_look", json!({}));
    call("android_get_screen_state", json!({}));
    client.end_input();
    client.wait();
    // The recorder writes the names of secrets, but packages and ids as they are: the flow is not an output.
    let written = files(&project).into_iter();
    texts.extend(written.filter(|(name, _)| !name.ends_with("all.yaml")));
    stand_in_none(&secrets, &texts);
}

#[test]
fn s2_no_beginning_of_a_secret_stands_in_what_a_studio_session_tells_or_writes() {
    // Each act after which nothing changes is watched for two seconds, so that thirty secrets take four minutes (2026-11-28).
    let secrets = secrets(12, long(3, 500));
    let all: Vec<&str> = secrets.iter().map(String::as_str).collect();
    let project = project(&all);
    let mut command = project.command(&["studio", "--no-open", "--log", "a.log", "flows/a.yaml"]);
    command.env("RUNNER_LOG", "trace");
    let server = PageServer::started(command, &project, "Studio");
    let mut message = server.sent(&server.own_request("GET /events", ""));
    let mut texts = Vec::new();
    let mut post = |path: &str, body: Value| {
        let (_, reported) = server.own(&format!("POST {path}"), &body.to_string());
        texts.push((path.to_owned(), reported));
    };
    let act = |what: Value| json!({ "wish": { "what": what, "seq": null }, "block": 0 });
    post("/act", act(json!({ "act": "launch", "app": NOTES })));
    post("/act", act(json!({ "act": "tap", "x": 540, "y": 860 })));
    for secret in &secrets {
        post("/act", act(json!({ "act": "type", "text": secret })));
        post("/act", act(json!({ "act": "launch", "app": secret })));
        let flow = format!("app: {NOTES}\nsteps:\n  - clik: {}\n", json!(secret));
        post("/lint", json!({ "text": flow }));
    }
    drop(server);
    let mut report = Vec::new();
    // The server is gone, and with it the rest of the line.
    let _ = message.read_to_end(&mut report);
    texts.push((
        "events".to_owned(),
        String::from_utf8_lossy(&report).into_owned(),
    ));
    texts.extend(files(&project));
    stand_in_none(&secrets, &texts);
}
