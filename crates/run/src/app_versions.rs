//! Which version of the apps they test a device holds: asked once, and again where a step may have changed it.
//!
//! It is for people who read the reports. That it is not known fails no flow, and a device that does not answer is not
//! asked again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use runner_device::app_version::{self, AppVersion};
use runner_device::{Device, DeviceError};
use runner_flow::{Step, StepAction};

/// Limit for a device's answer.
const LIMIT: Duration = Duration::from_secs(2);

/// What is known of one device.
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
    /// The version of an app, where it is known.
    pub(super) fn of(&self, package: &str) -> Option<AppVersion> {
        self.with(|known| known.versions.get(package).cloned())
    }

    /// Asks for the version of an app that is not known.
    pub(super) async fn learn(&self, device: &dyn Device, package: &str) {
        if self.with(|known| known.is_silent || known.versions.contains_key(package)) {
            return;
        }
        let answer = app_version::find_version(device, package, LIMIT).await;
        self.with(|known| match answer {
            Ok(version) => known
                .versions
                .extend(version.map(|version| (package.to_owned(), version))),
            // Reports do without the version; a device that answers slowly would hold up every flow.
            Err(DeviceError::Timeout { .. }) => known.is_silent = true,
            // The next use of the device reports what became of it.
            Err(_) => {}
        });
    }

    /// Asks again, whatever was known.
    pub(super) async fn refresh_version(&self, device: &dyn Device, package: &str) {
        self.with(|known| known.versions.remove(package));
        self.learn(device, package).await;
    }

    fn with<T>(&self, act: impl FnOnce(&mut VersionCache) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Whether the version of an app may be another after `step`.
pub(super) fn may_change(step: &Step) -> bool {
    let StepAction::Call { entry, .. } = &step.action else {
        return false;
    };
    match entry.name {
        "install" | "uninstall" => true,
        // `pm install` and its kin. Asking once too often costs little.
        "shell" => step.title.contains("install"),
        _ => false,
    }
}
