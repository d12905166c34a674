//! Tests of the source, windows, elements and the device.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::{APP, Phone};
use runner_virtual_device::{Quirk, VirtualDeviceOptions};

#[tokio::test]
async fn settings_are_kept_and_change_the_source() {
    let mut phone = Phone::new().await;
    let body =
        json!({ "settings": { "waitForIdleTimeout": 0, "unknown": 1, "snapshotMaxDepth": 9999 } });
    phone.post("/appium/settings", body).await;
    let settings = phone.get("/appium/settings").await;
    assert_eq!(settings["waitForIdleTimeout"], 0);
    // As on phones, what cannot be had changes nothing.
    assert_eq!(settings["snapshotMaxDepth"], 70);
    assert_eq!(settings["unknown"], Value::Null);
    assert_eq!(settings.as_object().unwrap().len(), 35);
    let wrong = json!({ "settings": { "enableMultiWindows": "yes" } });
    assert_eq!(
        phone.error("/appium/settings", wrong).await,
        (400, "invalid argument".into())
    );

    let one = phone.source().await;
    let set = |name: &str, value: Value| {
        let mut settings = serde_json::Map::new();
        settings.insert(name.to_owned(), value);
        json!({ "settings": settings })
    };
    phone
        .post("/appium/settings", set("enableMultiWindows", json!(true)))
        .await;
    let all = phone.source().await;
    assert!(!one.contains("com.android.systemui") && all.contains("com.android.systemui"));
    let windows = phone
        .post("/appium/list_windows", json!({ "skipScreenshots": true }))
        .await;
    for window in windows.as_array().unwrap() {
        let id = format!("window-id=\"{}\"", window["windowId"]);
        assert!(all.contains(&id), "{window}");
        assert_eq!(window["screenshot"], Value::Null);
    }
    let app = &windows
        .as_array()
        .unwrap()
        .iter()
        .find(|window| window["packageName"] == APP)
        .unwrap();
    assert_eq!(
        (&app["type"], &app["isActive"], &app["isFocused"]),
        (&json!(1), &json!(true), &json!(true))
    );
    assert_eq!(
        app["rect"],
        json!({ "x": 0, "y": 0, "width": 1080, "height": 2400 })
    );
    let filter = json!({ "filters": { "packageName": "com.example.*" }, "skipScreenshots": true });
    assert_eq!(
        phone
            .post("/appium/list_windows", filter)
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );

    phone
        .post("/appium/settings", set("enableMultiWindows", json!(false)))
        .await;
    phone
        .post("/appium/settings", set("snapshotMaxDepth", json!(1)))
        .await;
    assert_eq!(phone.source().await.matches("bounds=").count(), 1);
    phone
        .post("/appium/settings", set("snapshotMaxDepth", json!(70)))
        .await;
    phone
        .post(
            "/appium/settings",
            set("includeA11yActionsInPageSource", json!(true)),
        )
        .await;
    assert!(phone.source().await.contains("ACTION_SET_TEXT"));
}

#[tokio::test]
async fn the_source_is_written_as_the_server_does() {
    let mut phone = Phone::new().await;
    let source = phone.source().await;
    let head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy index=\"0\" class=\"hierarchy\" rotation=\"0\" width=\"1080\" height=\"2400\">\r\n  <android.";
    assert!(source.starts_with(head), "{source}");
    assert!(source.ends_with("\r\n</hierarchy>"));
    let field = source
        .lines()
        .find(|line| line.contains("id/username"))
        .unwrap();
    assert_eq!(
        field.trim(),
        "<android.widget.EditText index=\"3\" package=\"com.example.notes\" class=\"android.widget.EditText\" text=\"Username\" resource-id=\"com.example.notes:id/username\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" focused=\"false\" long-clickable=\"true\" password=\"false\" scrollable=\"false\" selected=\"false\" bounds=\"BOUNDS\" displayed=\"true\" hint=\"Username\" a11y-important=\"true\" screen-reader-focusable=\"false\" input-type=\"1\" drawing-order=\"4\" showing-hint=\"true\" text-entry-key=\"false\" dismissable=\"false\" a11y-focused=\"false\" heading=\"false\" live-region=\"0\" context-clickable=\"false\" content-invalid=\"false\" window-id=\"ID\" />"
            .replace("ID", field.split("window-id=\"").nth(1).unwrap().split('"').next().unwrap())
            .replace("BOUNDS", field.split("bounds=\"").nth(1).unwrap().split('"').next().unwrap())
    );
    assert!(
        source.contains("content-desc=\"Hills at dawn\"") && !source.contains("content-desc=\"\"")
    );
    // A toast is in the source while it is shown.
    let forgot = phone.find("id", "forgot").await;
    phone
        .post(&format!("/element/{forgot}/click"), json!({}))
        .await;
    let source = phone.source().await;
    assert!(source.contains("<android.widget.Toast index=\"1\" package=\"com.android.settings\" class=\"android.widget.Toast\" text=\"Ask the administrator for a new password\" displayed=\"true\" />"), "{source}");
    let toast = "//android.widget.Toast[1]";
    let text = phone.texts("xpath", toast).await;
    assert_eq!(text, ["Ask the administrator for a new password"]);
    assert!(
        phone
            .texts("class name", "android.widget.Toast")
            .await
            .is_empty()
    );
    phone.state.pass(Duration::from_secs(3));
    assert!(!phone.source().await.contains("Toast"));
    assert!(phone.texts("xpath", toast).await.is_empty());
}

