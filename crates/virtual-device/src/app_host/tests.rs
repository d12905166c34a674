//! Tests of the exchange with a host that answers from a script and records its requests.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::{AppHost, AppHosts, HostFailure, HostReply, HostRequest, HostedApp};
use crate::state::DeviceState;
use crate::{ApkManifest, KeyPress, Switch, Touch, VirtualDeviceOptions};
use runner_screen::Point;

const PACKAGE: &str = "com.example.real";

/// Calls that hosts got, and their scripted answers.
#[derive(Default)]
struct Script {
    asked: Mutex<Vec<Value>>,
    /// Answers by the name of a request, each used once in this order. Then follow default answers.
    answers: Mutex<VecDeque<(&'static str, Result<Value, HostFailure>)>>,
    started: Mutex<usize>,
    cleared: Mutex<usize>,
    now: Mutex<u64>,
    closed: Mutex<bool>,
    wants_keyboard: Mutex<bool>,
}

impl Script {
    fn answer(&self, op: &'static str, answer: Value) {
        self.answers.lock().unwrap().push_back((op, Ok(answer)));
    }

    fn fail(&self, op: &'static str, failure: HostFailure) {
        self.answers.lock().unwrap().push_back((op, Err(failure)));
    }

    fn requests(&self, op: &str) -> Vec<Value> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|request| request["op"] == op)
            .cloned()
            .collect()
    }

    fn ops(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .map(|request| request["op"].as_str().unwrap().to_owned())
            .collect()
    }
}

struct ScriptedHosts(Arc<Script>);

struct ScriptedHost(Arc<Script>);

impl AppHosts for ScriptedHosts {
    fn start(&self, _: &HostedApp) -> Result<Box<dyn AppHost>, HostFailure> {
        *self.0.started.lock().unwrap() += 1;
        Ok(Box::new(ScriptedHost(Arc::clone(&self.0))))
    }

    fn clear(&self, _: &str) -> Result<(), HostFailure> {
        *self.0.cleared.lock().unwrap() += 1;
        Ok(())
    }
}

fn window() -> Value {
    json!({ "id": 1, "kind": "activity", "title": "Real", "component": "com.example.real/.Main",
        "frame": [0, 0, 1080, 2400], "focusable": true, "touchable": true, "touch_modal": true, "focused": true,
        "nodes": [
            { "id": 1, "class": "android.widget.FrameLayout", "enabled": true, "bounds": [0, 0, 1080, 2400] },
            { "id": 2, "depth": 1, "class": "android.widget.Button", "text": "Go", "clickable": true, "enabled": true, "bounds": [0, 500, 500, 600], "index": 3, "order": 7 },
            { "id": 3, "depth": 1, "class": "android.widget.EditText", "editable": true, "focused": true, "enabled": true, "bounds": [0, 700, 500, 800] },
        ] })
}

impl AppHost for ScriptedHost {
    fn call(&mut self, request: &HostRequest) -> Result<HostReply, HostFailure> {
        let asked = serde_json::to_value(request).unwrap();
        let op = asked["op"].as_str().unwrap().to_owned();
        let mut now = self.0.now.lock().unwrap();
        *now += asked["ms"].as_u64().unwrap_or(0);
        self.0.asked.lock().unwrap().push(asked);
        let mut answers = self.0.answers.lock().unwrap();
        let next = answers.iter().position(|(name, _)| *name == op);
        let answer = next
            .and_then(|next| answers.remove(next))
            .map(|(_, answer)| answer);
        let mut answer = answer.unwrap_or_else(|| Ok(json!({})))?;
        if op == "look" && answer.get("ok").is_none() {
            answer["ok"] = json!({ "windows": [window()] });
        }
        let closed = *self.0.closed.lock().unwrap();
        if answer.get("state").is_none() {
            answer["state"] = json!({});
        }
        answer["state"]["now"] = json!(*now);
        answer["state"]["ime"] = json!({ "shown": *self.0.wants_keyboard.lock().unwrap() });
        if !closed && answer["state"].get("front").is_none() {
            answer["state"]["front"] = json!("com.example.real/.Main");
        }
        Ok(serde_json::from_value(answer).unwrap())
    }
}

/// Returns a device with an app in a host that is not started.
fn device(script: &Arc<Script>) -> Arc<DeviceState> {
    let manifest = ApkManifest {
        package: PACKAGE.to_owned(),
        activities: vec![format!("{PACKAGE}.Main")],
        launchable: Some(format!("{PACKAGE}.Main")),
        permissions: vec!["android.permission.CAMERA".to_owned()],
        ..ApkManifest::default()
    };
    let options = VirtualDeviceOptions {
        hosted: vec![HostedApp {
            apk: "real.apk".into(),
            manifest: Arc::new(manifest),
        }],
        hosts: Some(Arc::new(ScriptedHosts(Arc::clone(script)))),
        ..VirtualDeviceOptions::default()
    };
    Arc::new(DeviceState::new(&options).unwrap())
}

