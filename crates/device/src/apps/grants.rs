//! Grants and revokes the run-time permissions of an app.

use super::check::no_effect;
use crate::command::{QUICK, failed};
use crate::{Device, DeviceError, Script, permissions, quote};
use runner_text::secret::from_outside;

/// Grants a run-time permission; a name without a dot is one of Android's own.
pub async fn grant(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, true).await
}

/// Revokes a run-time permission; a name without a dot is one of Android's own.
pub async fn revoke(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, false).await
}

/// Grants all run-time permissions that the app requests and does not have yet. Those that cannot be changed,
/// such as unknown or fixed ones, are passed over.
///
/// # Errors
/// Fails with the first permission that the device afterwards still lists as denied.
pub async fn grant_all(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        return system.grant_all(package).await;
    }
    let requested = permissions::run_time(device, package).await?;
    let missing = requested.into_iter().filter(|(_, granted)| !granted);
    let grants: Vec<_> = missing.map(|(name, _)| (name, true)).collect();
    let stays = permissions::set_each(device, package, &grants).await?;
    match stays.first() {
        Some((permission, granted)) => Err(not_set(permission, *granted)),
        None => Ok(()),
    }
}

/// Builds the error of a permission that did not change. `granted` is the wanted state: true gives `pm grant`
/// and "is still denied", false `pm revoke` and "is still granted".
pub fn not_set(permission: &str, granted: bool) -> DeviceError {
    let (verb, state) = if granted {
        ("grant", "is still denied")
    } else {
        ("revoke", "is still granted")
    };
    DeviceError::Command {
        command: format!("pm {verb}"),
        exit_code: None,
        output: format!("{permission} {state}"),
    }
}

/// Grants or revokes one permission, and checks that the device lists it so afterwards. A name without a dot is one
/// of Android's. Revoking one that the app does not request is a success, granting it an error.
pub(super) async fn set_permission(
    device: &dyn Device,
    package: &str,
    permission: &str,
    granted: bool,
) -> Result<(), DeviceError> {
    let permission = if permission.contains('.') {
        permission.to_owned()
    } else {
        format!("android.permission.{permission}")
    };
    if let Some(system) = device.system() {
        return system.set_permission(package, &permission, granted).await;
    }
    let verb = if granted { "grant" } else { "revoke" };
    let command = Script::command(["pm", verb, package, &permission]);
    // The result is read in the same round trip.
    let script = Script::raw(
        format!(
            "{}; r=$?; dumpsys package {} 2>/dev/null | grep -E 'granted=|Package \\['; (exit $r)",
            command.text(),
            quote(package)
        ),
        command.label().to_owned(),
    );
    let output = device.shell(&script, QUICK).await?;
    let text = output.text();
    let is_listed = |line: &&str| line.contains(": granted=") || line.starts_with("Package [");
    let (listed, message): (Vec<&str>, Vec<&str>) =
        text.lines().map(str::trim).partition(is_listed);
    let message = format!("{}\n{}", message.join("\n"), from_outside(&output.stderr));
    // A success prints nothing; failures print an exception and older releases exit 0.
    if output.exit_code.is_some_and(|code| code != 0)
        || message.contains("Exception")
        || message.contains("Error")
    {
        return Err(failed(&command, &output));
    }
    if listed.is_empty() {
        return Err(no_effect(&command, "the app is not installed".to_owned()));
    }
    let name = format!("{permission}: granted=");
    let states: Vec<&str> = listed
        .iter()
        .filter_map(|line| line.strip_prefix(&name))
        .collect();
    let wanted = granted.to_string();
    if states.iter().any(|state| state.starts_with(&wanted)) || states.is_empty() && !granted {
        // A permission that the app does not request is never granted.
        return Ok(());
    }
    if states.is_empty() {
        let what = format!("the device does not list {permission} among the app's permissions");
        return Err(no_effect(&command, what));
    }
    Err(not_set(&permission, granted))
}
