//! Rights of packages beside permissions: `appops`, the power saver's exceptions, notification listeners.

use super::{Call, Outcome};

/// Modes of an operation.
const MODES: [&str; 5] = ["allow", "ignore", "deny", "default", "foreground"];
/// Package in whose name the shell's commands run.
const SHELL: &str = "com.android.shell";
/// Most entries of each kind. Chosen: without a limit a script could fill the memory.
const MAX_STORED: usize = 10_000;

/// `appops set|get|reset`. Only modes that were set are listed; `reset` removes those of a package, or all. Only
/// `MOCK_LOCATION` of the shell has an effect: it allows test providers. An unknown mode or package, and any other
/// verb, gives 255. Modes beyond [`MAX_STORED`] are silently not stored.
pub(super) fn appops(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with("--"))
        .collect();
    match words.as_slice() {
        ["set", package, operation, mode] => {
            if !MODES.contains(mode) {
                return call.fail(255, format!("Error: Mode {mode} is not valid"));
            }
            if !is_installed(call, package) {
                return no_uid(call, package);
            }
            let mut system = call.device.system();
            if system.operations.len() < MAX_STORED {
                let key = ((*package).to_owned(), name(operation));
                system.operations.insert(key, (*mode).to_owned());
            }
            Outcome::Exit(0)
        }
        ["get", package, rest @ ..] => {
            if !is_installed(call, package) {
                return no_uid(call, package);
            }
            let wanted = rest.first().map(|operation| name(operation));
            let set: Vec<String> = call
                .device
                .system()
                .operations
                .iter()
                .filter(|((of, operation), _)| {
                    of == package && wanted.as_ref().is_none_or(|wanted| wanted == operation)
                })
                .map(|((_, operation), mode)| format!("{operation}: {mode}"))
                .collect();
            if set.is_empty() {
                call.say("No operations.");
            }
            for line in set {
                call.say(line);
            }
            Outcome::Exit(0)
        }
        ["reset", rest @ ..] => {
            let package = rest.first().map(|package| (*package).to_owned());
            call.device
                .system()
                .operations
                .retain(|(of, _), _| package.as_ref().is_some_and(|package| package != of));
            Outcome::Exit(0)
        }
        _ => call.fail(
            255,
            "AppOps service (appops) commands:\n  set [--user <USER_ID>] <PACKAGE | UID> <OP> <MODE>\n  get [--user <USER_ID>] <PACKAGE | UID> [<OP>]\n  reset [--user <USER_ID>] [<PACKAGE>]",
        ),
    }
}

pub(super) fn appops_command(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    appops(call, &words)
}

/// Turns `android:mock_location` into `MOCK_LOCATION`. A name without the prefix only becomes capitals.
fn name(operation: &str) -> String {
    operation
        .strip_prefix("android:")
        .unwrap_or(operation)
        .to_ascii_uppercase()
}

/// Returns true if the shell may set mock locations: its operation `MOCK_LOCATION` was set to `allow`.
pub(super) fn may_mock_location(call: &Call) -> bool {
    let key = (SHELL.to_owned(), "MOCK_LOCATION".to_owned());
    let mode = call.device.system().operations.get(&key).cloned();
    mode.as_deref() == Some("allow")
}

/// Returns true if a package is installed; the shell always is.
fn is_installed(call: &Call, package: &str) -> bool {
    if package == SHELL {
        return true;
    }
    let packages = call.device.phone().packages();
    packages.iter().any(|known| known.package == package)
}

fn no_uid(call: &mut Call, package: &str) -> Outcome {
    call.fail(255, format!("Error: No UID for {package} in user 0"))
}

/// `dumpsys deviceidle [whitelist [+PACKAGE|-PACKAGE|=PACKAGE]…]`. `=` prints if the package is exempt.
/// Without changes it lists the exempt packages. An unknown package is not added.
pub(super) fn device_idle(call: &mut Call, args: &[String]) {
    let Some((verb, changes)) = args.split_first() else {
        call.say("  Settings:\n  mLightEnabled=true  mDeepEnabled=true\n  mState=ACTIVE mLightState=ACTIVE");
        return;
    };
    if verb != "whitelist" {
        call.say(format!("Unknown command: {verb}"));
        return;
    }
    if changes.is_empty() {
        let exempt = call.device.system().idle_exceptions.clone();
        for package in exempt {
            call.say(format!("user,{package},10100"));
        }
    }
    for change in changes {
        let Some((sign, package)) = change.split_at_checked(1) else {
            continue;
        };
        match sign {
            "+" if !is_installed(call, package) => call.say(format!("Unknown package: {package}")),
            "+" => {
                let mut system = call.device.system();
                system.idle_exceptions.insert(package.to_owned());
                drop(system);
                call.say(format!("Added: {package}"));
            }
            "-" => {
                call.device.system().idle_exceptions.remove(package);
                call.say(format!("Removed: {package}"));
            }
            "=" => {
                let on = call.device.system().idle_exceptions.contains(package);
                call.say(on.to_string());
            }
            _ => call.say(format!(
                "Package must be prefixed with +, -, or =: {change}"
            )),
        }
    }
}

/// `cmd notification allow_listener|disallow_listener COMPONENT`. A component of an unknown package is
/// ignored, with exit code 0. Other verbs print the usage, with 255.
pub(super) fn notification(call: &mut Call, args: &[String]) -> Outcome {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["allow_listener", component, ..] => {
            let package = component.split('/').next().unwrap_or_default();
            if is_installed(call, package) {
                change_listeners(call, |listeners| {
                    if listeners.iter().all(|known| known != component) && listeners.len() < MAX_STORED {
                        listeners.push((*component).to_owned());
                    }
                });
            }
            Outcome::Exit(0)
        }
        ["disallow_listener", component, ..] => {
            change_listeners(call, |listeners| listeners.retain(|known| known != component));
            Outcome::Exit(0)
        }
        _ => call.fail(
            255,
            "usage: cmd notification SUBCMD [args]\n\nSUBCMDs:\n  allow_listener COMPONENT [user_id (current user if not specified)]\n  disallow_listener COMPONENT [user_id (current user if not specified)]",
        ),
    }
}

/// Changes the list of notification listeners, which the system stores in a secure setting, separated by
/// colons.
fn change_listeners(call: &Call, change: impl FnOnce(&mut Vec<String>)) {
    const KEY: &str = "enabled_notification_listeners";
    let mut system = call.device.system();
    let before = system.setting("secure", KEY).unwrap_or_default();
    let mut listeners: Vec<String> = before
        .split(':')
        .filter(|listener| !listener.is_empty())
        .map(str::to_owned)
        .collect();
    change(&mut listeners);
    system.put("secure", KEY, &listeners.join(":"));
}
