//! Tests of sessions, errors, connections and faults.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::{APP, Phone, connect, finger, without_clock};
use runner_virtual_device::{Fault, FaultSpec};

#[tokio::test]
async fn a_session_begins_and_ends() {
    let mut phone = Phone::new().await;
    let status = phone.request("GET", "/status", "").await;
    assert!(
        status
            .head
            .to_lowercase()
            .contains("content-type: application/json")
    );
    assert_eq!(
        status.json(),
        json!({ "sessionId": "None", "value": { "ready": true,
            "message": "UiAutomator2 Server is ready to accept commands",
            "build": { "version": "10.6.6", "versionCode": 278 } } })
    );
    let sessions = phone.request("GET", "/sessions", "").await.json();
    let session = &sessions["value"][0];
    assert_eq!(session["id"], phone.session.as_str());
    assert_eq!(session["capabilities"]["runner:owner"], "host/1");
    assert_eq!(session["capabilities"]["appPackage"], APP);
    // Another session replaces it silently.
    let first = phone.session.clone();
    phone.begin(json!({ "snapshotMaxDepth": 3 })).await;
    assert_ne!(first, phone.session);
    assert_eq!(phone.get("/appium/settings").await["snapshotMaxDepth"], 3);
    let old = phone
        .request("GET", &format!("/session/{first}/source"), "")
        .await;
    assert_eq!(
        (old.status, &old.json()["value"]["error"]),
        (404, &json!("invalid session id"))
    );
    assert_eq!(old.json()["sessionId"], first.as_str());
    let ended = phone.server.ended();
    assert_eq!(phone.ask("DELETE", "", Value::Null).await.0, 200);
    ended.cancelled().await;
    assert!(phone.client.ask("GET", "/status", "").await.is_none());
}

#[tokio::test]
async fn what_is_unknown_is_refused() {
    let mut phone = Phone::new().await;
    for (method, path, body, status, error) in [
        ("GET", "/nothing", "", 404, "unknown command"),
        ("PUT", "/status", "", 404, "unknown command"),
        (
            "GET",
            "/session/x/element/active/y/z",
            "",
            404,
            "unknown command",
        ),
        ("POST", "/session", "{", 500, "session not created"),
        ("POST", "/session", "{}", 500, "session not created"),
        ("POST", "/session/S/element", "{", 400, "invalid argument"),
        ("POST", "/session/S/element", "[]", 400, "invalid argument"),
        ("POST", "/session/S/actions", "{}", 400, "invalid argument"),
        (
            "POST",
            "/session/S/keys",
            "{\"text\":\"a\"}",
            404,
            "no such element",
        ),
        ("GET", "/session/S/alert/text", "", 404, "no such alert"),
        (
            "GET",
            "/session/S/element/x/rect",
            "",
            404,
            "no such element",
        ),
        (
            "POST",
            "/session/S/appium/device/press_keycode",
            "{\"keycode\":9999}",
            400,
            "invalid element state",
        ),
        (
            "POST",
            "/session/S/rotation",
            "{\"z\":45}",
            400,
            "invalid argument",
        ),
        (
            "POST",
            "/session/S/appium/device/set_clipboard",
            "{\"content\":\"?\"}",
            400,
            "invalid argument",
        ),
    ] {
        let path = path.replace("/S", &format!("/{}", phone.session));
        let reply = phone.request(method, &path, body).await;
        let value = &reply.json()["value"];
        assert_eq!(
            (reply.status, value["error"].as_str()),
            (status, Some(error)),
            "{method} {path} {body}"
        );
    }
    let long = "x".repeat(70_000);
    assert_eq!(phone.request("POST", "/session", &long).await.status, 413);
    // Bytes that are not HTTP end their connection, and nothing else.
    for bytes in [
        &b"\0\xff\xfe\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /session HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ] {
        let mut other = connect(&phone.server);
        other.write(bytes).await;
        let _ = other.receive().await;
    }
    assert_eq!(
        connect(&phone.server)
            .ask("GET", "/status", "")
            .await
            .unwrap()
            .status,
        200
    );
}

