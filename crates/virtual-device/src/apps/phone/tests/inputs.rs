//! Tests of touches, the keyboard and the inputs of a form.

use super::*;
use crate::Quirk;

#[test]
fn a_slow_drag_scrolls_by_its_length_and_a_fast_one_flings() {
    let mut p = signed_in();
    let before = node(&p, "Call the dentist").bounds;
    touch(
        &mut p,
        Point { x: 500, y: 1500 },
        Point { x: 500, y: 1300 },
        2000,
    );
    let after = node(&p, "Call the dentist").bounds;
    // The list takes the finger from its row at the second step of 20 pixels, and the last one is the finger's leaving.
    assert_eq!(before.top - after.top, 200 - 40 - 20);
    touch(
        &mut p,
        Point { x: 500, y: 1900 },
        Point { x: 500, y: 900 },
        200,
    );
    assert!(maybe(&p, "Call the dentist").is_none());
    for _ in 0..12 {
        touch(
            &mut p,
            Point { x: 500, y: 1900 },
            Point { x: 500, y: 700 },
            200,
        );
    }
    let last = node(&p, "The last note").bounds;
    let around = node(&p, "notes").bounds;
    assert!(around.encloses(&last), "{last} in {around}");
    for _ in 0..20 {
        touch(
            &mut p,
            Point { x: 500, y: 900 },
            Point { x: 500, y: 1900 },
            200,
        );
    }
    assert_eq!(node(&p, "Call the dentist").bounds, before);
}

/// A row of the list is where the button was.
#[test]
fn the_second_of_two_taps_beside_each_other_does_not_reach_what_the_first_opened() {
    for is_beside in [true, false] {
        let mut p = started();
        tap(&mut p, "username");
        p.input_text("ada").unwrap();
        key(&mut p, "TAB");
        p.input_text("lovelace").unwrap();
        let at = node(&p, "sign_in").bounds.center();
        let taps = [Touch {
            path: vec![(at, Duration::ZERO), (at, Duration::from_millis(10))],
        }];
        if is_beside {
            p.fingers_beside(&taps);
        } else {
            p.fingers(&taps);
        }
        p.advance(Duration::from_millis(100));
        assert!(maybe(&p, "Welcome, Ada").is_some());
        p.fingers(&taps);
        p.advance(Duration::from_millis(100));
        assert_eq!(maybe(&p, "Welcome, Ada").is_some(), is_beside);
    }
}

#[test]
fn a_fling_ends_with_its_screen() {
    let mut p = signed_in();
    touch(
        &mut p,
        Point { x: 500, y: 1900 },
        Point { x: 500, y: 1500 },
        100,
    );
    assert!(!p.fling_time().is_zero());
    key(&mut p, "HOME");
    p.advance(Duration::from_millis(16));
    assert!(p.fling_time().is_zero());
}

#[test]
fn what_takes_a_long_press_keeps_the_finger() {
    let drag = |hold: u64| {
        let mut p = signed_in();
        tap(&mut p, "New note");
        let from = node(&p, "title").bounds.center();
        let to = Point {
            y: from.y - 300,
            ..from
        };
        let middle = Point {
            y: from.y - 150,
            ..from
        };
        let ms = Duration::from_millis;
        let path = vec![
            (from, ms(0)),
            (from, ms(hold)),
            (middle, ms(hold + 250)),
            (to, ms(hold + 500)),
            (to, ms(hold + 800)),
        ];
        p.fingers(&[Touch { path }]);
        (
            maybe(&p, "title").map(|field| field.bounds.center().y),
            from.y,
            p.keyboard_shown(),
        )
    };
    let (after, before, has_keyboard) = drag(100);
    assert_ne!(after, Some(before), "the form scrolls");
    assert!(!has_keyboard);
    let (after, before, has_keyboard) = drag(600);
    assert_eq!(after, Some(before), "the field has the finger");
    assert!(has_keyboard);
}

#[test]
fn searching_filters_as_it_is_typed() {
    let mut p = signed_in();
    tap(&mut p, "search");
    assert!(p.commit_text("LETTER"));
    assert_eq!(node(&p, "inbox_count").text, "2");
    key(&mut p, "DEL");
    key(&mut p, "BACK");
    assert!(!p.keyboard_shown());
    assert!(maybe(&p, "Letter to Grace").is_some());
    assert_eq!(p.input_text("é"), Err('é'));
    key(&mut p, "BACK");
    assert!(!p.commit_text("nobody listens"));
}

