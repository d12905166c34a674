//! Tests of sessions: how they begin, what is wrong with a server, and how they end.

use std::time::Instant;

use super::*;
use crate::{Credentials, WebDriverSpec};
use runner_device::KindNames;

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

/// Appium's capability `locale` is a country.
#[tokio::test]
async fn the_language_is_the_devices_and_no_country() {
    let french = json!({ "appium:language": "fr", "appium:locale": "CH" });
    for (asked, told, tag) in [
        (&french, json!({ "locale": "de_DE" }), Some("de-DE")),
        (&french, json!({ "locale": "" }), Some("fr-CH")),
        (&json!({ "language": "fr" }), json!({}), Some("fr")),
        (&json!({ "appium:locale": "CH" }), json!({}), None),
        (&json!({ "locale": "pt_BR" }), json!({}), Some("pt-BR")),
    ] {
        let hub = Hub::start();
        let begun = json!({ "sessionId": "s-1", "capabilities": asked });
        hub.reply("POST /session", Reply::Value(begun));
        hub.reply("deviceInfo", Reply::Value(told));
        let device = connected(&hub).await;
        let locale = device.info().locale.value().map(String::as_str);
        assert_eq!(locale, tag, "{asked}");
    }
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
