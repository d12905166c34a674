//! Tests of the device against a fake server.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::fake::{Hub, Reply};
use crate::{Credentials, WebDriverSpec, connect};
use runner_device::logs::{self, FollowOptions, FollowedLine, LogQuery};
use runner_device::settings::{self, Rotation, Setting};
use runner_device::{
    Device, DeviceError, Input, Key, KindNames, LookOptions, PictureOptions, Script, apps,
    clipboard, record,
};
use runner_screen::Point;

const LIMIT: Duration = Duration::from_secs(20);

async fn connected(hub: &Hub) -> Arc<dyn Device> {
    let device = connect(&hub.spec(), "phone", &|_| {}).await.unwrap();
    hub.forget();
    device
}

async fn refused(spec: &WebDriverSpec) -> String {
    let error = connect(spec, "phone", &|_| {}).await.err().unwrap();
    assert!(error.is_unreachable(), "{error}");
    error.to_string()
}

/// Blocks until another thread has made the condition true.
fn until(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LIMIT, "it does not come to that");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn ended(hub: &Hub) -> bool {
    hub.lines().contains(&"DELETE ".to_owned())
}

#[tokio::test]
async fn a_session_is_begun_asked_and_ended() {
    let hub = Hub::start();
    let mut spec = hub.spec();
    spec.credentials = Some(Credentials {
        user: "ada".to_owned(),
        key: "s3cret".to_owned(),
    });
    let device = connect(&spec, "phone", &|_| {}).await.unwrap();
    let info = device.info();
    assert_eq!(info.serial, "R58");
    assert_eq!(*info.sdk.needed().unwrap(), 34);
    assert_eq!(info.locale.needed().unwrap(), "de-DE");
    assert!(info.dark.needed().unwrap());
    let display = info.display.needed().unwrap();
    assert_eq!((display.width, display.density), (1080, 420));
    assert_eq!(info.kind_name(KindNames::PLAIN), "phone");
    drop(device);
    assert_eq!(
        hub.lines(),
        [
            "POST /session",
            "POST /appium/settings",
            "GET /appium/extensions",
            "mobile: shell",
            "mobile: deviceInfo",
            "mobile: getUiMode",
            "DELETE "
        ]
    );
    let begun = &hub.requests_to("POST /session")[0];
    assert_eq!(
        begun.headers["content-type"],
        "application/json; charset=utf-8"
    );
    assert_eq!(begun.headers["authorization"], "Basic YWRhOnMzY3JldA==");
    assert_eq!(
        begun.body["capabilities"]["alwaysMatch"]["appium:automationName"],
        "UiAutomator2"
    );
    let settings = &hub.requests_to("POST /appium/settings")[0].body["settings"];
    assert_eq!(settings["enableMultiWindows"], true);
}

#[tokio::test]
async fn what_is_wrong_with_a_server_is_told_in_a_line() {
    let html = "<html><head><title>502 Bad Gateway</title></head></html>";
    let long = format!("{{\"value\":\"{}\"}}", "x".repeat(17 << 20));
    for (reply, says) in [
        (
            Reply::Raw(502, "text/html", html.to_owned()),
            "HTTP 502, \"502 Bad Gateway\"",
        ),
        (
            Reply::Raw(200, "text/html", html.to_owned()),
            "is not a WebDriver server",
        ),
        (
            Reply::Raw(401, "text/plain", String::new()),
            "refuses the credentials (HTTP 401)",
        ),
        (
            Reply::Error(500, "session not created", "no such udid"),
            "session not created: no such udid",
        ),
        (
            Reply::Raw(200, "application/json", long),
            "longer than 16 MB",
        ),
        (
            Reply::Value(json!({ "sessionId": "../x", "capabilities": {} })),
            "not as expected",
        ),
        (
            Reply::Value(json!({ "capabilities": {} })),
            "not as expected",
        ),
        (
            Reply::To(302, "http://other.example/session".to_owned()),
            "redirects to http://other.example",
        ),
    ] {
        let hub = Hub::start();
        hub.reply("POST /session", reply);
        let error = refused(&hub.spec()).await;
        assert!(error.contains(says) && !error.contains('\n'), "{error}");
    }
    let nobody = WebDriverSpec {
        url: "http://127.0.0.1:1".to_owned(),
        display: "http://127.0.0.1:1".to_owned(),
        ..Hub::start().spec()
    };
    assert!(refused(&nobody).await.contains("nobody answers"));
    let hub = Hub::start();
    let tls = WebDriverSpec {
        url: hub.spec().url.replace("http:", "https:"),
        ..hub.spec()
    };
    let error = refused(&tls).await;
    assert!(error.contains("cannot be"), "{error}");
}

