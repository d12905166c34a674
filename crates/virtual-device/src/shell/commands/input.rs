//! `input`: taps, swipes, keys and text.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::{Call, Outcome, RunningCommand, appium_settings};
use crate::app_host::{PointerAction, PointerEvent};
use crate::state::DeviceState;
use crate::{Fault, KeyPress, Quirk, Touch, dump};
use runner_screen::Point;

/// Input sources that may stand before the command. They have no effect here.
const SOURCES: [&str; 12] = [
    "touchnavigation",
    "touchscreen",
    "joystick",
    "stylus",
    "touchpad",
    "gamepad",
    "dpad",
    "mouse",
    "keyboard",
    "trackball",
    "rotaryencoder",
    "default",
];

/// Output of a device that is not ready for input.
const REFUSED: &str = "java.lang.IllegalStateException: Input dispatcher is not ready
\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:289)";

const USAGE: &str = "Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]

The sources are: 
      touchnavigation
      touchscreen
      joystick
      stylus
      touchpad
      gamepad
      dpad
      mouse
      keyboard
      trackball
      rotaryencoder

-d: specify the display ID.
      (Default: -1 for key event, 0 for motion event if not specified.)
The commands and default sources are:
      text <string> (Default: touchscreen)
      keyevent [--longpress|--doubletap] <key code number or name> ... (Default: keyboard)
      tap <x> <y> (Default: touchscreen)
      swipe <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      draganddrop <x1> <y1> <x2> <y2> [duration(ms)] (Default: touchscreen)
      press (Default: trackball)
      roll <dx> <dy> (Default: trackball)
      motionevent <DOWN|UP|MOVE|CANCEL> <x> <y> (Default: touchscreen)
      keycombination [-t duration(ms)] <key code 1> <key code 2> ... (Default: keyboard)";

/// `input [SOURCE] [-d DISPLAY] COMMAND …`. Source and display are ignored. An unknown command, or none, exits with
/// 255. Faults and quirks may refuse, hang or drop a command. A screen that is off drops it with code 0; `press` and
/// `roll` are always dropped so.
pub(super) fn input(call: &mut Call) -> Outcome {
    let mut words = call.owned_args();
    if words
        .first()
        .is_some_and(|word| SOURCES.contains(&word.as_str()))
    {
        words.remove(0);
    }
    if words.first().is_some_and(|word| word == "-d") {
        words.drain(..2.min(words.len()));
    }
    let Some((command, args)) = words.split_first() else {
        return call.fail(255, USAGE);
    };
    let known = [
        "text",
        "keyevent",
        "tap",
        "swipe",
        "draganddrop",
        "motionevent",
        "keycombination",
        "press",
        "roll",
    ];
    let is_newer = command == "keycombination" && sdk(call) < 31;
    if is_newer || !known.contains(&command.as_str()) {
        return call.fail(255, format!("Error: Unknown command: {command}\n{USAGE}"));
    }
    if call.device.faults.shows(Fault::HungInput) {
        return Outcome::Running(RunningCommand::Hang);
    }
    if call.device.quirks.has(Quirk::MiuiNoise) {
        call.warn("miui: boost of input skipped");
    }
    if call.device.quirks.has(Quirk::MiuiGuard) || call.device.faults.shows(Fault::RefusedInput) {
        return call.fail(
            255,
            format!("\nException occurred while executing '{command}':\n{REFUSED}"),
        );
    }
    if call.device.quirks.has(Quirk::DeafInput) || call.device.faults.shows(Fault::LostInput) {
        return Outcome::Exit(0);
    }
    if screen_is_off(call, command, args) {
        return Outcome::Exit(0);
    }
    crash_app(&call.device);
    match command.as_str() {
        "text" => text(call, args),
        "keyevent" => keyevent(call, args),
        "keycombination" => combination(call, args),
        "tap" => pointer(call, command, args, 2, |points| {
            straight(points[0], points[0], Duration::from_millis(10))
        }),
        "swipe" | "draganddrop" => swipe(call, command, args),
        "motionevent" => motion(call, args),
        _ => Outcome::Exit(0),
    }
}

