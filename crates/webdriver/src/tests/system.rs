//! Tests of the system behind the app: shell, settings, log, clipboard and recordings.

use super::*;
use runner_device::logs::{self, FollowOptions, FollowedLine, LogQuery};
use runner_device::settings::{self, Rotation, Setting};
use runner_device::{Script, clipboard, record};

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
async fn a_test_only_apk_is_taken_as_over_adb() {
    let hub = Hub::start();
    let device = connected(&hub).await;
    // Any file will do, as only its path is sent.
    let apk = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    apps::install(device.as_ref(), apk).await.unwrap();
    let asked = &hub.requests_to("mobile: installApp")[0].body["args"][0];
    assert_eq!(asked["allowTestPackages"], true, "{asked}");
    let script = crate::system::install_script("/x.apk");
    assert!(script.starts_with("pm install -r -t /x.apk; "), "{script}");
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
