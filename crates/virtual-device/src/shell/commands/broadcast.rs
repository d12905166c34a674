//! `am broadcast`: keyboards that take text by broadcast, and Appium's helper app.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;

use super::{Call, Outcome, appium_settings};
use crate::system::BROADCAST_IME;
use crate::{KeyPress, NodeDump, Quirk};

/// Keyboard that the Python package `uiautomator2` installs.
const U2_IME: &str = "com.github.uiautomator/.AdbKeyboard";

/// `am broadcast` of an intent, whose printed form is `text`. The chosen keyboard is asked first, then Appium's
/// helper app. The exit code is always 0. The result is 0 if nobody answers, and for the keyboard that takes text
/// by broadcast in any case.
pub(super) fn broadcast(
    call: &mut Call,
    text: &str,
    action: &str,
    extras: &BTreeMap<String, String>,
) -> Outcome {
    call.say(format!("Broadcasting: {text}"));
    let method = call.device.system().input_method().to_owned();
    // A keyboard listens only while it is the chosen one.
    let answer = if method == BROADCAST_IME && action.starts_with("ADB_") {
        if !call.device.quirks.has(Quirk::DeafKeyboard) {
            keyboard(call, action, extras);
        }
        call.spend(Duration::from_millis(30));
        None
    } else if method == U2_IME && u2_keyboard(call, action, extras) {
        call.spend(Duration::from_millis(30));
        Some("result=-1, data=\"success\"".to_owned())
    } else {
        let extra = |key: &str| extras.get(key).cloned().unwrap_or_default();
        appium_settings::broadcast(call, action, extra)
    };
    let answer = answer.unwrap_or_else(|| "result=0".to_owned());
    call.say(format!("Broadcast completed: {answer}"));
    Outcome::Exit(0)
}

/// Handles a broadcast to the keyboard that takes text by broadcast: types text, base 64 or characters, presses
/// ENTER, or empties the field. Unknown actions, malformed base 64 and malformed character codes do nothing. Any
/// editor code presses ENTER.
fn keyboard(call: &Call, action: &str, extras: &BTreeMap<String, String>) {
    let message = extras.get("msg").map_or("", String::as_str);
    match action {
        "ADB_INPUT_TEXT" => {
            call.device.commit_text(message);
        }
        "ADB_INPUT_B64" => commit_base64(call, message),
        "ADB_INPUT_CHARS" => {
            let chars: String = extras
                .get("chars")
                .map_or("", String::as_str)
                .split(',')
                .filter_map(|code| char::from_u32(code.trim().parse().ok()?))
                .collect();
            call.device.commit_text(&chars);
        }
        "ADB_EDITOR_CODE" if has_code(extras) => press(call, "ENTER"),
        "ADB_CLEAR_TEXT" => clear(call),
        _ => {}
    }
}

/// Handles a broadcast to the keyboard of `uiautomator2`: types base 64, presses ENTER, empties the field, or hides
/// the keyboard. Returns false for an unknown action, and for an editor code without a code.
fn u2_keyboard(call: &Call, action: &str, extras: &BTreeMap<String, String>) -> bool {
    match action {
        "ADB_KEYBOARD_INPUT_TEXT" => {
            commit_base64(call, extras.get("text").map_or("", String::as_str));
        }
        "ADB_KEYBOARD_CLEAR_TEXT" => clear(call),
        "ADB_KEYBOARD_EDITOR_CODE" if has_code(extras) => press(call, "ENTER"),
        "ADB_KEYBOARD_SMART_ENTER" => press(call, "ENTER"),
        "ADB_KEYBOARD_HIDE" => {
            let displayed = call.device.phone().keyboard_shown();
            if displayed {
                press(call, "BACK");
            }
        }
        _ => return false,
    }
    true
}

fn has_code(extras: &BTreeMap<String, String>) -> bool {
    extras
        .get("code")
        .is_some_and(|code| code.parse::<u32>().is_ok())
}

/// Types the text that base 64 encodes; malformed base 64 is dropped.
fn commit_base64(call: &Call, text: &str) {
    if let Ok(bytes) = base64::engine::general_purpose::STANDARD.decode(text.trim()) {
        let text = String::from_utf8_lossy(&bytes);
        call.device.commit_text(&text);
    }
}

fn press(call: &Call, name: &str) {
    call.device.phone().key(&KeyPress::named(name));
}

/// Empties the focused field with keys: `MOVE_END`, then DEL for each character. Without one only `MOVE_END` is
/// pressed.
fn clear(call: &Call) {
    let windows = call.device.phone().windows();
    let length = windows
        .iter()
        .filter_map(|window| window.root.as_ref())
        .find_map(focused_length);
    press(call, "MOVE_END");
    for _ in 0..length.unwrap_or(0) {
        press(call, "DEL");
    }
}

/// Returns the number of characters of the first focused node, at or below this one.
fn focused_length(node: &NodeDump) -> Option<usize> {
    if node.focused {
        return Some(node.text.chars().count());
    }
    node.children.iter().find_map(focused_length)
}
