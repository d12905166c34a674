//! The built-in virtual device, with the apps that the configuration names.

use super::options::OpenOptions;
use runner_app_host::launch::{self, HostedApps};
use runner_app_host::places::Places;
use runner_config::AppPaths;
use runner_device::DeviceError;
use runner_flow::document;
use runner_virtual_automation::SERVERS;
use runner_virtual_device::VirtualDeviceOptions;

/// Returns the options of the built-in device, with the apps that the configuration names. APKs among them are started
/// in Android's framework on this computer, as [`with_apks`] does, and may fail as there.
pub(super) async fn virtual_options(
    options: &OpenOptions,
    label: &str,
) -> Result<VirtualDeviceOptions, DeviceError> {
    let device = VirtualDeviceOptions {
        apps: options.apps.folders.clone(),
        quirks: options.quirks.clone(),
        schema_check: document::problems,
        servers: Some(SERVERS),
        ..VirtualDeviceOptions::default()
    };
    with_apks(device, &options.apps, &options.places, label).await
}

/// Returns `device` with the APKs of `apps`, which run in Android's framework on this computer; unchanged if there are
/// none. Reads whole APKs, starts a process of each, and waits until that of the first is ready or has failed. `label`
/// names the device in errors.
///
/// # Errors
/// [`DeviceError::Unusable`] with what is missing on this computer, or which APK cannot run.
pub async fn with_apks(
    device: VirtualDeviceOptions,
    apps: &AppPaths,
    places: &Places,
    label: &str,
) -> Result<VirtualDeviceOptions, DeviceError> {
    if apps.apks.is_empty() {
        return Ok(device);
    }
    let (apks, classes, places) = (apps.apks.clone(), apps.classes.clone(), places.clone());
    // Blocking, as it reads whole APKs.
    let prepared =
        tokio::task::spawn_blocking(move || launch::prepare(&apks, classes, &places)).await;
    let prepared = prepared.map_err(|error| not_started(label, &error))?;
    let HostedApps { apps, hosts } = prepared.map_err(|error| not_started(label, &error))?;
    Ok(device.with_hosted(apps, hosts))
}

/// Returns [`DeviceError::Unusable`] for a device that did not start, with the reason as advice.
pub(super) fn not_started(label: &str, why: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::Unusable {
        serial: label.to_owned(),
        state: "not started".into(),
        advice: why.to_string(),
    }
}
