//! Tests of the driver with a server that fails in every way it can.

mod inputs;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::fake::{Phone, Reply};
use super::owner::{CAPABILITY, Owner};
use super::server::Server;
use super::{ApkPlaces, Use, driven};
use crate::fake::UIA2_SOURCE;
use crate::{Device, DeviceError, DriverChoice, DriverKind, INPUT_LIMIT, Input, LookOptions};
use runner_screen::{Point, Profile, Screen};

/// Limit of each call. Chosen: only a hang reaches it.
const LIMIT: Duration = Duration::from_secs(20);
/// Limit for requests that never get an answer; as short as the last look of a wait.
const SHORT: Duration = Duration::from_millis(200);

async fn auto(phone: &Arc<Phone>) -> Arc<dyn Device> {
    let device: Arc<dyn Device> = phone.clone();
    driven(
        device,
        DriverChoice::Auto,
        Use::Throughout,
        &ApkPlaces::default(),
    )
    .await
    .unwrap()
}

async fn look(device: &Arc<dyn Device>) -> Screen {
    device.look(LookOptions::within(LIMIT)).await.unwrap()
}

/// Returns a device whose server runs and has given a screen.
async fn running() -> (Arc<Phone>, Arc<dyn Device>) {
    let phone = Arc::new(Phone::new());
    let device = auto(&phone).await;
    look(&device).await;
    (phone, device)
}

fn tap() -> Input {
    Input::Tap(Point { x: 10, y: 20 })
}

fn session_of(owner: &str) -> Value {
    json!([{ "id": "s-0", "sessionId": "s-0", "capabilities": { CAPABILITY: owner } }])
}

#[tokio::test]
async fn a_look_is_one_exchange_and_the_screen_of_a_dump() {
    let (phone, device) = running().await;
    let before = device.counters().read();
    let (changing, connections) = (device.counters().changing(), phone.observed().connections);
    let screen = look(&device).await;
    let cost = device.counters().read() - before;
    assert_eq!((cost.round_trips, cost.dumps), (1, 1));
    assert_eq!(device.counters().changing(), changing);
    assert_eq!(phone.observed().connections, connections);
    assert_eq!(device.info().driver, Some(DriverKind::Uia2));
    drop(device);
    while phone.is_running() {
        tokio::task::yield_now().await;
    }
    let stock = phone.look(LookOptions::within(LIMIT)).await.unwrap();
    assert_eq!(screen.windows(), stock.windows());
    assert_eq!(screen.foreground(), stock.foreground());
    assert_eq!(screen.display(), stock.display());
    for profile in [Profile::Golden, Profile::Reference] {
        assert_eq!(screen.tsv(profile), stock.tsv(profile));
    }
}

#[tokio::test]
async fn the_activity_is_asked_for_where_it_is_wanted_and_not_known() {
    let phone = Arc::new(Phone::new());
    let device = auto(&phone).await;
    let requested = || {
        let state = phone.observed();
        let scripts = state.scripts.iter();
        scripts
            .filter(|script| script.starts_with("dumpsys"))
            .count()
    };
    let without = LookOptions {
        surroundings: false,
        ..LookOptions::within(LIMIT)
    };
    let screen = device.look(without).await.unwrap();
    // The first look of a start asks for no surroundings.
    assert_eq!(screen.foreground(), None);
    let screen = device.look(LookOptions::within(LIMIT)).await.unwrap();
    assert_eq!(screen.foreground(), Some(("com.example", ".Shop")));
    let other = json!([{ "windowId": 8, "rect": { "x": 0, "y": 0, "width": 9, "height": 9 }, "type": 1, "isFocused": true }]);
    let source = UIA2_SOURCE.replace("window-id=\"7\"", "window-id=\"8\"");
    for options in [without, LookOptions::within(LIMIT)] {
        phone.reply("/list_windows", Reply::Value(other.clone()));
        phone.reply("/source", Reply::Value(source.as_str().into()));
        let before = requested();
        let screen = device.look(options).await.unwrap();
        assert_eq!(screen.foreground().is_some(), options.surroundings);
        assert_eq!(requested() - before, usize::from(options.surroundings));
    }
}

