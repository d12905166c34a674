//! Tests of gestures, keys and text: what the server gets, and what goes as always.

use super::*;
use crate::{FingerPath, Gesture, Key};
use runner_screen::Display;

fn key(name: &str) -> Input {
    Input::Key {
        key: name.parse::<Key>().unwrap(),
        long: false,
    }
}

/// Builds the body of a gesture of one finger.
fn one_finger(actions: &Value) -> Value {
    json!({ "actions": [{
        "type": "pointer",
        "id": "finger1",
        "parameters": { "pointerType": "touch" },
        "actions": actions,
    }]})
}

#[tokio::test]
async fn inputs_go_in_order_and_what_the_server_has_not_goes_as_always() {
    let (phone, device) = running().await;
    let odd = Input::Combination(vec![
        "POWER".parse().unwrap(),
        "VOLUME_DOWN".parse().unwrap(),
    ]);
    let typed = Input::Text("a".to_owned());
    let inputs = [tap(), key("DEL"), key("ENTER"), odd.clone(), typed.clone()];
    device.input(&inputs, INPUT_LIMIT).await.unwrap();
    assert_eq!(
        phone.bodies("/actions"),
        [one_finger(&json!([
            { "type": "pointerMove", "duration": 0, "x": 10, "y": 20, "origin": "viewport" },
            { "type": "pointerDown", "button": 0 },
            { "type": "pause", "duration": 20 },
            { "type": "pointerUp", "button": 0 },
        ]))]
    );
    assert_eq!(
        phone.bodies("/press_keycode"),
        [json!({ "keycode": 67 }), json!({ "keycode": 66 })]
    );
    assert_eq!(phone.observed().inputs, [vec![odd, typed]]);
}

/// However many keys are in a row, each is pressed once: by the server, or all by the wrapped device.
#[tokio::test]
async fn every_key_of_a_row_is_pressed_once() {
    for count in [1, 2, 10, 11, 50, 101] {
        let (phone, device) = running().await;
        let mut inputs = vec![key("DEL"); count];
        inputs.insert(0, tap());
        inputs.push(tap());
        device.input(&inputs, INPUT_LIMIT).await.unwrap();
        let by_server = phone.bodies("/press_keycode").len();
        let by_phone = phone.observed().inputs.concat();
        assert_eq!(by_server + by_phone.len(), count, "{count}");
        assert!(by_phone.iter().all(|input| *input == key("DEL")), "{count}");
        assert_eq!(phone.bodies("/actions").len(), 2, "{count}");
    }
}

#[tokio::test]
async fn fingers_move_together_and_drags_rest() {
    let (phone, device) = running().await;
    let point = |x, y| Point { x, y };
    let ms = Duration::from_millis;
    let path = |from, to| FingerPath {
        points: vec![(from, ms(0)), (from, ms(50)), (to, ms(250))],
    };
    let pinch = Input::Fingers {
        paths: vec![
            path(point(500, 1000), point(500, 600)),
            path(point(500, 1200), point(500, 1600)),
        ],
        display: Display::default(),
    };
    let drag = Input::Drag(Gesture {
        from: point(1, 2),
        to: point(3, 4),
        duration: ms(400),
    });
    device.input(&[pinch, drag], INPUT_LIMIT).await.unwrap();
    let bodies = phone.bodies("/actions");
    let kinds = |source: &Value| -> Vec<String> {
        let actions = source["actions"].as_array().unwrap().iter();
        actions
            .map(|action| {
                format!(
                    "{} {}",
                    action["type"].as_str().unwrap(),
                    action["duration"]
                )
            })
            .collect()
    };
    assert_eq!(bodies[0]["actions"].as_array().unwrap().len(), 2);
    assert_eq!(bodies[0]["actions"][1]["id"], "finger2");
    assert_eq!(
        kinds(&bodies[0]["actions"][1]),
        [
            "pointerMove 0",
            "pointerDown null",
            "pause 50",
            "pointerMove 200",
            "pointerUp null"
        ]
    );
    assert_eq!(
        kinds(&bodies[1]["actions"][0]),
        [
            "pointerMove 0",
            "pointerDown null",
            "pointerMove 400",
            "pause 300",
            "pointerUp null"
        ]
    );
}

