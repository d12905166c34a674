//! Fingers, keys and texts of automation servers, with the faults that input has.

use std::time::Duration;

use runner_screen::{Point, Rect};
use runner_virtual_device::automation::DeviceState;
use runner_virtual_device::automation::describe;
use runner_virtual_device::automation::{crash_app, key_name};
use runner_virtual_device::{AccessibilityAction, Fault, KeyPress, Touch};

/// Interval between the reported places of a moving finger.
const STEP: Duration = Duration::from_millis(20);
/// Places of one finger on one way.
const MOST_STEPS: u128 = 2000;

/// `META_SHIFT_ON`.
const SHIFT: i64 = 0x1;
/// `META_CTRL_ON`.
const CTRL: i64 = 0x1000;

/// Whether a fault keeps input from the apps.
pub(crate) fn is_lost(device: &DeviceState) -> bool {
    if device.shows(Fault::LostInput) {
        return true;
    }
    crash_app(device);
    false
}

/// Fingers, their times since the first came down.
pub(crate) fn fingers(device: &DeviceState, fingers: &[Touch]) {
    device.log_line('I', "Touchscreen", &describe(fingers), 0);
    device.phone().fingers(fingers);
    let took = fingers.iter().filter_map(|finger| finger.path.last());
    spend(device, took.map(|(_, at)| *at).max().unwrap_or_default());
}

/// A finger that stays where it is.
pub(crate) fn press(at: Point, time: Duration) -> Touch {
    Touch {
        path: vec![(at, Duration::ZERO), (at, time)],
    }
}

/// A finger that goes from point to point, the same time for each way.
pub(crate) fn drag(points: &[Point], time: Duration) -> Touch {
    let mut path = Vec::new();
    let ways = points.len().saturating_sub(1).max(1) as u32;
    for (number, pair) in points.windows(2).enumerate() {
        add_way(
            &mut path,
            pair[0],
            pair[1],
            (time / ways) * number as u32,
            time / ways,
        );
    }
    Touch { path }
}

/// A way of a finger, from the place where it is to another.
pub(crate) fn add_way(
    path: &mut Vec<(Point, Duration)>,
    from: Point,
    to: Point,
    begin: Duration,
    time: Duration,
) {
    let steps = (time.as_millis() / STEP.as_millis()).clamp(1, MOST_STEPS) as i64;
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

/// A key by its number; `false` for one that Android does not have.
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

/// A key with others held: CTRL gives it its meaning, SHIFT makes letters large.
pub(crate) fn key_with_meta(device: &DeviceState, code: i64, meta: i64) -> bool {
    let name = key_name(&code.to_string()).unwrap_or_default();
    if meta & CTRL != 0 {
        device.press(&KeyPress::with_ctrl(&name));
        return !name.is_empty();
    }
    if meta & SHIFT != 0
        && name.len() == 1
        && name.chars().all(|letter| letter.is_ascii_uppercase())
    {
        return device.phone().input_text(&name).is_ok();
    }
    key(device, code, false)
}

/// Does what accessibility asks of the view at a place of a window; `false` where it does not do that.
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

/// Takes as long as a real device takes: virtual time, or real time on a realistic device.
pub(crate) fn spend(device: &DeviceState, time: Duration) {
    if device.is_realistic() {
        // Requests are answered on threads that may block.
        std::thread::sleep(time.min(Duration::from_mins(1)));
    }
    device.pass(time);
    device.collect_log();
}