#[tokio::test]
async fn only_the_named_host_gets_the_credentials() {
    let (hub, other) = (Hub::start(), Hub::start());
    let to = format!("http://127.0.0.1:{}/session", other.port);
    hub.reply("POST /session", Reply::To(307, to));
    let mut spec = hub.spec();
    spec.credentials = Some(Credentials {
        user: "ada".to_owned(),
        key: "s3cret".to_owned(),
    });
    let error = refused(&spec).await;
    assert!(
        error.contains("is not followed") && !error.contains("s3cret"),
        "{error}"
    );
    assert!(other.lines().is_empty());
    // Within the host it is followed, with the body.
    hub.reply(
        "POST /session",
        Reply::To(307, "/wd/hub/session".to_owned()),
    );
    hub.reply(
        "/wd/hub/session",
        Reply::Value(json!({ "sessionId": "s-1", "capabilities": {} })),
    );
    connect(&spec, "phone", &|_| {}).await.unwrap();
    let moved = &hub.requests_to("POST /wd/hub/session")[0];
    assert!(moved.body["capabilities"].is_object() && moved.headers.contains_key("authorization"));
}

#[tokio::test]
async fn an_error_after_the_beginning_ends_the_session() {
    for (to, reply, says) in [
        (
            "POST /appium/settings",
            Reply::Raw(502, "text/html", String::new()),
            "HTTP 502",
        ),
        (
            "POST /session",
            Reply::Value(json!({ "sessionId": "s-1", "capabilities": { "platformName": "iOS" } })),
            "only Android",
        ),
    ] {
        let hub = Hub::start();
        hub.reply(to, reply);
        let error = refused(&hub.spec()).await;
        assert!(error.contains(says), "{error}");
        assert!(ended(&hub), "{:?}", hub.lines());
    }
}

#[tokio::test]
async fn a_session_is_waited_for_and_not_for_ever() {
    let hub = Hub::start();
    let full = || {
        Reply::Error(
            500,
            "session not created",
            "No free slots: all parallel tests are in use",
        )
    };
    hub.reply("POST /session", full());
    hub.reply("POST /session", full());
    let reported = std::sync::Mutex::new(Vec::new());
    let notify = |notice: &str| reported.lock().unwrap().push(notice.to_owned());
    let device = connect(&hub.spec(), "phone", &notify).await;
    drop(device.unwrap());
    let messages = reported.into_inner().unwrap();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].starts_with("phone: waiting for a session at http://127.0.0.1:"),
        "{messages:?}"
    );
    assert_eq!(hub.requests_to("POST /session").len(), 3);

    for _ in 0..500 {
        hub.reply("POST /session", full());
    }
    let mut spec = hub.spec();
    spec.session_timeout = Duration::from_millis(200);
    let error = refused(&spec).await;
    assert!(
        error.contains("no session came free within 200ms") && error.contains("session_timeout"),
        "{error}"
    );
    // A server that queues the wish says nothing at all.
    let hub = Hub::start();
    hub.reply(
        "POST /session",
        Reply::Late(Duration::from_secs(5), json!({})),
    );
    spec.url = hub.spec().url;
    let error = refused(&spec).await;
    assert!(error.contains("no session came free"), "{error}");
}

/// A server, or its node, that is away when a session ends gets the request again once it is back.
#[tokio::test]
async fn c2_the_end_of_a_session_is_said_until_it_is_heard() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let away = [
        Reply::Error(500, "unknown error", "Unable to reach the node"),
        Reply::Raw(502, "text/html", String::new()),
        Reply::Error(500, "timeout", "the node does not answer"),
    ];
    for reply in away {
        hub.reply("DELETE ", reply);
    }
    drop(device);
    until(|| hub.requests_to("DELETE ").len() == 4);
    // No end of a session is left to report.
    let mut spec = hub.spec();
    spec.session_timeout = Duration::from_millis(10);
    let full = || Reply::Error(500, "session not created", "no free slot");
    hub.reply("POST /session", full());
    let error = refused(&spec).await;
    assert!(!error.contains("s-1"), "{error}");

    // Of a server that was started again nobody can end it: whoever waits for a session hears what holds the device.
    let device = connected(&hub).await;
    hub.reply(
        "DELETE ",
        Reply::Error(404, "invalid session id", "no such session"),
    );
    drop(device);
    hub.reply("POST /session", full());
    let error = refused(&spec).await;
    assert!(
        error.contains("lost session s-1") && error.contains("restart the node"),
        "{error}"
    );
    assert_eq!(hub.requests_to("DELETE ").len(), 1);
}