/// Body of the step `drag`: one finger that holds, moves in steps and rests.
#[tokio::test]
async fn a_held_drag_is_a_pause_between_the_press_and_the_way() {
    let (phone, device) = running().await;
    let (from, to) = (Point { x: 10, y: 20 }, Point { x: 50, y: 20 });
    let half = Point { x: 30, y: 20 };
    let ms = Duration::from_millis;
    let points = vec![
        (from, ms(0)),
        (from, ms(600)),
        (half, ms(800)),
        (to, ms(1000)),
        (to, ms(1300)),
    ];
    let drag = Input::Fingers {
        paths: vec![FingerPath { points }],
        display: Display::default(),
    };
    device.input(&[drag], INPUT_LIMIT).await.unwrap();
    let to = |x: i32, duration: u64| json!({ "type": "pointerMove", "duration": duration, "x": x, "y": 20, "origin": "viewport" });
    assert_eq!(
        phone.bodies("/actions"),
        [one_finger(&json!([
            to(10, 0),
            { "type": "pointerDown", "button": 0 },
            { "type": "pause", "duration": 600 },
            to(30, 200),
            to(50, 200),
            { "type": "pause", "duration": 300 },
            { "type": "pointerUp", "button": 0 },
        ]))]
    );
}

#[tokio::test]
async fn an_input_that_was_sent_is_never_sent_again() {
    for (reply, word) in [
        (
            Reply::Bytes(b"HTTP/1.1 200".to_vec()),
            "closed the connection",
        ),
        (Reply::Killed, "ended"),
    ] {
        let (phone, device) = running().await;
        phone.reply("/actions", reply);
        let error = device.input(&[tap()], INPUT_LIMIT).await.unwrap_err();
        assert!(
            error.is_infrastructure() && !error.is_unreachable(),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains(word) && text.contains("nobody knows"),
            "{text}"
        );
        assert_eq!(phone.observed().inputs, Vec::<Vec<Input>>::new());
        assert_eq!(phone.bodies("/actions").len(), 1);
    }
    let (phone, device) = running().await;
    phone.reply("/actions", Reply::Hang);
    let pause = Input::LongPress(Point { x: 1, y: 1 }, Duration::ZERO);
    let error = device.input(&[pause], Duration::ZERO).await.unwrap_err();
    assert!(matches!(error, DeviceError::Driver { .. }), "{error}");
    assert_eq!(phone.observed().inputs.len(), 0);
    phone.kill();
}

#[tokio::test]
async fn an_input_that_the_server_did_not_take_goes_as_always() {
    // Killed between two requests: nothing goes out.
    let (phone, device) = running().await;
    phone.kill();
    tokio::time::sleep(Duration::from_millis(50)).await;
    device.input(&[tap()], INPUT_LIMIT).await.unwrap();
    assert_eq!(phone.observed().inputs, [vec![tap()]]);
    // Another client has begun a session after the first key, so the second one fails.
    let (phone, device) = running().await;
    phone.reply("/press_keycode", Reply::Value(Value::Null));
    phone.reply(
        "/press_keycode",
        Reply::Error(404, "invalid session id", "x"),
    );
    phone.reply(
        "/press_keycode",
        Reply::Error(404, "invalid session id", "x"),
    );
    let keys = [key("A"), key("B"), key("C")];
    device.input(&keys, INPUT_LIMIT).await.unwrap();
    assert_eq!(phone.observed().inputs, [vec![key("B"), key("C")]]);
    // A refused input is the device's fault.
    let (phone, device) = running().await;
    phone.reply("/actions", Reply::Error(400, "invalid element state", "no"));
    let error = device.input(&[tap()], INPUT_LIMIT).await.unwrap_err();
    assert!(matches!(error, DeviceError::InputRefused { .. }), "{error}");
    assert!(device.take_notes().is_empty());
}

#[tokio::test]
async fn text_goes_in_at_once_where_the_server_can() {
    let (phone, device) = running().await;
    assert!(device.sets_text());
    let set = async |text: &str| device.set_text(text, LIMIT).await;
    phone.reply("/keys", Reply::Error(404, "no such element", "x"));
    assert!(set("日本 👍").await.unwrap());
    let body = json!({ "text": "日本 👍", "replace": true });
    assert_eq!(phone.bodies("/keys"), [body.clone(), body]);
    // The server would take the first for ENTER, and refuses bodies above 64 KiB.
    assert!(!set("C:\\n").await.unwrap());
    assert!(!set(&"x".repeat(70_000)).await.unwrap());
    assert_eq!(phone.bodies("/keys").len(), 2);
    phone.reply(
        "/keys",
        Reply::Error(
            400,
            "invalid element state",
            "Cannot set the element to 'secret'",
        ),
    );
    assert!(!set("secret").await.unwrap());
    phone.reply("/keys", Reply::Bytes(Vec::new()));
    let error = set("secret").await.unwrap_err().to_string();
    assert!(error.contains("nobody knows whether a text arrived") && !error.contains("secret"));
}
