//! `cmd SERVICE …` and `svc`.

use std::time::Duration;

use super::{Call, Outcome, activity, grants, package};
use crate::{Setting, Switch};

/// Handles a service's arguments.
type Serve = fn(&mut Call, &[String]) -> Outcome;

/// Services with their functions.
const SERVICES: &[(&str, Serve)] = &[
    ("activity", as_command),
    ("appops", grants::appops),
    ("bluetooth_manager", radio),
    ("clipboard", |call, _| {
        call.say("No shell command implementation.");
        Outcome::Exit(255)
    }),
    ("connectivity", connectivity),
    ("deviceidle", |call, args| {
        grants::device_idle(call, args);
        Outcome::Exit(0)
    }),
    ("display", display),
    ("input", as_command),
    ("input_method", as_command),
    ("locale", locale),
    ("location", location),
    ("notification", grants::notification),
    ("package", package::run),
    ("phone", radio),
    ("runner", runner),
    ("settings", as_command),
    ("statusbar", status_bar),
    ("uimode", uimode),
    ("wifi", radio),
    ("window", as_command),
];

/// `cmd [-w] SERVICE …` or `cmd -l`, which lists the services. `-w` is ignored. An unknown service, or none, gives
/// 20.
pub(super) fn cmd(call: &mut Call) -> Outcome {
    let mut words = call.owned_args();
    if words.first().is_some_and(|word| word == "-w") {
        // Waits for the service; all that are there run.
        words.remove(0);
        call.args.remove(1);
    }
    let Some((name, args)) = words.split_first() else {
        return call.fail(20, "cmd: No service specified; use -l to list all running services. Use -w to start and wait for a service.");
    };
    if name == "-l" {
        call.say("Currently running services:");
        for (name, _) in SERVICES {
            call.say(format!("  {name}"));
        }
        return Outcome::Exit(0);
    }
    match SERVICES.iter().find(|(known, _)| known == name) {
        Some((_, run)) => run(call, args),
        None => call.fail(20, format!("cmd: Can't find service: {name}")),
    }
}

/// Handles services whose arguments are those of a command of their own: `cmd activity` is `am`, and so on.
/// An unlisted service is `settings`.
fn as_command(call: &mut Call, args: &[String]) -> Outcome {
    let command = match call.args.get(1).map(String::as_str) {
        Some("activity") => "am",
        Some("input_method") => "ime",
        Some("window") => "wm",
        Some("input") => "input",
        _ => "settings",
    };
    let mut words = vec![command.to_owned()];
    words.extend(args.iter().cloned());
    call.args = words;
    match command {
        "am" => activity::am(call),
        "ime" => super::input_method::ime(call),
        "wm" => super::window::wm(call),
        "input" => super::input::input(call),
        _ => super::properties::settings(call),
    }
}

/// `cmd statusbar`: opens a panel of the status bar (`expand-notifications`, `expand-settings`) or closes it
/// (`collapse`), which takes 300 ms. An unknown verb gives 255.
fn status_bar(call: &mut Call, args: &[String]) -> Outcome {
    let panel = match args.first().map(String::as_str) {
        Some("expand-notifications") => "notifications",
        Some("expand-settings") => "settings",
        Some("collapse") => "collapse",
        other => {
            return call.fail(
                255,
                format!("Unknown command: {}", other.unwrap_or_default()),
            );
        }
    };
    call.device.phone().status_bar(panel);
    call.spend(Duration::from_millis(300));
    Outcome::Exit(0)
}

/// `cmd uimode night [yes|no|auto]`: sets the theme, or without a word leaves it, and prints it; `auto` is light. Any
/// other word gives 255.
fn uimode(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["night"] => {}
        ["night", value @ ("yes" | "no" | "auto")] => {
            let dark = *value == "yes";
            call.device.set(Setting::Switch(Switch::Dark, dark));
            call.device
                .system()
                .put("secure", "ui_night_mode", if dark { "2" } else { "1" });
        }
        ["night", _] => return call.fail(
            255,
            "Error: mode must be 'yes', 'no', or 'auto', or 'custom_schedule' or 'custom_bedtime'",
        ),
        _ => {
            return call.fail(
                255,
                "UiModeManager service (uimode) commands:\n  night [yes|no|auto]",
            );
        }
    }
    let dark = call.device.phone().is_on(Switch::Dark);
    let mode = if dark { "yes" } else { "no" };
    call.say(format!("Night mode: {mode}"));
    Outcome::Exit(0)
}

/// `cmd connectivity airplane-mode [enable|disable]`: sets it, or prints `enabled` or `disabled`. Any other word
/// gives 255.
fn connectivity(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["airplane-mode"] => {
            let on = call.device.system().setting("global", "airplane_mode_on") == Some("1");
            call.say(if on { "enabled" } else { "disabled" });
        }
        ["airplane-mode", how @ ("enable" | "disable")] => {
            let on = *how == "enable";
            call.device
                .system()
                .put("global", "airplane_mode_on", if on { "1" } else { "0" });
            call.device.set(Setting::Switch(Switch::Airplane, on));
        }
        _ => {
            return call.fail(
                255,
                "Connectivity service commands:\n  airplane-mode [enable|disable]",
            );
        }
    }
    Outcome::Exit(0)
}