/// Applies the fault of an app that crashes at the next input: ends the app of the active window, with log
/// entries. Without the fault it does nothing.
pub fn crash_app(device: &DeviceState) {
    if !device.faults.shows(Fault::DeadApp) {
        return;
    }
    let mut phone = device.phone();
    let package = dump::active(&phone.windows()).map(|window| window.package.clone());
    let Some(package) = package else {
        return;
    };
    let processes = phone.processes();
    let pid = processes
        .iter()
        .find(|(_, name)| *name == package)
        .map_or(0, |(pid, _)| *pid);
    phone.force_stop(&package);
    drop(phone);
    let lines = [
        "FATAL EXCEPTION: main".to_owned(),
        format!("Process: {package}, PID: {pid}"),
        "java.lang.RuntimeException: crashed on purpose by the fault dead-app".to_owned(),
    ];
    for line in lines {
        device.log_line('E', "AndroidRuntime", &line, pid);
    }
}

/// Returns true if the screen is off and this command does not wake it, so that its input is dropped. Only
/// the keys POWER and WAKEUP wake it, and this does not press them.
fn screen_is_off(call: &Call, command: &str, args: &[String]) -> bool {
    let awake = call.device.system().awake;
    let wakes = |key: &String| {
        key_name(key).is_some_and(|name| ["POWER", "WAKEUP"].contains(&name.as_str()))
    };
    let woken = command == "keyevent" && args.iter().any(wakes);
    !awake && !woken
}

/// `input text`: types the first word, `%s` as a space. Appium's keyboards take ASCII text first. A character that
/// no key types exits with 255, and nothing is typed then. Without a focused field the exit code is 0.
fn text(call: &mut Call, args: &[String]) -> Outcome {
    // As on phones, only the first word counts.
    let Some(text) = args.first() else {
        return call.fail(255, "Error: Argument expected after \"text\"");
    };
    let mut text = text.replace("%s", " ");
    if call.device.quirks.has(Quirk::HalfInput) {
        text = text.chars().take(text.chars().count() / 2).collect();
    }
    if call.device.quirks.has(Quirk::ComposingKeyboard) {
        text = composed(&text);
    }
    if text.is_ascii() && appium_settings::take_text(call, &text) {
        call.spend(Duration::from_millis(5 * text.len() as u64 + 20));
        return Outcome::Exit(0);
    }
    call.device.show_text_late();
    let typed = call.device.phone().input_text(&text);
    call.spend(Duration::from_millis(5 * text.chars().count() as u64 + 20));
    // On phones, `input` ends this way at a character that no key types.
    if typed.is_err() {
        return call.fail(
            255,
            "\nException occurred while executing 'text':\njava.lang.NullPointerException: Attempt to get length of null array\n\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:328)\n\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:304)\n\tat com.android.server.input.InputShellCommand.handleDefaultCommands(InputShellCommand.java:224)\n\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:121)\n\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)",
        );
    }
    Outcome::Exit(0)
}

/// Adds an apostrophe between a vowel and the letter behind it, as composing keyboards show syllables.
fn composed(text: &str) -> String {
    let mut composed = String::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        composed.push(letter);
        let ends = "aeiouAEIOU".contains(letter);
        if ends && letters.peek().is_some_and(char::is_ascii_alphabetic) {
            composed.push('\'');
        }
    }
    composed
}

/// `keyevent [--longpress|--doubletap] KEY…`. A double tap presses the first key twice and leaves out the others
/// (AOSP, `InputShellCommand.runKeyEvent` of Android 14). An unknown key exits with 255, after those before it
/// were pressed.
fn keyevent(call: &mut Call, args: &[String]) -> Outcome {
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    let long = has("--longpress");
    let mut keys: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--")).collect();
    if has("--doubletap") {
        keys = keys.first().map_or_else(Vec::new, |key| vec![*key; 2]);
    }
    if keys.is_empty() {
        return call.fail(255, "Error: Argument expected after \"keyevent\"");
    }
    let arriving = if call.device.quirks.has(Quirk::HalfInput) {
        keys.len().div_ceil(2)
    } else {
        keys.len()
    };
    for key in keys.into_iter().take(arriving) {
        let Some(name) = key_name(key) else {
            return call.fail(
                255,
                format!("\nException occurred while executing 'keyevent':\njava.lang.IllegalArgumentException: Unknown keycode: {key}"),
            );
        };
        call.device.press(&KeyPress {
            name,
            long,
            ..KeyPress::default()
        });
        call.spend(Duration::from_millis(if long { 600 } else { 60 }));
    }
    Outcome::Exit(0)
}

fn sdk(call: &Call) -> u32 {
    let sdk = call.device.property("ro.build.version.sdk");
    sdk.parse().unwrap_or(u32::MAX)
}

