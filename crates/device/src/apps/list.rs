//! Lists the installed apps.

use std::collections::HashMap;
use std::time::Duration;

use super::check::has_path;
use crate::command::QUICK;
use crate::message::shorten;
use crate::questions::ask_texts;
use crate::{Device, DeviceError, Feature, ServerSystem, ShellOutput, app_version, quote};
use runner_text::secret::{OutsideText, from_outside};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InstalledApp {
    pub package: String,
    /// Set for an app of the system. Never set by a server without a shell, which does not tell.
    pub system: bool,
    /// Name for people, if the device reports it.
    pub label: Option<String>,
    /// `versionName`, if the device reports it.
    pub version_name: Option<String>,
    /// `versionCode`, if the device reports it.
    pub version_code: Option<u64>,
}

/// Selection of apps to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppFilter {
    All,
    /// Apps that a person installed.
    User,
    System,
}

/// Lists the installed apps of the selection, sorted by package name. Versions and labels are `None` if the
/// device does not report them. If the list for all users is refused, that of user 0 is taken.
///
/// # Errors
/// Returns [`DeviceError::Command`] if the list is empty and a command complained; an empty list without a
/// complaint is a result. Returns [`DeviceError::Unsupported`] for a server without a shell and any filter but
/// [`AppFilter::All`].
pub async fn list(
    device: &dyn Device,
    filter: AppFilter,
) -> Result<Vec<InstalledApp>, DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        return list_from_server(system, filter).await;
    }
    let versions = format!(
        "dumpsys package packages 2>/dev/null | {}",
        app_version::FILTER
    );
    let [of_people, of_system] = package_questions();
    let mut questions = vec![of_people.as_str(), &of_system, &versions];
    if device.info().offers(Feature::AppLabels) {
        questions.push("cmd runner labels");
    }
    let answers = device.ask(&questions, "pm list packages", QUICK).await?;
    let part = |index: usize| {
        let text = answers.get(index).map(ShellOutput::text);
        text.unwrap_or_default().into_owned()
    };
    let versions = app_version::read(&part(2));
    let labels = part(3);
    let labels: HashMap<&str, &str> = labels
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let packages = |index: usize, system: bool| {
        package_names(&part(index))
            .map(|package| {
                let version = versions.get(&package).cloned().unwrap_or_default();
                InstalledApp {
                    label: labels
                        .get(package.as_str())
                        .map(|label| (*label).to_owned()),
                    version_name: version.name,
                    version_code: version.code,
                    package,
                    system,
                }
            })
            .collect::<Vec<_>>()
    };
    let mut apps = Vec::new();
    if filter != AppFilter::System {
        apps.extend(packages(0, false));
    }
    if filter != AppFilter::User {
        apps.extend(packages(1, true));
    }
    // An empty list without an error message is an answer: the phone has no such apps.
    let complaint = answers.iter().find(|answer| !answer.stderr.is_empty());
    if let Some(complaint) = complaint.filter(|_| apps.is_empty()) {
        let words = from_outside(&complaint.stderr);
        return Err(DeviceError::Command {
            command: "pm list packages".to_owned(),
            exit_code: complaint.exit_code,
            output: shorten(&OutsideText::new(&words).lines(1, |_| true)),
        });
    }
    apps.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(apps)
}

/// Packages of a device, asked for because of one that may not be among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packages {
    /// True if the device has a path for the package that was asked for.
    pub is_found: bool,
    /// Those of apps that a person installed, sorted. Empty if the device does not tell them from the others.
    pub of_people: Vec<String>,
    /// The other ones, sorted.
    pub others: Vec<String>,
}

impl Packages {
    /// Iterates over the names of all packages, those of people first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let both = self.of_people.iter().chain(&self.others);
        both.map(String::as_str)
    }

    /// Returns true if it is proved that the package that was asked for is not installed: it has no path, and is in
    /// no list. A device without any app of the system has not answered, so that nothing is proved.
    pub fn lack(&self, package: &str) -> bool {
        !self.is_found
            && !self.others.is_empty()
            && self.names().all(|installed| installed != package)
    }
}

