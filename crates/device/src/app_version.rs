//! Versions of installed apps, as the package manager reports them.

use std::collections::HashMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Device, DeviceError, Script, quote};

/// The version of an installed app.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppVersion {
    /// `versionName`, which people know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `versionCode`, which rises with each release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<u64>,
}

impl std::fmt::Display for AppVersion {
    /// Formats as `1.4.2 (31)`, only the name, only `(31)`, or nothing, by what is known.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.name, self.code) {
            (Some(name), Some(code)) => write!(f, "{name} ({code})"),
            (Some(name), None) => f.write_str(name),
            (None, Some(code)) => write!(f, "({code})"),
            (None, None) => Ok(()),
        }
    }
}

/// Returns the version of one app, in one round trip of at most `limit`; `None` if it is not installed or the
/// device does not report it. A server without a shell that does not answer within `limit` gives `None` too,
/// and never a version name.
///
/// # Errors
/// Returns a [`DeviceError`] if the device cannot be asked.
pub async fn find_version(
    device: &dyn Device,
    package: &str,
    limit: Duration,
) -> Result<Option<AppVersion>, DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        let apps = tokio::time::timeout(limit, system.apps()).await;
        let apps = apps.unwrap_or_else(|_| Ok(Vec::new()))?;
        let app = apps.into_iter().find(|app| app.package == package);
        return Ok(app.map(|app| AppVersion {
            name: None,
            code: app.version_code,
        }));
    }
    let name = quote(package);
    let script = Script::raw(
        format!("dumpsys package {name} 2>/dev/null | {FILTER}"),
        "dumpsys package",
    );
    let output = device.shell(&script, limit).await?;
    Ok(read(&output.text()).remove(package))
}

/// Filter on the device: all of `dumpsys package` has megabytes on a phone.
pub(super) const FILTER: &str = "grep -E '^  Package |versionName=|versionCode='";

/// Parses the lines of `dumpsys package` that pass [`FILTER`] into versions by package. An updated system app
/// is listed twice; the first name and the first code count, as the first entry is the one that runs. A
/// package without a version may be missing.
///
/// Assumes that a package begins with two spaces and `Package [`, and that its values follow (AOSP
/// `Settings.java`; the recording `dumpsys_package--SharpAdb__AdvancedSharpAdbClient__DumpSys.GApps.txt` has
/// an app twice).
pub(super) fn read(text: &str) -> HashMap<String, AppVersion> {
    let mut versions: HashMap<String, AppVersion> = HashMap::new();
    let mut current: Option<&str> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("  Package [") {
            current = rest.split(']').next();
            continue;
        }
        let Some(package) = current else {
            continue;
        };
        let version = versions.entry(package.to_owned()).or_default();
        let value = |key: &str| {
            let (_, rest) = line.split_once(key)?;
            Some(rest.trim_end())
        };
        // `dumpsys` prints this word for an app without a version.
        if let Some(name) = value("versionName=").filter(|name| *name != "null") {
            version.name.get_or_insert_with(|| name.to_owned());
        }
        let code = value("versionCode=").and_then(|rest| rest.split(' ').next()?.parse().ok());
        version.code = version.code.or(code);
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_updated_system_app_has_the_version_that_runs() {
        let text = "  Package [a.b] (1):\n    versionCode=31 minSdk=24 targetSdk=34\n    versionName=2.1 beta\n  Package [c] (2):\n    versionCode=x\n    versionName=null\n  Package [a.b] (3):\n    versionCode=7 minSdk=24\n    versionName=1.0\n";
        let versions = read(text);
        assert_eq!(versions["a.b"].to_string(), "2.1 beta (31)");
        assert_eq!(versions["c"], AppVersion::default());
        assert!(read("    versionName=of nobody\n").is_empty());
    }

    #[test]
    fn every_recorded_app_has_its_version() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/dumpsys_package--") {
                continue;
            }
            // Lines that pass the `grep` on the device.
            let text = String::from_utf8_lossy(&bytes);
            let is_kept = |line: &&str| {
                line.starts_with("  Package ")
                    || line.contains("versionName=")
                    || line.contains("versionCode=")
            };
            let lines: Vec<&str> = text.lines().filter(is_kept).collect();
            let versions = read(&lines.join("\n"));
            for pair in lines.windows(2) {
                let Some(rest) = pair[0].strip_prefix("  Package [") else {
                    continue;
                };
                let package = rest.split(']').next().unwrap();
                if pair[1].contains("versionCode=") {
                    let version = versions.get(package);
                    assert!(
                        version.is_some_and(|version| version.code.is_some()),
                        "{name}: {package}"
                    );
                }
            }
        }
    }
}
