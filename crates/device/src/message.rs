//! Meaning of what a command printed when it failed, and its beginning for errors.

use runner_text::secret::OutsideText;

/// Returns the advice for a switch of the phone's maker that forbids what Android allows the shell; the
/// exception does not mention it. The first permission or code that `message` contains decides; `None` if it
/// contains none.
///
/// Sources: the developer options of Xiaomi and Oppo; flutter/flutter#49053 for the installation.
pub(super) fn makers_switch(message: &OutsideText) -> Option<&'static str> {
    const SECURITY_SETTINGS: &str = "the phone's maker guards this; allow \"USB debugging (Security settings)\" (Xiaomi) or \"Disable permission monitoring\" (Oppo, OnePlus, Realme) in the developer options";
    [
        ("INJECT_EVENTS", SECURITY_SETTINGS),
        ("GRANT_RUNTIME_PERMISSIONS", SECURITY_SETTINGS),
        ("REVOKE_RUNTIME_PERMISSIONS", SECURITY_SETTINGS),
        ("CLEAR_APP_USER_DATA", SECURITY_SETTINGS),
        ("WRITE_SECURE_SETTINGS", SECURITY_SETTINGS),
        (
            "INSTALL_FAILED_USER_RESTRICTED",
            "the phone wants a person's consent; allow \"Install via USB\" in the developer options, and answer the question on its screen",
        ),
    ]
    .into_iter()
    .find_map(|(sign, advice)| message.contains(sign).then_some(advice))
}

/// Returns the first six lines, marked to be cut after 600 characters, without empty lines and those of a stack trace
/// (`at …`). Returns "it said nothing" if no line is left.
pub fn shorten(message: &OutsideText) -> String {
    let lines = message.lines(6, |line| {
        !line.trim().is_empty() && !line.trim_start().starts_with("at ")
    });
    if lines.is_blank() {
        "it said nothing".to_owned()
    } else {
        lines.excerpt(600).ending("").to_string()
    }
}

/// Returns true for a warning of the linker, which some makers' phones print before any output. It may contain any word.
pub(super) fn is_linker_warning(line: &str) -> bool {
    line.trim_start().starts_with("WARNING: linker")
}

/// Returns true if a line names an exception or an error, and is no warning of the linker.
pub(super) fn is_complaint(line: &str) -> bool {
    !is_linker_warning(line)
        && ["Exception", "Error"]
            .iter()
            .any(|sign| line.contains(sign))
}

/// Returns true if the message means that the device lacks the command or the service. The signs may stand
/// anywhere in it.
pub(super) fn is_missing(message: &str) -> bool {
    [
        "No shell command implementation",
        "inaccessible or not found",
        ": not found",
        "Can't find service",
        "Unknown command",
        "unknown command",
    ]
    .iter()
    .any(|sign| message.contains(sign))
}
