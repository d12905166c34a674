//! `wm`: the display's size and density.

use super::{Call, Outcome};
use crate::Setting;

/// Shortest side in pixels of an override: `minSize` of `DisplayContent.getValidForcedSize` in AOSP.
const MIN_SIDE: u32 = 200;
/// Longest side of an override as a multiple of the display's longer one: `maxScale` there.
const MAX_SCALE: u32 = 3;
/// Longest side in pixels that is drawn.
const MAX_SIDE: u32 = 8192;

/// `wm size|density|user-rotation …`: prints or changes them. Sides are brought between 200 pixels and three times the
/// display's longer side, at most 8192, as Android does; what is no size gives 255. Densities of 72 to 2000 are taken;
/// others give 255. Above 1000 the override is printed, but the display keeps its own. `lock` takes 0 to 3; without a
/// number and with -1 it keeps the present rotation, others give 255. Unknown verbs give 255; `scaling`, `overscan` and
/// `dismiss-keyguard` give 0 and do nothing, and the display's number is ignored.
pub(super) fn wm(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let mut words = words.iter().map(String::as_str).collect::<Vec<_>>();
    if let Some(at) = words.iter().position(|word| *word == "-d") {
        words.drain(at..(at + 2).min(words.len()));
    }
    match words.as_slice() {
        ["size"] => {
            let display = call.device.options_display();
            let over = call.device.system().size_override;
            call.say(format!("Physical size: {}x{}", display.width, display.height));
            if let Some((width, height)) = over {
                call.say(format!("Override size: {width}x{height}"));
            }
            Outcome::Exit(0)
        }
        ["size", "reset"] => set_size(call, None),
        ["size", size] => {
            let parsed = size.split_once('x').and_then(|(width, height)| {
                Some((width.parse().ok()?, height.parse().ok()?))
            });
            match parsed {
                Some(size) => set_size(call, Some(size)),
                None => call.fail(255, format!("Error: bad size {size}")),
            }
        }
        ["density"] => {
            let display = call.device.options_display();
            let over = call.device.system().density_override;
            call.say(format!("Physical density: {}", display.density));
            if let Some(density) = over {
                call.say(format!("Override density: {density}"));
            }
            Outcome::Exit(0)
        }
        ["density", "reset"] => set_density(call, None),
        ["density", density] => match density.parse().ok().filter(|density| (72..=2000).contains(density)) {
            Some(density) => set_density(call, Some(density)),
            None => call.fail(255, format!("Error: density must be >= 72, was {density}")),
        },
        ["user-rotation" | "set-user-rotation"] => {
            let state = user_rotation(call);
            call.say(state);
            Outcome::Exit(0)
        }
        ["user-rotation" | "set-user-rotation", "free"] => {
            call.device.system().put("system", "accelerometer_rotation", "1");
            Outcome::Exit(0)
        }
        ["user-rotation" | "set-user-rotation", "lock", rest @ ..] => {
            lock_rotation(call, rest.first().copied())
        }
        ["user-rotation" | "set-user-rotation", ..] => {
            call.fail(255, "Error: argument needs to be either -d, free or lock.")
        }
        ["fixed-to-user-rotation" | "set-fix-to-user-rotation" | "dismiss-keyguard" | "scaling" | "overscan", ..] => Outcome::Exit(0),
        [other, ..] => call.fail(255, format!("Unknown command: {other}")),
        [] => call.fail(255, "Window manager (window) commands:\n  size [reset|WxH|WdpxHdp] [-d DISPLAY_ID]\n  density [reset|DENSITY] [-d DISPLAY_ID]"),
    }
}

/// Returns what `wm user-rotation` prints: `free`, or `lock` with the rotation of the settings.
fn user_rotation(call: &Call) -> String {
    let system = call.device.system();
    if system.setting("system", "accelerometer_rotation") == Some("1") {
        return "free".to_owned();
    }
    let rotation = system.setting("system", "user_rotation");
    let rotation = rotation.and_then(|rotation| rotation.parse::<u8>().ok());
    format!("lock {}", rotation.unwrap_or(0))
}

/// Locks the rotation: the given one, or with `None` and `-1` the present one, as `freezeDisplayRotation` of AOSP does.
/// Others change nothing, and give a message and 255.
fn lock_rotation(call: &mut Call, given: Option<&str>) -> Outcome {
    let rotation = match given.map_or(Ok(-1), str::parse::<i32>) {
        Ok(-1) => call.device.phone().display().rotation,
        Ok(turns @ 0..=3) => turns as u8,
        Ok(_) => {
            return call.fail(
                255,
                "Error: Rotation argument is invalid. Must be -1 or a value from Surface.ROTATION_*.",
            );
        }
        Err(_) => {
            let given = given.unwrap_or_default();
            return call.fail(255, format!("Error: For input string: \"{given}\""));
        }
    };
    let text = rotation.to_string();
    call.device
        .system()
        .put("system", "accelerometer_rotation", "0");
    call.device.system().put("system", "user_rotation", &text);
    call.device.set(Setting::Rotation(rotation));
    Outcome::Exit(0)
}

/// Overrides the display's size within its limits, or with `None` takes the real one again, as with the real one's
/// sides. Always gives 0.
fn set_size(call: &mut Call, size: Option<(u32, u32)>) -> Outcome {
    let display = call.device.options_display();
    let longest = display.width.max(display.height);
    let limit = longest.saturating_mul(MAX_SCALE).clamp(MIN_SIDE, MAX_SIDE);
    let side = |pixels: u32| pixels.clamp(MIN_SIDE, limit);
    let size = size.filter(|size| *size != (display.width, display.height));
    let size = size.map(|(width, height)| (side(width), side(height)));
    call.device.system().size_override = size;
    let (width, height) = size.unwrap_or((display.width, display.height));
    call.device.set(Setting::Size { width, height });
    Outcome::Exit(0)
}

/// Overrides the display's density, or with `None` takes the real one again. Always gives 0.
fn set_density(call: &mut Call, density: Option<u32>) -> Outcome {
    call.device.system().density_override = density;
    let density = density.unwrap_or(call.device.options_display().density);
    call.device.set(Setting::Density(density));
    Outcome::Exit(0)
}
