//! Limits for clients: connections, sessions, bodies.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::calls::OwnDevice;
use super::http_client::{HttpClient, HttpServer, PendingRequest, begin, good_headers, initialize};
use crate::common::Project;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn ping(client: &HttpClient) -> u16 {
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    client.post(&ping).reply().status
}

/// Returns a message with `[[],[],…]` of this length, among its parameters or as its id.
fn brackets(length: usize, as_id: bool) -> String {
    let (before, after) = if as_id {
        (
            r#"{"jsonrpc":"2.0","method":"ping","params":{},"id":[[]"#,
            "]}",
        )
    } else {
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[[]"#,
            "]}}",
        )
    };
    let count = (length - before.len() - after.len()) / 3;
    format!("{before}{}{after}", ",[]".repeat(count))
}

// A9
#[test]
fn the_session_goes_that_was_idle_for_longest() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let first = HttpClient::join(server.address());
    let second = HttpClient::join(server.address());
    let others: Vec<HttpClient> = (2..64)
        .map(|_| HttpClient::join(server.address()))
        .collect();
    assert_eq!(ping(&first), 200);
    let last = HttpClient::join(server.address());
    assert_eq!(ping(&second), 404);
    for client in others.iter().chain([&first, &last]) {
        assert_eq!(ping(client), 200);
    }
}

// A9
#[test]
fn a_full_house_is_told_to_come_again() {
    let project = Project::with_demo_app();
    // Waits take time there; on the server's own virtual device they take none.
    let device = OwnDevice::start(&project, "0");
    let arguments = ["--dialect", "mobile-agent", "--device", &device.address()];
    let server = HttpServer::start(&project, &arguments, 2);
    // The second address is that of the tools that act.
    let address = &server.addresses[1];
    let mut clients: Vec<HttpClient> = (0..64).map(|_| HttpClient::join(address)).collect();
    let _calls: Vec<PendingRequest> = clients
        .iter_mut()
        .map(|client| {
            // Long enough that the first is still busy when the last has begun.
            let mut call = client.begin_call("wait", json!({ "seconds": 60 }));
            call.wait_for("200 OK");
            call
        })
        .collect();
    let initialize = initialize("tests");
    let join = || begin(address, "POST /mcp", &good_headers(address), &initialize).reply();
    let turned_away = join();
    assert_eq!(turned_away.status, 503, "{turned_away:?}");
    assert_eq!(turned_away.header("retry-after"), Some("1"));
    assert_eq!(turned_away.json()["error"], "too_many_sessions");
    // Who needs no session is served.
    let alone = begin(address, "POST /mcp", &good_headers(address), PING).reply();
    assert_eq!(alone.status, 200, "{alone:?}");
    assert!(clients[0].leave().status < 300);
    assert_eq!(join().status, 200);
}

// A9
#[test]
fn what_a_session_would_keep_is_short() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    for (length, status) in [(60 * 1024, 200), (64 * 1024, 413)] {
        let body = initialize(&"x".repeat(length));
        let reply = begin(address, "POST /mcp", &good_headers(address), &body).reply();
        assert_eq!(reply.status, status, "{length}: {}", reply.head);
        assert_eq!(reply.body.contains("at most 64 KiB"), status == 413);
    }
}

// A9
#[test]
fn a_message_that_is_too_much_is_refused_before_it_is_read() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &["--dialect", "semantic"], 1);
    let address = server.address();
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{deep}}}}}"#);
    for path in ["/mcp", "/message"] {
        for (body, why, id) in [
            (
                brackets(1024 * 1024, false),
                "at most 100000 values",
                json!(1),
            ),
            (
                brackets(1024 * 1024, true),
                "at most 100000 values",
                json!(null),
            ),
            (deep.clone(), "at most 64 arrays", json!(1)),
        ] {
            let post = format!("POST {path}");
            let reply = begin(address, &post, &good_headers(address), &body).reply();
            assert_eq!(reply.status, 400, "{reply:?}");
            let error = reply.json();
            assert_eq!(error["id"], id, "{error}");
            assert!(
                error["error"]["message"].to_string().contains(why),
                "{error}"
            );
        }
    }
}

// A9
#[test]
fn a_slow_body_is_cut_off() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let mut slow = TcpStream::connect(address).expect("the server listens");
    let limit = Some(Duration::from_mins(1));
    slow.set_read_timeout(limit).expect("a limit");
    let mut head = String::from("POST /mcp HTTP/1.1\r\nContent-Length: 1000\r\n");
    for (name, value) in good_headers(address) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    slow.write_all(format!("{head}\r\n{{").as_bytes())
        .expect("the server reads");
    let mut answer = Vec::new();
    let _ = slow.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("not whole after 10 s"), "{answer}");
}

/// Returns the peak memory of a process, in MB.
#[cfg(target_os = "linux")]
fn most_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    kilobytes
        .and_then(|text| text.parse().ok())
        .unwrap_or(0_u64)
        / 1000
}

// A9, A10
#[test]
#[cfg(target_os = "linux")]
fn an_attack_holds_nobody_up_and_costs_little_memory() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let address = server.address();
    let half_open: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = TcpStream::connect(address).expect("the server listens");
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: ");
            stream
        })
        .collect();
    let healthy = || {
        let health = begin(address, "GET /health", &[("Host", address)], "").reply();
        assert_eq!(health.status, 200, "{health:?}");
    };
    healthy();
    for _ in 0..300 {
        HttpClient::join(address);
    }
    let bodies = [false, true].map(|as_id| brackets(16 * 1024 * 1024, as_id));
    std::thread::scope(|scope| {
        for body in bodies.iter().cycle().take(8) {
            scope.spawn(|| {
                let reply = begin(address, "POST /mcp", &good_headers(address), body).reply();
                assert_eq!(reply.status, 400, "{reply:?}");
            });
        }
        healthy();
    });
    let reply = begin(address, "POST /mcp", &good_headers(address), PING).reply();
    assert_eq!(reply.status, 200, "{reply:?}");
    drop(half_open);
    let most = most_memory(server.child.id());
    assert!(most < 300, "{most} MB");
}
