//! APKs of the server: finds them on this computer, asks what a device has of them, installs and removes
//! them.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};

use super::error::Uia2Error;
use super::names::{SERVER, TEST};
use crate::{Device, DeviceError, Script, quote};
use runner_text::input_file::read_regular;
use runner_text::secret::OutsideText;

/// npm package that contains the APKs.
pub const NPM_PACKAGE: &str = "appium-uiautomator2-server";
/// Beginning and end of the name of the server's APK; its version stands between.
const SERVER_APK: (&str, &str) = ("appium-uiautomator2-server-v", ".apk");
/// Name of the APK of the instrumentation.
const TEST_APK: &str = "appium-uiautomator2-server-debug-androidTest.apk";
/// Paths of the APKs in a folder of npm packages.
const IN_NODE_MODULES: [&str; 2] = [
    "appium-uiautomator2-server/apks",
    "appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks",
];
/// Limit of a question about packages. Chosen: a loaded emulator takes seconds for it.
const QUICK: Duration = Duration::from_secs(15);
/// Limit of an installation of one APK. Chosen: a phone compiles it first, which may take minutes on a slow
/// one.
const INSTALL_LIMIT: Duration = Duration::from_mins(3);
/// Limit of an APK in bytes. Chosen: the server has 18 MB; a wrong file must not fill memory.
const MAX_APK_BYTES: u64 = 200 << 20;

/// Folders in which to look for the APKs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApkPlaces {
    /// `uia2` of runner.yaml: a folder of the APKs, or of npm packages around them.
    pub configured: Option<Utf8PathBuf>,
    /// Folder of the project; its `node_modules` and those of the folders above are searched.
    pub project: Option<Utf8PathBuf>,
    /// `$APPIUM_HOME`, or `~/.appium`.
    pub appium: Option<Utf8PathBuf>,
    /// Folder of `runner driver install uia2`.
    pub own: Option<Utf8PathBuf>,
}

/// Pair of APKs on this computer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apks {
    pub folder: Utf8PathBuf,
    /// Version of the server, such as `10.6.6`.
    pub version: String,
}

#[derive(Debug, thiserror::Error)]
pub enum ApksError {
    #[error(
        "the APKs of the UiAutomator2 server are nowhere to be found; run `runner driver install uia2`, or name their folder with `uia2:` in runner.yaml"
    )]
    NotFound,
    /// The path in runner.yaml has no APKs.
    #[error(
        "`uia2: {0}` of runner.yaml has no APKs of the UiAutomator2 server (`appium-uiautomator2-server-v….apk` and `{TEST_APK}`)"
    )]
    NotThere(Utf8PathBuf),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The device refuses an installation.
    #[error("the device does not install {package}: {message}")]
    Refused {
        package: &'static str,
        message: String,
    },
    #[error(transparent)]
    Device(#[from] DeviceError),
}

impl ApkPlaces {
    /// Finds the APKs. If runner.yaml names a path, only that is searched, with `apks` and `node_modules` in it.
    /// Else the first place counts that has both APKs in `node_modules`: the project's folder and all folders above
    /// it, Appium's, this program's own folder.
    ///
    /// # Errors
    /// Returns [`ApksError::NotThere`] if the path of runner.yaml has none, and [`ApksError::NotFound`] if no place
    /// has any.
    pub fn find(&self) -> Result<Apks, ApksError> {
        if let Some(named) = &self.configured {
            return find_near(named).ok_or_else(|| ApksError::NotThere(named.clone()));
        }
        let upwards = self.project.iter().flat_map(|project| project.ancestors());
        let homes = self.appium.iter().chain(&self.own);
        upwards
            .chain(homes.map(Utf8PathBuf::as_path))
            .find_map(|folder| in_packages(&folder.join("node_modules")))
            .ok_or(ApksError::NotFound)
    }
}

/// Finds APKs in `folder`, then in its subfolder `apks`, then where npm installs them in it or in its
/// `node_modules`. The first place with both APKs counts.
fn find_near(folder: &Utf8Path) -> Option<Apks> {
    let packages = || in_packages(folder).or_else(|| in_packages(&folder.join("node_modules")));
    in_folder(folder)
        .or_else(|| in_folder(&folder.join("apks")))
        .or_else(packages)
}

fn in_packages(folder: &Utf8Path) -> Option<Apks> {
    IN_NODE_MODULES
        .iter()
        .find_map(|apks| in_folder(&folder.join(apks)))
}

