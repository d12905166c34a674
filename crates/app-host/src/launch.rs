//! What starts an app's process: parts, a JDK, the host and the app's classes, put together.

use std::path::Path;
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use runner_dex::{DexError, Hierarchy, Options};
use runner_virtual_device::hosted::HostedApp;
use serde_json::json;

use crate::apk::{Apk, ApkProblem};
use crate::classes::{self, ClassesError, Translator};
use crate::conf;
use crate::device::{DeviceHosts, LaunchFolders};
use crate::host_jar::{self, HostJarError};
use crate::jdk::{Jdk, JdkError};
use crate::parts::{Parts, PartsError};
use crate::places::Places;
use crate::process::{HostError, HostSpec, START_LIMIT};

/// The largest heap of an app's process, in MiB.
const HEAP_MIB: u32 = 640;

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
/// device.
///
/// # Errors
/// [`LaunchError`]: what is missing on this computer, or which APK does not do.
pub fn prepare(apks: &[Utf8PathBuf], places: &Places) -> Result<HostedApps, LaunchError> {
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
    let launcher = Launcher {
        jdk: Jdk::find(places)?,
        parts,
        variables: places.variables.clone(),
    };
    let launch =
        Box::new(move |app: &HostedApp, folders: &LaunchFolders| launcher.spec(app, folders));
    let hosts = DeviceHosts::new(true, launch)?;
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

/// What all processes have in common.
struct Launcher {
    parts: Parts,
    jdk: Jdk,
    variables: Vec<(String, String)>,
}

impl Launcher {
    fn spec(&self, app: &HostedApp, folders: &LaunchFolders) -> Result<HostSpec, HostError> {
        let failed = |message: String| HostError::Launch(message);
        // Read anew: a build may have replaced it.
        let apk = Apk::read(&app.apk).map_err(|error| failed(error.to_string()))?;
        let folder = folders.processes.join("apk").join(&apk.digest[..16]);
        fs_err::create_dir_all(&folder).map_err(HostError::Folder)?;
        // A copy: a build that runs while the app does changes nothing under it.
        let copy = folder.join("base.apk");
        if !copy.is_file() {
            fs_err::copy(&apk.path, &copy).map_err(HostError::Folder)?;
        }
        let conf = conf::write(&apk, &copy, &folder).map_err(HostError::Folder)?;
        let host = host_jar::host_jar(&self.parts, &self.jdk)
            .map_err(|error: HostJarError| failed(error.to_string()))?;
        let translator = DexTranslator {
            jdk: &self.jdk.home,
        };
        let classes = classes::translated(&apk, &self.parts, &translator)
            .map_err(|error: ClassesError| failed(error.to_string()))?;
        let mut class_path = vec![host];
        class_path.extend(self.parts.class_path());
        class_path.extend([classes, conf]);
        Ok(HostSpec {
            java: self.jdk.java(),
            class_path,
            parts: self.parts.jars(),
            folder: folders.processes.clone(),
            data_dir: Some(folders.data.clone()),
            package: apk.manifest.package.clone(),
            config: json!({
                "width": 1080, "height": 2400, "density": 480, "locale": "en",
                "insets": { "status": 72, "navigation": 144, "ime": 0 },
            }),
            real_time: false,
            heap_mib: HEAP_MIB,
            options: options(&self.parts, &apk),
            variables: self.variables.clone(),
            limit: START_LIMIT,
        })
    }
}

/// Options of the JVM that make its start short. The better compiler does not pay for an app that runs for seconds, nor do the
/// threads of another collector on two processors. The names of the classes that the app used are kept, and a spare
/// process loads those.
fn options(parts: &Parts, apk: &Apk) -> Vec<String> {
    let profiles = parts.cache("profiles");
    let mut options = vec![
        "-XX:TieredStopAtLevel=1".to_owned(),
        "-XX:+UseSerialGC".to_owned(),
    ];
    if fs_err::create_dir_all(&profiles).is_ok() {
        let profile = profiles.join(format!("{}.classes", &apk.code[..16]));
        options.push(format!("-Drunner.host.profile={profile}"));
    }
    options
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
