//! Installs and uninstalls apps.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use super::check::{check_part, check_success};
use crate::command::{QUICK, no_effect};
use crate::files::read_local;
use crate::{Device, DeviceError, Script, quote};

/// Limit of an installation. Chosen: large APKs are compiled during it, which takes minutes on old phones.
const INSTALL_LIMIT: Duration = Duration::from_mins(5);

/// Folder on the device for packages before they are installed; the shell may write there, and the package
/// manager read.
const STAGING: &str = "/data/local/tmp";

/// Installs an APK, or a folder that is an app of the virtual device. An installed app is replaced and keeps its
/// data; test-only APKs are allowed; the copy on the device is removed in any case. A device behind a server leaves
/// all of this to the server.
///
/// # Errors
/// Fails if the source cannot be read, the device refuses it, or no package has a new path afterwards. An error of
/// the installation wins over one of removing the copy.
pub async fn install(device: &dyn Device, source: &Path) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.install(source).await;
    }
    let name = format!("runner-install-{:012x}", fastrand::u64(..1 << 48));
    let (remote, sent) = if is_folder(source).await {
        let remote = format!("{STAGING}/{name}");
        let sent = crate::files::push_tree(device, source, &remote).await;
        (remote, sent)
    } else {
        let remote = format!("{STAGING}/{name}.apk");
        let bytes = read_local(source)
            .await
            .map_err(|why| DeviceError::Command {
                command: format!("install {}", source.display()),
                exit_code: None,
                output: why.to_string(),
            })?;
        let sent = device.push(&bytes, &remote, 0o644).await;
        (remote, sent)
    };
    // `-t` allows the test-only APKs that Android Studio builds.
    let install = Script::command(["pm", "install", "-r", "-t", &remote]);
    let result = match sent {
        Ok(()) => install_package(device, &install).await,
        Err(error) => Err(error),
    };
    let clean_up = Script::command(["rm", "-rf", &remote]);
    let cleaned = device.shell(&clean_up, QUICK).await;
    // The installation's error matters more than that of removing the copy.
    result?;
    cleaned.map(drop)
}

/// Uninstalls an app with its data, within five minutes. A device behind a server leaves this to the server.
///
/// # Errors
/// Fails if the device does not print `Success`, such as for an app that is not installed, or if the package still
/// has a path below `/data/`. A system app that falls back to its built-in version is no error.
pub async fn uninstall(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.uninstall(package).await;
    }
    let command = Script::command(["pm", "uninstall", package]);
    let script = Script::raw(
        format!("{}; pm path {}; true", command.text(), quote(package)),
        command.label().to_owned(),
    );
    let output = device.shell(&script, INSTALL_LIMIT).await?;
    check_success(&command, &output)?;
    // Uninstalling a system app removes its updates only.
    match output
        .text()
        .lines()
        .find(|line| line.trim().starts_with("package:/data/"))
    {
        Some(path) => Err(no_effect(
            &command,
            format!("it is still at {}", path.trim()),
        )),
        None => Ok(()),
    }
}

/// Runs a `pm install` and verifies it. Android gives a package a new folder at each installation (AOSP
/// `InstallPackageHelper.java`), so the list of packages with their paths must differ afterwards.
///
/// # Errors
/// Fails if the device does not print `Success`, or if both lists are the same and not empty. Missing lists
/// are no error.
async fn install_package(device: &dyn Device, command: &Script) -> Result<(), DeviceError> {
    const LIST: &str = "{ pm list packages -f || pm list packages -f --user 0; } 2>/dev/null";
    let script = Script::raw(
        format!(
            "{LIST}; echo {INSTALLING}; {}; echo {INSTALLED}; {LIST}; true",
            command.text()
        ),
        command.label().to_owned(),
    );
    let output = device.shell(&script, INSTALL_LIMIT).await?;
    let text = output.text();
    let parts = text.split_once(INSTALLING).and_then(|(before, rest)| {
        let (said, after) = rest.split_once(INSTALLED)?;
        Some((before, said, after))
    });
    let Some((before, said, after)) = parts else {
        return check_success(command, &output);
    };
    // An error would show the lists in place of the reason.
    check_part(command, &output, said)?;
    let packages = |list: &str| -> BTreeSet<String> {
        let lines = list.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with("package:"))
            .map(ToOwned::to_owned)
            .collect()
    };
    let (before, after) = (packages(before), packages(after));
    if before == after && !after.is_empty() {
        let what = "all packages are where they were before".to_owned();
        return Err(no_effect(command, what));
    }
    Ok(())
}

/// Lines that separate the outputs around a `pm install`.
const INSTALLING: &str = "runner: installing";

const INSTALLED: &str = "runner: installed";

async fn is_folder(path: &Path) -> bool {
    tokio::fs::metadata(path)
        .await
        .is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[tokio::test]
    async fn a_refused_app_is_answered_with_the_reason_and_no_list() {
        let fake = Fake::showing([""]).on_shell(|script| {
            let list = "package:/system/app/A/A.apk=a.b\n";
            let said = "Failure [INSTALL_PARSE_FAILED_NOT_APK]\n";
            let text = format!("{list}{INSTALLING}\n{said}{INSTALLED}\n{list}");
            ShellOutput {
                stdout: if script.contains("pm install") {
                    text.into_bytes()
                } else {
                    Vec::new()
                },
                exit_code: Some(0),
                ..ShellOutput::default()
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let apk = folder.path().join("a.apk");
        fs_err::write(&apk, "x").unwrap();
        let error = install(fake.as_ref(), &apk).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "`pm install -r` failed on the device: Failure [INSTALL_PARSE_FAILED_NOT_APK]"
        );
    }

    #[tokio::test]
    async fn an_app_that_does_not_arrive_leaves_nothing() {
        let fake = Fake::showing([""]);
        fake.with(|state| state.refuses_files = true);
        let folder = tempfile::tempdir().unwrap();
        let apk = folder.path().join("a.apk");
        fs_err::write(&apk, "x").unwrap();
        for source in [folder.path(), &apk] {
            install(fake.as_ref(), source).await.unwrap_err();
            let last = fake.with(|state| state.scripts.pop()).unwrap();
            assert!(last.starts_with("rm -rf /"), "{last}");
        }
    }
}