/// Returns the names of all packages, and whether `package` is installed: one round trip of at most `limit`. A
/// complaint is no error, and leaves a list empty. A server without a shell lists all packages as `others`, never
/// sets `is_found`, and is not bounded by `limit`.
///
/// # Errors
/// Fails if the device does not answer in time.
pub async fn packages(
    device: &dyn Device,
    package: &str,
    limit: Duration,
) -> Result<Packages, DeviceError> {
    let mut packages = Packages::default();
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        let apps = system.apps().await?.into_iter();
        packages.others = apps.map(|app| app.package).collect();
    } else {
        let [of_people, of_system] = package_questions();
        let path = format!("pm path {}", quote(package));
        let questions = [of_people.as_str(), of_system.as_str(), path.as_str()];
        let [of_people, of_system, path] =
            ask_texts(device, "pm list packages", questions, limit).await?;
        packages.is_found = has_path(&path);
        packages.of_people = package_names(&of_people).collect();
        packages.others = package_names(&of_system).collect();
    }
    packages.of_people.sort();
    packages.others.sort();
    Ok(packages)
}

/// Returns the commands that list the packages of people and of the system: `pm list packages` alone does not say
/// which is which.
fn package_questions() -> [String; 2] {
    // A private folder of Samsung's is a user that the shell may not read, so listing all users fails.
    // Source: mobile-dev-inc/Maestro#418.
    ["-3", "-s"].map(|kind| format!("pm list packages {kind} || pm list packages {kind} --user 0"))
}

/// Lists the apps that a server reports, sorted by package name. Labels and version names are `None`, and all
/// apps are marked as not the system's, as the server knows neither.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for any filter but [`AppFilter::All`].
async fn list_from_server(
    system: &dyn ServerSystem,
    filter: AppFilter,
) -> Result<Vec<InstalledApp>, DeviceError> {
    if filter != AppFilter::All {
        return Err(DeviceError::Unsupported {
            what: "tell apps of the system from others".to_owned(),
            missing: "its server lists them together; ask for all apps".to_owned(),
        });
    }
    let apps = system.apps().await?.into_iter();
    let mut apps: Vec<InstalledApp> = apps
        .map(|app| InstalledApp {
            package: app.package,
            system: false,
            label: None,
            version_name: None,
            version_code: app.version_code,
        })
        .collect();
    apps.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(apps)
}

/// Parses package names from `package:com.example` lines, with or without the fields of newer flags. Assumes
/// no `-f`, which puts a path before the name (recordings `pm_list--vidstige__jadb__*`, AOSP
/// `PackageManagerShellCommand.java`).
fn package_names(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("package:")?;
        name.split_whitespace().next().map(str::to_owned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_that_came_proves_that_an_app_is_missing() {
        let list = |of_people: &[&str], others: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            Packages {
                is_found: false,
                of_people: owned(of_people),
                others: owned(others),
            }
        };
        for (packages, package, is_missing) in [
            (list(&["a.b"], &["android"]), "a.c", true),
            (list(&["a.b"], &["android"]), "a.b", false),
            (list(&["a.b"], &["android"]), "android", false),
            // The list of the system did not come.
            (list(&["a.b"], &[]), "a.c", false),
            (list(&[], &[]), "a.c", false),
        ] {
            assert_eq!(packages.lack(package), is_missing, "{packages:?} {package}");
            // It has a path, so that a list was cut off.
            let is_found = true;
            let found = Packages {
                is_found,
                ..packages
            };
            assert!(!found.lack(package), "{package}");
        }
    }

    #[test]
    fn package_lists_read() {
        let Some(text) =
            runner_testing::recorded_text("commands/packages--appium-adb__app-commands_L117.txt")
        else {
            return;
        };
        let names: Vec<String> = package_names(&text).collect();
        assert_eq!(
            names,
            [
                "com.android.managedprovisioning",
                "com.google.android.apps.wallpaper.nexus",
                "com.android.chrome"
            ]
        );
    }

    #[test]
    fn every_recorded_package_is_listed() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/pm_list--") && !name.contains("/packages--") {
                continue;
            }
            let text = from_outside(&bytes);
            let written = text
                .lines()
                .filter(|line| line.trim().starts_with("package:"));
            let names: Vec<String> = package_names(&text).collect();
            assert_eq!(names.len(), written.count(), "{name}");
        }
    }
}