#[tokio::test]
async fn the_session_is_ours_by_name_and_waits_for_nothing() {
    let (phone, _device) = running().await;
    let owner = Owner::current().to_string();
    assert_eq!(
        phone.bodies("/session"),
        [json!({ "capabilities": {
            "firstMatch": [{}],
            "alwaysMatch": { "platformName": "Android", CAPABILITY: owner },
        }})]
    );
    let settings = &phone.bodies("/appium/settings")[0]["settings"];
    assert_eq!(settings["waitForIdleTimeout"], 0);
    assert_eq!(settings["enableMultiWindows"], true);
    assert_eq!(settings["snapshotMaxDepth"], 500);
    let scripts = phone.observed().scripts.clone();
    let start = scripts.iter().find(|script| script.starts_with("trap"));
    assert_eq!(
        start.unwrap(),
        "trap 'am force-stop io.appium.uiautomator2.server; am force-stop io.appium.uiautomator2.server.test' EXIT HUP TERM; am instrument -w -e disableAnalytics true io.appium.uiautomator2.server.test/androidx.test.runner.AndroidJUnitRunner & wait $!"
    );
}

#[tokio::test]
async fn a_look_that_fails_is_taken_as_always_and_told_once() {
    let whole = json!({ "value": UIA2_SOURCE }).to_string();
    let head = |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
    let cases = [
        (
            Reply::Bytes(format!("{}{}", head(whole.len()), &whole[..99]).into_bytes()),
            "closed the connection",
        ),
        (
            Reply::Bytes(head(80 << 20).into_bytes()),
            "longer than 67108864 bytes",
        ),
        (
            Reply::Bytes(b"SSH-2.0-x\r\n".to_vec()),
            "not a UiAutomator2 server",
        ),
        (
            Reply::Bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec()),
            "not a UiAutomator2 server",
        ),
        (Reply::Value(json!({ "a": 1 })), "not as expected"),
        (Reply::Value("<hierarchy><a".into()), "cut off"),
        (
            Reply::Error(500, "unknown error", "UiAutomation not connected!"),
            "UiAutomation not connected!",
        ),
        (
            Reply::Error(404, "invalid session id", "gone"),
            "invalid session id",
        ),
        (Reply::Killed, "the server ended"),
    ];
    for (reply, word) in cases {
        let (phone, device) = running().await;
        // Twice, as a request on a closed connection is repeated.
        phone.reply("/source", reply.clone());
        phone.reply("/source", reply);
        assert_eq!(look(&device).await.len(), 2, "{word}");
        assert_eq!(phone.observed().dumps, 1, "{word}");
        let notes = device.take_notes();
        assert_eq!(notes.len(), 1, "{word}: {notes:?}");
        assert!(notes[0].contains(word), "{word}: {notes:?}");
        assert!(notes[0].ends_with("this flow goes on with the driver stock"));
        // Nothing goes to the server any more in this flow.
        let requests = phone.observed().requests.len();
        device.input(&[tap()], INPUT_LIMIT).await.unwrap();
        assert!(!device.sets_text());
        look(&device).await;
        assert_eq!(phone.observed().requests.len(), requests);
        // The next flow uses the server again.
        phone.observed().forget_replies();
        device.begin_flow("a", 1).await.expect("it begins");
        look(&device).await;
        assert_eq!(phone.observed().dumps, 2, "{word}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_is_left_after_the_second_look() {
    let (phone, device) = running().await;
    for _ in 0..2 {
        phone.reply("/source", Reply::Hang);
    }
    let error = device.look(LookOptions::within(SHORT)).await.unwrap_err();
    assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
    assert!(device.look(LookOptions::within(SHORT)).await.is_ok());
    assert!(device.take_notes()[0].contains("did not answer within"));
}

#[tokio::test]
async fn a_connection_that_was_closed_meanwhile_is_opened_again() {
    let (phone, device) = running().await;
    phone.reply("/list_windows", Reply::Last(json!([])));
    phone.reply(
        "/source",
        Reply::Value("<hierarchy rotation=\"0\"/>".into()),
    );
    // The connection ends during a look, which is repeated on a new one.
    look(&device).await;
    phone.reply("/actions", Reply::Last(Value::Null));
    for _ in 0..2 {
        device.input(&[tap()], INPUT_LIMIT).await.unwrap();
        while phone.observed().connections < 2 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(phone.bodies("/actions").len(), 2);
    assert!(device.take_notes().is_empty());
    phone.reply("/source", Reply::Chunks(UIA2_SOURCE.into()));
    assert_eq!(look(&device).await.len(), 2);
    assert_eq!(phone.observed().dumps, 0);
}

#[tokio::test]
async fn whose_server_it_is_is_told_by_name() {
    for (owner, name) in [
        ("elsewhere/12", "runner on elsewhere (process 12)"),
        ("?", "another client, such as Appium,"),
    ] {
        let phone = Arc::new(Phone::new());
        phone.run();
        phone.reply("/sessions", Reply::Value(session_of(owner)));
        let device: Arc<dyn Device> = phone.clone();
        let error = Server::start(&device, &Owner::current(), LIMIT).await.err();
        let parsed = error.unwrap().to_string();
        assert_eq!(parsed, format!("{name} uses the server; end that first"));
        // Another client's server must not be stopped.
        assert!(phone.is_running(), "{name}");
        assert_eq!(phone.observed().starts, 0);
    }
    // A session that an ended run of this computer left behind is replaced.
    let phone = Arc::new(Phone::new());
    phone.run();
    let left = Owner::current().to_string();
    let (host, _) = left.rsplit_once('/').unwrap();
    let dead = format!("{host}/{}", i32::MAX);
    phone.reply("/sessions", Reply::Value(session_of(&dead)));
    let device = auto(&phone).await;
    look(&device).await;
    assert_eq!(phone.counts(), (1, 0));
}

#[tokio::test]
async fn a_server_that_does_not_start_is_done_without() {
    for (message, word) in [
        (
            "INSTRUMENTATION_STATUS: Error=Unable to find instrumentation info for: x",
            "runner driver install uia2",
        ),
        (
            "java.lang.IllegalStateException: UiAutomationService x already registered!",
            "holds the device's only slot",
        ),
        (
            "INSTRUMENTATION_RESULT: shortMsg=Process crashed.",
            "crashed",
        ),
    ] {
        let phone = Arc::new(Phone::new());
        phone.refuse_to_start(message);
        let device = auto(&phone).await;
        for _ in 0..5 {
            device.begin_flow("a", 1).await.expect("it begins");
            look(&device).await;
        }
        assert_eq!(phone.observed().starts, 3, "{word}");
        let notes = device.take_notes();
        assert!(notes[0].contains(word), "{notes:?}");
        assert!(
            notes[2].ends_with("stock is used from here on"),
            "{notes:?}"
        );
    }
}

#[tokio::test]
async fn an_agents_server_goes_when_nobody_needs_it_and_comes_back() {
    let phone = Arc::new(Phone::new());
    let idle = Use::NowAndThen(Duration::from_millis(40));
    let places = ApkPlaces::default();
    let device = driven(phone.clone(), DriverChoice::Auto, idle, &places);
    let device = device.await.unwrap();
    look(&device).await;
    while phone.is_running() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert!(
        phone
            .observed()
            .requests
            .iter()
            .any(|(method, ..)| method == "DELETE")
    );
    look(&device).await;
    assert_eq!(phone.counts(), (2, 0));
}

#[tokio::test]
async fn one_look_goes_through_a_server_that_runs_and_starts_none() {
    let one = async |phone: &Arc<Phone>| {
        let places = ApkPlaces::default();
        let device: Arc<dyn Device> = phone.clone();
        driven(device, DriverChoice::Auto, Use::WhereItRuns, &places)
            .await
            .unwrap()
    };
    let phone = Arc::new(Phone::new());
    let device = one(&phone).await;
    look(&device).await;
    assert_eq!(phone.counts(), (0, 1));
    phone.run();
    phone.reply("/sessions", Reply::Value(session_of("elsewhere/12")));
    let device = one(&phone).await;
    look(&device).await;
    device.input(&[tap()], INPUT_LIMIT).await.unwrap();
    assert!(!device.set_text("x", LIMIT).await.unwrap());
    drop(device);
    assert_eq!(phone.counts(), (0, 1));
    assert_eq!(phone.observed().inputs.len(), 1);
    assert!(phone.is_running());
}

#[tokio::test]
async fn without_the_server_a_device_is_as_it_was() {
    let mut phone = Phone::new();
    phone.installed = false;
    let phone = Arc::new(phone);
    let device = auto(&phone).await;
    look(&device).await;
    assert_eq!(phone.counts(), (0, 1));
    assert_eq!(phone.observed().scripts.len(), 0);
}

/// The list of windows comes before the source. If a window appeared in between, only the list is requested
/// again.
#[tokio::test]
async fn a_window_that_comes_during_a_look_costs_one_more_list() {
    let (phone, device) = running().await;
    let source = UIA2_SOURCE.replace("window-id=\"7\"", "window-id=\"8\"");
    let new = json!([{ "windowId": 8, "rect": { "x": 0, "y": 0, "width": 9, "height": 9 }, "type": 1, "isFocused": true }]);
    let old = json!([{ "windowId": 7, "rect": { "x": 0, "y": 0, "width": 9, "height": 9 }, "type": 1, "isFocused": true }]);
    phone.reply("/list_windows", Reply::Value(old));
    phone.reply("/list_windows", Reply::Value(new));
    phone.reply("/source", Reply::Value(source.as_str().into()));
    let before = (device.counters().read(), device.counters().changing());
    let options = LookOptions {
        surroundings: false,
        ..LookOptions::within(LIMIT)
    };
    device.look(options).await.unwrap();
    let cost = device.counters().read() - before.0;
    assert_eq!((cost.dumps, cost.round_trips), (1, 2));
    assert_eq!(device.counters().changing(), before.1);
}

/// A few questions without effect describe the element with the focus; an unusable answer gives `None`.
#[tokio::test]
async fn the_element_with_the_focus_is_told_without_a_look() {
    let (phone, device) = running().await;
    let id = json!({ "element-6066-11e4-a52e-4f735466cecf": "00-17" });
    phone.reply("/element/active", Reply::Value(id));
    phone.reply("/element/00-17/text", Reply::Value("ada".into()));
    phone.reply(
        "/element/00-17/attribute/password",
        Reply::Value("false".into()),
    );
    phone.reply(
        "/element/00-17/attribute/className",
        Reply::Value("android.widget.EditText".into()),
    );
    let rect = json!({ "x": 10, "y": 20, "width": 30, "height": 40 });
    phone.reply("/element/00-17/rect", Reply::Value(rect));
    let before = (device.counters().read(), device.counters().changing());
    let focused = device.focused_element(LIMIT).await.unwrap().unwrap();
    assert_eq!(
        focused,
        crate::FocusedElement {
            text: "ada".to_owned(),
            is_password: false,
            class: "android.widget.EditText".to_owned(),
            bounds: runner_screen::Rect::new(10, 20, 40, 60),
        }
    );
    let cost = device.counters().read() - before.0;
    assert_eq!((cost.dumps, cost.round_trips), (0, 2));
    assert_eq!(device.counters().changing(), before.1);
    let strange = json!({ "element-6066-11e4-a52e-4f735466cecf": "../../sessions" });
    phone.reply("/element/active", Reply::Value(strange));
    assert_eq!(device.focused_element(LIMIT).await.unwrap(), None);
}
