//! `input`: keys and text. `touch` has taps, swipes and other touches.

mod touch;
mod usage;

use std::time::Duration;

use self::touch::{motion, pointer, straight, swipe};
use self::usage::{SOURCES, USAGE};
use super::key_codes::key_name;
use super::{Call, Outcome, RunningCommand, appium_settings};
use crate::state::DeviceState;
use crate::{Fault, KeyPress, Quirk, dump};

/// Output of a device that is not ready for input.
const REFUSED: &str = "java.lang.IllegalStateException: Input dispatcher is not ready
\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:289)";

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
