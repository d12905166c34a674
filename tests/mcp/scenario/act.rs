//! D6–D10 and D17: tools that touch, type and wait.

use super::*;

#[test]
fn d06_tap_taps_the_middle_of_what_matches() {
    let (_project, mut client) = signed_in();
    let note = found(&mut client, "Groceries")[0].clone();
    let answer = client.call("tap", json!({ "text": "groceries" }));
    let (x, y) = (&note["cx"], &note["cy"]);
    assert_eq!(answer.text, format!("TAPPED: ({x},{y})"));
    assert_eq!(answer.result["structuredContent"], Value::Null);
    visible(&mut client, "Milk, eggs");
    gone(&mut client, "Welcome, Ada");
}

#[test]
fn d06_tap_takes_the_position() {
    let (_project, mut client) = signed_in();
    let notes = found(&mut client, "Milk, eggs");
    assert!(!notes.is_empty());
    let notes = found(&mut client, "garden");
    let several = found(&mut client, "the ");
    assert!(several.len() > 2, "{several:?}");
    let count = several.len();
    says(
        &mut client,
        "tap",
        json!({ "text": "the ", "position": count }),
        &format!(
            "AMBIGUOUS: {count} matches for 'the ' — retry with position in 0..{}",
            count - 1
        ),
    );
    begins(
        &mut client,
        "tap",
        json!({ "text": "the ", "position": -1 }),
        "AMBIGUOUS: ",
    );
    visible(&mut client, "Welcome, Ada");
    let last = &several[count - 1];
    let (x, y) = (&last["cx"], &last["cy"]);
    says(
        &mut client,
        "tap",
        json!({ "text": "the ", "position": count - 1 }),
        &format!("TAPPED: ({x},{y})"),
    );
    gone(&mut client, "Welcome, Ada");
    answer_text(&mut client, "goBack", json!({}));
    // One match needs no position.
    assert_eq!(notes.len(), 1);
    let (x, y) = (&notes[0]["cx"], &notes[0]["cy"]);
    says(
        &mut client,
        "tap",
        json!({ "text": "garden", "position": 5 }),
        &format!("TAPPED: ({x},{y})"),
    );
    visible(&mut client, "Roses by the wall");
}

#[test]
fn d06_tap_says_what_is_wrong() {
    let (_project, mut client) = started();
    for (arguments, text) in [
        (
            json!({ "text": "Balance" }),
            "NOT_FOUND: no element matches 'Balance' (selectorType=any)",
        ),
        (
            json!({ "text": "Sign in", "selectorType": "content-desc" }),
            "NOT_FOUND: no element matches 'Sign in' (selectorType=content-desc)",
        ),
        (json!({}), "ERROR: text is required"),
        (
            json!({ "text": "a", "position": "first" }),
            "ERROR: position must be a number, got 'first'",
        ),
        (
            json!({ "text": "a", "position": 0.5 }),
            "ERROR: position must be a whole number, got 0.5",
        ),
    ] {
        says(&mut client, "tap", arguments, text);
    }
}

#[test]
fn d07_tap_by_coordinates_taps() {
    let (_project, mut client) = signed_in();
    let note = found(&mut client, "Groceries")[0].clone();
    let (x, y) = (note["cx"].clone(), note["cy"].clone());
    let answer = client.call("tapByCoordinates", json!({ "x": x, "y": y }));
    assert_eq!(answer.text, format!("TAPPED: ({x},{y})"));
    visible(&mut client, "Milk, eggs");
    for (arguments, text) in [
        (
            json!({ "x": -1, "y": 5 }),
            "ERROR: tapByCoordinates requires non-negative x and y (got x=-1, y=5)",
        ),
        (
            json!({ "x": 5, "y": -20 }),
            "ERROR: tapByCoordinates requires non-negative x and y (got x=5, y=-20)",
        ),
        (json!({ "y": 5 }), "ERROR: x is required"),
        (json!({ "x": 5 }), "ERROR: y is required"),
        (
            json!({ "x": 5, "y": 1.5 }),
            "ERROR: y must be a whole number, got 1.5",
        ),
    ] {
        says(&mut client, "tapByCoordinates", arguments, text);
    }
}

