//! A8–A14: touches and gestures at coordinates.

use serde_json::{Value, json};

use super::{Bench, FAILED};

/// Asserts the errors MP, types and NEG of the coordinates. `whole` are valid arguments.
#[track_caller]
fn refuses_coordinates(bench: &mut Bench, tool: &str, whole: &Value, names: &[&str]) {
    for name in names {
        let with = |value: Option<Value>| {
            let mut args = whole.clone();
            match value {
                Some(value) => args[*name] = value,
                None => drop(args.as_object_mut().expect("a map").remove(*name)),
            }
            args
        };
        let number = format!("Parameter '{name}' must be a number, got: '500px'");
        let negative = format!("Parameter '{name}' must be >= 0, got: -1.0");
        bench.refuses(
            tool,
            [
                (
                    with(None),
                    format!("Missing required parameter: '{name}'").as_str(),
                ),
                (with(Some(json!("500px"))), &number),
                (with(Some(json!(-1))), &negative),
            ],
        );
    }
}

/// Asserts the error DUR of durations.
#[track_caller]
fn refuses_durations(bench: &mut Bench, tool: &str, whole: &Value) {
    for (duration, got) in [(json!(0), "0"), (json!(60_001), "60001"), (json!(-5), "-5")] {
        let mut args = whole.clone();
        args["duration"] = duration;
        let text = format!("Parameter 'duration' must be between 1 and 60000, got: {got}");
        bench.refuses(tool, [(args, text.as_str())]);
    }
}

#[test]
fn a08_tap_touches_the_pixel() {
    let mut bench = Bench::start();
    let text = bench.ok("tap", json!({ "x": 158.7, "y": 275 }));
    assert_eq!(text, "Tap executed at (158, 275)");
    bench.shows("Welcome to Notes");
    // R7: numbers as text.
    let text = bench.ok("tap", json!({ "x": "5.5", "y": "7" }));
    assert_eq!(text, "Tap executed at (5, 7)");
    let path = json!([[{ "x": "9", "y": 9, "time": "0" }, { "x": 9, "y": "300", "time": "200" }]]);
    bench.ok("custom_gesture", json!({ "paths": path }));
    let whole = json!({ "x": 1, "y": 1 });
    refuses_coordinates(&mut bench, "tap", &whole, &["x", "y"]);
    bench.refuses(
        "tap",
        [
            (
                json!({ "x": true, "y": 1 }),
                "Parameter 'x' must be a number, got: 'true'",
            ),
            (
                json!({ "x": [1], "y": 1 }),
                "Parameter 'x' must be a number",
            ),
        ],
    );
    bench.fails_without_a_finger("tap", &whole, "tap(1, 1)");
}

#[test]
fn a09_long_press_holds_the_finger() {
    let mut bench = Bench::in_app();
    let args = json!({ "x": 500, "y": 860 });
    let text = bench.ok("long_press", args.clone());
    assert_eq!(text, "Long press executed at (500, 860) for 1000ms");
    // A long press focuses a field: the keyboard is there.
    bench.shows("type:INPUT_METHOD");
    let text = bench.ok(
        "long_press",
        json!({ "x": 500, "y": 300, "duration": 2000 }),
    );
    assert_eq!(text, "Long press executed at (500, 300) for 2000ms");
    refuses_coordinates(&mut bench, "long_press", &args, &["x", "y"]);
    refuses_durations(&mut bench, "long_press", &args);
    bench.fails_without_a_finger("long_press", &args, "long_press(500, 860)");
    assert_eq!(
        bench.schema("long_press")["properties"]["duration"]["default"],
        1000.0
    );
}

#[test]
fn a10_double_tap_touches_twice() {
    let mut bench = Bench::start();
    // The first tap opens the app, the second falls on its picture, which does nothing.
    let text = bench.ok("double_tap", json!({ "x": 158, "y": 275 }));
    assert_eq!(text, "Double tap executed at (158, 275)");
    bench.shows("Welcome to Notes");
    let whole = json!({ "x": 1, "y": 1 });
    refuses_coordinates(&mut bench, "double_tap", &whole, &["x", "y"]);
    bench.fails_without_a_finger("double_tap", &whole, "double_tap(1, 1)");
}

#[test]
fn a11_swipe_moves_the_finger() {
    let mut bench = Bench::in_inbox();
    let before = bench.state();
    let args = json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 500 });
    let text = bench.ok("swipe", args.clone());
    assert_eq!(
        text,
        "Swipe executed from (500, 1500) to (500, 500) over 300ms"
    );
    assert_ne!(bench.state(), before, "the list did not move");
    refuses_coordinates(&mut bench, "swipe", &args, &["x1", "y1", "x2", "y2"]);
    refuses_durations(&mut bench, "swipe", &args);
    bench.fails_without_a_finger("swipe", &args, "swipe(500, 1500, 500, 500)");
}