#[tokio::test]
async fn elements_are_found_by_every_strategy() {
    let mut phone = Phone::new().await;
    for (strategy, selector) in [
        ("id", "username"),
        ("id", "com.example.notes:id/username"),
        ("class name", "android.widget.EditText"),
        ("class name", ".EditText"),
        ("xpath", "//android.widget.EditText[1]"),
        ("xpath", "//*[@text='Username']"),
        (
            "xpath",
            "//*[@resource-id='com.example.notes:id/username' and @clickable='true']",
        ),
        ("xpath", "/hierarchy//*[@hint='Username']"),
        (
            "-android uiautomator",
            "new UiSelector().text(\"Username\")",
        ),
        (
            "-android uiautomator",
            "new UiSelector().resourceIdMatches(\".*/user.*\")",
        ),
        (
            "-android uiautomator",
            "new UiSelector().className(\"android.widget.EditText\").instance(0)",
        ),
        (
            "-android uiautomator",
            "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().textContains(\"user\"))",
        ),
    ] {
        let id = phone.find(strategy, selector).await;
        let name = phone
            .get(&format!("/element/{id}/attribute/resource-id"))
            .await;
        assert_eq!(
            name, "com.example.notes:id/username",
            "{strategy} {selector}"
        );
    }
    let image = phone.find("accessibility id", "Hills at dawn").await;
    assert_eq!(
        phone.get(&format!("/element/{image}/name")).await,
        "Hills at dawn"
    );
    assert_eq!(
        phone.texts("xpath", "//android.widget.EditText").await,
        ["Username", "Password"]
    );
    assert_eq!(
        phone
            .texts("-android uiautomator", ".classNameMatches(\".*EditText\")")
            .await,
        ["Username", "Password"]
    );
    assert!(phone.texts("id", "nothing").await.is_empty());

    let find =
        |strategy: &str, selector: &str| json!({ "strategy": strategy, "selector": selector });
    assert_eq!(
        phone.error("/element", find("id", "nothing")).await,
        (404, "no such element".into())
    );
    for (strategy, selector) in [
        ("css selector", "#a"),
        ("xpath", "//*["),
        ("-android uiautomator", "new UiSelector().foo(1)"),
    ] {
        assert_eq!(
            phone.error("/element", find(strategy, selector)).await,
            (400, "invalid selector".into())
        );
    }
    // In another element only.
    let field = phone.find("id", "password").await;
    let inside =
        json!({ "strategy": "class name", "selector": "android.widget.Button", "context": field });
    assert_eq!(
        phone.error("/element", inside).await,
        (404, "no such element".into())
    );

    let rect = phone.get(&format!("/element/{field}/rect")).await;
    assert!(rect["width"].as_i64().unwrap() > 500, "{rect}");
    let picture = phone.get(&format!("/element/{field}/screenshot")).await;
    let picture = STANDARD.decode(picture.as_str().unwrap()).unwrap();
    let picture = image::load_from_memory(&picture).unwrap();
    assert_eq!(
        (i64::from(picture.width()), i64::from(picture.height())),
        (
            rect["width"].as_i64().unwrap(),
            rect["height"].as_i64().unwrap()
        )
    );
    let (status, value) = phone
        .ask(
            "GET",
            &format!("/element/{field}/attribute/foo"),
            Value::Null,
        )
        .await;
    assert_eq!((status, &value["error"]), (404, &json!("unknown command")));
}

#[tokio::test]
async fn a_fixed_orientation_stays() {
    let options = VirtualDeviceOptions {
        quirks: vec![Quirk::FixedOrientation],
        ..VirtualDeviceOptions::default()
    };
    let mut phone = Phone::with(&options).await;
    for (path, body) in [
        ("/orientation", json!({ "orientation": "LANDSCAPE" })),
        ("/rotation", json!({ "z": 90 })),
    ] {
        phone.post(path, body).await;
        assert_eq!(phone.get("/rotation").await["z"], 0, "{path}");
    }
}