/// Returns the pair of the newest version in a folder, by number and not by text. `None` if the test APK or
/// every server APK is missing, or the folder cannot be read.
fn in_folder(folder: &Utf8Path) -> Option<Apks> {
    if !folder.join(TEST_APK).is_file() {
        return None;
    }
    let (before, after) = SERVER_APK;
    let version = folder
        .read_dir_utf8()
        .ok()?
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let version = entry.file_name().strip_prefix(before)?;
            version.strip_suffix(after).map(str::to_owned)
        })
        .max_by_key(|version| numbers(version))?;
    Some(Apks {
        folder: folder.to_owned(),
        version,
    })
}

/// Splits a version such as `10.6.6` into numbers, for comparison. A part that is no number counts as 0.
fn numbers(version: &str) -> Vec<u64> {
    version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

impl Apks {
    fn server(&self) -> Utf8PathBuf {
        let (before, after) = SERVER_APK;
        self.folder.join(format!("{before}{}{after}", self.version))
    }

    /// Returns true if these APKs are newer than those of the device, by number, or if the device reports no
    /// version.
    pub fn are_newer_than(&self, installed: &InstalledServer) -> bool {
        installed
            .version
            .as_deref()
            .is_none_or(|version| numbers(&self.version) > numbers(version))
    }
}

/// Server as installed on a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledServer {
    /// Version, if the device reports it.
    pub version: Option<String>,
    /// Set if the instrumentation is installed too, without which the server cannot start.
    pub is_complete: bool,
}

/// Asks for the server on a device; `None` if neither package is installed. `is_complete` is set only if the
/// test package is there too. The version is that of the server's package, `None` if it is not reported.
///
/// # Errors
/// Fails if the device does not answer.
pub async fn installed(device: &dyn Device) -> Result<Option<InstalledServer>, DeviceError> {
    let script = Script::raw(
        format!(
            "pm path {SERVER} 2>/dev/null; pm path {TEST} 2>/dev/null && echo whole; dumpsys package {SERVER} 2>/dev/null | grep versionName="
        ),
        "pm path",
    );
    let output = device.shell(&script, QUICK).await?;
    let text = output.text();
    if !text.contains("package:") {
        return Ok(None);
    }
    let version = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("versionName="));
    Ok(Some(InstalledServer {
        version: version.map(|version| version.trim().to_owned()),
        is_complete: text.lines().any(|line| line.trim() == "whole"),
    }))
}

/// Installs the APKs if a package is missing or older than those found; an unknown version counts as older. If
/// both packages are installed, it is no error that no APKs are on this computer; a path in runner.yaml without
/// APKs is one.
///
/// # Errors
/// Returns [`Uia2Error::NotInstalled`] if APKs are needed and not found, cannot be read, or are refused, and
/// the device's error if it fails.
pub(super) async fn ensure(device: &dyn Device, places: &ApkPlaces) -> Result<(), Uia2Error> {
    let not_installed = |error: ApksError| match error {
        ApksError::Device(error) => error.into(),
        error => Uia2Error::NotInstalled(error.to_string()),
    };
    let there = installed(device).await?.filter(|there| there.is_complete);
    let apks = match (places.find(), &there) {
        (Ok(apks), Some(there)) if !apks.are_newer_than(there) => return Ok(()),
        (Ok(apks), _) => apks,
        (Err(ApksError::NotFound), Some(_)) => return Ok(()),
        (Err(error), _) => return Err(not_installed(error)),
    };
    install(device, &apks).await.map_err(not_installed)
}

/// Installs both APKs, first the server and then its test, and replaces older ones. Grants all permissions.
/// The copies on the device are removed, also what came of one that did not arrive whole; if the second is
/// refused, the first stays installed.
///
/// # Errors
/// Returns an [`ApksError`] if a file cannot be read or the device refuses it.
pub async fn install(device: &dyn Device, apks: &Apks) -> Result<(), ApksError> {
    for (package, file) in [(SERVER, apks.server()), (TEST, apks.folder.join(TEST_APK))] {
        let bytes = read(&file)?;
        let remote = format!("/data/local/tmp/runner-{package}.apk");
        let path = quote(&remote);
        if let Err(error) = device.push(&bytes, &remote, 0o644).await {
            // What arrived would fill the device; the first error says why.
            let _ = device
                .shell(&Script::raw(format!("rm -f {path}"), "rm"), QUICK)
                .await;
            return Err(error.into());
        }
        let script = Script::raw(
            format!("pm install -r -g -t {path}; code=$?; rm -f {path}; (exit $code)"),
            "pm install",
        );
        let output = device.shell(&script, INSTALL_LIMIT).await?;
        if !output.text().contains("Success") {
            return Err(ApksError::Refused {
                package,
                message: advice(&output.message()),
            });
        }
        tracing::info!(target: "uia2", package, version = ?apks.version, "installed");
    }
    Ok(())
}

