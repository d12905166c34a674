//! Options with which a device is opened.

use std::sync::Arc;

use super::target::Target;
use runner_app_host::places::Places;
use runner_config::{AppPaths, Config, Origin};
use runner_device::DriverChoice;
use runner_device::adb::Access;
use runner_device::uia2::{ApkPlaces, Use};
use runner_virtual_device::Quirk;

#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Access to the adb server and to devices without one.
    pub access: Access,
    /// Apps of the virtual device.
    pub apps: AppPaths,
    /// Locations of the programs and files in which APKs run on this computer.
    pub places: Places,
    /// Behaviours of some phones that the virtual device imitates.
    pub quirks: Vec<Quirk>,
    /// Driver of devices without one of their own.
    pub driver: DriverChoice,
    /// The person set the driver for this run: it takes precedence over a device's own.
    pub driver_of_all: bool,
    /// Places to look for the APKs of a driver.
    pub apks: ApkPlaces,
    /// Purpose for which the device is opened.
    pub wanted: Use,
    pub(super) notifier: Notifier,
}

/// Callback that shows a person what a device waits for.
#[derive(Clone)]
pub(super) struct Notifier(pub(super) Arc<dyn Fn(&str) + Send + Sync>);

impl std::fmt::Debug for Notifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Notifier")
    }
}

impl OpenOptions {
    /// Creates options from the configuration. Nobody is notified of what the device's owner must do until
    /// [`OpenOptions::with_notifier`] is called. A driver from the environment or the command line applies to all
    /// devices.
    pub fn new(config: &Config, wanted: Use) -> Self {
        Self {
            access: config.adb_access(),
            apps: config.app_paths(),
            places: config.places.clone(),
            quirks: config.quirks.value.clone(),
            driver: config.driver.value,
            driver_of_all: matches!(
                config.driver.origin,
                Origin::Environment(_) | Origin::CommandLine
            ),
            apks: config.apk_places(),
            wanted,
            notifier: Notifier(Arc::new(|_| {})),
        }
    }

    /// Sets a callback that shows a person what to do while a device is waited for. It replaces an earlier one.
    #[must_use]
    pub fn with_notifier(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let report = Arc::new(notify);
        self.notifier = Notifier(Arc::clone(&report) as Arc<_>);
        self.access = self.access.with_notifier(move |notice| report(notice));
        self
    }

    /// Returns the driver of a target: its own, unless it has none or one from the command line or environment is
    /// for all devices.
    pub(super) fn driver(&self, target: &Target) -> DriverChoice {
        match target.driver {
            Some(driver) if !self.driver_of_all => driver,
            _ => self.driver,
        }
    }
}
