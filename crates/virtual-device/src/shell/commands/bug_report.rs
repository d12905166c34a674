//! `bugreport` and `bugreportz`. Both print that this device has no reports.

use super::{Call, Outcome};

const NONE: &str =
    "this virtual device makes no bug reports; use logcat, dumpsys, uiautomator dump and screencap";

pub(super) fn bugreport(call: &mut Call) -> Outcome {
    call.fail(1, format!("bugreport: {NONE}"))
}

/// `bugreportz [-v | -p | -s]`. It prints a version to standard error, since only then `adb bugreport`
/// continues and prints the reason. All else fails with 1: there are no bug reports.
pub(super) fn bugreportz(call: &mut Call) -> Outcome {
    match call.args.get(1).map(String::as_str) {
        Some("-v") => {
            // Android prints it to standard error.
            call.warn("1.2");
            Outcome::Exit(0)
        }
        None | Some("-p") => {
            call.say(format!("FAIL:{NONE}"));
            Outcome::Exit(1)
        }
        _ => call.fail(1, format!("bugreportz: {NONE}")),
    }
}
