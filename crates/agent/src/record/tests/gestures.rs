//! Tests drags and gestures of two fingers.

use serde_json::{Value, json};

use super::super::gesture;
use super::{Notebook, form, node, screen};

/// Returns the recorded steps of this call.
#[track_caller]
fn recorded(notebook: &mut Notebook, tool: &str, args: Value) -> Vec<String> {
    notebook.does(tool, args);
    notebook.steps()
}

#[test]
fn a_drag_is_between_elements_and_in_large_ones_between_places() {
    let list = node(
        "ListView",
        r#"resource-id="com.example:id/notes" scrollable="true""#,
        [0, 1700, 1080, 2400],
        "",
    );
    let off = r#"text="Locked" clickable="true" enabled="false""#;
    let more = list + &node("Button", off, [0, 1600, 500, 1700], "");
    let more = screen(&more);
    for (shown, from, to, hold, step) in [
        // Rows by their words, at places where nothing else is.
        (
            &form(),
            [700, 1100],
            [100, 1250],
            "600ms",
            "drag: { from: Groceries, to: Travel }",
        ),
        (
            &form(),
            [700, 1100],
            [700, 1300],
            "2500ms",
            "drag: { from: Groceries, to: Travel, hold: \"2500ms\" }",
        ),
        // A slider is one element, and so is a button in which a finger only moves.
        (
            &form(),
            [540, 1550],
            [971, 1559],
            "700ms",
            "drag: { from: { on: Volume, at: { x: 50%, y: 51% } }, to: { on: Volume, at: { x: 90%, y: 60% } } }",
        ),
        (
            &form(),
            [40, 860],
            [1039, 860],
            "1s",
            "drag: { from: { on: Sign in, at: { x: 0%, y: 50% } }, to: { on: Sign in, at: { x: 100%, y: 50% } } }",
        ),
        // A large element has places, and where nothing is they are the display's.
        (
            &more,
            [540, 2050],
            [540, 1000],
            "800ms",
            "drag: { from: { on: { id: notes }, at: { x: 50%, y: 50% } }, to: { x: 50%, y: 42% } }",
        ),
        (
            &more,
            [100, 1650],
            [540, 1000],
            "800ms",
            "drag: { from: Locked, to: { x: 50%, y: 42% }, force: true }",
        ),
    ] {
        let place = |[x, y]: [i32; 2]| json!({ "x": x, "y": y });
        let args = json!({ "from": place(from), "to": place(to), "hold": hold });
        let mut notebook = Notebook::new();
        notebook.shows(std::sync::Arc::clone(shown));
        assert_eq!(recorded(&mut notebook, "drag", args), [step]);
    }
    // One that says its elements itself stays what it was.
    let args = json!({ "from": "Groceries", "to": "Travel" });
    assert_eq!(
        recorded(&mut Notebook::new(), "drag", args),
        ["drag: { from: Groceries, to: Travel }"]
    );
}

/// Returns a finger's path through these points.
fn path(places: &[[i32; 2]]) -> Value {
    let times = places.iter().zip(0..);
    times
        .map(|([x, y], time)| json!({ "x": x, "y": y, "time": time * 100 }))
        .collect()
}

#[test]
fn two_fingers_are_what_they_did_more() {
    for (one, other, step) in [
        (
            [[300, 1100], [200, 1100], [100, 1100]],
            [[400, 1100], [500, 1110], [600, 1120]],
            "two_fingers: { on: Groceries, scale: 5 }",
        ),
        (
            [[100, 1550], [200, 1550], [300, 1550]],
            [[980, 1550], [880, 1550], [780, 1550]],
            "two_fingers: { on: Volume, at: { x: 50%, y: 51% }, scale: 0.55 }",
        ),
        // More than half a circle, to the right; and a quarter to the left.
        (
            [[100, 1100], [300, 900], [300, 1300]],
            [[500, 1100], [300, 1300], [300, 900]],
            "two_fingers: { on: Groceries, turn: -90 }",
        ),
        (
            [[200, 1100], [300, 1000], [400, 1100]],
            [[400, 1100], [300, 1200], [200, 1100]],
            "two_fingers: { on: Groceries, turn: 180 }",
        ),
    ] {
        let args = json!({ "paths": [path(&one), path(&other)] });
        assert_eq!(
            recorded(&mut Notebook::new(), "custom_gesture", args),
            [step]
        );
    }
    let pinch = json!({ "center_x": 540, "center_y": 1300, "scale": 0.5 });
    assert_eq!(
        recorded(&mut Notebook::new(), "pinch", pinch),
        ["two_fingers: { on: Travel, scale: 0.5 }"]
    );
    // Fingers that stay side by side, that are not in step, and one alone, are neither.
    for paths in [
        json!([
            path(&[[100, 1000], [100, 1400]]),
            path(&[[500, 1000], [500, 1400]])
        ]),
        json!([
            path(&[[100, 1000], [100, 1400]]),
            path(&[[500, 1000], [900, 1000], [900, 1400]])
        ]),
        json!([path(&[[100, 1000], [100, 1400]])]),
    ] {
        let args = json!({ "paths": paths });
        let steps = recorded(&mut Notebook::new(), "custom_gesture", args);
        assert!(steps[0].starts_with("custom_gesture: "), "{steps:?}");
    }
}

#[test]
fn what_is_recorded_is_what_another_device_does() {
    let args =
        json!({ "from": { "x": 700, "y": 1100 }, "to": { "x": 540, "y": 1550 }, "hold": "600ms" });
    let (name, keys) = gesture(&form(), "drag", &args).unwrap();
    assert_eq!(name, "drag");
    assert_eq!(
        keys,
        json!({ "from": "Groceries", "to": { "on": "Volume", "at": { "x": "50%", "y": "51%" } } })
    );
}
