//! Names of windows and activities in the output of services, and the hashes beside them.

use crate::WindowDump;

/// Returns `package/package.Activity`, as windows are named. Only an activity that begins with `.` gets
/// the package before it; any other stays as it is. A window without an activity has its title.
pub(super) fn component(window: &WindowDump) -> String {
    match &window.activity {
        Some(activity) if activity.starts_with('.') => {
            format!("{0}/{0}{activity}", window.package)
        }
        Some(activity) => format!("{}/{activity}", window.package),
        None => window.title.clone(),
    }
}

/// Returns `package/.Activity`, as activities are named, or the whole class if it is outside the package.
/// Returns `None` without an activity.
pub(super) fn short_component(window: &WindowDump) -> Option<String> {
    let activity = window.activity.as_ref()?;
    let short = activity
        .strip_prefix(&window.package)
        .filter(|rest| rest.starts_with('.'));
    Some(format!("{}/{}", window.package, short.unwrap_or(activity)))
}

/// Returns the application window that has the focus, else the first application window, else `None`.
pub(super) fn front(windows: &[WindowDump]) -> Option<&WindowDump> {
    windows
        .iter()
        .find(|window| window.kind == "APPLICATION" && window.focused)
        .or_else(|| windows.iter().find(|window| window.kind == "APPLICATION"))
}

/// Id of the task and the window that [`crate::ReportedFront`] names. The phone has no such window.
pub(super) const REPORTED: i32 = 9_999;

/// Formats an activity that the last report named, which has no window.
pub(super) fn activity_record(name: &str) -> String {
    format!(
        "ActivityRecord{{{} u0 {name} t{REPORTED}}}",
        token(REPORTED)
    )
}

/// Formats a hash as objects have in dumps: made up, and the same for an id each time.
pub(super) fn token(id: i32) -> String {
    format!(
        "{:x}",
        // Made up, yet the same each time a window is printed.
        (id as u32).wrapping_mul(0x9e_3779).wrapping_add(0x0a1_b2c3) & 0x0fff_ffff
    )
}
