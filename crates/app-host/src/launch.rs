//! Combines parts, a JDK, the host and the app's classes into the command for an app's process.

use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use runner_dex::{DexError, Hierarchy, Options};
use runner_virtual_device::app_host::HostedApp;

use crate::apk::{Apk, ApkProblem};
use crate::classes::Translator;
use crate::device::{DeviceHosts, LaunchFolders};
use crate::host::{CACHE, Host};
use crate::jdk::{Jdk, JdkError};
use crate::parts::{Parts, PartsError};
use crate::places::Places;
use crate::prepare::{Code, PrepareError, PreparedApk};
use crate::process::{HostError, HostSpec};

/// Reason why an app cannot run on this computer. It is never the app's failure.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// The file is no APK, or an unsupported one.
    #[error(transparent)]
    Apk(#[from] ApkProblem),
    /// The app's code is in native libraries.
    #[error(
        "{apk} is made with {framework}: its code is in native libraries, which need a phone or an emulator"
    )]
    Native {
        apk: Utf8PathBuf,
        /// Framework that the app is made with.
        framework: &'static str,
    },
    #[error("{first} and {second} are both the app `{package}`; name one of them")]
    Twice {
        package: String,
        first: Utf8PathBuf,
        second: Utf8PathBuf,
    },
    #[error("`--classes` stands for the code of one APK; name one with `--app`")]
    ClassesOfSeveral,
    #[error(transparent)]
    Parts(#[from] PartsError),
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// A folder or a thread cannot be created.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// Apps of a device, with their processes.
pub struct HostedApps {
    pub apps: Vec<HostedApp>,
    pub hosts: Arc<DeviceHosts>,
}

/// Reads APKs, prepares to run them and starts a process of each. Returns when that of the first APK is ready, or has
/// failed, which is not an error yet. Files of their processes are in a temporary folder, which is removed with the
/// device. `classes` is a build's class path, which replaces the code of the only APK.
///
/// # Errors
///
/// Returns a [`LaunchError`]: something is missing on this computer, two APKs have one package, an APK cannot be run or
/// is made with a framework of native code, or there is `classes` without exactly one APK.
pub fn prepare(
    apks: &[Utf8PathBuf],
    classes: Option<String>,
    places: &Places,
) -> Result<HostedApps, LaunchError> {
    if classes.is_some() && apks.len() != 1 {
        return Err(LaunchError::ClassesOfSeveral);
    }
    let mut apps: Vec<HostedApp> = Vec::new();
    for path in apks {
        let apk = read(path)?;
        let package = &apk.manifest.package;
        if let Some(other) = apps.iter().find(|app| app.manifest.package == *package) {
            return Err(LaunchError::Twice {
                package: package.clone(),
                first: other.apk.clone(),
                second: path.clone(),
            });
        }
        apps.push(HostedApp {
            apk: path.clone(),
            manifest: Arc::new(apk.manifest),
        });
    }
    let parts = Parts::at(&places.parts);
    parts.require()?;
    Jdk::find(places)?;
    let places = places.clone();
    let launch = Box::new(move |app: &HostedApp, folders: &LaunchFolders| {
        let host = Host::new(&places).map_err(|error| HostError::Launch(error.to_string()))?;
        spec(app, classes.as_deref(), host, &places, folders)
            .map_err(|error| HostError::Launch(error.to_string()))
    });
    let hosts = DeviceHosts::new(launch)?;
    hosts.warm_up(&apps)?;
    Ok(HostedApps {
        apps,
        hosts: Arc::new(hosts),
    })
}

/// Reads an APK. Fails if its code is in native libraries, as that of some frameworks.
fn read(path: &Utf8Path) -> Result<Apk, LaunchError> {
    let apk = Apk::read(path)?;
    match apk.native_framework() {
        Some(framework) => Err(LaunchError::Native {
            apk: path.to_owned(),
            framework,
        }),
        None => Ok(apk),
    }
}

/// Returns the command for an app's process, with its data folder kept between processes. Translates its code if that
/// is not in the cache, which takes seconds. Reads the APK each time, as a build may have replaced it. `classes`
/// replaces its code.
fn spec(
    app: &HostedApp,
    classes: Option<&str>,
    host: Host,
    places: &Places,
    folders: &LaunchFolders,
) -> Result<HostSpec, PrepareError> {
    let home = host.jdk.home.clone();
    let translator = DexTranslator { jdk: &home };
    let code = match classes {
        Some(class_path) => Code::ClassPath {
            class_path,
            root: &places.working_folder,
        },
        None => Code::Dex(&translator),
    };
    let profiles = host.parts.cache(CACHE);
    let prepared = PreparedApk::new(&app.apk, code, host)?;
    let mut spec = prepared.spec(&folders.processes, false);
    spec.data_dir = Some(folders.data.clone());
    spec.options.push(profile(&profiles, &prepared.apk));
    Ok(spec)
}

/// Returns the option that makes the host record the names of classes that the app uses; a spare process
/// preloads those.
fn profile(folder: &Utf8Path, apk: &Apk) -> String {
    let name = format!("{}.classes", &apk.code[..16]);
    format!("-Drunner.host.profile={}", folder.join(name))
}

/// Implements [`Translator`] with [`runner_dex`].
struct DexTranslator<'a> {
    jdk: &'a Utf8Path,
}

impl Translator for DexTranslator<'_> {
    fn version(&self) -> &str {
        runner_dex::VERSION
    }

    /// Reads the framework and the JDK, translates the APK, and writes the jar. The error is a sentence.
    fn translate(
        &self,
        apk: &Utf8Path,
        framework: &Utf8Path,
        jar: &Utf8Path,
    ) -> Result<(), String> {
        let said = |error: DexError| error.to_string();
        let mut hierarchy = Hierarchy::new();
        hierarchy.add_jar(Path::new(framework)).map_err(said)?;
        hierarchy.add_jdk(Path::new(self.jdk)).map_err(said)?;
        let translation =
            runner_dex::translate(Path::new(apk), &hierarchy, &Options::default()).map_err(said)?;
        translation.write_jar(Path::new(jar)).map_err(said)
    }
}
