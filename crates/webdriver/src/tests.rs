//! Tests of the device against a fake server.

mod sessions;
mod system;

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::connect;
use crate::fake::{Hub, Reply};
use runner_device::{Device, DeviceError, Input, Key, LookOptions, PictureOptions, apps};
use runner_screen::Point;

const LIMIT: Duration = Duration::from_secs(20);

async fn connected(hub: &Hub) -> Arc<dyn Device> {
    let device = connect(&hub.spec(), "phone", &|_| {}).await.unwrap();
    hub.forget();
    device
}

#[tokio::test]
async fn a_look_is_two_requests_and_the_activity_is_asked_once() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let screen = device.look(LookOptions::within(LIMIT)).await.unwrap();
    assert_eq!(screen.windows()[0].activity.as_deref(), Some(".Shop"));
    let mut first = hub.lines();
    first.sort();
    assert_eq!(
        first,
        [
            "GET /source",
            "mobile: getCurrentActivity",
            "mobile: getCurrentPackage",
            "mobile: listWindows"
        ]
    );
    let cost = device.counters().read();
    assert_eq!(
        (cost.round_trips, cost.dumps, device.counters().changing()),
        (4, 1, 0)
    );
    hub.forget();
    device.look(LookOptions::within(LIMIT)).await.unwrap();
    assert_eq!(hub.lines().len(), 2);
}

/// Neither error is the app's fault, as nobody saw what it shows.
#[tokio::test]
async fn attack_a_screen_that_cannot_be_read_is_never_the_apps_fault() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let once = LookOptions {
        attempts: 1,
        ..LookOptions::within(LIMIT)
    };
    let deep = format!("<hierarchy>{}", "<a window-id=\"7\">".repeat(2000));
    for source in [
        "<hierarchy><a class=\"a\" window-id=\"99\"/></hierarchy>",
        "<hierarchy><a class=\"a\"/></hierarchy>",
        "<hierarchy><a class=\"a\" window-id=\"7\"></hierarchy>",
        "<hierarchy/>",
        "",
        &deep,
    ] {
        hub.reply("GET /source", Reply::Value(json!(source)));
        let error = device.look(once).await.err().unwrap();
        assert!(error.is_infrastructure(), "{error}");
    }
    // The server says nothing more at all.
    let silent = || Reply::Late(Duration::from_secs(3), json!(null));
    hub.reply("GET /source", silent());
    hub.reply("GET /status", silent());
    let short = LookOptions::within(Duration::from_millis(300));
    let error = device.look(short).await.err().unwrap();
    assert!(error.is_unreachable(), "{error}");
    // It answers, and the look takes long.
    hub.reply("GET /source", silent());
    let error = device.look(short).await.err().unwrap();
    assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
}

#[tokio::test]
async fn attack_what_was_refused_with_a_status_of_success_was_not_done() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let error = json!({ "error": "unknown error", "message": "no finger", "stacktrace": "" });
    let old = r#"{"status":13,"value":{"message":"no finger"}}"#;
    for reply in [
        Reply::Value(error),
        Reply::Raw(200, "application/json", old.to_owned()),
    ] {
        hub.reply("POST /actions", reply);
        let tap = [Input::Tap(Point { x: 1, y: 2 })];
        let error = device.input(&tap, LIMIT).await.unwrap_err();
        assert!(error.to_string().contains("no finger"), "{error}");
    }
}

#[tokio::test]
async fn a_picture_of_a_session_that_is_over_is_asked_for_once() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    for (code, asked, is_lost) in [
        ("invalid session id", 1, true),
        ("unable to capture screen", 2, false),
    ] {
        hub.forget();
        for _ in 0..asked {
            hub.reply("GET /screenshot", Reply::Error(404, code, "gone"));
        }
        let options = PictureOptions {
            attempts: 2,
            ..PictureOptions::within(LIMIT)
        };
        let error = device.picture(options).await.err().unwrap();
        assert_eq!(error.is_unreachable(), is_lost, "{error}");
        assert_eq!(hub.requests_to("GET /screenshot").len(), asked, "{error}");
    }
}

#[tokio::test]
async fn a_file_is_read_up_to_its_limit_and_no_byte_more() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    for (bytes, is_read) in [(10, true), (11, false)] {
        let content = STANDARD.encode(vec![7_u8; bytes]);
        hub.reply("mobile: pullFile", Reply::Value(json!(content)));
        let pulled = device.pull("/sdcard/x", 10).await;
        assert_eq!(pulled.is_ok(), is_read, "{bytes}: {pulled:?}");
    }
}

