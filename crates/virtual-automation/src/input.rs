//! Fingers, keys and texts of automation servers, including simulated faults of input.

use std::time::Duration;

use runner_screen::{Point, Rect};
use runner_virtual_device::automation::DeviceState;
use runner_virtual_device::automation::describe;
use runner_virtual_device::automation::{crash_app, key_name};
use runner_virtual_device::{AccessibilityAction, Fault, KeyPress, Touch};

/// Interval between reported points of a moving finger. Chosen: close to Android's frame time.
const STEP: Duration = Duration::from_millis(20);
/// Limit for reported points of one finger on one line. Chosen: bounds the memory for gestures that last
/// minutes.
const MAX_POINTS: u128 = 2000;

/// `META_SHIFT_ON`.
const SHIFT: i64 = 0x1;
/// `META_CTRL_ON`.
const CTRL: i64 = 0x1000;

/// Returns true if a simulated fault keeps input from the apps, and uses up one of its times. Otherwise a fault
/// that crashes the app at an input takes effect here.
pub(crate) fn is_lost(device: &DeviceState) -> bool {
    if device.shows(Fault::LostInput) {
        return true;
    }
    crash_app(device);
    false
}

/// Logs touches and injects them at once, and lets the time pass until the last finger leaves. Their times count from
/// the first finger's contact.
pub(crate) fn fingers(device: &DeviceState, fingers: &[Touch]) {
    device.log_line('I', "Touchscreen", &describe(fingers), 0);
    device.phone().fingers(fingers);
    let took = fingers.iter().filter_map(|finger| finger.path.last());
    spend(device, took.map(|(_, at)| *at).max().unwrap_or_default());
}

/// Appends a straight movement to a finger's path, with a point about every 20 ms and 2,000 at most. `begin`
/// is the time of `from`. That point is added only if the path is empty.
pub(crate) fn add_way(
    path: &mut Vec<(Point, Duration)>,
    from: Point,
    to: Point,
    begin: Duration,
    time: Duration,
) {
    let steps = (time.as_millis() / STEP.as_millis()).clamp(1, MAX_POINTS) as i64;
    let between = |a: i32, b: i32, step: i64| {
        (i64::from(a) + (i64::from(b) - i64::from(a)) * step / steps) as i32
    };
    let first = i64::from(!path.is_empty());
    for step in first..=steps {
        let point = Point {
            x: between(from.x, to.x, step),
            y: between(from.y, to.y, step),
        };
        path.push((point, begin + time.mul_f64(step as f64 / steps as f64)));
    }
}

/// Presses a key by its number, and lets the time of the press pass, 30 ms or 600 if `long`. Returns `false` if
/// Android has no such key; then nothing happens.
pub(crate) fn key(device: &DeviceState, code: i64, long: bool) -> bool {
    let Some(name) = key_name(&code.to_string()) else {
        return false;
    };
    device.press(&KeyPress {
        name,
        long,
        ..KeyPress::default()
    });
    spend(device, Duration::from_millis(if long { 600 } else { 30 }));
    true
}

/// Presses a key with modifiers: CTRL, which goes before SHIFT, selects the key's command, SHIFT types the letter of
/// a letter's key in upper case. Neither takes time. Other modifiers, and SHIFT with another key, are ignored.
/// Returns `false` if Android has no such key, and then nothing happens, or if the letter cannot be typed.
pub(crate) fn key_with_meta(device: &DeviceState, code: i64, meta: i64) -> bool {
    let Some(name) = key_name(&code.to_string()) else {
        return false;
    };
    if meta & CTRL != 0 {
        device.press(&KeyPress::with_ctrl(&name));
        return true;
    }
    if meta & SHIFT != 0
        && name.len() == 1
        && name.chars().all(|letter| letter.is_ascii_uppercase())
    {
        return device.phone().input_text(&name).is_ok();
    }
    key(device, code, false)
}

/// Performs an accessibility action on the view with these bounds in a window, and lets 20 ms pass. Returns
/// `false` if the view does not support it.
pub(crate) fn act(
    device: &DeviceState,
    window: i32,
    bounds: Rect,
    action: &AccessibilityAction,
) -> bool {
    if matches!(action, AccessibilityAction::SetText(_)) {
        device.show_text_late();
    }
    let done = device.phone().accessibility_action(window, bounds, action);
    spend(device, Duration::from_millis(20));
    done
}

/// Lets time pass as a real device would. Virtual time always passes; a realistic device also takes real
/// time, at most a minute. Then the apps' log is collected.
pub(crate) fn spend(device: &DeviceState, time: Duration) {
    if device.is_realistic() {
        // Requests are handled on threads that may block.
        std::thread::sleep(time.min(Duration::from_mins(1)));
    }
    device.pass(time);
    device.collect_log();
}