#[tokio::test]
async fn requests_may_come_together() {
    let mut phone = Phone::new().await;
    let path = |end: &str| format!("/session/{}{end}", phone.session);
    let (source, windows) = (path("/source"), path("/appium/list_windows"));
    phone.client.send("GET", &source, "").await;
    phone
        .client
        .send("POST", &windows, "{\"skipScreenshots\":true}")
        .await;
    let first = phone.client.receive().await.unwrap().json();
    let second = phone.client.receive().await.unwrap().json();
    assert!(first["value"].is_string() && second["value"].is_array());
    assert_eq!(phone.state.served()["uia2 GET /source"], 1);
}

#[tokio::test]
async fn without_automation_only_the_status_answers() {
    let mut phone = Phone::new().await;
    phone.server.disconnect_automation();
    assert_eq!(phone.request("GET", "/status", "").await.status, 200);
    for (method, path, body) in [
        ("GET", "/source", Value::Null),
        ("GET", "/screenshot", Value::Null),
        ("POST", "/back", json!({})),
        ("POST", "/actions", json!({ "actions": [] })),
        (
            "POST",
            "/element",
            json!({ "strategy": "id", "selector": "a" }),
        ),
    ] {
        let (status, value) = phone.ask(method, path, body).await;
        assert_eq!(status, 500, "{path}");
        assert!(
            value["message"]
                .as_str()
                .unwrap()
                .contains("UiAutomation not connected!")
        );
    }
}

#[tokio::test]
async fn faults_show() {
    let mut phone = Phone::new().await;
    let source = format!("/session/{}/source", phone.session);
    let whole = phone.request("GET", &source, "").await;
    phone.state.inject(FaultSpec::once(Fault::Uia2CutLook));
    assert!(phone.client.ask("GET", &source, "").await.is_none());
    let mut client = connect(&phone.server);
    phone.state.inject(FaultSpec::once(Fault::Uia2HugeLook));
    let huge = client.ask("GET", &source, "").await.unwrap();
    assert_eq!(huge.body.len(), 50 * 1024 * 1024);
    let text = |json: Value| without_clock(json["value"].as_str().unwrap());
    assert_eq!(text(huge.json()), text(whole.json()));
    phone.state.inject(FaultSpec::once(Fault::Uia2HungLook));
    let mut hung = connect(&phone.server);
    let waiting = tokio::time::timeout(Duration::from_millis(50), hung.ask("GET", &source, ""));
    assert!(waiting.await.is_err());
    phone.state.inject(FaultSpec::once(Fault::Uia2StaleSession));
    let stale = client.ask("GET", &source, "").await.unwrap();
    assert_eq!(stale.json()["value"]["error"], "invalid session id");
    phone.client = connect(&phone.server);
    phone.begin(json!({})).await;
    phone.state.inject(FaultSpec::once(Fault::Uia2Killed));
    let source = format!("/session/{}/source", phone.session);
    assert!(phone.client.ask("GET", &source, "").await.is_none());
    assert!(phone.server.ended().is_cancelled());
}

