//! Tests of texts, fingers, keys and dialogs.

use std::collections::BTreeMap;

use serde_json::json;

use super::{APP, Phone, finger, way};
use runner_virtual_device::VirtualDeviceOptions;

#[tokio::test]
async fn texts_of_any_script_are_set_and_logged() {
    let mut phone = Phone::new().await;
    let field = phone.find("id", "username").await;
    let value = format!("/element/{field}/value");
    phone
        .post(&value, json!({ "text": "Zürich 東京 🙂", "replace": true }))
        .await;
    let text = format!("/element/{field}/text");
    assert_eq!(phone.get(&text).await, "Zürich 東京 🙂");
    assert!(phone.logged("Sending text to element: Zürich 東京 🙂"));
    assert!(
        phone
            .source()
            .await
            .contains("text=\"Zürich 東京 &#128578;\"")
    );
    phone
        .post(&value, json!({ "text": "!", "replace": false }))
        .await;
    // The server takes the hint that shows once the field is cleared for all that there was.
    assert_eq!(phone.get(&text).await, "!");
    phone
        .post(&format!("/element/{field}/clear"), json!({}))
        .await;
    assert_eq!(phone.get(&text).await, "Username");
    // A hint is not appended to.
    phone.post(&value, json!({ "text": "a" })).await;
    assert_eq!(phone.get(&text).await, "a");
    let secret = phone.find("id", "password").await;
    let value = format!("/element/{secret}/value");
    phone.post(&value, json!({ "text": "ab" })).await;
    assert_eq!(phone.get(&format!("/element/{secret}/text")).await, "••");
    let button = phone.find("id", "sign_in").await;
    let refused = phone
        .error(&format!("/element/{button}/value"), json!({ "text": "x" }))
        .await;
    assert_eq!(refused, (400, "invalid element state".into()));
    // What has the focus takes keys without a name.
    phone
        .post(&format!("/element/{field}/click"), json!({}))
        .await;
    let active = phone.get("/element/active").await;
    assert_eq!(active["ELEMENT"], field.as_str());
    phone
        .post("/keys", json!({ "text": "grace", "replace": true }))
        .await;
    assert_eq!(phone.get(&text).await, "grace");
}

#[tokio::test]
async fn fields_without_a_hint_are_appended_to() {
    let mut phone = Phone::with(&VirtualDeviceOptions::new(
        runner_virtual_device::stub::factory(),
    ))
    .await;
    for (text, display) in [("ab", "ab"), ("c", "abc"), ("\\n", "abc\\n")] {
        phone.post("/keys", json!({ "text": text })).await;
        let field = phone.find("class name", "android.widget.EditText").await;
        let text = phone.get(&format!("/element/{field}/text")).await;
        assert_eq!(text, display);
    }
}

#[tokio::test]
async fn bars_have_numbers() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    phone
        .state
        .phone()
        .start(APP, Some(".Form"), &BTreeMap::new())
        .unwrap();
    let scroll = "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().className(\"android.widget.SeekBar\"))";
    let bar = phone.find("-android uiautomator", scroll).await;
    let text = format!("/element/{bar}/text");
    let before = phone.get(&text).await;
    assert!(before.as_str().unwrap().ends_with(".0"), "{before}");
    phone
        .post(&format!("/element/{bar}/value"), json!({ "text": "4" }))
        .await;
    assert_eq!(phone.get(&text).await, "4.0");
    assert!(phone.source().await.contains("text=\"4.0\""));
    let wrong = phone
        .error(&format!("/element/{bar}/value"), json!({ "text": "x" }))
        .await;
    assert_eq!(wrong, (400, "invalid argument".into()));
    assert_eq!(
        phone
            .texts("xpath", "//android.widget.SeekBar[@text='4.0']")
            .await,
        ["4.0"]
    );
}