/// `keycombination`: CTRL and SHIFT modify the last key, and the keys before it are not pressed. Without them, or
/// before Android 13, all keys are pressed one after the other. An unknown key, and fewer than two, exit with 255;
/// then none is pressed.
fn combination(call: &mut Call, args: &[String]) -> Outcome {
    let mut names = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "-t" {
            words.next();
        } else if let Some(name) = key_name(word) {
            names.push(name);
        } else {
            return call.fail(255, format!("Error: Unknown keycode: {word}"));
        }
    }
    if names.len() < 2 {
        return call.fail(255, "Error: keycombination requires at least 2 keycodes");
    }
    // Before Android 13 the last key has no meta state of the held ones.
    let has_meta = sdk(call) >= 33;
    let holds = |key: &str| has_meta && names.iter().any(|name| name.starts_with(key));
    let (ctrl, shift) = (holds("CTRL_"), holds("SHIFT_"));
    let held = if ctrl || shift { names.len() - 1 } else { 0 };
    let keys = names.into_iter().skip(held).map(|name| KeyPress {
        name,
        long: false,
        ctrl,
        shift,
    });
    for key in keys {
        call.device.phone().key(&key);
    }
    call.spend(Duration::from_millis(100));
    Outcome::Exit(0)
}

/// Parses finite numbers and cuts off their fractions. The error is the outcome of a command that was given
/// another word; it is printed already.
fn numbers(call: &mut Call, args: &[String]) -> Result<Vec<i32>, Outcome> {
    let mut values = Vec::new();
    for arg in args {
        match arg.parse::<f64>() {
            Ok(value) if value.is_finite() => values.push(value as i32),
            _ => {
                return Err(call.fail(
                    255,
                    format!("\nException occurred while executing 'input':\njava.lang.NumberFormatException: For input string: \"{arg}\""),
                ));
            }
        }
    }
    Ok(values)
}

/// Sends the touch that `path` makes of `wanted` numbers, in pairs, and advances the time by it. Another count of
/// arguments, or one that is no number, exits with 255.
fn pointer(
    call: &mut Call,
    command: &str,
    args: &[String],
    wanted: usize,
    path: impl Fn(&[Point]) -> Touch,
) -> Outcome {
    let values = match numbers(call, args) {
        Ok(values) => values,
        Err(outcome) => return outcome,
    };
    if values.len() != wanted {
        return call.fail(
            255,
            format!("Error: Invalid arguments for command: {command}\n{USAGE}"),
        );
    }
    let points: Vec<Point> = values
        .chunks_exact(2)
        .map(|pair| Point {
            x: pair[0],
            y: pair[1],
        })
        .collect();
    let touch = path(&points);
    let took = touch.path.last().map_or(Duration::ZERO, |(_, at)| *at);
    call.device.phone().fingers(&[touch]);
    call.spend(took + Duration::from_millis(50));
    Outcome::Exit(0)
}

/// `swipe` or `draganddrop X Y X Y [MS]`: 300 ms unless given, ten minutes at most. A drag rests for 500 ms at its
/// start and at its end, in addition. A malformed time exits with 255.
fn swipe(call: &mut Call, command: &str, args: &[String]) -> Outcome {
    let time = match args.get(4) {
        None => Some(300),
        Some(text) => text.parse::<u64>().ok().map(|time| time.min(600_000)),
    };
    let Some(time) = time else {
        return call.fail(
            255,
            format!("Error: Invalid arguments for command: {command}\n{USAGE}"),
        );
    };
    let points = args.get(..4.min(args.len())).unwrap_or_default();
    let drag = command == "draganddrop";
    pointer(call, command, points, 4, |points| {
        let mut touch = straight(points[0], points[1], Duration::from_millis(time));
        if drag {
            // `draganddrop` begins with a long press, and the finger rests before it leaves.
            let hold = Duration::from_millis(500);
            for (_, at) in touch.path.iter_mut().skip(1) {
                *at += hold;
            }
            let end = touch.path.last().map_or(hold, |(_, at)| *at);
            touch.path.push((points[1], end + hold));
        }
        touch
    })
}

