//! `ime`: the keyboards, and the one in use.

use super::{Call, Outcome};
use crate::system::LATIN_IME;

/// `ime list [-a] [-s]|enable|disable|set|reset`. `list` has the enabled keyboards, all with `-a`. `set` fails with
/// 255 for a keyboard that is not enabled. `reset` chooses [`LATIN_IME`] only; none is disabled. An unknown verb,
/// or none, exits with 255.
pub(super) fn ime(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let Some((verb, args)) = words.split_first() else {
        return call.fail(255, "ime <command>:\n  list [-a] [-s]\n  enable [--user <USER_ID>] <ID>\n  disable [--user <USER_ID>] <ID>\n  set [--user <USER_ID>] <ID>\n  reset [--user <USER_ID>]");
    };
    let id = args
        .iter()
        .rev()
        .find(|arg| !arg.starts_with('-'))
        .cloned()
        .unwrap_or_default();
    match verb.as_str() {
        "list" => {
            let has = |flag: char| {
                args.iter()
                    .any(|arg| arg.starts_with('-') && arg.contains(flag))
            };
            let methods = call.device.system().input_methods.clone();
            for (method, enabled) in methods {
                if !enabled && !has('a') {
                    continue;
                }
                if has('s') {
                    call.say(method);
                } else {
                    describe(call, &method, enabled);
                }
            }
            Outcome::Exit(0)
        }
        "reset" => {
            call.device
                .system()
                .put("secure", "default_input_method", LATIN_IME);
            call.say(format!("Reset current and enabled IMEs for user #0\n  Selected: {LATIN_IME}\n  Enabled: {LATIN_IME}"));
            Outcome::Exit(0)
        }
        "enable" | "disable" => enable(call, &id, verb == "enable"),
        "set" => {
            let enabled = call
                .device
                .system()
                .input_methods
                .iter()
                .any(|(known, enabled)| *known == id && *enabled);
            if !enabled {
                return call.fail(
                    255,
                    format!("Unknown input method {id} cannot be selected for user #0"),
                );
            }
            call.device
                .system()
                .put("secure", "default_input_method", &id);
            call.say(format!("Input method {id} selected for user #0"));
            Outcome::Exit(0)
        }
        other => call.fail(255, format!("Unknown command: {other}")),
    }
}

/// Enables or disables a keyboard; the chosen one, if disabled, gives way to [`LATIN_IME`]. One that is so already
/// is no error. An unknown one exits with 255.
fn enable(call: &mut Call, id: &str, wanted: bool) -> Outcome {
    let verb = if wanted { "enabled" } else { "disabled" };
    let before = {
        let mut system = call.device.system();
        let method = system
            .input_methods
            .iter_mut()
            .find(|(known, _)| *known == id);
        let before = method.map(|(_, enabled)| std::mem::replace(enabled, wanted));
        system.settle_input_method();
        before
    };
    match before {
        None => call.fail(
            255,
            format!("Unknown input method {id} cannot be {verb} for user #0"),
        ),
        Some(before) => {
            let how = if before == wanted { "already" } else { "now" };
            call.say(format!("Input method {id}: {how} {verb} for user #0"));
            Outcome::Exit(0)
        }
    }
}

/// Prints a keyboard as `ime list` does without `-s`.
fn describe(call: &mut Call, method: &str, enabled: bool) {
    let (package, class) = method.split_once('/').unwrap_or((method, ""));
    call.say(format!(
        "{method}:
  mId={method} mSettingsActivityName=null mIsVrOnly=false mSupportsSwitchingToNextInputMethod=false
  mIsDefaultResId=0x0
  Service:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false
    ServiceInfo:
      name={package}{class}
      packageName={package}
      enabled={enabled} exported=true processName={package}
      permission=android.permission.BIND_INPUT_METHOD
      flags=0x0"
    ));
}