/// Each route answers any body: a panic would end the connection.
#[tokio::test]
async fn no_body_breaks_a_route() {
    let mut phone = Phone::new().await;
    let field = phone.find("id", "username").await;
    let origin = json!({ "ELEMENT": field });
    let far = json!({ "x": 1e300, "y": -1e300 });
    let bodies = [
        json!({}),
        json!(null),
        json!([1, "a"]),
        json!({ "strategy": "xpath", "selector": "//*[position() = 1e300 - -1e300]", "context": field }),
        json!({ "strategy": "xpath", "selector": "substring('a', -1e300, 1e300)" }),
        json!({ "strategy": "-android uiautomator", "selector": "index(99999999999999).instance(-1)" }),
        json!({ "origin": origin, "offset": far, "start": far, "end": far, "duration": 1e300 }),
        json!({ "offset": far, "start": far, "end": far, "speed": 1e300 }),
        json!({ "origin": origin, "direction": "up", "percent": 1e300, "speed": 0 }),
        json!({ "area": { "left": -1e300, "top": -1e300, "width": 1e300, "height": 1e300 }, "direction": "left", "percent": 1, "speed": 1e-300 }),
        json!({ "area": { "left": 5, "top": 5, "width": 0, "height": -1 }, "direction": "left", "percent": 0.5 }),
        json!({ "text": "\u{0}\u{ffff}".repeat(100), "replace": true }),
        json!({ "keycode": i64::MIN, "metastate": i64::MAX }),
        json!({ "z": i64::MAX, "type": i64::MIN, "orientation": "\u{0}", "content": "" }),
        json!({ "settings": { "snapshotMaxDepth": 1e300, "waitForIdleTimeout": -1e300 } }),
        json!({ "filters": { "title": "(((", "windowId": -1e300 }, "skipScreenshots": true }),
        json!({ "params": { "strategy": "class name", "selector": "x", "maxSwipes": 1 } }),
        json!({ "actions": [finger("a", json!([
            { "type": "pointerMove", "duration": 1e300, "x": 1e300, "y": -1e300 },
            { "type": "pointerDown" },
            { "type": "pointerMove", "duration": 1e300, "x": 1e300, "y": 1e300, "origin": "pointer" },
            { "type": "pointerUp" }, { "type": "pointerCancel" }, { "type": "pause", "duration": 1e300 },
        ])), { "type": "key", "id": "k", "actions": [{ "type": "keyDown", "value": "\u{e03d}" }] }] }),
    ];
    for route in crate::uia2::routes::all() {
        for body in &bodies {
            if route.ends_server || route.path == "/session" || route.path.contains("creenshot") {
                continue;
            }
            let path = route
                .path
                .replace("/S", &format!("/session/{}", phone.session))
                .replace(":element", &field)
                .replace(":other", &field);
            let answer = phone
                .client
                .ask(route.method, &path, &body.to_string())
                .await;
            let answer = answer.unwrap_or_else(|| panic!("{} {path} {body}", route.method));
            assert!(answer.json().get("value").is_some(), "{path} {body}");
        }
    }
}

/// An independent client over TCP, with two requests on one connection.
#[tokio::test]
async fn curl_keeps_its_connection() {
    if !runner_testing::program("curl") {
        return;
    }
    let phone = Phone::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = Arc::clone(&phone.server);
    let accepted = tokio::spawn(async move {
        let mut connections = 0;
        while let Ok((stream, _)) = listener.accept().await {
            connections += 1;
            tokio::spawn(Arc::clone(&server).serve(stream));
            if connections == 2 {
                break;
            }
        }
    });
    let source = format!("{url}/session/{}/source", phone.session);
    let output = tokio::process::Command::new("curl")
        .args([
            "-sS",
            "-v",
            "--max-time",
            "30",
            &format!("{url}/status"),
            &source,
        ])
        .output()
        .await
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{err}");
    assert!(out.contains("ready to accept commands") && out.contains("<hierarchy"));
    assert!(err.contains("Re-using existing"), "{err}");
    accepted.abort();
}

/// Requests recorded from Appium's driver are answered without an unknown command.
#[tokio::test]
async fn recorded_requests_are_answered() {
    let Some(log) = runner_testing::recorded_text("appium/appium-to-uia2.log") else {
        return;
    };
    let mut phone = Phone::new().await;
    let mut observed = 0;
    for line in log.lines().filter_map(|line| line.strip_prefix(">>> ")) {
        let mut parts = line.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().unwrap_or_default().trim();
        if method == "DELETE" || path.starts_with("/session/x/") {
            continue;
        }
        let path = path.replace("a1b2c3d4-0000-4000-8000-000000000001", &phone.session);
        let reply = phone.request(method, &path, body).await;
        let answer = reply.json();
        let error = answer["value"]["error"].as_str();
        // The stand-in's elements are not the phone's.
        let expected = matches!(error, None | Some("no such element"));
        assert!(
            expected && (error.is_none() || path.contains("/element")),
            "{line}: {answer}"
        );
        if path == "/session" {
            phone.session = answer["sessionId"].as_str().unwrap().to_owned();
        }
        observed += 1;
    }
    assert!(observed > 100, "{observed}");
}
