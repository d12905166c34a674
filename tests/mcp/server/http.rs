//! HTTP: access, sessions, and two endpoints of one workspace.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::http_client::{HttpClient, HttpServer, begin, good_headers};
use crate::common::Project;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

#[test]
fn only_who_has_the_token_comes_in() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();

    let health = begin(address, "GET /health", &[("Host", address)], "").reply();
    assert_eq!(health.status, 200);
    assert_eq!(health.json(), json!({ "status": "ok" }));

    for path in ["/mcp", "/message", "/elsewhere"] {
        for token in [None, Some("Bearer wrong"), Some("Bearer the-toke")] {
            let mut headers = good_headers(address);
            headers.retain(|(name, _)| *name != "Authorization");
            headers.extend(token.map(|token| ("Authorization", token)));
            let reply = begin(address, &format!("POST {path}"), &headers, PING).reply();
            assert_eq!(reply.status, 401, "{path} {token:?}");
            assert!(
                reply
                    .header("www-authenticate")
                    .is_some_and(|value| value.starts_with("Bearer")),
                "{reply:?}"
            );
            let advice = reply.json()["error_description"].to_string();
            assert!(advice.contains("Authorization: Bearer TOKEN"), "{advice}");
        }
    }
    assert_eq!(
        begin(address, "GET /elsewhere", &good_headers(address), "")
            .reply()
            .status,
        404
    );
    HttpClient::join(address);
}

#[test]
fn other_hosts_and_origins_are_turned_away() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--allowed-host", "lab.example"], 1);
    let address = server.address();
    for (name, value, status) in [
        ("Host", "evil.example", 403),
        ("Host", "lab.example", 200),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Origin", "http://localhost:3000", 200),
    ] {
        let mut headers = good_headers(address);
        headers.retain(|(own, _)| *own != name);
        headers.push((name, value));
        let reply = begin(address, "POST /mcp", &headers, PING).reply();
        assert_eq!(reply.status, status, "{name}: {value}: {reply:?}");
        if status == 403 {
            let advice = reply.json()["error_description"].to_string();
            assert!(advice.contains("--allowed-host"), "{advice}");
        }
    }
}

#[test]
fn what_is_no_request_is_answered_and_the_server_goes_on() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let post = |body: &str| begin(address, "POST /mcp", &good_headers(address), body).reply();

    let reply = post("{ this is no JSON");
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["error"]["code"], -32700);
    let reply = post(&format!("\"{}\"", "x".repeat(17 * 1024 * 1024)));
    assert_eq!(reply.status, 413);
    assert!(reply.body.contains("16 MiB"), "{reply:?}");
    for body in [
        "[]",
        "{}",
        "5",
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":5}"#,
    ] {
        let reply = post(body);
        assert_eq!(reply.status, 400, "{body}: {reply:?}");
        assert_eq!(reply.json()["error"]["code"], -32600, "{body}: {reply:?}");
    }
    assert_eq!(post(PING).status, 200);
    let client = HttpClient::join(address);
    let unknown = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/destroy" });
    let reply = client.post(&unknown).reply();
    assert_eq!(reply.messages()[0]["error"]["code"], -32601, "{reply:?}");
}

#[test]
fn a_session_ends_when_its_client_says_so() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let client = HttpClient::join(server.address());
    assert!(
        client
            .post(&json!({"jsonrpc":"2.0","id":1,"method":"ping"}))
            .reply()
            .status
            == 200
    );
    // T4: clients take 200 and 204 only for a session that ended.
    assert_eq!(client.leave().status, 204);
    let after = client
        .post(&json!({"jsonrpc":"2.0","id":2,"method":"ping"}))
        .reply();
    assert_eq!(after.status, 404, "{after:?}");
}

#[test]
fn data_and_action_tools_have_an_address_each_and_one_device() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(
        &project,
        &["--dialect", "mobile-agent", "--no-agent-tools"],
        2,
    );
    let names = |address: &str| -> Vec<String> {
        let client = HttpClient::join(address);
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
        let reply = client.post(&list).reply();
        let answer = &reply.messages()[0];
        answer["result"]["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
            .collect()
    };
    let data = names(&server.addresses[0]);
    let action = names(&server.addresses[1]);
    assert!(
        data.iter().all(|name| !action.contains(name)),
        "{data:?} {action:?}"
    );
    assert_eq!((data.len(), action.len()), (5, 8), "{data:?} {action:?}");
}

#[test]
fn a_tool_of_the_other_address_is_told_to_be_there() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--dialect", "mobile-agent"], 2);
    for (at, name, address) in [
        (0, "tap", "second address, one port higher"),
        (0, "runner_do", "second address, one port higher"),
        (1, "get_ui_tree", "first address, one port lower"),
        (1, "runner_look", "first address, one port lower"),
    ] {
        let mut client = HttpClient::join(&server.addresses[at]);
        let answer = client.call(name, json!({}));
        let expected = format!("the tool `{name}` is at this server's {address}");
        assert_eq!(answer["error"]["message"], expected, "{answer}");
    }
}