#[test]
fn a12_scroll_reveals_what_is_there() {
    let mut bench = Bench::in_inbox();
    let before = bench.state();
    for (args, text) in [
        (
            json!({ "direction": "down", "amount": "large" }),
            "Scroll down (large) executed",
        ),
        (
            json!({ "direction": "DOWN", "amount": "Small" }),
            "Scroll down (small) executed",
        ),
    ] {
        assert_eq!(bench.ok("scroll", args), text);
    }
    let lower = bench.state();
    assert_ne!(lower, before, "the list did not move");
    let up = json!({ "direction": "up", "amount": "medium" });
    let back: Vec<String> = (0..4).map(|_| bench.ok("scroll", up.clone())).collect();
    assert_eq!(back[0], "Scroll up (medium) executed");
    assert!(back[3].starts_with("Nothing moved"), "{back:?}");
    assert_eq!(bench.state(), before);
    for direction in ["left", "right"] {
        let text = bench.ok("scroll", json!({ "direction": direction }));
        assert_eq!(
            text,
            format!(
                "Nothing moved: the screen does not scroll {direction} (medium), or not further"
            )
        );
    }
    // What nobody can see is not told as done.
    bench.device.inject("null-root".parse().expect("a fault"));
    let text = bench.ok("scroll", json!({ "direction": "down" }));
    assert!(text.starts_with("Scroll down (medium) sent. "), "{text}");
    bench.device.clear_faults();
    bench.refuses(
        "scroll",
        [
            (json!({}), "Missing required parameter: 'direction'"),
            (
                json!({ "direction": [3] }),
                "Parameter 'direction' must be a string",
            ),
            (
                json!({ "direction": "diagonal" }),
                "Parameter 'direction' must be one of: up, down, left, right. Got: 'diagonal'",
            ),
            (
                json!({ "direction": "up", "amount": "huge" }),
                "Parameter 'amount' must be one of: small, medium, large. Got: 'huge'",
            ),
        ],
    );
    bench.fails_without_a_finger("scroll", &json!({ "direction": "down" }), "scroll(down)");
}

