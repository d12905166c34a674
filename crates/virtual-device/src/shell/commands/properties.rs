//! `getprop`, `setprop`, `settings`.

use super::{Call, Outcome};
use crate::{Setting, Switch};

/// `getprop [NAME [DEFAULT]]`. A property that is empty or not set prints the default, or an empty line. Without a
/// name all are listed.
pub(super) fn getprop(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    if let Some(name) = args.first() {
        let value = call.device.property(name);
        let value = if value.is_empty() {
            args.get(1).cloned().unwrap_or_default()
        } else {
            value
        };
        call.say(value);
    } else {
        let properties = call.device.system().properties.clone();
        for (name, value) in properties {
            call.say(format!("[{name}]: [{value}]"));
        }
    }
    Outcome::Exit(0)
}

/// `setprop NAME VALUE`. Fails with 1 for `ro.` names, an empty one, values of 92 bytes or more, and any other
/// number of words. The locale's property changes the phone's locale.
pub(super) fn setprop(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    let [name, value] = args.as_slice() else {
        return call.fail(
            1,
            "usage: setprop NAME VALUE\n\nSets an Android system property.",
        );
    };
    let read_only = name.starts_with("ro.");
    // 92 is `PROP_VALUE_MAX`, which counts the NUL at the end.
    if read_only || name.is_empty() || value.len() >= 92 {
        return call.fail(
            1,
            format!("Failed to set property '{name}' to '{value}'.\nSee dmesg for error reason."),
        );
    }
    call.device
        .system()
        .properties
        .insert(name.clone(), value.clone());
    if name == "persist.sys.locale" {
        call.device.set(Setting::Locale(value.clone()));
    }
    Outcome::Exit(0)
}

const USAGE: &str = "Settings provider (settings) commands:
  help
      Print this help text.
  get [--user <USER_ID> | current] NAMESPACE KEY
      Retrieve the current value of KEY.
  put [--user <USER_ID> | current] NAMESPACE KEY VALUE [TAG] [default]
      Change the contents of KEY to VALUE.
  delete [--user <USER_ID> | current] NAMESPACE KEY
      Delete the entry for KEY.
  list [--user <USER_ID> | current] NAMESPACE
      Print all defined keys.";

/// `settings get|put|delete|list NAMESPACE …`. A missing key is `null`, and deleting it is no error. Deleting changes
/// the phone for the font scale and the rotation only. An unknown namespace, verb or number of words gives 255; fewer
/// than two words print the usage with 0.
pub(super) fn settings(call: &mut Call) -> Outcome {
    let mut args = call.owned_args();
    if let Some(at) = args.iter().position(|arg| arg == "--user") {
        args.drain(at..(at + 2).min(args.len()));
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let (verb, space) = if let [verb, space, ..] = words.as_slice() {
        (*verb, *space)
    } else {
        call.say(USAGE);
        return Outcome::Exit(0);
    };
    if !["system", "secure", "global"].contains(&space) {
        return call.fail(255, format!("Invalid namespace '{space}'"));
    }
    match (verb, words.get(2..).unwrap_or_default()) {
        ("get", [key]) => {
            let value = call
                .device
                .system()
                .setting(space, key)
                .unwrap_or("null")
                .to_owned();
            call.say(value);
        }
        ("put", [key, value, ..]) => {
            put(call, space, key, value);
        }
        ("delete", [key]) => {
            let is_gone = delete(call, space, key);
            call.say(format!("Deleted {} rows", u32::from(is_gone)));
        }
        ("list", []) => {
            let settings = call.device.system().settings.clone();
            for ((of, key), value) in settings {
                if of == space {
                    call.say(format!("{key}={value}"));
                }
            }
        }
        _ => return call.fail(255, "Bad arguments"),
    }
    Outcome::Exit(0)
}

/// Stores a setting, and applies it to the phone if it affects the screen.
pub(super) fn put(call: &Call, space: &str, key: &str, value: &str) {
    call.device.system().put(space, key, value);
    notify_phone(call, space, key, value);
}

/// Removes a setting. Without them the phone has the default font scale and rotation, as Android watches both; other
/// settings leave the phone as it is. Returns false if there was none.
pub(super) fn delete(call: &Call, space: &str, key: &str) -> bool {
    let name = (space.to_owned(), key.to_owned());
    let is_gone = call.device.system().settings.remove(&name).is_some();
    if space == "system" && ["font_scale", "user_rotation"].contains(&key) {
        notify_phone(call, space, key, "");
    }
    is_gone
}

/// Applies a setting that affects the screen: font scale, rotation, locale, theme, location or airplane mode.
/// A malformed number is the default. Other settings do nothing.
fn notify_phone(call: &Call, space: &str, key: &str, value: &str) {
    let setting = match (space, key) {
        ("system", "font_scale") => Setting::FontScale(value.parse().unwrap_or(1.0)),
        ("system", "user_rotation") => Setting::Rotation(value.parse().unwrap_or(0)),
        ("system", "system_locales") => {
            Setting::Locale(value.split(',').next().unwrap_or(value).to_owned())
        }
        ("secure", "ui_night_mode") => Setting::Switch(Switch::Dark, value == "2"),
        ("secure", "location_mode") => Setting::Switch(Switch::Location, value != "0"),
        ("global", "airplane_mode_on") => Setting::Switch(Switch::Airplane, value != "0"),
        _ => return,
    };
    call.device.set(setting);
}
