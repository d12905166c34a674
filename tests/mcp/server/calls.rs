//! Long calls: progress, cancellation, lost clients, lost devices.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::http_client::{HttpClient, HttpServer};
use crate::common::Project;
use crate::common::mcp::Client;

/// A virtual device for one test; stopped on drop.
pub(crate) struct OwnDevice {
    child: Child,
    pub port: String,
}

impl OwnDevice {
    pub fn start(project: &Project, port: &str) -> Self {
        let mut child = project
            .command(&["virtual", "--realistic", "--port", port])
            .stdout(Stdio::piped())
            .spawn()
            .expect("runner starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("the device says where it is");
        let (_, rest) = line.split_once("127.0.0.1:").expect("an address");
        let port = rest.chars().take_while(char::is_ascii_digit).collect();
        Self { child, port }
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for OwnDevice {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const NEVER: &str = "this is on no screen";

fn wait_for_nothing() -> Value {
    json!({ "by": "text", "value": NEVER, "timeout": 30000 })
}

fn is_progress(message: &Value) -> bool {
    message["method"] == "notifications/progress"
}

#[test]
fn a_long_call_says_that_it_goes_on_and_can_be_cancelled() {
    let project = Project::with_demo_app();
    let device = OwnDevice::start(&project, "0");
    let mut client = Client::start(&project, &["--device", &device.address()]);
    for (tool, arguments) in [
        ("android_wait_for_element", wait_for_nothing()),
        (
            "android_swipe",
            json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 300, "duration": 60000 }),
        ),
    ] {
        let id = client.begin(
            "tools/call",
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": tool } }),
        );
        let (first, second) = (client.next(), client.next());
        assert!(
            is_progress(&first) && is_progress(&second),
            "{first} {second}"
        );
        assert_eq!(first["params"]["progressToken"], tool);
        let so_far = |message: &Value| message["params"]["progress"].as_f64().expect("a number");
        assert!(so_far(&first) < so_far(&second), "{first} {second}");
        // T4: seconds, of the limit where the call names one.
        assert!(so_far(&first) >= 1.0, "{first}");
        if tool == "android_wait_for_element" {
            assert_eq!(first["params"]["total"], 30.0, "{first}");
        }
        assert!(
            first["params"]["message"]
                .as_str()
                .is_some_and(|message| message.starts_with("still going after")),
            "{first}"
        );

        let begun = Instant::now();
        client.notify("notifications/cancelled", json!({ "requestId": id }));
        // The device is free for the next touch at once; the cancelled call is never answered.
        let next = client.begin(
            "tools/call",
            json!({ "name": "android_tap", "arguments": { "x": 1, "y": 1 } }),
        );
        let (answer, others) = client.finish(next);
        assert_eq!(
            answer["result"]["content"][0]["text"], "Tap executed at (1, 1)",
            "{answer}"
        );
        assert!(begun.elapsed() < Duration::from_secs(40), "{tool}");
        assert!(others.iter().all(is_progress), "{others:?}");
    }
}

#[test]
fn a_call_ends_with_its_client() {
    let project = Project::with_demo_app();
    let device = OwnDevice::start(&project, "0");
    let server = HttpServer::start(&project, &["--device", &device.address()], 1);
    let swipe = json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 300, "duration": 60000 });

    // One that ends its session in mid-call, and one that only hangs up.
    let mut leaving = HttpClient::join(server.address());
    let mut call = leaving.begin_call("android_swipe", swipe.clone());
    call.wait_for("notifications/progress");
    leaving.leave();
    let begun = Instant::now();
    let mut other = HttpClient::join(server.address());
    let answer = other.call("android_tap", json!({ "x": 1, "y": 1 }));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(begun.elapsed() < Duration::from_secs(40));

    let mut hanging_up = HttpClient::join(server.address());
    let mut call = hanging_up.begin_call("android_swipe", swipe);
    call.wait_for("notifications/progress");
    drop(call);
    let begun = Instant::now();
    let answer = other.call("android_tap", json!({ "x": 1, "y": 1 }));
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    // It had time to come back for the answer.
    assert!(begun.elapsed() < Duration::from_secs(50));
}

