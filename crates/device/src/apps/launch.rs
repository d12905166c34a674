//! Launches of apps: the activity, its extras, and what is set before it starts.

use indexmap::IndexMap;

use super::start::{LAUNCH_LIMIT, start};
use super::state::is_installed;
use super::stop::{clear, stop};
use crate::command::QUICK;
use crate::permissions::{grant_all, set_permission};
use crate::{Device, DeviceError, Script};

/// Options of a launch.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, as a flow writes it"
)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Launch<'a> {
    pub package: &'a str,
    /// Activity, as `.Main` or with its package; `None` for the one that the launcher starts.
    pub activity: Option<&'a str>,
    /// Clears the app's data before the launch.
    pub clear: bool,
    /// Ends the app before the launch, so that it starts anew.
    pub stop: bool,
    /// Extras of the intent: texts, booleans, numbers, and null for a text without a value.
    pub extras: Option<&'a IndexMap<String, serde_json::Value>>,
    /// Grants all run-time permissions that the app requests, before the launch.
    pub all_permissions: bool,
    /// Run-time permissions to grant (true) or revoke (false) before the launch.
    pub permissions: Option<&'a IndexMap<String, bool>>,
    /// Skips the check that the app came to the front or runs, which the caller makes.
    pub unconfirmed: bool,
}

/// Launches an app and waits until its first frame is drawn; after ten seconds it is enough that it is in front.
/// Before, it clears or ends the app and sets the permissions, as `launch` demands. Without a named activity it
/// starts the one of the launcher, or uses `monkey`, which waits for nothing, if the device cannot name it. A
/// device's own server launches it instead, whatever `unconfirmed` says.
///
/// # Errors
/// Fails before any change if an extra is a list or an object, or a server is given extras and no activity; else if
/// the app is not installed, if extras are given and no activity can be found, if it draws nothing within a minute,
/// or if afterwards another app is in front and this one does not run (not checked for an unconfirmed launch).
pub async fn launch(device: &dyn Device, launch: &Launch<'_>) -> Result<(), DeviceError> {
    let package = launch.package;
    // Checked first: nothing may be cleared for a launch that then fails.
    let extras = launch
        .extras
        .map(extras_words)
        .transpose()?
        .unwrap_or_default();
    let named = launch.activity.map(|activity| component(package, activity));
    let prepare = prepare(device, launch);
    if let Some(system) = device.system() {
        if named.is_none() && !extras.is_empty() {
            return Err(activity_needed(package));
        }
        prepare.await?;
        return system.launch(package, named.as_deref(), &extras).await;
    }
    // Run at the same time: neither depends on the other, and each is a process on the device.
    let find = async {
        match named {
            Some(named) => Ok(Some(named)),
            None => launchable(device, package).await,
        }
    };
    let (prepared, found) = tokio::join!(prepare, find);
    prepared?;
    let component = found?;
    match component {
        Some(component) => {
            let mut words = vec!["am", "start", "-W", "-n", &component];
            words.extend(extras.iter().map(String::as_str));
            start(device, &words, Some(package), !launch.unconfirmed).await
        }
        None if extras.is_empty() => monkey(device, package).await,
        // `monkey` passes no extras, so an app that needs them would start wrongly.
        None if is_installed(device, package).await? => Err(activity_needed(package)),
        None => Err(not_launched(package, None, false)),
    }
}

/// Clears the app's data or ends the app, then grants all run-time permissions, then sets the named ones one by
/// one, as the launch demands. Clearing also ends the app, so `stop` is then not needed. The named permissions come
/// last, so that they win over `all_permissions`. Stops at the first failure.
async fn prepare(device: &dyn Device, launch: &Launch<'_>) -> Result<(), DeviceError> {
    let package = launch.package;
    // `pm clear` also ends the app.
    if launch.clear {
        clear(device, package).await?;
    } else if launch.stop {
        stop(device, package).await?;
    }
    // After clearing, which revokes run-time permissions.
    if launch.all_permissions {
        grant_all(device, package).await?;
    }
    for (permission, granted) in launch.permissions.into_iter().flatten() {
        set_permission(device, package, permission, *granted).await?;
    }
    Ok(())
}

