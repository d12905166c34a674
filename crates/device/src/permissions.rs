//! All run-time permissions of an app at once, and the operation of `appops` for managing all files.

use std::time::Duration;

use super::command::{QUICK, failed, no_effect, succeed};
use super::message::is_complaint;
use super::{Device, DeviceError, Script, quote};
use runner_text::secret::from_outside;

/// Additional limit for each permission of a script. Chosen: a slow phone takes a second for each command.
const PERMISSION_TIME: Duration = Duration::from_secs(1);

/// Permission to manage all files; it is no run-time permission, but an operation of `appops`.
pub const MANAGE_STORAGE: &str = "android.permission.MANAGE_EXTERNAL_STORAGE";

/// Returns true if the name is [`MANAGE_STORAGE`], with or without `android.permission.`.
pub fn is_manage_storage(name: &str) -> bool {
    let plain = |name: &str| name.trim_start_matches("android.permission.").to_owned();
    plain(name) == plain(MANAGE_STORAGE)
}

/// Permission and whether it is granted.
pub type Grant = (String, bool);

/// Returns the run-time permissions that an app requests, each with whether it is granted. Empty if the app is not
/// installed or the device lists none.
pub async fn run_time(device: &dyn Device, package: &str) -> Result<Vec<Grant>, DeviceError> {
    Ok(read(&query(device, package).await?))
}

/// Returns the run-time permissions that an app requests, each with whether it is granted, and whether the app
/// requests [`MANAGE_STORAGE`]. An app that is not installed has none, and false.
pub async fn all(device: &dyn Device, package: &str) -> Result<(Vec<Grant>, bool), DeviceError> {
    let text = query(device, package).await?;
    let manages_storage = text.lines().any(|line| {
        let rest = line.trim().strip_prefix(MANAGE_STORAGE);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    });
    Ok((read(&text), manages_storage))
}

async fn query(device: &dyn Device, package: &str) -> Result<String, DeviceError> {
    let script = Script::raw(listing(package), "dumpsys package");
    let output = device.shell(&script, QUICK).await?;
    Ok(output.text().to_string())
}

/// Builds the command that lists the permissions of a package.
fn listing(package: &str) -> String {
    format!(
        "dumpsys package {} 2>/dev/null | grep -E ' permissions:|granted=|{MANAGE_STORAGE}'",
        quote(package)
    )
}

/// Sets whether the app may manage all files: `allow`, `deny`, or `default`, which leaves it to the device.
/// Other modes are left for the device to refuse.
///
/// # Errors
/// Fails if the device does not know the operation or the app.
pub async fn set_manage_storage(
    device: &dyn Device,
    package: &str,
    mode: &str,
) -> Result<(), DeviceError> {
    let operation = MANAGE_STORAGE.trim_start_matches("android.permission.");
    let script = Script::command(["appops", "set", "--uid", package, operation, mode]);
    succeed(device, &script, QUICK).await.map(drop)
}

/// Grants or revokes each permission, by its whole name. Returns those that the device afterwards lists otherwise;
/// empty if all are as wanted, and for a server without a shell. Permissions that cannot be changed are not
/// returned: an app may name ones that only a newer release knows, and an administrator may have fixed one.
///
/// # Errors
/// Fails if the phone's maker forbids all changes, or the device is lost. A refusal of one permission is no error.
pub async fn set_each(
    device: &dyn Device,
    package: &str,
    grants: &[Grant],
) -> Result<Vec<Grant>, DeviceError> {
    if grants.is_empty() {
        return Ok(Vec::new());
    }
    if device.system().is_some_and(|system| !system.has_shell()) {
        for (permission, granted) in grants {
            let set = if *granted {
                grant(device, package, permission).await
            } else {
                revoke(device, package, permission).await
            };
            if let Err(error) = set
                && error.is_infrastructure()
            {
                return Err(error);
            }
        }
        return Ok(Vec::new());
    }
    let commands = grants.iter().map(|(permission, granted)| {
        let verb = if *granted { "grant" } else { "revoke" };
        format!("pm {verb} {} {}; ", quote(package), quote(permission))
    });
    // Only the error that forbids all changes is printed, as the phone's maker has a switch for it. The results are read in the
    // same round trip.
    let script = Script::raw(
        format!(
            "{{ {}}} 2>&1 | grep {REFUSED}; {}; true",
            commands.collect::<String>(),
            listing(package)
        ),
        "pm grant",
    );
    let limit = QUICK + PERMISSION_TIME * grants.len() as u32;
    let output = device.shell(&script, limit).await?;
    let text = output.text();
    if text.lines().any(is_refusal) {
        return Err(failed(&script, &output));
    }
    let states = read_states(&text);
    let differs = |(name, wanted): &Grant| {
        let state = states.iter().find(|state| state.name == *name);
        state.is_some_and(|state| state.granted != *wanted && !state.is_fixed)
    };
    Ok(grants.iter().filter(|it| differs(it)).cloned().collect())
}