#[tokio::test]
async fn a_device_that_is_gone_is_told_from_a_command_that_failed() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    hub.reply(
        "GET /source",
        Reply::Error(
            404,
            "invalid session id",
            "A session is either terminated or not started",
        ),
    );
    let error = device.look(LookOptions::within(LIMIT)).await.err().unwrap();
    assert!(
        error.is_unreachable() && error.to_string().contains("'phone' was lost"),
        "{error}"
    );
    hub.reply(
        "GET /orientation",
        Reply::Error(500, "unknown error", "it is shy"),
    );
    device.alive(LIMIT).await.unwrap();
    hub.reply(
        "GET /orientation",
        Reply::Error(404, "invalid session id", "gone"),
    );
    assert!(
        device
            .alive(LIMIT)
            .await
            .is_err_and(|error| error.is_unreachable())
    );

    hub.reply("activateApp", Reply::Error(500, "unknown error", "Error executing adbExec. Original error: 'x'; Command output: Error type 3\nError: Activity class does not exist."));
    let launch = apps::Launch {
        package: "com.example",
        ..apps::Launch::default()
    };
    let error = apps::launch(device.as_ref(), &launch).await.unwrap_err();
    assert!(!error.is_infrastructure(), "{error}");
    assert!(
        error.to_string().contains("Activity class does not exist"),
        "{error}"
    );
    hub.forget();
    for package in ["a;reboot", "a b", ""] {
        apps::stop(device.as_ref(), package).await.unwrap_err();
    }
    assert!(hub.lines().is_empty());
    hub.reply(
        "terminateApp",
        Reply::Error(405, "unknown method", "Unknown mobile command"),
    );
    let error = apps::stop(device.as_ref(), "com.example")
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("`mobile: terminateApp`"),
        "{error}"
    );
}

/// A server does not tell which activity it launches, so that there is none to pass them to.
#[tokio::test]
async fn a_launch_whose_extras_cannot_be_passed_clears_nothing() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let extras = serde_json::from_value(json!({ "id": 7 })).unwrap();
    let launch = apps::Launch {
        package: "com.example",
        clear: true,
        extras: Some(&extras),
        ..apps::Launch::default()
    };
    let error = apps::launch(device.as_ref(), &launch).await.unwrap_err();
    assert!(error.to_string().contains("`activity`"), "{error}");
    assert!(hub.lines().is_empty(), "{:?}", hub.lines());
}

#[tokio::test]
async fn every_key_of_a_row_is_pressed_once() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let key = Input::Key {
        key: "DEL".parse().unwrap(),
        long: false,
    };
    for count in [1, 2, 50, 401] {
        hub.forget();
        device
            .input(&vec![key.clone(); count], LIMIT)
            .await
            .unwrap();
        let typed = hub.requests_to("POST /actions");
        let strokes = typed.iter().flat_map(|request| {
            let strokes = request.body["actions"][0]["actions"].as_array();
            strokes.cloned().unwrap_or_default()
        });
        let typed = strokes.filter(|stroke| stroke["type"] == "keyDown").count();
        let pressed = hub.requests_to("mobile: pressKey").len();
        assert_eq!(typed + pressed, count);
    }
}

#[tokio::test]
async fn inputs_take_as_few_requests_as_they_need() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let key = |name: &str| Input::Key {
        key: name.parse().unwrap(),
        long: false,
    };
    let at = Point { x: 10, y: 20 };
    let held: Vec<Key> = ["CTRL_LEFT", "A"].map(|name| name.parse().unwrap()).into();
    let inputs = [
        Input::Tap(at),
        Input::Text("hi".to_owned()),
        key("ENTER"),
        key("DEL"),
        key("BACK"),
        Input::Combination(held),
    ];
    device.input(&inputs, LIMIT).await.unwrap();
    assert_eq!(
        hub.lines(),
        [
            "POST /actions",
            "POST /actions",
            "mobile: pressKey",
            "mobile: pressKey"
        ]
    );
    let actions = hub.requests_to("POST /actions");
    assert_eq!(actions[0].body["actions"][0]["type"], "pointer");
    let typed: String = actions[1].body["actions"][0]["actions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|action| action["type"] == "keyDown")
        .map(|action| action["value"].as_str().unwrap())
        .collect();
    assert_eq!(typed, "hi\u{e007}\u{e003}");
    let keys = hub.requests_to("mobile: pressKey");
    assert_eq!(keys[0].body["args"][0], json!({ "keycode": 4 }));
    assert_eq!(
        keys[1].body["args"][0],
        json!({ "keycode": 29, "metastate": 0x3000 })
    );
    let error = device.input(&[key("TV_POWER")], LIMIT).await.unwrap_err();
    assert!(
        error.to_string().contains("press TV_POWER") && error.to_string().contains("adb_shell"),
        "{error}"
    );
    hub.reply("POST /actions", Reply::Error(500, "unknown error", "no"));
    let error = device.input(&[Input::Tap(at)], LIMIT).await.unwrap_err();
    assert!(matches!(error, DeviceError::InputRefused { .. }), "{error}");
}

#[tokio::test]
async fn a_field_gets_its_text_at_once_where_it_takes_it() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    assert!(device.set_text("東京", LIMIT).await.unwrap());
    let set = &hub.requests_to("mobile: replaceElementValue")[0].body["args"][0];
    assert_eq!(*set, json!({ "elementId": "e-1", "text": "東京" }));
    assert!(!device.set_text("a\\n", LIMIT).await.unwrap());
    hub.reply(
        "replaceElementValue",
        Reply::Error(500, "invalid element state", "cannot set 'pa55word'"),
    );
    assert!(!device.set_text("pa55word", LIMIT).await.unwrap());
    hub.reply(
        "GET /element/active",
        Reply::Error(404, "no such element", "none"),
    );
    assert!(device.set_text("x", LIMIT).await.unwrap());
}
