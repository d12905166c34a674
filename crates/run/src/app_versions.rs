//! Cache of the versions of the apps under test on one device.
//!
//! A version is read once, and again after a step that may have changed it. It only informs the readers of
//! reports: an unknown version fails no flow, and a device that does not answer is not asked again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::app_version::{self, AppVersion};
use runner_device::{Device, DeviceError};
use runner_flow::{Step, StepAction};

/// Chosen: long enough for `dumpsys package` on a slow phone. More would delay the flow for a value that only
/// reports show.
const LIMIT: Duration = Duration::from_secs(2);

/// Versions that are known of one device.
#[derive(Debug, Default)]
pub(super) struct AppVersions {
    known: Mutex<VersionCache>,
}

#[derive(Debug, Default)]
struct VersionCache {
    versions: HashMap<String, AppVersion>,
    is_silent: bool,
}

impl AppVersions {
    /// Returns the cached version of an app; `None` if it was not read yet or is unknown. Does not ask the device.
    pub(super) fn get(&self, package: &str) -> Option<AppVersion> {
        self.with(|known| known.versions.get(package).cloned())
    }

    /// Reads the version of an app from the device and caches it, unless it is cached. Never fails: errors and apps
    /// without a version are not cached, so the next call asks again. After one timeout (2 s) no app's version is
    /// asked for any more.
    pub(super) async fn learn(&self, device: &dyn Device, package: &str) {
        if self.with(|known| known.is_silent || known.versions.contains_key(package)) {
            return;
        }
        let answer = app_version::find_version(device, package, LIMIT).await;
        self.with(|known| match answer {
            Ok(version) => known
                .versions
                .extend(version.map(|version| (package.to_owned(), version))),
            // A slow device would delay every flow for a version that only reports show.
            Err(DeviceError::Timeout { .. }) => known.is_silent = true,
            // The next request to the device reports the error.
            Err(_) => {}
        });
    }

    /// Forgets the cached version of an app, and reads it again like [`Self::learn`]: after a timeout it stays
    /// unknown.
    pub(super) async fn refresh_version(&self, device: &dyn Device, package: &str) {
        self.with(|known| known.versions.remove(package));
        self.learn(device, package).await;
    }

    fn with<T>(&self, act: impl FnOnce(&mut VersionCache) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns true if `step` may have changed the version of an app: it is `install` or `uninstall`, or a shell command
/// whose title mentions `install`. The steps inside a control step and Maestro's commands do not count.
pub(super) fn may_change(step: &Step) -> bool {
    let StepAction::Call { entry, .. } = &step.action else {
        return false;
    };
    match entry.name {
        "install" | "uninstall" => true,
        // `pm install` and similar. An unnecessary read costs little.
        "shell" => step.title.contains("install"),
        _ => false,
    }
}