/// End of the name of the permission that the shell lacks if no permission can be changed.
const REFUSED: &str = "RUNTIME_PERMISSIONS";

/// Returns true if a line says that no permission can be changed. An app may itself have a permission of that name,
/// which the list then holds.
fn is_refusal(line: &str) -> bool {
    line.contains(REFUSED) && !line.contains(": granted=")
}

/// Run-time permission as the device lists it.
struct PermissionState {
    name: String,
    granted: bool,
    /// Set if the shell cannot change it.
    is_fixed: bool,
}

/// Flags of a permission that the shell cannot change, or whose change does not show in `granted`: that of an
/// app for releases before 6 stays granted (AOSP `PackageManager.java`, `FLAG_PERMISSION_*`).
const FIXED_FLAGS: [&str; 4] = [
    "SYSTEM_FIXED",
    "POLICY_FIXED",
    "APPLY_RESTRICTION",
    "REVOKED_COMPAT",
];

fn read(text: &str) -> Vec<Grant> {
    let states = read_states(text).into_iter();
    states.map(|state| (state.name, state.granted)).collect()
}

/// Parses the run-time permissions: the lines with `: granted=` after a title `runtime permissions:`, up to
/// the next title. The first line of each name counts. An updated system app is listed twice, and after its
/// run-time permissions come those that its older copy got at installation.
///
/// Assumes that titles end in ` permissions:`, and that a permission stands before `: granted=` (AOSP
/// `Settings.java`, `dumpPackageLPr`; the recording
/// `dumpsys_package--SharpAdb__AdvancedSharpAdbClient__DumpSys.GApps.txt` has four titles).
fn read_states(text: &str) -> Vec<PermissionState> {
    let mut states: Vec<PermissionState> = Vec::new();
    let mut is_run_time = false;
    for line in text.lines().map(str::trim) {
        if let Some(kind) = line.strip_suffix(" permissions:") {
            is_run_time = kind == "runtime";
            continue;
        }
        let Some((name, rest)) = line.split_once(": granted=").filter(|_| is_run_time) else {
            continue;
        };
        if !states.iter().any(|known| known.name == name) {
            states.push(PermissionState {
                name: name.to_owned(),
                granted: rest.starts_with("true"),
                is_fixed: FIXED_FLAGS.iter().any(|flag| rest.contains(flag)),
            });
        }
    }
    states
}

/// Grants a run-time permission, and fails if the app does not request it. A name without a dot is one of Android's
/// own.
pub async fn grant(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, true).await
}

/// Revokes a run-time permission; one that the app does not request is no error. A name without a dot is one of
/// Android's own. Android ends an app that loses a permission.
pub async fn revoke(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, false).await
}