/// Builds the [`DeviceError::Unsupported`] that extras need the name of an activity.
fn activity_needed(package: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: format!("give extras to '{package}'"),
        missing: "which of its activities to launch is not known; name one with `activity`"
            .to_owned(),
    }
}

/// Builds a component such as `com.example/.Main` from a package and the activity that a flow names. An
/// activity with a slash is returned as it is, one with a dot gets the package in front, and one with neither
/// also the dot.
fn component(package: &str, activity: &str) -> String {
    if activity.contains('/') {
        activity.to_owned()
    } else if activity.contains('.') {
        format!("{package}/{activity}")
    } else {
        format!("{package}/.{activity}")
    }
}

/// Returns the component (`com.example/.Main`) of an app that the launcher starts. If the app has several launcher
/// icons, and so no single answer, it is the first in the app's manifest. `None` if the device does not report any,
/// as for an app that is not installed; `monkey` launches the app then.
pub async fn launchable(device: &dyn Device, package: &str) -> Result<Option<String>, DeviceError> {
    let ask = async |question| {
        let script = Script::command(["cmd", "package", question, "--brief", package]);
        device.shell(&script, QUICK).await
    };
    let resolved = ask("resolve-activity").await?;
    if let Some(component) = components(&resolved.text(), package).next_back() {
        return Ok(Some(component.to_owned()));
    }
    // An app may have two icons, such as one with LeakCanary, and Android would ask which. The app's own is first in its manifest.
    let listed = ask("query-activities").await?;
    Ok(components(&listed.text(), package)
        .next()
        .map(str::to_owned))
}

/// Filters the lines that are a component of the package. Other lines hold priorities, or a chooser of
/// another package.
fn components<'a>(text: &'a str, package: &str) -> impl DoubleEndedIterator<Item = &'a str> {
    text.lines().map(str::trim).filter(move |line| {
        line.split_once('/')
            .is_some_and(|(owner, activity)| owner == package && !activity.contains(' '))
    })
}

/// Launches by `monkey`, on releases whose package manager cannot resolve an app's activity. Does not check
/// that the app comes to the front.
///
/// # Errors
/// Fails if `monkey` injected no event; the error says whether the package is not installed or has no
/// activity for the launcher.
async fn monkey(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    let script = Script::command([
        "monkey",
        "-p",
        package,
        "-c",
        "android.intent.category.LAUNCHER",
        "1",
    ]);
    let output = device.shell(&script, LAUNCH_LIMIT).await?;
    if output.message().contains("Events injected: 1") {
        return Ok(());
    }
    let installed = is_installed(device, package).await?;
    Err(not_launched(package, output.exit_code, installed))
}

/// Builds the [`DeviceError::Command`] of an app that cannot be launched: not installed, or without a launchable
/// activity.
fn not_launched(package: &str, exit_code: Option<i32>, installed: bool) -> DeviceError {
    DeviceError::Command {
        command: format!("launch {package}"),
        exit_code,
        output: if installed {
            format!("No launchable activity found for package '{package}'")
        } else {
            format!("package '{package}' is not installed")
        },
    }
}