/// A lost server's error does not advise to plug in a cable.
#[tokio::test]
async fn c2_a_lost_server_is_told_as_one() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    assert!(device.when_silent().contains("server"));
}

#[tokio::test]
async fn a_session_that_nobody_waits_for_any_more_is_ended() {
    let hub = Hub::start();
    let begun = json!({ "sessionId": "s-1", "capabilities": {} });
    hub.reply(
        "POST /session",
        Reply::Late(Duration::from_millis(300), begun),
    );
    let spec = hub.spec();
    let connecting = connect(&spec, "phone", &|_| {});
    let cut_off = async {
        until(|| !hub.lines().is_empty());
    };
    tokio::select! {
        biased;
        _ = connecting => panic!("it is late"),
        () = async { tokio::task::yield_now().await; tokio::time::sleep(Duration::from_millis(50)).await; cut_off.await } => {}
    }
    until(|| ended(&hub));
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

#[tokio::test]
async fn what_needs_a_shell_says_so() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let device = device.as_ref();
    let script = Script::command(["ls"]);
    let font = Setting::FontScale(130);
    for (error, says) in [
        (device.shell(&script, LIMIT).await.err(), "run `ls`"),
        (device.lines(&script).await.err(), "stream what `ls` prints"),
        (
            settings::current(device, &font).await.err(),
            "change its font size",
        ),
        (
            apps::kill_background(device, "a.b").await.err(),
            "run `am kill a.b`",
        ),
        (
            apps::list(device, apps::AppFilter::User).await.err(),
            "tell apps of the system",
        ),
    ] {
        let error = error.unwrap().to_string();
        assert!(
            error.starts_with("this device cannot ") && error.contains(says),
            "{error}"
        );
    }
    let error = device
        .shell(&script, LIMIT)
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("--allow-insecure uiautomator2:adb_shell"),
        "{error}"
    );
    hub.forget();
    // Animations are off by a capability.
    let off = Setting::no_animations();
    assert_eq!(settings::current(device, &off).await.unwrap(), off);
    settings::set(device, &off).await.unwrap();
    assert!(hub.lines().is_empty());
}

#[tokio::test]
async fn what_the_server_does_not_tell_is_not_restored_as_off() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let device = device.as_ref();
    for (to, odd, wanted) in [
        ("getUiMode", json!(null), Setting::dark(true)),
        ("getConnectivity", json!({}), Setting::Airplane(true)),
        ("isGpsEnabled", json!(null), Setting::Location(true)),
        (
            "GET /orientation",
            json!("SIDEWAYS"),
            Setting::Rotation(Rotation::Fixed(1)),
        ),
    ] {
        hub.reply(to, Reply::Value(odd));
        let error = settings::current(device, &wanted).await.unwrap_err();
        assert!(error.is_infrastructure(), "{to}: {error}");
        assert!(error.to_string().contains("not as expected"), "{error}");
    }
    hub.reply(
        "getConnectivity",
        Reply::Value(json!({ "airplaneMode": true })),
    );
    let airplane = Setting::Airplane(true);
    assert_eq!(
        settings::current(device, &airplane).await.unwrap(),
        airplane
    );
    // Location can only be toggled, so a guess would turn it the wrong way.
    hub.forget();
    settings::set(device, &Setting::Location(true))
        .await
        .unwrap_err();
    assert_eq!(hub.lines(), ["mobile: isGpsEnabled"]);
}

#[tokio::test]
async fn what_a_server_does_not_tell_of_its_device_stays_open() {
    let hub = Hub::start();
    let begun = json!({
        "sessionId": "s-1",
        "capabilities": { "deviceApiLevel": 34, "deviceModel": "" },
    });
    hub.reply("POST /session", Reply::Value(begun));
    hub.reply("deviceInfo", Reply::Error(500, "unknown error", "no"));
    let device = connected(&hub).await;
    let info = device.info();
    assert!(info.model.is_open() && info.release.is_open() && info.locale.is_open());
    assert_eq!(*info.sdk.needed().unwrap(), 34);
}

#[tokio::test]
async fn a_recording_is_asked_for_at_a_rate_at_which_it_can_be_fetched() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    record::Recording::start(device.as_ref()).await.unwrap();
    let asked = &hub.requests_to("POST /appium/start_recording_screen")[0].body["options"];
    assert_eq!(asked["timeLimit"], "180");
    assert_eq!(asked["bitRate"], record::BIT_RATE.to_string());
}