/// Grants all run-time permissions that the app requests and does not have yet. Those that cannot be changed,
/// such as unknown or fixed ones, are passed over. A server without a shell does it itself.
///
/// # Errors
/// Fails with the first permission that the device afterwards still lists as denied.
pub async fn grant_all(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        return system.grant_all(package).await;
    }
    let requested = run_time(device, package).await?;
    let missing = requested.into_iter().filter(|(_, granted)| !granted);
    let grants: Vec<_> = missing.map(|(name, _)| (name, true)).collect();
    let stays = set_each(device, package, &grants).await?;
    match stays.first() {
        Some((permission, granted)) => Err(not_set(permission, *granted)),
        None => Ok(()),
    }
}

/// Builds the [`DeviceError::Command`] of a permission that did not change. `granted` is the wanted state: true
/// gives `pm grant` and "is still denied", false `pm revoke` and "is still granted".
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

/// Grants one permission, or revokes it unless `granted`, and checks that the device lists it so afterwards for its
/// first user. A name without a dot is one of Android's. Revoking one that the app does not request is a success;
/// granting it is an error, and so is an app that is not installed. A device behind a server leaves all this to the
/// server.
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
    let errors = from_outside(&output.stderr);
    // A success prints nothing; failures print an exception and older releases exit 0.
    if output.exit_code.is_some_and(|code| code != 0)
        || message.into_iter().chain(errors.lines()).any(is_complaint)
    {
        return Err(failed(&command, &output));
    }
    if listed.is_empty() {
        return Err(no_effect(&command, "the app is not installed".to_owned()));
    }
    let name = format!("{permission}: granted=");
    let wanted = granted.to_string();
    // The first line is that of the first user, for whom `pm` changes it, and of the copy of an app that runs.
    match listed.iter().find_map(|line| line.strip_prefix(&name)) {
        Some(state) if state.starts_with(&wanted) => Ok(()),
        Some(_) => Err(not_set(&permission, granted)),
        // A permission that the app does not request is never granted.
        None if !granted => Ok(()),
        None => {
            let what = format!("the device does not list {permission} among the app's permissions");
            Err(no_effect(&command, what))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[tokio::test]
    async fn a_phone_that_lets_nobody_grant_is_told() {
        const REFUSED: &str = "java.lang.SecurityException: grantRuntimePermission: Neither user 2000 nor current process has android.permission.GRANT_RUNTIME_PERMISSIONS.\n";
        for (printed, is_set) in [(REFUSED, false), ("", true)] {
            let fake = Fake::showing([""]).on_shell(move |_| ShellOutput {
                stdout: printed.as_bytes().to_vec(),
                exit_code: Some(0),
                ..ShellOutput::default()
            });
            let grants = [("android.permission.CAMERA".to_owned(), true)];
            match set_each(fake.as_ref(), "a.b", &grants).await {
                Ok(stays) => assert!(is_set && stays.is_empty()),
                Err(error) => {
                    assert!(
                        !is_set && error.to_string().contains("Security settings"),
                        "{error}"
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn a_permission_is_refused_by_an_exception_and_not_by_a_warning() {
        for (line, is_set) in [
            ("", true),
            ("WARNING: linker: libx.so: Error: unused DT entry", true),
            (
                "java.lang.SecurityException: a.CAMERA is not changeable",
                false,
            ),
            ("Error: no such command", false),
        ] {
            for in_errors in [true, false] {
                let fake = Fake::showing([""]).on_shell(move |_| {
                    let listed = "  Package [a.b] (1):\n        a.CAMERA: granted=true\n";
                    let (stdout, stderr) = if in_errors {
                        (listed.to_owned(), line.to_owned())
                    } else {
                        (format!("{line}\n{listed}"), String::new())
                    };
                    ShellOutput {
                        stdout: stdout.into_bytes(),
                        stderr: stderr.into_bytes(),
                        exit_code: Some(0),
                    }
                });
                let set = set_permission(fake.as_ref(), "a.b", "a.CAMERA", true).await;
                assert_eq!(set.is_ok(), is_set, "{line}: {set:?}");
            }
        }
    }

    /// A work profile has permissions of its own, which `pm` does not change.
    #[tokio::test]
    async fn a_permission_is_set_if_the_first_user_has_it_so() {
        for first in [true, false] {
            let fake = Fake::showing([""]).on_shell(move |_| {
                let user = |id, granted: bool| {
                    format!("    User {id}:\n      runtime permissions:\n        a.CAMERA: granted={granted}\n")
                };
                let listed = format!("  Package [a.b] (1):\n{}{}", user(0, first), user(10, !first));
                ShellOutput {
                    stdout: listed.into_bytes(),
                    exit_code: Some(0),
                    ..ShellOutput::default()
                }
            });
            for granted in [true, false] {
                let set = set_permission(fake.as_ref(), "a.b", "a.CAMERA", granted).await;
                assert_eq!(set.is_ok(), granted == first, "{set:?}");
            }
        }
    }

    /// A settings app or a launcher may have the permission to grant others, which is listed like all.
    #[tokio::test]
    async fn an_app_that_may_grant_permissions_is_no_refusal() {
        const LISTED: &str = "    install permissions:\n      android.permission.GRANT_RUNTIME_PERMISSIONS: granted=true\n      \
            runtime permissions:\n        a.CAMERA: granted=true\n";
        let fake = Fake::showing([""]).on_shell(|_| ShellOutput {
            stdout: LISTED.as_bytes().to_vec(),
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let grants = [("a.CAMERA".to_owned(), true)];
        let stays = set_each(fake.as_ref(), "a.b", &grants).await.unwrap();
        assert_eq!(stays, []);
    }

    #[tokio::test]
    async fn what_stays_is_told_unless_the_shell_cannot_change_it() {
        const LISTED: &str = "      runtime permissions:\n        a.CAMERA: granted=false, flags=[ USER_SET|RESTRICTION_INSTALLER_EXEMPT]\n        \
            a.SMS: granted=false, flags=[ APPLY_RESTRICTION]\n        a.PHONE: granted=false, flags=[ POLICY_FIXED ]\n        a.MIC: granted=true\n";
        let fake = Fake::showing([""]).on_shell(|_| ShellOutput {
            stdout: LISTED.as_bytes().to_vec(),
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let wanted = ["a.CAMERA", "a.SMS", "a.PHONE", "a.MIC", "a.NONE"];
        let grants = wanted.map(|name| (name.to_owned(), true));
        let stays = set_each(fake.as_ref(), "a.b", &grants).await.unwrap();
        assert_eq!(stays, [("a.CAMERA".to_owned(), true)]);
    }

    #[test]
    fn only_run_time_permissions_are_read() {
        let text = "      android.permission.INTERNET: granted=true\n      runtime permissions:\n        \
            android.permission.CAMERA: granted=false, flags=[ USER_SET]\n        android.permission.READ_CONTACTS: granted=true\n";
        assert_eq!(
            read(text),
            [
                ("android.permission.CAMERA".to_owned(), false),
                ("android.permission.READ_CONTACTS".to_owned(), true)
            ]
        );
        assert_eq!(read(""), []);
    }

    #[test]
    fn what_the_older_copy_of_an_app_got_when_installed_is_no_run_time_permission() {
        let text = "    install permissions:\n      a.INTERNET: granted=true\n    User 0:\n      runtime permissions:\n        \
            a.CAMERA: granted=false\n    User 10:\n      runtime permissions:\n        a.CAMERA: granted=true\n        \
            a.CALENDAR: granted=true\nHidden system packages:\n    install permissions:\n      a.NFC: granted=true\n";
        assert_eq!(
            read(text),
            [
                ("a.CAMERA".to_owned(), false),
                ("a.CALENDAR".to_owned(), true)
            ]
        );
    }

    #[test]
    fn every_recorded_run_time_permission_is_read() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/dumpsys_package--") {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            let grants = read(&text);
            let is_named = text
                .lines()
                .any(|line| line.trim() == "runtime permissions:");
            assert!(is_named || grants.is_empty(), "{name}: {grants:?}");
            for (permission, _) in grants {
                assert!(!permission.contains(' '), "{name}: {permission}");
            }
        }
    }
}