#[test]
fn keys_of_the_drawn_keyboard_type_and_the_caret_moves() {
    let mut p = started();
    tap(&mut p, "username");
    // The middle of `q`, by the keyboard's rows.
    let keyboard = p
        .windows()
        .into_iter()
        .find(|window| window.kind == "INPUT_METHOD")
        .unwrap();
    assert_eq!(keyboard.root.unwrap().children.len(), 0);
    let y = keyboard.bounds.top + 180;
    touch(&mut p, Point { x: 60, y }, Point { x: 60, y }, 50);
    assert_eq!(node(&p, "username").text, "q");
    p.input_text("c").unwrap();
    key(&mut p, "DPAD_LEFT");
    p.input_text("b").unwrap();
    assert_eq!(node(&p, "username").text, "qbc");
    key(&mut p, "MOVE_HOME");
    key(&mut p, "FORWARD_DEL");
    assert_eq!(node(&p, "username").text, "bc");
}

/// The rule is that of AOSP's `Editor.Blink`.
#[test]
fn the_caret_blinks_by_the_devices_clock_since_the_last_change() {
    let mut p = started();
    p.quirks.push(Quirk::BlinkingCaret);
    tap(&mut p, "username");
    let ms = Duration::from_millis;
    p.input_text("ab").unwrap();
    let on = p.draw();
    for (wait, is_on) in [
        (499, true),
        (1, false),
        (499, false),
        (1, true),
        (500, false),
    ] {
        p.advance(ms(wait));
        assert_eq!(p.draw() == on, is_on, "after {wait} ms more");
    }
    let off = p.draw();
    assert_eq!(p.windows(), {
        p.advance(ms(500));
        p.windows()
    });
    p.advance(ms(500));
    assert!(p.draw() == off);
    // A move of the caret shows it for a whole time again, and so does a letter.
    key(&mut p, "DPAD_LEFT");
    key(&mut p, "DPAD_RIGHT");
    assert!(p.draw() == on);
    p.advance(ms(499));
    assert!(p.draw() == on);
    p.advance(ms(1));
    assert!(p.draw() == off);
    p.input_text("c").unwrap();
    let typed = p.draw();
    p.advance(ms(499));
    assert!(p.draw() == typed);
    p.advance(ms(1));
    assert!(p.draw() != typed);
}

#[test]
fn inputs_write_what_is_chosen() {
    let mut p = signed_in();
    tap(&mut p, "New note");
    tap(&mut p, "folder");
    tap(&mut p, "Travel");
    assert!(node(&p, "folder").children[0].text == "Travel");
    tap(&mut p, "Urgent");
    tap(&mut p, "Family");
    assert!(node(&p, "Urgent").checked && node(&p, "Family").checked && !node(&p, "Later").checked);
    tap(&mut p, "due");
    tap(&mut p, "Next month");
    tap(&mut p, "03 June 2026");
    tap(&mut p, "OK");
    assert_eq!(node(&p, "due").text, "Jun 3, 2026");
    tap(&mut p, "due");
    tap(&mut p, "04 June 2026");
    tap(&mut p, "Cancel");
    assert_eq!(node(&p, "due").text, "Jun 3, 2026");
    let bar = node(&p, "priority").bounds;
    let end = Point {
        x: bar.right - 2,
        y: bar.center().y,
    };
    touch(&mut p, end, end, 50);
    assert_eq!(node(&p, "priority").range, Some(10.0));
    // A path along it moves it; one up or down scrolls what it stands in.
    let middle = bar.center();
    touch(&mut p, end, middle, 500);
    assert_eq!(node(&p, "priority").range, Some(5.0));
    let above = Point {
        y: middle.y - 900,
        ..end
    };
    touch(&mut p, end, above, 500);
    assert_eq!(node(&p, "priority").range, Some(5.0));
    assert_ne!(node(&p, "priority").bounds, bar);
    for _ in 0..3 {
        touch(&mut p, above, end, 500);
    }
    assert_eq!(node(&p, "priority").bounds, bar);
    tap(&mut p, "email");
    p.input_text("nobody").unwrap();
    assert!(maybe(&p, "This is no e-mail address").is_some());
    key(&mut p, "BACK");
    tap(&mut p, "title");
    p.input_text("Of mice").unwrap();
    key(&mut p, "BACK");
    touch(
        &mut p,
        Point { x: 900, y: 1900 },
        Point { x: 900, y: 300 },
        200,
    );
    tap(&mut p, "pinned");
    assert!(node(&p, "pinned").checked);
    tap(&mut p, "save");
    assert_eq!(node(&p, "saving").text, "Saving…");
    // A tap's own time has passed a part of it.
    p.advance(Duration::from_millis(299));
    assert!(maybe(&p, "saving").is_some());
    p.advance(Duration::from_millis(1));
    assert_eq!(node(&p, "inbox_count").text, "41");
}