/// Returns the device's newest log line about fingers.
fn fingers(bench: &mut Bench) -> String {
    let args = json!({ "tag": "Touchscreen", "last_lines": 1 });
    let logs: Value = serde_json::from_str(&bench.ok("get_device_logs", args)).expect("JSON");
    logs["logs"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a13_pinch_moves_two_fingers() {
    let mut bench = Bench::in_inbox();
    // A device whose touchscreen cannot be written to says so.
    bench
        .device
        .inject("command-killed".parse().expect("a fault"));
    let whole = json!({ "center_x": 540, "center_y": 1200, "scale": 2 });
    let answer = bench.call("pinch", whole.clone());
    assert!(
        answer.is_error && answer.text.starts_with("Failed to dispatch gesture: "),
        "{}",
        answer.text
    );
    assert!(
        answer.text.contains("`getevent` tells of no touchscreen"),
        "{}",
        answer.text
    );
    bench.device.clear_faults();
    let text = bench.ok(
        "pinch",
        json!({ "center_x": 540, "center_y": 1200, "scale": 2.0 }),
    );
    assert_eq!(
        text,
        "Pinch (zoom in) executed at (540, 1200) with scale 2.0 over 300ms"
    );
    let observed = fingers(&mut bench);
    assert!(
        observed.contains("2 fingers") && observed.contains("scale 2.00"),
        "{observed}"
    );
    bench.shows("Inbox");
    let args = json!({ "center_x": 540, "center_y": 1200, "scale": 0.5, "duration": 100 });
    let text = bench.ok("pinch", args);
    assert_eq!(
        text,
        "Pinch (zoom out) executed at (540, 1200) with scale 0.5 over 100ms"
    );
    let current = fingers(&mut bench);
    assert!(current.contains("scale 0.50"), "{current}");
    refuses_coordinates(&mut bench, "pinch", &whole, &["center_x", "center_y"]);
    refuses_durations(&mut bench, "pinch", &whole);
    bench.refuses(
        "pinch",
        [
            (
                json!({ "center_x": 1, "center_y": 1 }),
                "Missing required parameter: 'scale'",
            ),
            (
                json!({ "center_x": 1, "center_y": 1, "scale": "two" }),
                "Parameter 'scale' must be a number, got: 'two'",
            ),
            (
                json!({ "center_x": 1, "center_y": 1, "scale": 0 }),
                "Parameter 'scale' must be > 0, got: 0.0",
            ),
            (
                json!({ "center_x": 1, "center_y": 1, "scale": -2 }),
                "Parameter 'scale' must be > 0, got: -2.0",
            ),
        ],
    );
    bench.fails_without_a_finger("pinch", &whole, "pinch(540, 1200)");
    // There is no room for two fingers in a corner.
    let answer = bench.call("pinch", json!({ "center_x": 3, "center_y": 3, "scale": 9 }));
    assert!(
        answer.is_error && answer.text.starts_with("Failed to dispatch gesture: "),
        "{}",
        answer.text
    );
    assert_eq!(answer.result["structuredContent"]["code"], FAILED);
}

fn point(x: i32, y: i32, time: impl Into<Value>) -> Value {
    json!({ "x": x, "y": y, "time": time.into() })
}

#[test]
fn a14_custom_gesture_moves_fingers_along_paths() {
    let mut bench = Bench::in_inbox();
    let before = bench.state();
    let corner =
        json!({ "paths": [[point(500, 1500, 0), point(520, 1000, 150), point(500, 500, 300)]] });
    let text = bench.ok("custom_gesture", corner.clone());
    assert_eq!(
        text,
        "Custom gesture executed with 1 path(s), total 3 point(s)"
    );
    assert_ne!(bench.state(), before, "the list did not move");
    let two = json!({ "paths": [
        [point(400, 600, 0), point(300, 600, 300)],
        [point(600, 600, 0), point(700, 600, 300)],
    ] });
    let text = bench.ok("custom_gesture", two.clone());
    assert_eq!(
        text,
        "Custom gesture executed with 2 path(s), total 4 point(s)"
    );
    let observed = fingers(&mut bench);
    for part in [
        "2 fingers",
        "(400, 600) to (300, 600)",
        "(600, 600) to (700, 600)",
        "scale 2.00",
    ] {
        assert!(observed.contains(part), "{part}: {observed}");
    }
    bench.fails_without_a_finger("custom_gesture", &corner, "custom_gesture");
    bench.ok("custom_gesture", two.clone());
    bench.fails_without_a_finger("custom_gesture", &two, "custom_gesture");
    refuses_paths(&mut bench);
}

fn refuses_paths(bench: &mut Bench) {
    let path = |first: Value| json!({ "paths": [[first, point(1, 1, 9)]] });
    bench.refuses(
        "custom_gesture",
        [
            (json!({}), "Missing required parameter: 'paths'"),
            (json!({ "paths": 1 }), "Parameter 'paths' must be an array"),
            (json!({ "paths": [] }), "Parameter 'paths' must not be empty"),
            (json!({ "paths": [1] }), "Path at index 0 must be an array of point objects"),
            (json!({ "paths": [[point(1, 1, 0)]] }), "Path at index 0 must have at least 2 points, has 1"),
            (path(json!(1)), "Point at path[0][0] must be an object with x, y, time"),
            (path(json!({ "x": 1, "y": 1 })), "Missing 'time' in point at path[0][0]"),
            (path(json!({ "y": 1, "time": 1 })), "Missing 'x' in point at path[0][0]"),
            (path(point(1, 1, "a")), "Field 'time' in point at path[0][0] must be a number, got: 'a'"),
            (path(point(1, 1, json!([]))), "Field 'time' in point at path[0][0] must be a number"),
            (path(point(-1, 1, 0)), "Point at path[0][0].x must be >= 0, got: -1.0"),
            (path(point(1, -2, 0)), "Point at path[0][0].y must be >= 0, got: -2.0"),
            (path(point(1, 1, -1)), "Point at path[0][0].time must be >= 0, got: -1"),
            (
                path(point(1, 1, 9)),
                "Times must be monotonically increasing within each path. path[0][1].time (9) <= previous time (9)",
            ),
            (
                json!({ "paths": [[point(1, 1, 0), point(1, 1, 60001)]] }),
                "Point at path[0][1].time must be <= 60000, got: 60001",
            ),
            (
                json!({ "paths": vec![[point(1, 1, 0), point(1, 1, 9)]; 11] }),
                "Parameter 'paths' must have at most 10 paths, has 11",
            ),
            (
                json!({ "paths": [vec![point(1, 1, 0); 1001]] }),
                "Parameter 'paths' must have at most 1000 points, has 1001",
            ),
        ],
    );
}