#[tokio::test]
async fn elements_that_are_gone_are_stale() {
    let mut phone = Phone::new().await;
    let button = phone.find("id", "sign_in").await;
    phone.sign_in().await;
    let (status, value) = phone
        .ask("POST", &format!("/element/{button}/click"), json!({}))
        .await;
    assert_eq!(
        (status, &value["error"]),
        (404, &json!("stale element reference"))
    );
    // An element outlives a change of its text.
    let search = phone.find("class name", "android.widget.EditText").await;
    let body = json!({ "text": "sch", "replace": true });
    phone.post(&format!("/element/{search}/value"), body).await;
    assert_eq!(phone.get(&format!("/element/{search}/text")).await, "sch");
}

#[tokio::test]
async fn the_device_is_asked_and_turned() {
    let mut phone = Phone::new().await;
    assert_eq!(
        phone.get("/window/current/size").await,
        json!({ "width": 1080, "height": 2400 })
    );
    assert_eq!(phone.get("/appium/device/display_density").await, 420);
    assert_eq!(phone.get("/appium/device/pixel_ratio").await, 2.625);
    assert_eq!(
        phone.get("/appium/device/system_bars").await["statusBar"],
        63
    );
    let info = phone.get("/appium/device/info").await;
    assert_eq!(
        (&info["apiVersion"], &info["realDisplaySize"]),
        (&json!("34"), &json!("1080x2400"))
    );
    let apps = phone.get("/appium/device/apps").await;
    assert!(apps.as_array().unwrap().contains(&json!({ "packageName": APP, "packageActivity": "com.example.notes.SignIn", "appName": "Notes" })), "{apps}");
    assert_eq!(
        phone
            .post("/orientation", json!({ "orientation": "LANDSCAPE" }))
            .await,
        "LANDSCAPE"
    );
    assert_eq!(phone.get("/rotation").await["z"], 270);
    assert!(
        phone
            .source()
            .await
            .contains("rotation=\"3\" width=\"2400\" height=\"1080\"")
    );
    assert_eq!(
        phone.post("/rotation", json!({ "z": 0 })).await,
        "ROTATION_0"
    );
    assert_eq!(phone.get("/orientation").await, "PORTRAIT");
    let text = STANDARD.encode("Zürich 🙂");
    phone
        .post(
            "/appium/device/set_clipboard",
            json!({ "content": text, "contentType": "plaintext" }),
        )
        .await;
    assert_eq!(
        phone.state.phone().clipboard().as_deref(),
        Some("Zürich 🙂")
    );
    // Android 10 and later do not let it read.
    assert_eq!(
        phone.post("/appium/device/get_clipboard", json!({})).await,
        ""
    );
    phone
        .post("/appium/device/open_notifications", json!({}))
        .await;
    assert!(phone.source().await.contains("com.android.systemui"));
    phone.post("/back", json!({})).await;
    phone
        .post("/appium/device/press_keycode", json!({ "keycode": 3 }))
        .await;
    assert!(phone.source().await.contains("com.android.launcher"));
    let picture = phone.get("/screenshot").await;
    let picture =
        image::load_from_memory(&STANDARD.decode(picture.as_str().unwrap()).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (1080, 2400));
    phone.post("/appium/reset_ax_cache", json!({})).await;
    assert_eq!(
        phone.post("/appium/list_displays", json!({})).await[0]["metrics"]["densityDpi"],
        420
    );
}

/// Parts of locators.
const PARTS: [&str; 40] = [
    "//",
    "/",
    "*",
    "[",
    "]",
    "(",
    ")",
    "@text",
    "@*",
    "'a'",
    "\"b\"",
    "1",
    "-1",
    "9e9",
    "=",
    "!=",
    "<",
    " and ",
    " or ",
    " div ",
    " mod ",
    "+",
    "|",
    "..",
    ".",
    "::",
    "ancestor",
    "following",
    "contains(",
    "substring(",
    "translate(",
    "matches(",
    "last()",
    "position()",
    ",",
    "new UiSelector()",
    ".text(",
    ".index(1)",
    ".childSelector(",
    ";",
];

proptest::proptest! {
    #[test]
    fn no_locator_breaks(parts in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..30), text in ".{0,40}") {
        crate::finds_by(&parts.concat());
        crate::finds_by(&text);
    }
}

#[tokio::test]
async fn what_a_client_waits_between_two_searches_is_the_apps_time_too() {
    const WAIT: std::time::Duration = std::time::Duration::from_millis(120);
    let mut phone = Phone::new().await;
    let nothing = json!({ "strategy": "id", "selector": "nothing_has_it" });
    let (status, _) = phone.ask("POST", "/element", nothing.clone()).await;
    assert_eq!(status, 404);
    let before = phone.state.elapsed();
    tokio::time::sleep(WAIT).await;
    phone.ask("POST", "/element", nothing).await;
    assert!(phone.state.elapsed() >= before + WAIT);
}