#[tokio::test]
async fn several_fingers_arrive_together() {
    let mut phone = Phone::new().await;
    let pinch = json!({ "actions": [
        finger("a", way((500, 1200), (500, 800))),
        finger("b", way((500, 1300), (500, 1700))),
    ] });
    phone.post("/actions", pinch).await;
    assert!(phone.logged("2 fingers, (500, 1200) to (500, 800) until 200 ms, (500, 1300) to (500, 1700) until 200 ms, scale 9.00"), "{:?}", phone.log());
    let body =
        json!({ "area": { "left": 100, "top": 400, "width": 800, "height": 800 }, "percent": 0.5 });
    phone
        .post("/appium/gestures/pinch_open", body.clone())
        .await;
    phone.post("/appium/gestures/pinch_close", body).await;
    let pinches: Vec<String> = phone
        .log()
        .into_iter()
        .filter(|line| line.contains("scale"))
        .collect();
    assert_eq!(pinches.len(), 3);
    for (pinch, start, scale) in [
        (
            &pinches[1],
            "2 fingers, (302, 998) to (105, 1195) until ",
            "scale 1.99",
        ),
        (
            &pinches[2],
            "2 fingers, (105, 1195) to (302, 998) until ",
            "scale 0.50",
        ),
    ] {
        assert!(
            pinch.starts_with(start) && pinch.ends_with(scale),
            "{pinch}"
        );
    }
}

#[tokio::test]
async fn fingers_stay_for_as_long_as_the_library_lets_them() {
    let mut phone = Phone::new().await;
    for (path, body, logged) in [
        (
            "long_click",
            json!({ "offset": { "x": 5, "y": 1300 } }),
            "1 finger, (5, 1300) to (5, 1300) until 408 ms",
        ),
        (
            "long_click",
            json!({ "offset": { "x": 5, "y": 1300 }, "duration": 700 }),
            "1 finger, (5, 1300) to (5, 1300) until 700 ms",
        ),
        (
            "drag",
            json!({ "start": { "x": 5, "y": 1300 }, "end": { "x": 5, "y": 1400 }, "speed": 1000 }),
            "1 finger, (5, 1300) to (5, 1400) until 700 ms",
        ),
    ] {
        phone.post(&format!("/appium/gestures/{path}"), body).await;
        assert!(phone.logged(logged), "{logged}: {:?}", phone.log());
    }
}

#[tokio::test]
async fn a_finger_that_is_down_goes_down_no_more() {
    let mut phone = Phone::new().await;
    let down = json!({ "type": "pointerDown" });
    let to = |y: i32, duration: u32| json!({ "type": "pointerMove", "duration": duration, "x": 5, "y": y });
    let twice = json!([to(1300, 0), down, to(1400, 200), down, { "type": "pointerUp" }]);
    phone
        .post("/actions", json!({ "actions": [finger("f", twice)] }))
        .await;
    let logged = "1 finger, (5, 1300) to (5, 1400) until ";
    assert!(phone.logged(logged), "{:?}", phone.log());
}

