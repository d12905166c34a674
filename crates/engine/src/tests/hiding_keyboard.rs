//! Tests of hiding the keyboard: BACK is pressed only if it hides the keyboard.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use runner_device::Gesture;

const MAIN: &str = "com.example/.Main";

/// Formats a visible window as `dumpsys window windows` lists it.
fn window(number: u32, token: &str, title: &str, kind: &str) -> String {
    format!(
        "  Window #{number} Window{{{token} u0 {title}}}:\n    mDisplayId=0 package=com.example\n    mAttrs={{(0,0)(fillxfill) ty={kind} fmt=OPAQUE}}\n    isVisible=true\n"
    )
}

/// Lists the keyboard, if it is shown, above a window with this token and title.
fn windows(keyboard: bool, token: &str, title: &str) -> String {
    let above = if keyboard {
        window(0, "9", "InputMethod", "INPUT_METHOD")
    } else {
        String::new()
    };
    format!("{above}{}", window(1, token, title, "BASE_APPLICATION"))
}

/// Answers the question for the keyboard: whether it is shown, and above which window.
fn answer(script: &str, keyboard: bool, token: &str, title: &str) -> ShellOutput {
    let stdout = if script.contains("mInputShown") {
        let state = answer_keyboard(script, &format!("mInputShown={keyboard}"));
        format!("{}{state}", windows(keyboard, token, title))
    } else {
        String::new()
    };
    ShellOutput {
        exit_code: Some(0),
        stdout: stdout.into(),
        ..ShellOutput::default()
    }
}

fn touches() -> [Input; 4] {
    let at = Point { x: 5, y: 150 };
    let second = Duration::from_secs(1);
    [
        Input::Tap(at),
        Input::DoubleTap(at),
        Input::LongPress(at, second),
        Input::Swipe(Gesture {
            from: at,
            to: at,
            duration: second,
        }),
    ]
}

fn back_presses(fake: &Fake) -> usize {
    let inputs = fake.inputs();
    let keys = inputs.iter();
    keys.filter(|input| matches!(input, Input::Key { .. }))
        .count()
}

/// The click arrives after its touch, and opens a screen without a keyboard.
#[tokio::test]
async fn a_click_that_is_on_its_way_takes_the_keyboard_along() {
    for touch in touches() {
        let fake = Fake::showing([&button("Go", 100)]);
        let has_arrived = Arc::new(AtomicBool::new(false));
        let arrives = Arc::clone(&has_arrived);
        fake.on_input(move |input| {
            let is_pause = matches!(input, Input::Pause(_));
            arrives.fetch_or(is_pause, Ordering::Relaxed);
            None
        });
        fake.on_shell(move |script| {
            let keyboard = !has_arrived.load(Ordering::Relaxed);
            answer(script, keyboard, "1", MAIN)
        });
        let session = session(&fake);
        session.input(std::slice::from_ref(&touch)).await.unwrap();
        assert!(!session.hide_keyboard(LIMIT).await.unwrap(), "{touch:?}");
        assert_eq!(back_presses(&fake), 0, "{touch:?}");
    }
}

/// A slow phone opens the screen long after the click has arrived.
#[tokio::test]
async fn a_screen_that_comes_late_takes_the_keyboard_along() {
    for touch in touches() {
        let fake = Fake::showing(["", &button("Go", 100), &button("Stay", 100)]);
        let device = Arc::clone(&fake);
        fake.on_shell(move |script| {
            let keyboard = device.counters().read().dumps < 3;
            answer(script, keyboard, "1", MAIN)
        });
        let session = session(&fake);
        session.input(std::slice::from_ref(&touch)).await.unwrap();
        assert!(!session.hide_keyboard(LIMIT).await.unwrap(), "{touch:?}");
        assert_eq!(back_presses(&fake), 0, "{touch:?}");
    }
}

/// What was looked at after the last input needs no further look.
#[tokio::test]
async fn a_keyboard_on_a_screen_that_was_seen_costs_no_look() {
    let fake = Fake::showing([&button("Go", 100)]);
    let is_pressed = Arc::new(AtomicBool::new(false));
    let pressed = Arc::clone(&is_pressed);
    fake.on_input(move |input| {
        pressed.fetch_or(matches!(input, Input::Key { .. }), Ordering::Relaxed);
        None
    });
    fake.on_shell(move |script| {
        let keyboard = !is_pressed.load(Ordering::Relaxed);
        answer(script, keyboard, "1", MAIN)
    });
    let session = session(&fake);
    let [tap, ..] = touches();
    session.input(&[tap]).await.unwrap();
    session.look().await.unwrap();
    assert!(session.hide_keyboard(LIMIT).await.unwrap());
    assert_eq!((back_presses(&fake), fake.counters().read().dumps), (1, 1));
}

/// Another window in front after BACK is told, whether an activity or a dialog has closed.
#[tokio::test]
async fn a_window_that_back_has_closed_is_told() {
    for (token, title, is_same) in [
        ("1", MAIN, true),
        ("2", MAIN, false),
        ("2", "com.example/.Other", false),
    ] {
        let fake = Fake::showing([&button("Go", 100)]);
        let is_pressed = Arc::new(AtomicBool::new(false));
        let pressed = Arc::clone(&is_pressed);
        fake.on_input(move |_| {
            pressed.store(true, Ordering::Relaxed);
            None
        });
        fake.on_shell(move |script| {
            if is_pressed.load(Ordering::Relaxed) {
                answer(script, false, token, title)
            } else {
                answer(script, true, "1", MAIN)
            }
        });
        match session(&fake).hide_keyboard(LIMIT).await {
            Ok(is_hidden) => assert!(is_hidden && is_same, "{token} {title}"),
            Err(EngineError::LeftScreen { before, after }) => {
                assert!(!is_same && before == MAIN && after == title, "{before}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}
