//! The quirk of a device that reports success without changing a setting.

use crate::Quirk;
use crate::state::DeviceState;

/// Returns the output of a command that the device only pretends to run, which has exit code 0. These are changes
/// of settings, permissions and packages, `am start` and `am force-stop`. Returns `None` for all other commands,
/// and without [`Quirk::DeafSettings`].
pub(in crate::shell) fn answer(device: &DeviceState, words: &[String]) -> Option<&'static str> {
    if !device.quirks.has(Quirk::DeafSettings) {
        return None;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(match words.as_slice() {
        ["settings", "put" | "delete", ..]
        | ["cmd", "uimode", "night", _]
        | ["cmd", "connectivity", "airplane-mode", _]
        | ["cmd", "location", "set-location-enabled", ..]
        | ["cmd", "locale", "set-app-locales", ..]
        | ["pm", "grant" | "revoke", ..]
        | ["am", "force-stop", ..] => "",
        ["pm", "clear" | "uninstall" | "install", ..] => "Success\n",
        ["am", "start", ..] => "Starting: Intent { }\nStatus: ok\nComplete\n",
        _ => return None,
    })
}