#[test]
fn d08_input_text_types_and_hides_the_keyboard() {
    let (_project, mut client) = started();
    let tool = "inputText";
    says(
        &mut client,
        tool,
        json!({ "fieldSelector": "Username", "text": "Ada 100% \"ü\" $HOME" }),
        "OK: typed 'Ada 100% \"ü\" $HOME' into 'Username', then hideKeyboard",
    );
    visible(&mut client, "Ada 100% \"ü\" $HOME");
    // The keyboard is gone: going back leaves the app at once.
    answer_text(&mut client, "goBack", json!({}));
    gone(&mut client, "Welcome to Notes");
}

#[test]
fn d08_input_text_says_what_is_wrong() {
    let (_project, mut client) = started();
    let tool = "inputText";
    for (arguments, text) in [
        (
            json!({ "fieldSelector": "Balance", "text": "1" }),
            "NOT_FOUND: no input field matches selector 'Balance'",
        ),
        (
            json!({ "fieldSelector": "username", "text": "1", "selectorType": "content-desc" }),
            "NOT_FOUND: no input field matches selector 'username'",
        ),
        (json!({ "text": "1" }), "ERROR: fieldSelector is required"),
        (
            json!({ "fieldSelector": "username" }),
            "ERROR: text is required",
        ),
        (
            json!({ "fieldSelector": "username", "text": 5 }),
            "ERROR: text must be text, got 5",
        ),
    ] {
        says(&mut client, tool, arguments, text);
    }
    // What takes no text is reported; nothing was typed anywhere.
    begins(
        &mut client,
        tool,
        json!({ "fieldSelector": "Welcome to Notes", "text": "lost" }),
        "ERROR: input text failed: ",
    );
    gone(&mut client, "lost");
}

#[test]
fn d09_go_back_goes_back() {
    let (_project, mut client) = signed_in();
    answer_text(&mut client, "tap", json!({ "text": "Groceries" }));
    gone(&mut client, "Welcome, Ada");
    says(&mut client, "goBack", json!({}), "OK: pressed back");
    visible(&mut client, "Welcome, Ada");
}

#[test]
fn d10_hide_keyboard_presses_back_only_for_a_keyboard() {
    let (_project, mut client) = signed_in();
    answer_text(&mut client, "tap", json!({ "text": "Groceries" }));
    // No keyboard: the note stays.
    says(
        &mut client,
        "hideKeyboard",
        json!({}),
        "OK: keyboard hidden",
    );
    visible(&mut client, "Milk, eggs");
    answer_text(&mut client, "goBack", json!({}));
    answer_text(&mut client, "tap", json!({ "text": "Search notes" }));
    says(
        &mut client,
        "hideKeyboard",
        json!({}),
        "OK: keyboard hidden",
    );
    visible(&mut client, "Welcome, Ada");
    // The keyboard took the first back, this one leaves the screen.
    answer_text(&mut client, "goBack", json!({}));
    gone(&mut client, "Welcome, Ada");
}

#[test]
fn d17_wait_keeps_within_its_limits() {
    let (_project, mut client) = server();
    for (arguments, text) in [
        (json!({ "ms": 300 }), "OK: waited 300ms"),
        (json!({ "ms": 1 }), "OK: waited 50ms"),
        (json!({ "ms": -5 }), "OK: waited 50ms"),
        (json!({ "ms": 99_999_999 }), "OK: waited 10000ms"),
        (json!({}), "OK: waited 500ms"),
        (
            json!({ "ms": "soon" }),
            "ERROR: ms must be a number, got 'soon'",
        ),
    ] {
        says(&mut client, "wait", arguments, text);
    }
}