#[tokio::test]
async fn a_shell_that_is_allowed_is_used() {
    let hub = Hub::start();
    hub.reply(
        "GET /appium/extensions",
        Reply::Value(json!({ "rest": { "driver": { "mobile: shell": {} } } })),
    );
    hub.reply(
        "mobile: shell",
        Reply::Value(json!({ "stdout": "nothing of use", "stderr": "" })),
    );
    let limited = connect(&hub.spec(), "phone", &|_| {}).await.unwrap();
    let error = limited
        .shell(&Script::command(["ls"]), LIMIT)
        .await
        .err()
        .unwrap();
    assert!(
        error.to_string().contains("some shell commands only"),
        "{error}"
    );
    assert!(!limited.sets_text());
    let error = limited
        .look(LookOptions::within(LIMIT))
        .await
        .err()
        .unwrap();
    assert!(error.to_string().contains("mobile: listWindows"), "{error}");
}

#[tokio::test]
async fn the_log_is_kept_for_those_who_ask_again() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let device = device.as_ref();
    let line = |message: &str| json!({ "timestamp": 1, "level": "ALL", "message": message });
    hub.reply(
        "POST /se/log",
        Reply::Value(json!([
            line("--------- beginning of main"),
            line("11-23 05:10:12.500  1000  1000 I ActivityManager: Start proc 4711:com.example/u0a1 for activity"),
            line("11-23 05:10:12.600  4711  4711 I Shop: paid"),
            line("11-23 05:10:12.700  4712  4712 I Other: paid too"),
        ])),
    );
    let of = |package: Option<&str>| LogQuery {
        package: package.map(str::to_owned),
        ..LogQuery::default()
    };
    let read = logs::read(device, &of(Some("com.example"))).await.unwrap();
    let tags: Vec<&str> = read.iter().map(|line| line.tag.as_str()).collect();
    assert_eq!(tags, ["Shop"]);
    // The server gives each line once.
    assert_eq!(logs::read(device, &of(None)).await.unwrap().len(), 3);
    assert!(
        logs::read(device, &of(Some("com.exam")))
            .await
            .unwrap()
            .is_empty()
    );
    logs::clear(device).await.unwrap();
    assert!(logs::read(device, &of(None)).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_log_is_followed_where_it_may_be_asked_for_again_and_again() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    let logged = |messages: &[&str]| {
        let line = |message: &&str| json!({ "message": format!("11-23 05:10:12.600  1  1 I Shop: {message}") });
        let lines = messages.iter().map(line).collect();
        hub.reply("POST /se/log", Reply::Value(lines));
    };
    let options = FollowOptions {
        last: 2,
        buffers: &[],
        filters: &[],
        poll: Some(Duration::from_millis(10)),
    };
    logged(&["one", "two", "three"]);
    let mut log = logs::follow(&device, options).await.unwrap();
    let mut messages = Vec::new();
    for _ in 0..5 {
        match log.next().await.unwrap() {
            Some(FollowedLine::Log(line)) => messages.push(line.message),
            other => panic!("{other:?}"),
        }
        if messages.len() == 2 {
            logged(&["four", "five", "six"]);
        }
    }
    // Only earlier lines are limited, not those that come between two readings.
    assert_eq!(messages, ["two", "three", "four", "five", "six"]);
    // It ends with whoever follows it.
    drop(log);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let asked = hub.requests_to("POST /se/log").len();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(hub.requests_to("POST /se/log").len(), asked);
    let unasked = FollowOptions {
        poll: None,
        ..options
    };
    assert!(logs::follow(&device, unasked).await.is_err());
}

#[tokio::test]
async fn the_clipboard_is_text_in_base64() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    hub.reply("getClipboard", Reply::Value(json!("aMOpbGxv\n")));
    let text = clipboard::get(device.as_ref()).await.unwrap();
    assert_eq!(text.as_deref(), Some("héllo"));
    hub.reply("getClipboard", Reply::Value(json!("")));
    assert_eq!(clipboard::get(device.as_ref()).await.unwrap(), None);
    hub.reply("getClipboard", Reply::Value(json!("%%%")));
    clipboard::get(device.as_ref()).await.unwrap_err();
}

#[tokio::test]
async fn an_idle_session_is_kept() {
    let hub = Hub::start();
    let begun = json!({ "sessionId": "s-1", "capabilities": { "newCommandTimeout": 1 } });
    hub.reply("POST /session", Reply::Value(begun));
    let device = connected(&hub).await;
    let before = device.counters().read();
    let began = Instant::now();
    while hub.requests_to("GET /orientation").is_empty() {
        assert!(began.elapsed() < LIMIT, "no ping");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(device.counters().read(), before);
}
