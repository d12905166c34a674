//! Calls without a session: one request, one answer in JSON.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::http_client::{HttpClient, HttpServer, TOKEN, begin, good_headers, initialize};
use crate::common::{Project, needs};

/// Returns the commands of the reference, unchanged.
fn commands(document: &str) -> Vec<String> {
    let blocks = document.split("```bash\n").skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .filter(|block| block.starts_with("curl "))
        .map(|block| block.trim_end().to_owned())
        .collect()
}

// R4
#[test]
fn the_references_curl_commands_work_as_they_stand() {
    let reference = needs::shared_text("reference/000-android-remote-control-tools.md");
    let (Some(reference), true) = (reference, needs::program("curl")) else {
        return;
    };
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let port = server.address().rsplit(':').next().expect("a port");
    let commands = commands(&reference);
    assert_eq!(commands.len(), 10);
    for command in commands {
        // The port is the test's; all else but the token is the reference's.
        let command = command
            .replace("localhost:8080", &format!("localhost:{port}"))
            .replace("<token>", TOKEN);
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "{command} --silent --show-error --write-out '\\n%{{http_code}} %{{content_type}}'"
            ))
            .stdin(Stdio::null())
            .output()
            .expect("curl starts");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let (body, status) = printed.rsplit_once('\n').expect("a status");
        assert_eq!(status, "200 application/json", "{command}\n{printed}");
        let answer: Value = serde_json::from_str(body).expect(body);
        assert_eq!(answer["id"], 1, "{answer}");
        let text = answer["result"]["content"][0]["text"].as_str();
        assert!(text.is_some_and(|text| !text.is_empty()), "{answer}");
        let expected = match command {
            of if of.contains("node_abc123") => "node_abc123",
            of if of.contains("press_key") => "ENTER",
            of if of.contains("android_set_clipboard") => "lipboard",
            _ => "",
        };
        assert!(text.is_some_and(|text| text.contains(expected)), "{answer}");
    }
}

fn call(tool: &str, arguments: Value) -> String {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } },
    })
    .to_string()
}

#[test]
fn who_takes_no_stream_gets_json() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let post = |accept: Option<&str>, body: &str| {
        let mut headers = good_headers(address);
        headers.retain(|(name, _)| *name != "Accept");
        headers.extend(accept.map(|accept| ("Accept", accept)));
        begin(address, "POST /mcp", &headers, body).reply()
    };
    for accept in [None, Some("*/*"), Some("application/json")] {
        // It asked for progress, which would need a stream.
        for body in [
            initialize("tests"),
            call("android_tap", json!({ "x": 7, "y": 8 })),
            call("android_wait_for_idle", json!({ "timeout": 3000 })),
        ] {
            let reply = post(accept, &body);
            assert_eq!(reply.status, 200, "{accept:?}: {reply:?}");
            let kind = reply.header("content-type");
            assert_eq!(kind, Some("application/json"), "{accept:?}: {reply:?}");
            assert_eq!(reply.header("mcp-session-id"), None);
            assert!(reply.json()["result"].is_object(), "{accept:?}: {reply:?}");
        }
        let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        assert_eq!(post(accept, initialized).status, 202);
        let listed = post(accept, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert!(listed.json()["result"]["tools"].is_array());
    }
    // Who takes streams has a session, and everybody else is served beside it.
    let mut client = HttpClient::join(address);
    let tapped = client.call("android_tap", json!({ "x": 7, "y": 8 }));
    let alone = post(None, &call("android_tap", json!({ "x": 7, "y": 8 })));
    assert_eq!(
        tapped["result"]["content"],
        alone.json()["result"]["content"]
    );
}

// R4
#[test]
fn who_takes_no_stream_gets_json_in_a_session_too() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let client = HttpClient::join(address);
    let post = |accept: Option<&str>, body: &str| {
        let mut headers = good_headers(address);
        headers.retain(|(name, _)| *name != "Accept");
        headers.extend(accept.map(|accept| ("Accept", accept)));
        headers.push(("Mcp-Session-Id", &client.session));
        begin(address, "POST /mcp", &headers, body).reply()
    };
    for accept in [None, Some("*/*"), Some("application/json")] {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned();
        // They ask for progress, which would need a stream.
        let wait = call("android_wait_for_idle", json!({ "timeout": 3000 }));
        let tap = call("android_tap", json!({ "x": 7, "y": 8 }));
        for body in [ping, wait, tap] {
            let reply = post(accept, &body);
            assert_eq!(reply.status, 200, "{accept:?}: {reply:?}");
            let kind = reply.header("content-type");
            assert_eq!(kind, Some("application/json"), "{accept:?}: {reply:?}");
            let answer = reply.json();
            assert!(
                answer["id"] == 1 && answer["result"].is_object(),
                "{answer}"
            );
        }
        let cancelled =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#;
        assert_eq!(post(accept, cancelled).status, 202);
    }
    client.leave();
    assert_eq!(
        post(None, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).status,
        404
    );
}