/// Returns a straight path with a point every 16 ms, the time of a frame. It has its start and end in any
/// case, and at most 2001 points.
fn straight(from: Point, to: Point, time: Duration) -> Touch {
    let steps = (time.as_millis() / 16).clamp(1, 2000) as i64;
    let between = |a: i32, b: i32, step: i64| {
        (i64::from(a) + (i64::from(b) - i64::from(a)) * step / steps) as i32
    };
    let path = (0..=steps)
        .map(|step| {
            let point = Point {
                x: between(from.x, to.x, step),
                y: between(from.y, to.y, step),
            };
            (point, time * step as u32 / steps as u32)
        })
        .collect();
    Touch { path }
}

/// `motionevent`: sends one event of a finger, DOWN, MOVE, UP or CANCEL. Only CANCEL needs no coordinates.
/// Other arguments exit with 255.
fn motion(call: &mut Call, args: &[String]) -> Outcome {
    let Some((action, coordinates)) = args.split_first() else {
        return call.fail(255, "Error: Argument expected after \"motionevent\"");
    };
    let values = match numbers(call, coordinates) {
        Ok(values) => values,
        Err(outcome) => return outcome,
    };
    let action = action.to_uppercase();
    let point = match values.as_slice() {
        [x, y] => Point { x: *x, y: *y },
        [] if action == "CANCEL" => Point::default(),
        _ => {
            return call.fail(
                255,
                format!("Error: Invalid arguments for command: motionevent\n{USAGE}"),
            );
        }
    };
    let action = match action.as_str() {
        "DOWN" => PointerAction::Down,
        "MOVE" => PointerAction::Move,
        "UP" => PointerAction::Up,
        "CANCEL" => PointerAction::Cancel,
        _ => return call.fail(255, format!("Error: Unknown motionevent {action}")),
    };
    call.device
        .phone()
        .pointer(&PointerEvent::single(action, point));
    call.spend(Duration::from_millis(16));
    Outcome::Exit(0)
}

/// Android's key codes that have names here.
const KEYS: &[(u32, &str)] = &[
    (1, "SOFT_LEFT"),
    (3, "HOME"),
    (4, "BACK"),
    (5, "CALL"),
    (6, "ENDCALL"),
    (17, "STAR"),
    (18, "POUND"),
    (19, "DPAD_UP"),
    (20, "DPAD_DOWN"),
    (21, "DPAD_LEFT"),
    (22, "DPAD_RIGHT"),
    (23, "DPAD_CENTER"),
    (24, "VOLUME_UP"),
    (25, "VOLUME_DOWN"),
    (26, "POWER"),
    (27, "CAMERA"),
    (28, "CLEAR"),
    (55, "COMMA"),
    (56, "PERIOD"),
    (57, "ALT_LEFT"),
    (58, "ALT_RIGHT"),
    (59, "SHIFT_LEFT"),
    (60, "SHIFT_RIGHT"),
    (61, "TAB"),
    (62, "SPACE"),
    (63, "SYM"),
    (64, "EXPLORER"),
    (65, "ENVELOPE"),
    (66, "ENTER"),
    (67, "DEL"),
    (68, "GRAVE"),
    (69, "MINUS"),
    (70, "EQUALS"),
    (71, "LEFT_BRACKET"),
    (72, "RIGHT_BRACKET"),
    (73, "BACKSLASH"),
    (74, "SEMICOLON"),
    (75, "APOSTROPHE"),
    (76, "SLASH"),
    (77, "AT"),
    (79, "HEADSETHOOK"),
    (80, "FOCUS"),
    (81, "PLUS"),
    (82, "MENU"),
    (83, "NOTIFICATION"),
    (84, "SEARCH"),
    (85, "MEDIA_PLAY_PAUSE"),
    (86, "MEDIA_STOP"),
    (87, "MEDIA_NEXT"),
    (88, "MEDIA_PREVIOUS"),
    (89, "MEDIA_REWIND"),
    (90, "MEDIA_FAST_FORWARD"),
    (91, "MUTE"),
    (92, "PAGE_UP"),
    (93, "PAGE_DOWN"),
    (111, "ESCAPE"),
    (112, "FORWARD_DEL"),
    (113, "CTRL_LEFT"),
    (114, "CTRL_RIGHT"),
    (115, "CAPS_LOCK"),
    (116, "SCROLL_LOCK"),
    (117, "META_LEFT"),
    (118, "META_RIGHT"),
    (120, "SYSRQ"),
    (121, "BREAK"),
    (122, "MOVE_HOME"),
    (123, "MOVE_END"),
    (124, "INSERT"),
    (125, "FORWARD"),
    (126, "MEDIA_PLAY"),
    (127, "MEDIA_PAUSE"),
    (143, "NUM_LOCK"),
    (154, "NUMPAD_DIVIDE"),
    (155, "NUMPAD_MULTIPLY"),
    (156, "NUMPAD_SUBTRACT"),
    (157, "NUMPAD_ADD"),
    (158, "NUMPAD_DOT"),
    (159, "NUMPAD_COMMA"),
    (160, "NUMPAD_ENTER"),
    (161, "NUMPAD_EQUALS"),
    (164, "VOLUME_MUTE"),
    (168, "ZOOM_IN"),
    (169, "ZOOM_OUT"),
    (176, "SETTINGS"),
    (187, "APP_SWITCH"),
    (204, "LANGUAGE_SWITCH"),
    (207, "CONTACTS"),
    (208, "CALENDAR"),
    (209, "MUSIC"),
    (210, "CALCULATOR"),
    (219, "ASSIST"),
    (220, "BRIGHTNESS_DOWN"),
    (221, "BRIGHTNESS_UP"),
    (223, "SLEEP"),
    (224, "WAKEUP"),
    (231, "VOICE_ASSIST"),
    (264, "STEM_PRIMARY"),
    (276, "SOFT_SLEEP"),
    (277, "CUT"),
    (278, "COPY"),
    (279, "PASTE"),
    (280, "SYSTEM_NAVIGATION_UP"),
    (281, "SYSTEM_NAVIGATION_DOWN"),
];