fn started() -> (Arc<Script>, Arc<DeviceState>) {
    let script = Arc::new(Script::default());
    let device = device(&script);
    device
        .phone()
        .start(PACKAGE, None, &BTreeMap::new())
        .unwrap();
    device.exchange();
    (script, device)
}

fn front(device: &DeviceState) -> String {
    let windows = device.phone().windows();
    let focused = windows.iter().find(|window| window.focused).unwrap();
    format!(
        "{}/{}",
        focused.package,
        focused.activity.clone().unwrap_or_default()
    )
}

fn tap(device: &DeviceState, x: i32, y: i32) {
    let point = Point { x, y };
    let path = vec![(point, Duration::ZERO), (point, Duration::from_millis(10))];
    device.phone().fingers(&[Touch { path }]);
    device.pass(Duration::from_millis(60));
    device.exchange();
}

#[test]
fn a_started_app_is_looked_at() {
    let (script, device) = started();
    assert_eq!(script.ops(), ["begin", "start", "look"]);
    assert_eq!(front(&device), format!("{PACKAGE}/.Main"));
    let windows = device.phone().windows();
    let window = windows.iter().find(|window| window.focused).unwrap();
    let button = &window.root.as_ref().unwrap().children[0];
    assert_eq!(button.text, "Go");
    assert_eq!(button.order.unwrap().index, 3);
    assert!(windows.iter().any(|window| window.title == "StatusBar"));
}

#[test]
fn a_touch_reaches_the_window_at_the_devices_time() {
    let (script, device) = started();
    device.pass(Duration::from_secs(2));
    tap(&device, 100, 550);
    let asked = script.requests("pointer");
    assert_eq!(asked[0]["window"], 1);
    let actions: Vec<&Value> = asked[0]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["action"])
        .collect();
    assert_eq!(actions, ["down", "up"]);
    let passed: u64 = script
        .requests("advance")
        .iter()
        .map(|request| request["ms"].as_u64().unwrap())
        .sum();
    assert_eq!(passed, 2060);
    // The status bar is the device's.
    tap(&device, 100, 10);
    assert_eq!(script.requests("pointer").len(), 1);
}

#[test]
fn keys_go_to_the_app_but_those_of_the_system() {
    let (script, device) = started();
    device.press(&KeyPress::named("BACK"));
    device.press(&KeyPress::with_ctrl("A"));
    device.press(&KeyPress::named("HOME"));
    device.exchange();
    let keys = script.requests("key");
    assert_eq!(
        (keys[0]["code"].as_u64(), keys[1]["code"].as_u64()),
        (Some(4), Some(29))
    );
    assert_eq!(keys[1]["meta"], 0x3000);
    assert_eq!(keys.len(), 2);
    assert_eq!(script.requests("background").len(), 1);
    assert!(front(&device).starts_with("com.android.launcher/"));
}

#[test]
fn a_key_between_two_activities_is_the_apps() {
    let (script, device) = started();
    // The one that was in front is gone, the one below has no window yet.
    script.answer("look", json!({ "ok": { "windows": [] } }));
    for _ in 0..2 {
        device.press(&KeyPress::named("BACK"));
        device.exchange();
    }
    assert_eq!(script.requests("key").len(), 2);
    assert!(front(&device).starts_with(PACKAGE));
}

#[test]
fn an_app_whose_activities_are_closed_gives_way_to_the_launcher() {
    let (script, device) = started();
    *script.closed.lock().unwrap() = true;
    device.press(&KeyPress::named("BACK"));
    device.exchange();
    assert!(front(&device).starts_with("com.android.launcher/"));
    assert!(
        device
            .phone()
            .processes()
            .iter()
            .any(|(_, name)| name == PACKAGE)
    );
}

#[test]
fn the_keyboard_comes_with_its_inset_and_goes_with_back() {
    let (script, device) = started();
    *script.wants_keyboard.lock().unwrap() = true;
    tap(&device, 100, 750);
    assert!(device.phone().keyboard_shown());
    let told = script.requests("configure");
    assert!(
        told.last().unwrap()["config"]["insets"]["ime"]
            .as_u64()
            .unwrap()
            > 0
    );
    device.press(&KeyPress::named("BACK"));
    device.exchange();
    assert!(!device.phone().keyboard_shown());
    assert_eq!(script.requests("key").len(), 0);
    assert_eq!(script.requests("ime_hidden").len(), 1);
    assert_eq!(
        script.requests("configure").last().unwrap()["config"]["insets"]["ime"],
        0
    );
}

#[test]
fn text_goes_to_the_field_by_its_way() {
    let (script, device) = started();
    device.phone().input_text("abc").unwrap();
    assert!(device.phone().commit_text("añ"));
    device.exchange();
    let texts = script.requests("text");
    assert_eq!(
        (&texts[0]["text"], &texts[0]["mode"]),
        (&json!("abc"), &json!("keys"))
    );
    assert_eq!(
        (&texts[1]["text"], &texts[1]["mode"]),
        (&json!("añ"), &json!("commit"))
    );
}

