//! What starts an app's process: parts, a JDK, the host and the app's classes, put together.

use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use runner_dex::{DexError, Hierarchy, Options};
use runner_virtual_device::hosted::HostedApp;

use crate::apk::{Apk, ApkProblem};
use crate::classes::Translator;
use crate::device::{DeviceHosts, LaunchFolders};
use crate::host::{CACHE, Host};
use crate::jdk::{Jdk, JdkError};
use crate::parts::{Parts, PartsError};
use crate::places::Places;
use crate::prepare::{Code, PrepareError, PreparedApk};
use crate::process::{HostError, HostSpec};

/// Why an app cannot run on this computer. It is never the app's failure.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// A file that is no APK, or one that is not run.
    #[error(transparent)]
    Apk(#[from] ApkProblem),
    /// An app whose code is in native libraries.
    #[error(
        "{apk} is made with {framework}: its code is in native libraries, which need a phone or an emulator"
    )]
    Native {
        /// The APK.
        apk: Utf8PathBuf,
        /// What it is made with.
        framework: &'static str,
    },
    /// Two APKs of one package.
    #[error("{first} and {second} are both the app `{package}`; name one of them")]
    Twice {
        /// The package.
        package: String,
        /// The APK.
        first: Utf8PathBuf,
        /// The other one.
        second: Utf8PathBuf,
    },
    /// A class path, and not one APK that it belongs to.
    #[error("`--classes` stands for the code of one APK; name one with `--app`")]
    ClassesOfSeveral,
    /// The parts are not there.
    #[error(transparent)]
    Parts(#[from] PartsError),
    /// There is no JDK.
    #[error(transparent)]
    Jdk(#[from] JdkError),
    /// A folder or a thread cannot be had.
    #[error(transparent)]
    Host(#[from] HostError),
}

/// Apps that run on a device, and what starts their processes.
pub struct HostedApps {
    /// The apps.
    pub apps: Vec<HostedApp>,
    /// What starts them.
    pub hosts: Arc<DeviceHosts>,
}

/// Reads APKs, and makes ready to run them. Their processes have their files in a temporary folder, which goes with the
/// device. `classes` is a build's class path, which stands for the code of the one APK.
///
/// # Errors
/// [`LaunchError`]: what is missing on this computer, or which APK does not do.
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

/// With what an app's process is started. Read anew each time: a build may have replaced the APK.
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

/// An option by which the names of the classes that the app used are kept; a spare process loads those.
fn profile(folder: &Utf8Path, apk: &Apk) -> String {
    let name = format!("{}.classes", &apk.code[..16]);
    format!("-Drunner.host.profile={}", folder.join(name))
}

/// [`runner_dex`] as a translator.
struct DexTranslator<'a> {
    jdk: &'a Utf8Path,
}

impl Translator for DexTranslator<'_> {
    fn version(&self) -> &str {
        runner_dex::VERSION
    }

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