/// Returns Android's code of a key up to 320, by its name in capitals without `KEYCODE_`, or `None`.
pub fn key_code(name: &str) -> Option<u32> {
    (0..=320).find(|number| key_name(&number.to_string()).as_deref() == Some(name))
}

/// Returns a key's name without `KEYCODE_`, in capitals, from its name or code. A code up to 320 without a
/// name is `KEY_N`. Returns `None` for an unknown name or a higher code.
pub fn key_name(key: &str) -> Option<String> {
    if let Ok(number) = key.parse::<u32>() {
        return match number {
            7..=16 => Some((number - 7).to_string()),
            29..=54 => char::from_u32('A' as u32 + number - 29).map(String::from),
            131..=142 => Some(format!("F{}", number - 130)),
            144..=153 => Some(format!("NUMPAD_{}", number - 144)),
            _ => KEYS
                .iter()
                .find(|(known, _)| *known == number)
                .map(|(_, name)| (*name).to_owned())
                // A number that has no name is a key all the same, that nothing listens to.
                .or_else(|| (number <= 320).then(|| format!("KEY_{number}"))),
        };
    }
    let upper = key.to_ascii_uppercase();
    let name = upper.strip_prefix("KEYCODE_").unwrap_or(&upper);
    let single = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // As Android has them: `F0`, `F007` and `NUMPAD_+5` name no key.
    let is_numbered = |before: &str, mut numbers: RangeInclusive<u32>| {
        name.strip_prefix(before)
            .is_some_and(|rest| numbers.any(|number| number.to_string() == rest))
    };
    let function = is_numbered("F", 1..=12);
    let pad = is_numbered("NUMPAD_", 0..=9);
    let known = single || function || pad || KEYS.iter().any(|(_, known)| *known == name);
    known.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_names_and_numbers() {
        for (key, name) in [
            ("66", Some("ENTER")),
            ("KEYCODE_BACK", Some("BACK")),
            ("home", Some("HOME")),
            ("7", Some("0")),
            ("29", Some("A")),
            ("KEYCODE_A", Some("A")),
            ("F12", Some("F12")),
            ("F0", None),
            ("F007", None),
            ("NUMPAD_0", Some("NUMPAD_0")),
            ("NUMPAD_+5", None),
            ("187", Some("APP_SWITCH")),
            ("KEYCODE_NOPE", None),
            ("9999", None),
        ] {
            assert_eq!(key_name(key).as_deref(), name, "{key}");
        }
    }

    #[test]
    fn a_path_ends_where_it_should() {
        let touch = straight(
            Point { x: 0, y: 0 },
            Point { x: 100, y: -50 },
            Duration::from_millis(320),
        );
        assert_eq!(touch.path.len(), 21);
        assert_eq!(
            touch.path.last(),
            Some(&(Point { x: 100, y: -50 }, Duration::from_millis(320)))
        );
    }
}