fn read(file: &Utf8Path) -> Result<Vec<u8>, ApksError> {
    Ok(read_regular(file, MAX_APK_BYTES).map_err(std::io::Error::from)?)
}

/// Marks the device's message about a refused APK to be cut after 300 characters, and appends advice if it names
/// another signature, a restriction by the phone's maker, or a release before Android 8.
fn advice(message: &OutsideText) -> String {
    let advice = if message.contains("INSTALL_FAILED_UPDATE_INCOMPATIBLE") {
        "; another build of it is installed: run `runner driver remove uia2` first"
    } else if message.contains("USER_RESTRICTED") {
        "; allow \"Install via USB\" in the developer options"
    } else if message.contains("OLDER_SDK") {
        "; it needs Android 8 or newer"
    } else {
        ""
    };
    format!("{}{advice}", message.excerpt(300))
}

/// Uninstalls both packages. Returns false if neither was installed.
///
/// # Errors
/// Fails if the device does not answer, or one package stays.
pub async fn remove(device: &dyn Device) -> Result<bool, ApksError> {
    if installed(device).await?.is_none() {
        return Ok(false);
    }
    // Only one of the two packages may be installed, so a missing one is no failure.
    let script = Script::raw(
        format!("pm uninstall {TEST}; pm uninstall {SERVER}"),
        "pm uninstall",
    );
    let output = device.shell(&script, QUICK).await?;
    match installed(device).await? {
        None => Ok(true),
        Some(_) => Err(ApksError::Device(DeviceError::Command {
            command: "pm uninstall".to_owned(),
            exit_code: output.exit_code,
            output: output.message().excerpt(300).to_string(),
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(root: &Utf8Path, path: &str, version: &str) {
        let folder = root.join(path);
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join(TEST_APK), "").unwrap();
        let server = format!("appium-uiautomator2-server-v{version}.apk");
        fs_err::write(folder.join(server), "").unwrap();
    }

    #[test]
    fn apks_are_found_where_npm_puts_them() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        let project = root.join("a/b");
        fs_err::create_dir_all(&project).unwrap();
        let mut places = ApkPlaces {
            project: Some(project),
            appium: Some(root.join("appium")),
            own: Some(root.join("own")),
            configured: None,
        };
        assert!(matches!(places.find(), Err(ApksError::NotFound)));
        // Each place wins over the one before.
        for (folder, version) in [
            ("own/node_modules/appium-uiautomator2-server/apks", "1.0.0"),
            (
                "appium/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks",
                "2.0.0",
            ),
            ("node_modules/appium-uiautomator2-server/apks", "3.0.0"),
            (
                "a/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks",
                "4.0.0",
            ),
            ("named/apks", "5.0.0"),
        ] {
            folder_with(root, folder, version);
            if folder.starts_with("named") {
                places.configured = Some(root.join("named"));
            }
            assert_eq!(places.find().unwrap().version, version);
        }
        places.configured = Some(root.join("a"));
        assert_eq!(places.find().unwrap().version, "4.0.0");
        places.configured = Some(root.join("nowhere"));
        assert!(matches!(places.find(), Err(ApksError::NotThere(_))));
    }

    #[tokio::test]
    async fn an_apk_that_did_not_arrive_leaves_no_part() {
        let temp = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(temp.path()).unwrap();
        folder_with(root, "apks", "1.0.0");
        let apks = in_folder(&root.join("apks")).unwrap();
        let fake = crate::fake::Fake::showing([""]);
        fake.with(|state| state.refuses_files = true);
        install(fake.as_ref(), &apks).await.unwrap_err();
        let scripts = fake.with(|state| state.scripts.clone());
        let removed = format!("rm -f /data/local/tmp/runner-{SERVER}.apk");
        assert_eq!(scripts, [removed]);
    }

    #[test]
    fn versions_compare_as_numbers() {
        let apks = Apks {
            folder: "x".into(),
            version: "10.6.6".to_owned(),
        };
        for (version, newer) in [
            (Some("9.11.1"), true),
            (Some("10.6.6"), false),
            (Some("10.10.0"), false),
            (None, true),
        ] {
            let installed = InstalledServer {
                version: version.map(str::to_owned),
                is_complete: true,
            };
            assert_eq!(apks.are_newer_than(&installed), newer, "{version:?}");
        }
    }
}