/// `cmd wifi set-wifi-enabled`, `cmd phone data`, `cmd bluetooth_manager`: stores global settings that have no
/// effect here. `cmd wifi status` prints the one of Wi-Fi, which is on unless it was set off. Unknown verbs and
/// states give 255.
fn radio(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let service = call.args.get(1).map(String::as_str).unwrap_or_default();
    let (key, state) = match (service, words.as_slice()) {
        ("wifi", ["set-wifi-enabled", state]) => ("wifi_on", *state),
        ("wifi", ["status"]) => {
            let on = call.device.system().setting("global", "wifi_on") != Some("0");
            let state = if on { "enabled" } else { "disabled" };
            call.say(format!("Wifi is {state}"));
            return Outcome::Exit(0);
        }
        ("phone", ["data", state]) => ("mobile_data", *state),
        ("bluetooth_manager", [state]) => ("bluetooth_on", *state),
        (_, words) => {
            let word = words.first().copied().unwrap_or_default();
            return call.fail(255, format!("Unknown command: {word}"));
        }
    };
    let value = match state {
        "enable" | "enabled" => "1",
        "disable" | "disabled" => "0",
        other => return call.fail(255, format!("Invalid argument: {other}")),
    };
    call.device.system().put("global", key, value);
    Outcome::Exit(0)
}

/// `cmd location`: prints `true` or `false` for whether location is on, sets it, or changes a test provider. It is on
/// unless it was set off. Any other word gives 255.
fn location(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["is-location-enabled", ..] => {
            let on = call.device.system().setting("secure", "location_mode") != Some("0");
            call.say(on.to_string());
        }
        ["set-location-enabled", on @ ("true" | "false"), ..] => {
            let on = *on == "true";
            call.device.system().put("secure", "location_mode", if on { "3" } else { "0" });
            call.device.set(Setting::Switch(Switch::Location, on));
        }
        ["providers", verb, name, rest @ ..] => return test_provider(call, verb, name, rest),
        _ => return call.fail(255, "Location service commands:\n  is-location-enabled\n  set-location-enabled true|false\n  providers …"),
    }
    Outcome::Exit(0)
}

/// Test providers of mock locations: adds, removes, enables or moves one. The shell needs the operation
/// `MOCK_LOCATION`. Any misuse gives 255. Enabling stores nothing. No app here reads its location.
fn test_provider(call: &mut Call, verb: &str, name: &str, rest: &[&str]) -> Outcome {
    if !grants::may_mock_location(call) {
        let denied = "java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform MOCK_LOCATION";
        return call.fail(
            255,
            format!("\nException occurred while executing 'providers':\n{denied}"),
        );
    }
    let place = rest.iter().position(|word| *word == "--location");
    let place = place.and_then(|at| rest.get(at + 1)).and_then(|place| {
        let (lat, lon) = place.split_once(',')?;
        Some([lat.parse().ok()?, lon.parse().ok()?])
    });
    let mut system = call.device.system();
    let known = system.test_providers.get_mut(name);
    let done = match (verb, known, place) {
        ("add-test-provider", None, _) if !name.is_empty() => {
            system.test_providers.insert(name.to_owned(), None);
            true
        }
        ("remove-test-provider", Some(_), _) => system.test_providers.remove(name).is_some(),
        ("set-test-provider-enabled", Some(_), _) => true,
        ("set-test-provider-location", Some(now), Some(place)) => {
            *now = Some(place);
            true
        }
        _ => false,
    };
    drop(system);
    if done {
        return Outcome::Exit(0);
    }
    let wrong = format!(
        "java.lang.IllegalArgumentException: provider \"{name}\" is not a test provider, or already one"
    );
    call.fail(
        255,
        format!("\nException occurred while executing 'providers':\n{wrong}"),
    )
}

/// `cmd display`: prints the only display, and stores or prints its brightness from 0 to 1, which has no effect. To
/// set a value outside of that exits with 1; without a readable setting the brightness is 0. Unknown verbs give 255.
fn display(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["get-displays", ..] => {
            let display = call.device.phone().display();
            call.say(format!("Displays:\nDisplay id 0: DisplayInfo{{\"Built-in Screen\", displayId 0, real {} x {}, rotation {}, density {}}}, type INTERNAL", display.width, display.height, display.rotation, display.density));
            Outcome::Exit(0)
        }
        ["set-brightness"] => call.fail(1, "Error: no brightness specified"),
        ["set-brightness", value] => {
            let Some(part) = value.parse::<f64>().ok().filter(|part| (0.0..=1.0).contains(part)) else {
                return call.fail(1, "Error: brightness should be a number between 0 and 1");
            };
            // 0 of the setting is off: a part of nothing is 1.
            let value = (1.0 + part * 254.0).round().to_string();
            super::properties::put(call, "system", "screen_brightness", &value);
            Outcome::Exit(0)
        }
        ["get-brightness", ..] => {
            let value = call.device.system().setting("system", "screen_brightness").and_then(|value| value.parse::<f64>().ok());
            let part = value.map_or(0.0, |value| ((value - 1.0) / 254.0).clamp(0.0, 1.0));
            call.say(part.to_string());
            Outcome::Exit(0)
        }
        _ => call.fail(255, "Display manager commands:\n  get-displays\n  set-brightness BRIGHTNESS\n  get-brightness DISPLAY_ID"),
    }
}

