//! D11–D14: swipes.

use super::*;

/// Returns the vertical centre of the note on the screen, in pixels.
#[track_caller]
fn row(client: &mut Client, text: &str) -> i64 {
    found(client, text)
        .first()
        .and_then(|found| found["cy"].as_i64())
        .unwrap_or_else(|| panic!("{text} is on the screen"))
}

#[test]
fn d11_swipe_up_shows_what_is_further_down() {
    let (_project, mut client) = signed_in();
    visible(&mut client, "Groceries");
    says(
        &mut client,
        "swipeUp",
        json!({}),
        "OK: swiped up on 1080x2400",
    );
    gone(&mut client, "Groceries");
}

#[test]
fn d12_swipe_down_shows_what_is_further_up() {
    let (_project, mut client) = signed_in();
    answer_text(&mut client, "swipeUp", json!({}));
    gone(&mut client, "Groceries");
    for _ in 0..3 {
        says(
            &mut client,
            "swipeDown",
            json!({}),
            "OK: swiped down on 1080x2400",
        );
    }
    visible(&mut client, "Groceries");
}

#[test]
fn d13_scroll_vertically_goes_by_its_sign() {
    let (_project, mut client) = signed_in();
    let tool = "scrollVertically";
    let before = row(&mut client, "Books to read");
    says(
        &mut client,
        tool,
        json!({ "distance": 300, "durationMs": 2000 }),
        "OK: scrolled vertically distance=300",
    );
    let after = row(&mut client, "Books to read");
    assert!(after < before, "{after} < {before}");
    says(
        &mut client,
        tool,
        json!({ "distance": -300, "durationMs": 2000 }),
        "OK: scrolled vertically distance=-300",
    );
    assert!(row(&mut client, "Books to read") > after);
    says(
        &mut client,
        tool,
        json!({}),
        "OK: scrolled vertically distance=1000",
    );
    gone(&mut client, "Groceries");
    // No distance is not a touch: nothing opens.
    says(
        &mut client,
        tool,
        json!({ "distance": 0 }),
        "OK: scrolled vertically distance=0",
    );
    visible(&mut client, "Welcome, Ada");
    for (arguments, text) in [
        (
            json!({ "distance": "far" }),
            "ERROR: distance must be a number, got 'far'",
        ),
        (
            json!({ "durationMs": 0 }),
            "ERROR: durationMs must be between 1 and 60000, got 0",
        ),
    ] {
        says(&mut client, tool, arguments, text);
    }
}

#[test]
fn d14_scroll_horizontally_does_not_scroll_down() {
    let (_project, mut client) = signed_in();
    // A finger that goes across a row clicks it, as nothing scrolls that way.
    client.call("tap", json!({ "text": "Books to read" }));
    gone(&mut client, "Welcome, Ada");
    let tool = "scrollHorizontally";
    let before = row(&mut client, "Books to read");
    says(
        &mut client,
        tool,
        json!({ "distance": 400 }),
        "OK: scrolled horizontally distance=400",
    );
    says(
        &mut client,
        tool,
        json!({ "distance": -400, "durationMs": 500 }),
        "OK: scrolled horizontally distance=-400",
    );
    assert_eq!(row(&mut client, "Books to read"), before);
    says(
        &mut client,
        tool,
        json!({}),
        "OK: scrolled horizontally distance=1000",
    );
    says(
        &mut client,
        tool,
        json!({ "distance": 1.5 }),
        "ERROR: distance must be a whole number, got 1.5",
    );
}
