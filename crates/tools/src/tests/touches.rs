//! Tests of touches, gestures and keys.

use super::*;
use runner_screen::Point;

#[tokio::test]
async fn touches_say_where_they_went() {
    let table = [
        (
            "tap",
            json!({ "x": 500.7, "y": 1000 }),
            "Tap executed at (500, 1000)",
        ),
        (
            "long_press",
            json!({ "x": 5, "y": 6 }),
            "Long press executed at (5, 6) for 1000ms",
        ),
        (
            "double_tap",
            json!({ "x": 5, "y": 6 }),
            "Double tap executed at (5, 6)",
        ),
        (
            "swipe",
            json!({ "x1": 1, "y1": 2, "x2": 3, "y2": 4 }),
            "Swipe executed from (1, 2) to (3, 4) over 300ms",
        ),
        (
            "scroll",
            json!({ "direction": "Down", "amount": "LARGE" }),
            "Nothing moved: the screen does not scroll down (large), or not further",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[{ "x": 1, "y": 1, "time": 0 }, { "x": 9, "y": 9, "time": 300 }]] }),
            "Custom gesture executed with 1 path(s), total 2 point(s)",
        ),
        (
            "press_back",
            Value::Null,
            "Back button press executed successfully",
        ),
        (
            "press_home",
            Value::Null,
            "Home button press executed successfully",
        ),
        (
            "press_recents",
            Value::Null,
            "Recents button press executed successfully",
        ),
        (
            "press_key",
            json!({ "key": "back" }),
            "Key 'BACK' pressed successfully",
        ),
    ];
    for (name, args, text) in table {
        let fake = Fake::showing([&button(r#"text="Go""#)]);
        let outcome = run(&fake, name, args).await.unwrap();
        assert_eq!(outcome.words(), text);
        assert_eq!(fake.inputs().len(), 1, "{name}");
    }
}

/// No app gets a touch that begins outside of the display, so it must not be told as done. A swipe may end there.
#[tokio::test]
async fn a_touch_begins_on_the_display() {
    type Arguments = fn(i64, i64) -> Value;
    let tools: [(&str, Arguments); 8] = [
        ("tap", |x, y| json!({ "x": x, "y": y })),
        ("double_tap", |x, y| json!({ "x": x, "y": y })),
        ("long_press", |x, y| json!({ "x": x, "y": y })),
        (
            "swipe",
            |x, y| json!({ "x1": x, "y1": y, "x2": 5000, "y2": 1 }),
        ),
        (
            "custom_gesture",
            |x, y| json!({ "paths": [[{ "x": x, "y": y, "time": 0 }, { "x": 5000, "y": 1, "time": 300 }]] }),
        ),
        ("mobile_agent.tap", |x, y| json!({ "x": x, "y": y })),
        (
            "mobile_agent.swipe",
            |x, y| json!({ "start_x": x, "start_y": y, "end_x": 5000, "end_y": 1 }),
        ),
        (
            "scenario.tapByCoordinates",
            |x, y| json!({ "x": x, "y": y }),
        ),
    ];
    for (name, args) in tools {
        for (x, y, is_on) in [
            (0, 0, true),
            (1079, 2399, true),
            (1080, 5, false),
            (5, 2400, false),
            (5000, 10, false),
        ] {
            let fake = Fake::showing([""]);
            let outcome = run(&fake, name, args(x, y)).await;
            assert_eq!(fake.inputs().len(), usize::from(is_on), "{name} {x} {y}");
            let passed = outcome.is_ok_and(|outcome| outcome.verdict == Verdict::Passed);
            assert_eq!(passed, is_on, "{name} {x} {y}");
        }
    }
    let fake = Fake::showing([""]);
    let far = run(&fake, "tap", json!({ "x": 1e300, "y": 1 })).await;
    let message = far.unwrap_err().message;
    assert!(message.contains("outside of the display, which has 1080x2400 pixels"));
}

#[tokio::test]
async fn scrolling_down_moves_the_finger_up() {
    let fake = Fake::showing([""]);
    run(&fake, "scroll", json!({ "direction": "down" }))
        .await
        .unwrap();
    let inputs = fake.inputs();
    let [Input::Swipe(gesture)] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    assert_eq!(gesture.from, Point { x: 540, y: 1799 });
    assert_eq!(gesture.to, Point { x: 540, y: 599 });
}

#[tokio::test]
async fn a_drag_holds_an_element_and_lets_it_go_on_another() {
    let low = node("TextView", r#"text="Bread""#, [0, 1000, 1080, 1100], "");
    let screen = format!("{}{low}", button(r#"text="Milk" clickable="true""#));
    let fake = Fake::showing([&screen]);
    let args = json!({ "from": "Milk", "to": "Bread", "hold": "700ms" });
    let outcome = run(&fake, "drag", args).await.unwrap();
    assert_eq!(outcome.value["text"], "Milk");
    let inputs = fake.inputs();
    let [Input::Fingers { paths, .. }] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    let points = &paths[0].points;
    let from = points[0].0;
    assert_eq!(points[1], (from, Duration::from_millis(700)));
    assert_eq!(points.last().unwrap().0, Point { x: 540, y: 1050 });
    for (args, kind, says) in [
        (
            json!({ "from": "Milc", "to": "Bread" }),
            FailureKind::Assertion,
            "Milc",
        ),
        (
            json!({ "from": "Milk", "to": "Bred" }),
            FailureKind::Assertion,
            "Bred",
        ),
        (
            json!({ "from": "Milk", "to": { "x": 5000, "y": 1 } }),
            FailureKind::Usage,
            "outside",
        ),
        (
            json!({ "from": "Milk", "to": "Bread", "hold": "11s" }),
            FailureKind::Usage,
            "at most 10s",
        ),
        (
            json!({ "from": "Milk", "to": "Bread", "duration": "0ms" }),
            FailureKind::Usage,
            "more than nothing",
        ),
    ] {
        let failure = run(&fake, "drag", args).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{failure:?}");
        assert!(failure.message.contains(says), "{failure:?}");
    }
    assert_eq!(fake.inputs().len(), 1, "a refused drag moves nothing");
}

#[tokio::test]
async fn a13_fingers_move_apart_where_there_is_room() {
    let fake = Fake::showing([""]);
    let at = |y: i32| json!({ "center_x": 540, "center_y": y, "scale": 2 });
    run(&fake, "pinch", at(1200)).await.unwrap();
    let inputs = fake.inputs();
    let [Input::Fingers { paths, .. }] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    let ends = |index: usize| {
        let points = &paths[index].points;
        (points[0].0, points[1].0)
    };
    let point = |y: i32| Point { x: 540, y };
    assert_eq!(ends(0), (point(900), point(600)));
    assert_eq!(ends(1), (point(1500), point(1800)));
    let corner = json!({ "center_x": 5, "center_y": 5, "scale": 2 });
    let failure = run(&fake, "pinch", corner).await.unwrap_err();
    assert!(
        failure.message.contains("no room for two fingers"),
        "{failure:?}"
    );
}

/// Each character is followed by its pause, which passes on the device.
#[tokio::test]
async fn a19_typing_pauses_after_every_character() {
    let field = |text: &str| {
        node(
            "EditText",
            &format!(
                r#"text="{text}" resource-id="f" focused="true" focusable="true" clickable="true""#
            ),
            [0, 0, 100, 100],
            "",
        )
    };
    let fake = Fake::showing([&field(""), &field("abcdefghijklmnopqrstuvwxyz")]);
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let id = session.look().await.unwrap().nodes().next().unwrap().id();
    let args = json!({
        "element_id": id, "text": "abcdefghijklmnopqrstuvwxyz", "typing_speed": 200, "typing_speed_variance": 50,
    });
    fake.with(|state| state.looks.push_front(Ok(field(""))));
    run_on(&session, "type_append_text", args).await.unwrap();
    let rests: Vec<u128> = fake
        .inputs()
        .iter()
        .filter_map(|input| match input {
            Input::Pause(time) => Some(time.as_millis()),
            _ => None,
        })
        .collect();
    assert_eq!(rests.len(), 26);
    assert!(
        rests.iter().all(|rest| (150..=250).contains(rest)),
        "{rests:?}"
    );
    assert!(
        rests.iter().any(|rest| rest != &rests[0]),
        "nothing varies: {rests:?}"
    );
    let typed: String = fake
        .inputs()
        .iter()
        .filter_map(|input| match input {
            Input::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(typed, "abcdefghijklmnopqrstuvwxyz");
}

#[tokio::test]
async fn v8_places_and_the_tools_of_the_dialects_touch_what_is_disabled() {
    let off = r#"text="Go" clickable="true" enabled="false""#;
    let fake = Fake::showing([&button(off)]);
    for (name, args) in [
        (
            "click",
            json!({ "on": "Go", "at": { "x": "50%", "y": "50%" } }),
        ),
        ("click", json!({ "at": { "x": "50%", "y": "50%" } })),
        ("swipe_across", json!({ "on": "Go", "direction": "up" })),
        ("tap", json!({ "x": 5, "y": 150 })),
        ("scenario.tap", json!({ "text": "Go" })),
    ] {
        let before = fake.inputs().len();
        let done = run(&fake, name, args).await;
        if name != "swipe_across" {
            done.unwrap();
        }
        assert!(fake.inputs().len() > before, "{name}");
    }
    let failure = run(&fake, "click", json!({ "on": "Go" }))
        .await
        .unwrap_err()
        .advise(&FlowReader);
    assert_eq!(failure.message, "Go is there, but disabled for 4.5s");
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert!(
        failure
            .details
            .iter()
            .any(|line| line.contains("force: true")),
        "{failure:?}"
    );
    run(&fake, "click", json!({ "on": "Go", "force": true }))
        .await
        .unwrap();
}

#[tokio::test]
async fn t5_a_pinch_tells_what_the_device_did() {
    let fake = Fake::showing([""]).without_size();
    fake.on_shell(|_| ShellOutput {
        exit_code: Some(137),
        ..ShellOutput::default()
    });
    let pinch = json!({ "center_x": 500, "center_y": 900, "scale": 2 });
    let failure = run(&fake, "pinch", pinch).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Infrastructure, "{failure:?}");
    assert!(!failure.message.contains("no room"), "{failure:?}");
}
