//! Arguments that several subcommands share: devices, the adb server, flows.

mod values;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;

use super::error::CliError;
use super::setting_flags::SettingFlags;
use super::{completions, output};
use crate::app_host::process::SEPARATOR;
use crate::config::{FlagGroup, Overrides};
use crate::virtual_device::app_advice;

/// Which device, and which adb server knows it.
#[derive(Debug, Clone, Default, Args)]
pub struct DeviceSelection {
    /// Device: a serial, HOST:PORT, or `virtual`; may be given several times
    #[arg(long = "device", alias = "udid", short = 'd', value_name = "SERIAL|virtual", value_parser = values::device, add = completions::devices())]
    pub devices: Vec<String>,
    /// App under test: an APK, or a folder with an app.yaml; may be given several times. The virtual device runs it, a phone gets it installed [default: `apps` of runner.yaml, for the virtual device]
    #[arg(long = "app", value_name = "APK|DIR", value_parser = values::app)]
    pub apps: Vec<Utf8PathBuf>,
    /// Class path of the app's own build, for the virtual device to run instead of the code in the one APK of `--app`: jars and folders
    #[arg(long, value_name = "PATHS", requires = "apps")]
    pub classes: Option<String>,
    #[command(flatten)]
    pub settings: SettingFlags<{ FlagGroup::Device as u8 }>,
    #[command(flatten)]
    pub server: ServerSelection,
}

impl DeviceSelection {
    /// Returns the settings that these arguments override, with those of the adb server. What was not given
    /// overrides nothing.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            devices: self.devices.clone(),
            apps: self.apps.clone(),
            classes: self.classes.clone(),
            settings: self.settings.given(),
            ..self.server.overrides()
        }
    }

    /// Checks that the apps of `--app` and the jars and folders of `--classes` are there, relative to `folder`. What is
    /// in them is not looked at. Each subcommand does so before it opens a device.
    ///
    /// # Errors
    /// Returns an error of usage for the first that is not.
    pub fn check_apps(&self, folder: &Utf8Path) -> Result<(), CliError> {
        apps_exist(&self.apps, self.classes.as_deref(), folder)
    }
}

/// Checks that apps and the entries of a class path are there, relative to `folder`. What is in them is not looked at.
///
/// # Errors
/// Returns an error of usage for the first that is not.
pub(super) fn apps_exist(
    apps: &[Utf8PathBuf],
    classes: Option<&str>,
    folder: &Utf8Path,
) -> Result<(), CliError> {
    const BUILD: &str = "build it first, or correct the path";
    // A link that leads nowhere is told by whoever opens it.
    let is_missing = |path: &Utf8Path| folder.join(path).symlink_metadata().is_err();
    if let Some(app) = apps.iter().find(|app| is_missing(app)) {
        let advice = app_advice(&folder.join(app), app);
        let advice = advice.unwrap_or_else(|| BUILD.to_owned());
        return Err(CliError::Usage(format!(
            "`--app`: {app} is not there; {advice}"
        )));
    }
    let entries = classes.into_iter().flat_map(|path| path.split(SEPARATOR));
    let mut entries = entries.filter(|entry| !entry.is_empty());
    match entries.find(|entry| is_missing(Utf8Path::new(entry))) {
        Some(entry) => Err(CliError::Usage(format!(
            "`--classes`: {entry} is not there; {BUILD}"
        ))),
        None => Ok(()),
    }
}

/// Which adb server.
#[derive(Debug, Clone, Default, Args)]
pub struct ServerSelection {
    /// Host of the adb server [default: `ADB_SERVER_SOCKET` or localhost]
    #[arg(long = "adb-host", short = 'H', value_name = "HOST", value_parser = values::adb_host)]
    pub host: Option<String>,
    /// Port of the adb server [default: `ANDROID_ADB_SERVER_PORT` or 5037]
    #[arg(long = "adb-port", short = 'P', value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    pub port: Option<u16>,
}

impl ServerSelection {
    /// Returns host and port of the adb server as overrides; `None` for what was not given.
    pub fn overrides(&self) -> Overrides {
        Overrides {
            adb_host: self.host.clone(),
            adb_port: self.port,
            ..Overrides::default()
        }
    }
}

/// Which flows.
#[derive(Debug, Clone, Default, Args)]
pub struct FlowSelection {
    /// Flow files, folders or globs [default: `flows` of runner.yaml]
    #[arg(value_name = "PATH")]
    pub paths: Vec<Utf8PathBuf>,
}

impl FlowSelection {
    /// Removes the arguments that name no file and returns them: words to find flows by. A word has no slash,
    /// wildcard or extension, and nothing of that name, or of a part of it between commas, is in `folder`. The
    /// others stay in their order. Cuts the line off `flow.yaml:9` if that file exists, with a note; it stays as a
    /// path.
    pub fn take_words(&mut self, folder: &Utf8Path) -> Vec<String> {
        for path in &mut self.paths {
            if let Some(file) = without_line(path).filter(|file| folder.join(file).is_file()) {
                output::note(&format!(
                    "`{path}`: a flow runs as a whole; `runner studio {file}` runs parts of it"
                ));
                *path = file;
            }
        }
        let is_word = |path: &Utf8Path| {
            let is_plain = !path.as_str().contains(['/', '\\', '*', '?', '[', '{']);
            let mut parts = path.as_str().split(',');
            is_plain
                && path.extension().is_none()
                && !folder.join(path).exists()
                // Several paths with commas between them, which is an error of its own.
                && !parts.any(|part| !part.is_empty() && folder.join(part).exists())
        };
        let (words, paths) = std::mem::take(&mut self.paths)
            .into_iter()
            .partition(|path| is_word(path));
        self.paths = paths;
        words.into_iter().map(Utf8PathBuf::into_string).collect()
    }
}

/// Returns the file of `flows/a.yaml:9` and `flows/a.yaml:9:3`. `None` if the path does not end with a number
/// after a colon. The file need not exist.
fn without_line(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let cut = |text: &str| -> Option<String> {
        let (file, line) = text.rsplit_once(':')?;
        let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| file.to_owned())
    };
    let file = cut(path.as_str())?;
    Some(Utf8PathBuf::from(cut(&file).unwrap_or(file)))
}