/// `cmd locale set-app-locales PACKAGE --locales TAG` and `get-app-locales`. They are of the whole device, since all
/// apps here share one locale. The package is not checked, and without `--locales` nothing changes. Other verbs give
/// 255.
fn locale(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["set-app-locales", _, rest @ ..] => {
            let tag = rest.iter().position(|word| *word == "--locales").and_then(|at| rest.get(at + 1));
            if let Some(tag) = tag {
                call.device.set(Setting::Locale((*tag).to_owned()));
                call.device.system().properties.insert("persist.sys.locale".to_owned(), (*tag).to_owned());
            }
            Outcome::Exit(0)
        }
        ["get-app-locales", package, ..] => {
            let tag = call.device.phone().locale();
            call.say(format!("Locales for {package} for user 0 are [{tag}]"));
            Outcome::Exit(0)
        }
        _ => call.fail(255, "Locale manager (locale) shell commands:\n  set-app-locales PACKAGE --locales LOCALES\n  get-app-locales PACKAGE"),
    }
}

/// `cmd runner`, which only this virtual device has: names of apps, clipboard, A2UI messages and faults. A clipboard
/// that was never set, and what cannot be read or applied, give 1. A text or message that is no argument is read from
/// standard input. Unknown verbs give 255.
fn runner(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["labels"] => {
            let packages = call.device.phone().packages();
            for package in packages {
                call.say(format!("{}\t{}", package.package, package.label));
            }
            Outcome::Exit(0)
        }
        ["clipboard", "get"] => {
            // In the scrutinee of `match` the phone would stay locked in all arms.
            let text = call.device.phone().clipboard();
            match text {
                Some(text) => {
                    call.out.extend(text.as_bytes());
                    Outcome::Exit(0)
                }
                None => Outcome::Exit(1),
            }
        }
        ["clipboard", "set", text @ ..] => {
            let text = if text.is_empty() {
                match call.stdin.take() {
                    Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                    None => return Outcome::NeedsStdin,
                }
            } else {
                text.join(" ")
            };
            call.device.phone().set_clipboard(&text);
            Outcome::Exit(0)
        }
        ["a2ui", "--list"] => {
            let surfaces = call.device.phone().a2ui_surfaces();
            call.say(surfaces);
            Outcome::Exit(0)
        }
        // A message is a word, a file on the device, or the standard input.
        ["a2ui", rest @ ..] => {
            let message = match rest {
                ["--file", path] => match call.read(path) {
                    Ok(bytes) => bytes,
                    Err(error) => return call.fail(1, format!("a2ui: {path}: {error}")),
                },
                [] | ["-"] => match call.stdin.take() {
                    Some(bytes) => bytes,
                    None => return Outcome::NeedsStdin,
                },
                words => words.join(" ").into_bytes(),
            };
            let message = String::from_utf8_lossy(&message).into_owned();
            let answer = call.device.phone().a2ui(&message);
            match answer {
                Ok(answer) => {
                    call.say(answer);
                    Outcome::Exit(0)
                }
                Err(error) => call.fail(1, error.to_string()),
            }
        }
        ["fault", "clear"] => {
            call.device.faults.clear();
            Outcome::Exit(0)
        }
        ["fault", text] => match text.parse() {
            Ok(fault) => {
                call.device.faults.inject(fault);
                Outcome::Exit(0)
            }
            Err(problem) => call.fail(1, format!("{problem}")),
        },
        _ => call.fail(255, "runner commands:\n  clipboard get | set [TEXT]\n  a2ui [MESSAGE | --file PATH | --list]\n  fault NAME[=VALUE][:TIMES] | fault clear"),
    }
}

/// `svc wifi|data|bluetooth|power enable|disable|stayon`: stores a global setting that has no effect here. Each
/// service takes each word; `stayon` is 0 with `false`, and 7 with any other word or none. Unknown services and
/// states give 1.
pub(super) fn svc(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let key = match words.as_slice() {
        ["wifi", ..] => "wifi_on",
        ["data", ..] => "mobile_data",
        ["bluetooth", ..] => "bluetooth_on",
        ["power", ..] => "stay_on_while_plugged_in",
        _ => return call.fail(1, "Available commands:\n    help     Show information about the subcommands\n    power\n    data\n    wifi\n    usb\n    nfc\n    bluetooth"),
    };
    let value = match words.get(1).copied() {
        Some("enable") => "1",
        Some("disable") => "0",
        Some("stayon") => match words.get(2).copied() {
            Some("false") => "0",
            _ => "7",
        },
        _ => {
            return call.fail(
                1,
                "Control a device service\n\nusage: svc SERVICE enable|disable",
            );
        }
    };
    call.device.system().put("global", key, value);
    Outcome::Exit(0)
}