#[test]
fn a_device_that_comes_back_needs_no_restart() {
    let project = Project::with_demo_app();
    let device = OwnDevice::start(&project, "0");
    let port = device.port.clone();
    let mut client = Client::start(&project, &["--device", &device.address()]);
    let look = json!({});
    let answer = client.call("android_get_screen_state", look.clone());
    assert!(!answer.is_error, "{}", answer.text);

    drop(device);
    let id = client.begin(
        "tools/call",
        json!({ "name": "android_get_screen_state", "arguments": {} }),
    );
    let (answer, parsed) = client.finish(id);
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(
        result["content"][0]["text"],
        "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility."
    );
    let advice = result["content"][1]["text"].to_string();
    assert!(advice.contains("connect it again"), "{advice}");
    let lost = |message: &Value| {
        message["method"] == "notifications/message"
            && message["params"]["level"] == "warning"
            && message["params"]["data"]["device"] == "lost"
    };
    assert!(parsed.iter().any(lost), "{parsed:?}");
    let still = client.call("android_get_screen_state", look.clone());
    assert!(
        still.is_error && still.text.contains(&port),
        "{}",
        still.text
    );

    let _back = OwnDevice::start(&project, &port);
    let id = client.begin(
        "tools/call",
        json!({ "name": "android_get_screen_state", "arguments": {} }),
    );
    let (answer, response) = client.finish(id);
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    assert!(
        response
            .iter()
            .any(|message| message["params"]["data"]["device"] == "found"),
        "{response:?}"
    );
}

#[test]
fn a_client_hears_what_it_wants_to_hear() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let tap = json!({ "name": "android_tap", "arguments": { "x": 1, "y": 1 } });
    let wrong = json!({ "name": "android_tap", "arguments": { "x": -1, "y": 1 } });
    let logged = |client: &mut Client, call: &Value| -> Vec<Value> {
        let id = client.begin("tools/call", call.clone());
        client.finish(id).1
    };
    assert_eq!(logged(&mut client, &tap), Vec::<Value>::new());
    let parsed = logged(&mut client, &wrong);
    assert_eq!(parsed[0]["params"]["level"], "info", "{parsed:?}");
    assert_eq!(
        parsed[0]["params"]["data"]["error"],
        "Parameter 'x' must be >= 0, got: -1.0"
    );
    client.request("logging/setLevel", json!({ "level": "debug" }));
    let response = logged(&mut client, &tap);
    assert_eq!(
        response[0]["params"]["data"]["tool"], "android_tap",
        "{response:?}"
    );
    client.request("logging/setLevel", json!({ "level": "error" }));
    assert_eq!(logged(&mut client, &wrong), Vec::<Value>::new());
    let answer = client.ask("logging/setLevel", json!({ "level": "loud" }));
    assert!(answer.get("error").is_some(), "{answer}");
}

#[test]
fn a_client_hears_of_steps_that_failed() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--tools", "lean"]);
    let id = client.begin(
        "tools/call",
        json!({
            "name": "runner_do",
            "arguments": { "steps": [{ "click": "Nowhere", "timeout": "100ms" }] },
        }),
    );
    let (answer, others) = client.finish(id);
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let told = |message: &Value| {
        let params = &message["params"];
        params["level"] == "info"
            && params["data"]["tool"] == "runner_do"
            && params["data"]["error"].is_string()
    };
    assert!(others.iter().any(told), "{others:?}");
}

#[test]
#[cfg(unix)]
fn a_server_that_is_asked_to_stop_ends_in_order() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    client.call("android_tap", json!({ "x": 1, "y": 1 }));
    // Its input stays open: it must not wait for that.
    let status = client.terminate();
    assert_eq!(status.code(), Some(0));
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let id = client.begin(
        "tools/call",
        json!({ "name": "android_press_home", "arguments": {} }),
    );
    client.end_input();
    let (answer, _) = client.finish(id);
    assert_eq!(
        answer["result"]["content"][0]["text"],
        "Home button press executed successfully"
    );
}