#[test]
fn a_crash_is_logged_with_its_trace_and_ends_the_process() {
    let (script, device) = started();
    let trace = "java.lang.IllegalStateException: no account\n\tat com.example.real.Main.onClick(Main.kt:31)";
    script.answer(
        "pointer",
        json!({ "events": [{ "event": "crash", "exception": "java.lang.IllegalStateException",
        "message": "no account", "trace": trace, "thread": "main" }] }),
    );
    tap(&device, 100, 550);
    assert!(front(&device).starts_with("com.android.launcher/"));
    assert!(
        !device
            .phone()
            .processes()
            .iter()
            .any(|(_, name)| name == PACKAGE)
    );
    let log = device.phone().take_log();
    assert!(
        log.iter().any(|(level, tag, text, _)| *level == 'E'
            && tag == "AndroidRuntime"
            && text.contains("Main.kt:31")),
        "{log:?}"
    );
    // The next start is a new process.
    device
        .phone()
        .start(PACKAGE, None, &BTreeMap::new())
        .unwrap();
    device.exchange();
    assert_eq!(*script.started.lock().unwrap(), 2);
}

#[test]
fn an_app_that_does_not_answer_is_told_as_such() {
    let (script, device) = started();
    let stack = vec!["at com.example.real.Main.spin(Main.kt:7)".to_owned()];
    script.fail(
        "pointer",
        HostFailure::NotResponding {
            limit: Duration::from_secs(5),
            stack,
        },
    );
    tap(&device, 100, 550);
    let windows = device.phone().windows();
    assert!(
        windows
            .iter()
            .any(|window| window.title == format!("Application Not Responding: {PACKAGE}"))
    );
    assert!(device.phone().anr_trace().unwrap().contains("Main.kt:7"));
    assert_eq!(device.phone().take_host_fault(), None);
}

#[test]
fn a_broken_host_is_no_crash_of_the_app() {
    let (script, device) = started();
    script.fail(
        "pointer",
        HostFailure::Broken("the JVM has run out of memory".to_owned()),
    );
    tap(&device, 100, 550);
    let fault = device.property("runner.host.fault");
    assert!(
        fault.contains(PACKAGE) && fault.contains("out of memory"),
        "{fault}"
    );
    let log = device.phone().take_log();
    assert!(
        !log.iter()
            .any(|(_, _, text, _)| text.contains("FATAL EXCEPTION"))
    );
}

/// Finds the middle of the button that allows.
fn find_allow(node: &crate::NodeDump, allow: &mut Option<Point>) {
    if node.text == "Allow" || node.text == "While using the app" {
        *allow = Some(Point {
            x: i32::midpoint(node.bounds.left, node.bounds.right),
            y: i32::midpoint(node.bounds.top, node.bounds.bottom),
        });
    }
    for child in &node.children {
        find_allow(child, allow);
    }
}

#[test]
fn permissions_are_asked_one_by_one() {
    let (script, device) = started();
    script.answer(
        "pointer",
        json!({ "events": [{ "event": "permissions", "request": 9,
        "names": ["android.permission.CAMERA", "android.permission.INTERNET"] }] }),
    );
    tap(&device, 100, 550);
    let windows = device.phone().windows();
    let question = windows.iter().find(|window| window.focused).unwrap();
    assert_eq!(question.package, "com.android.permissioncontroller");
    let mut allow = None;
    find_allow(question.root.as_ref().unwrap(), &mut allow);
    let allow = allow.unwrap();
    tap(&device, allow.x, allow.y);
    let answered = script.requests("permissions");
    assert_eq!(answered[0]["request"], 9);
    assert_eq!(
        answered[0]["granted"],
        json!({ "android.permission.CAMERA": true, "android.permission.INTERNET": false })
    );
}

#[test]
fn settings_reach_the_app_and_clear_removes_its_data() {
    let (script, device) = started();
    device
        .phone()
        .set(crate::Setting::Switch(Switch::Dark, true));
    device.exchange();
    assert_eq!(
        script.requests("configure").last().unwrap()["config"]["dark"],
        true
    );
    assert!(device.phone().clear(PACKAGE));
    device.exchange();
    assert_eq!(*script.cleared.lock().unwrap(), 1);
    assert!(front(&device).starts_with("com.android.launcher/"));
}

#[test]
fn coming_to_rest_moves_the_devices_time() {
    let (script, device) = started();
    let before = device.elapsed();
    script.answer("settle", json!({ "ok": { "moved": 340 } }));
    assert!(device.rest(Duration::from_secs(10)));
    assert_eq!(device.elapsed(), before + Duration::from_millis(340));
    // Without a host in front there is nothing to wait for.
    device.press(&KeyPress::named("HOME"));
    assert!(!device.rest(Duration::from_secs(10)));
}