#[tokio::test]
async fn pointers_and_keys_share_one_line_of_time() {
    let mut phone = Phone::new().await;
    let field = phone.find("id", "username").await;
    let element = json!({ "element-6066-11e4-a52e-4f735466cecf": field });
    let tap = finger(
        "f",
        json!([
            { "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element },
            { "type": "pointerDown" }, { "type": "pause", "duration": 60 }, { "type": "pointerUp" },
        ]),
    );
    let keys = json!({ "type": "key", "id": "k", "actions": [
        { "type": "pause", "duration": 100 },
        { "type": "keyDown", "value": "a" }, { "type": "keyUp", "value": "a" },
        { "type": "keyDown", "value": "B" }, { "type": "keyUp", "value": "B" },
        { "type": "keyDown", "value": "\u{e003}" }, { "type": "keyUp", "value": "\u{e003}" },
    ] });
    phone
        .post("/actions", json!({ "actions": [tap, keys] }))
        .await;
    assert_eq!(phone.get(&format!("/element/{field}/text")).await, "a");
    assert!(phone.logged("1 finger"));
    let japanese =
        json!({ "type": "key", "id": "k", "actions": [{ "type": "keyDown", "value": "東" }] });
    assert_eq!(
        phone
            .error("/actions", json!({ "actions": [japanese] }))
            .await,
        (400, "invalid element state".into())
    );
    for wrong in [
        json!([{ "type": "wheel", "id": "w", "actions": [] }]),
        json!([finger("f", json!([{ "type": "pointerDown" }]))]),
        json!([finger("f", json!([{ "type": "pause" }]))]),
        json!([finger("f", json!([{ "type": "pause", "duration": -1 }]))]),
        json!([finger("f", json!([{ "type": "keyDown", "value": "a" }]))]),
        json!([finger("f", json!([])), finger("f", json!([]))]),
        json!([finger(
            "f",
            json!([{ "type": "pointerMove", "duration": 1, "origin": "pointer" }])
        )]),
    ] {
        let error = phone.error("/actions", json!({ "actions": wrong })).await;
        assert_eq!(error, (400, "invalid argument".into()), "{wrong}");
    }
    let far = finger("f", way((i32::MAX, i32::MIN), (i32::MIN, i32::MAX)));
    phone.post("/actions", json!({ "actions": [far] })).await;
}

#[tokio::test]
async fn gestures_scroll_and_click() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    let area = json!({ "left": 0, "top": 600, "width": 1080, "height": 1500 });
    let scroll = |direction: &str| json!({ "area": area, "direction": direction, "percent": 1.0 });
    let top = phone.source().await;
    assert_eq!(
        phone.post("/appium/gestures/scroll", scroll("down")).await,
        true
    );
    let below = phone.source().await;
    assert_ne!(top, below);
    phone.post("/appium/gestures/swipe", scroll("down")).await;
    assert_eq!(
        phone.post("/appium/gestures/scroll", scroll("up")).await,
        false
    );
    assert_eq!(phone.source().await, top);
    let fling = json!({ "area": area, "direction": "down" });
    assert_eq!(phone.post("/appium/gestures/fling", fling).await, true);
    let slow = json!({ "area": area, "direction": "down", "speed": 100 });
    let refused = phone.error("/appium/gestures/fling", slow).await;
    assert_eq!(refused, (400, "invalid argument".into()));
    for (path, body) in [
        ("click", json!({ "offset": { "x": 100, "y": 100 } })),
        ("double_click", json!({ "offset": { "x": 100, "y": 100 } })),
        (
            "long_click",
            json!({ "locator": { "strategy": "class name", "selector": "android.widget.EditText" }, "duration": 700 }),
        ),
        (
            "drag",
            json!({ "start": { "x": 500, "y": 1500 }, "end": { "x": 500, "y": 900 } }),
        ),
    ] {
        phone.post(&format!("/appium/gestures/{path}"), body).await;
        let empty = phone
            .error(&format!("/appium/gestures/{path}"), json!({}))
            .await;
        assert_eq!(empty, (400, "invalid argument".into()), "{path}");
    }
    let sideways = json!({ "area": area, "direction": "sideways", "percent": 1.0 });
    assert_eq!(phone.error("/appium/gestures/swipe", sideways).await.0, 400);
}

#[tokio::test]
async fn permission_dialogs_are_alerts() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    let start = |phone: &Phone| {
        let mut screen = phone.state.phone();
        screen
            .start(APP, Some(".Settings"), &BTreeMap::new())
            .unwrap();
    };
    for (path, body, result) in [
        ("dismiss", json!({}), "Notifications are off"),
        ("accept", json!({}), "Notifications are allowed"),
        (
            "accept",
            json!({ "buttonLabel": "Don’t allow" }),
            "Notifications are off",
        ),
    ] {
        phone.state.phone().clear(APP);
        phone
            .state
            .phone()
            .start(APP, None, &BTreeMap::new())
            .unwrap();
        start(&phone);
        let button = phone.find("id", "notifications_button").await;
        phone
            .post(&format!("/element/{button}/click"), json!({}))
            .await;
        let text = phone.get("/alert/text").await;
        let text = text.as_str().unwrap();
        assert!(
            text.starts_with("Allow Notes to send you notifications?"),
            "{text}"
        );
        phone.post(&format!("/alert/{path}"), body).await;
        assert!(phone.source().await.contains(result), "{path}");
        assert_eq!(phone.error("/alert/accept", json!({})).await.0, 404);
    }
}