#[test]
fn many_clients_at_once_are_all_answered() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    std::thread::scope(|scope| {
        for number in 0..12 {
            scope.spawn(move || {
                let mut client = HttpClient::join(address);
                for _ in 0..5 {
                    let answer = client.call("android_tap", json!({ "x": number, "y": 5 }));
                    assert_eq!(
                        answer["result"]["content"][0]["text"],
                        format!("Tap executed at ({number}, 5)"),
                        "{answer}"
                    );
                }
            });
        }
    });
}

#[test]
fn other_machines_are_served_only_where_that_is_said() {
    let project = Project::with_demo_app();
    project
        .run(&["mcp", "--http", "0.0.0.0:0"])
        .expect(2)
        .says("--allow-remote");
    project
        .run(&["mcp", "--http", "0.0.0.0:0", "--allow-remote"])
        .expect(2)
        .says("--allowed-host NAME");
    project
        .run(&["mcp", "--http", "localhost:http"])
        .expect(2)
        .says("is not a port");
    project
        .run(&["mcp", "--token", "x"])
        .expect(2)
        .says("--http");
    project
        .run(&["mcp", "--http", "127.0.0.1:0", "--token", " "])
        .expect(2)
        .says("the token is empty");
}

#[test]
fn a_token_is_made_up_where_none_is_given() {
    let project = Project::with_demo_app();
    let mut child = project
        .command(&["mcp", "--http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("runner starts");
    let mut parsed = std::io::BufReader::new(child.stderr.take().expect("its errors"));
    let mut line = String::new();
    std::io::BufRead::read_line(&mut parsed, &mut line).expect("a line");
    let token = line
        .trim()
        .strip_prefix("token: ")
        .expect("a token")
        .to_owned();
    assert_eq!(token.len(), 64, "{token}");
    child.kill().expect("it ends");
    child.wait().expect("it ends");
}

#[test]
#[cfg(unix)]
fn the_server_ends_in_order() {
    let project = Project::with_demo_app();
    let mut server = HttpServer::start(&project, &[], 1);
    let client = HttpClient::join(server.address());
    // A stream that waits for the server must not keep it.
    let mut headers = good_headers(server.address());
    headers.push(("Mcp-Session-Id", &client.session));
    let mut listening = begin(server.address(), "GET /mcp", &headers, "");
    listening.wait_for("200 OK");
    let begun = std::time::Instant::now();
    let killed = std::process::Command::new("kill")
        .arg(server.child.id().to_string())
        .status()
        .expect("kill runs");
    assert!(killed.success());
    let status = server.child.wait().expect("it ends");
    assert_eq!(status.code(), Some(0));
    assert!(begun.elapsed().as_secs() < 40);
}

#[test]
fn only_the_semantic_dialect_has_an_envelope() {
    let project = Project::with_demo_app();
    for (dialect, status) in [("semantic", 200), ("scenario", 404)] {
        let server = HttpServer::start(&project, &["--dialect", dialect], 1);
        let address = server.address();
        let post =
            |body: &str| begin(address, "POST /message", &good_headers(address), body).reply();
        let reply = post(r#"{"type":"list_tools"}"#);
        assert_eq!(reply.status, status, "{dialect}: {reply:?}");
        assert!(reply.json().is_object(), "{reply:?}");
        assert_eq!(post("{ no JSON").json()["error"]["code"], -32700);
    }
}

/// Sends `count` calls on one connection, one after the other, until all are answered.
fn call_again_and_again(address: &str, call: &str, count: usize) {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let limit = Some(Duration::from_mins(1));
    stream.set_read_timeout(limit).expect("a limit");
    stream.set_write_timeout(limit).expect("a limit");
    let mut request = String::from("POST /mcp HTTP/1.1\r\n");
    for (name, value) in good_headers(address) {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str(&format!("Content-Length: {}\r\n\r\n{call}", call.len()));
    let mut writing = stream.try_clone().expect("the other half");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Where it does not go on, the answers do not come.
            let _ = (0..count).try_for_each(|_| writing.write_all(request.as_bytes()));
        });
        let (mut observed, mut answers) = (Vec::new(), 0);
        let mut buffer = vec![0; 64 * 1024];
        while answers < count {
            let read = stream.read(&mut buffer).expect("a call is held up");
            assert!(read > 0, "{answers} answers");
            observed.extend_from_slice(&buffer[..read]);
            // The end of an answer's head.
            answers += observed
                .windows(4)
                .filter(|end| *end == b"\r\n\r\n")
                .count();
            observed.drain(..observed.len().saturating_sub(3));
        }
    });
}

#[test]
fn a_client_that_does_not_listen_holds_nobody_up() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let deaf = HttpClient::join(address);
    let mut headers = good_headers(address);
    headers.push(("Mcp-Session-Id", &deaf.session));
    // Its stream of log messages, which it never reads.
    let mut stream = begin(address, "GET /mcp", &headers, "");
    stream.wait_for("200 OK");
    // Each failed call is answered with some 2 KB. The system keeps some 4 MB for a reader that does not read.
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "android_tap", "arguments": { "x": "😀".repeat(600), "y": 1 } },
    });
    call_again_and_again(address, &call.to_string(), 5000);
}
