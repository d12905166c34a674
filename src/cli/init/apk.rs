//! First flow of a project for an APK that the virtual device runs.

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::flow_text;

use crate::app_host::apk::Apk;
use crate::cli::error::CliError;
use crate::cli::init::app_in_front::first_flow;

const SETTINGS: &str = include_str!("runner-apk.yaml");

pub(super) struct ApkProject {
    pub package: String,
    /// Path relative to the project.
    path: Utf8PathBuf,
}

impl ApkProject {
    /// Reads the named APK for a project in `folder`, which is created also if the APK lies elsewhere. Writes
    /// nothing else.
    ///
    /// # Errors
    /// Returns an error for the package of an app, for no readable APK, or for one that is not below `folder`, links
    /// resolved.
    pub fn read(apk: &Utf8Path, folder: &Utf8Path) -> Result<Self, CliError> {
        let name = Utf8Path::new(apk.file_name().unwrap_or_default());
        if is_package(name) && !crate::config::is_package(name) && !apk.exists() {
            return Err(CliError::Usage(format!(
                "`--app` takes an APK, and {name} is a package: write the path of its APK, or open the app on a connected phone and write `runner init` alone"
            )));
        }
        let read = Apk::read(apk).map_err(|error| CliError::Usage(error.to_string()))?;
        let outside = || {
            CliError::Usage(format!(
                "{apk} is not below {folder}, and runner.yaml names only what is; run `runner init` in a folder above the APK"
            ))
        };
        let canonical = |path: &Utf8Path| path.canonicalize_utf8().map_err(CliError::Io);
        fs_err::create_dir_all(folder)?;
        let path = canonical(apk)?;
        let path = path
            .strip_prefix(canonical(folder)?)
            .map_err(|_| outside())?;
        Ok(Self {
            package: read.manifest.package,
            path: path.to_owned(),
        })
    }

    /// Returns the text of `runner.yaml`, which names the APK as an app.
    pub fn settings(&self) -> String {
        let path = flow_text::literal(&self.path.as_str().replace('\\', "/").into());
        SETTINGS.replace("APK]", &format!("{path}]"))
    }

    /// Returns the text of a flow that starts the app, takes its first snapshot and stops the app.
    pub fn flow(&self) -> String {
        first_flow(&self.package, &[])
    }
}

/// Returns true if a name is probably the package of an app, such as `com.example.notes`.
pub(super) fn is_package(named: &Utf8Path) -> bool {
    let parts: Vec<&str> = named.as_str().split('.').collect();
    let is_part = |part: &&str| {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        part.starts_with(|c: char| c.is_ascii_alphabetic()) && part.chars().all(is_letter)
    };
    parts.len() > 2
        && ["com", "org", "net", "io", "de", "dev", "app"].contains(&parts[0])
        && parts.iter().all(is_part)
}