/// Converts extras into arguments of `am start`, in their order: texts as `--es`, booleans as `--ez`, whole numbers
/// as `--ei` if they fit 32 bits and as `--el` if they fit 64, other numbers as `--ef`, and null as `--esn`.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for a list or an object.
fn extras_words(extras: &IndexMap<String, serde_json::Value>) -> Result<Vec<String>, DeviceError> {
    use serde_json::Value;
    let mut words = Vec::new();
    for (name, value) in extras {
        let (flag, text) = match value {
            Value::String(text) => ("--es", text.clone()),
            Value::Bool(flag) => ("--ez", flag.to_string()),
            // `getIntExtra` does not find a long, so a number is passed as one only if it needs to be.
            Value::Number(number) => match number.as_i64() {
                Some(whole) if i32::try_from(whole).is_ok() => ("--ei", whole.to_string()),
                Some(whole) => ("--el", whole.to_string()),
                None => ("--ef", number.to_string()),
            },
            Value::Null => {
                words.extend(["--esn".to_owned(), name.clone()]);
                continue;
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(DeviceError::Unsupported {
                    what: format!("take the extra '{name}'"),
                    missing: "extras are texts, booleans or numbers".to_owned(),
                });
            }
        };
        words.extend([flag.to_owned(), name.clone(), text]);
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[tokio::test]
    async fn extras_are_not_dropped_where_no_activity_is_known() {
        let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
            stdout: if script.starts_with("pm path a.b") {
                b"package:/data/app/base.apk\n".to_vec()
            } else {
                Vec::new()
            },
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let extras = IndexMap::from([("id".to_owned(), serde_json::json!(7))]);
        for (package, says) in [("a.b", "`activity`"), ("c.d", "not installed")] {
            let wanted = Launch {
                package,
                extras: Some(&extras),
                ..Launch::default()
            };
            let error = launch(fake.as_ref(), &wanted)
                .await
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_component_is_a_package_and_an_activity() {
        for (activity, whole) in [
            (".Main", "a.b/.Main"),
            ("Main", "a.b/.Main"),
            ("c.d.Main", "a.b/c.d.Main"),
            ("x.y/.Main", "x.y/.Main"),
        ] {
            assert_eq!(component("a.b", activity), whole);
        }
    }

    #[test]
    fn the_resolved_activity_is_the_last_line_of_the_package() {
        let text = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.example/.Main\n";
        let last = |text| components(text, "com.example").next_back();
        assert_eq!(last(text), Some("com.example/.Main"));
        assert_eq!(last("No activity found"), None);
        let chooser = "priority=0\nandroid/com.android.internal.app.ResolverActivity";
        assert_eq!(last(chooser), None);
    }

    /// Two entries in the launcher of the same package, as `LeakCanary` adds one.
    #[tokio::test]
    async fn the_first_of_two_icons_is_the_apps_own() {
        let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
            stdout: if script.contains("resolve-activity") {
                b"priority=0\nandroid/com.android.internal.app.ResolverActivity\n".to_vec()
            } else if script.contains("query-activities") {
                b"2 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0\n    a.b/.Main\n  Activity #1:\n    priority=0 preferredOrder=0\n    a.b/leakcanary.internal.activity.LeakLauncherActivity\n".to_vec()
            } else {
                b"Status: ok\nActivity: a.b/.Main\n".to_vec()
            },
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let wanted = Launch {
            package: "a.b",
            ..Launch::default()
        };
        launch(fake.as_ref(), &wanted).await.unwrap();
        let scripts = fake.with(|state| state.scripts.clone());
        assert_eq!(scripts.last().unwrap(), "am start -W -n a.b/.Main");
    }

    #[test]
    fn extras_have_types() {
        let extras: IndexMap<String, serde_json::Value> = serde_json::from_str(
            r#"{"name": "Ada $(id)", "on": true, "n": 3, "big": 3000000000, "half": 0.5, "none": null}"#,
        )
        .unwrap();
        let script = Script::command(extras_words(&extras).unwrap());
        assert_eq!(
            script.text(),
            "--es name 'Ada $(id)' --ez on true --ei n 3 --el big 3000000000 --ef half 0.5 --esn none"
        );
        let nested = IndexMap::from([("x".to_owned(), serde_json::json!([1]))]);
        assert!(matches!(
            extras_words(&nested),
            Err(DeviceError::Unsupported { .. })
        ));
    }
}
