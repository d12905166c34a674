//! Location of the device: by the emulator's console, else by the system's test providers.

use std::time::Duration;

use super::super::command::QUICK;
use super::super::{Device, DeviceError, Feature, Script};
use super::ask::{ask, unsupported};
use super::setting::Coordinates;

/// Action in errors of devices that cannot do it.
const WHAT: &str = "take a place";
/// First API level whose `cmd location` has test providers (Android 12).
const PROVIDERS_SDK: u32 = 31;
/// Providers that apps ask for a location: the satellites, and the combination of all.
const PROVIDERS: [&str; 2] = ["gps", "fused"];
/// Package of the shell's commands, which needs permission to mock locations.
const SHELL: &str = "com.android.shell";
const REMOVE_LIMIT: Duration = QUICK;

/// Returns the value to restore: always none, which stands for the real location, so it need not be read.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the location cannot be set: before Android 12, unless the device is an
/// emulator with that feature. Returns [`DeviceError::NotAnswered`] for an unknown release.
pub(super) fn current(device: &dyn Device) -> Result<Option<Coordinates>, DeviceError> {
    let info = device.info();
    let sdk = *info.sdk.needed()?;
    if sdk < PROVIDERS_SDK && !info.offers(Feature::Places) {
        return Err(unsupported(
            WHAT,
            &format!(
                "its shell makes places up since SDK {PROVIDERS_SDK} (Android 12), and this is {sdk}"
            ),
        ));
    }
    Ok(None)
}

/// Mocks a location for the providers `gps` and `fused`; `None` restores the real one. The shell gets the
/// permission to mock locations.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] if the location cannot be set, such as before Android 12. Restoring
/// does not check that.
pub(super) async fn set(
    device: &dyn Device,
    place: Option<Coordinates>,
) -> Result<(), DeviceError> {
    let Some(place) = place else {
        return remove(device).await;
    };
    current(device)?;
    let mut script = format!("appops set {SHELL} android:mock_location allow");
    for name in PROVIDERS {
        // Adding fails if the provider exists already; only the other two commands must succeed.
        script.push_str(&format!(
            "; cmd location providers add-test-provider {name} >/dev/null 2>&1; cmd location providers set-test-provider-enabled {name} true && cmd location providers set-test-provider-location {name} --location {},{} || exit 1",
            place.lat(),
            place.lon()
        ));
    }
    ask(device, &script, WHAT).await.map(drop)
}

/// Removes the mocked locations and the shell's permission for them. Without any there is nothing to do, so
/// refusals are ignored.
///
/// # Errors
/// Fails only if the shell cannot be reached.
async fn remove(device: &dyn Device) -> Result<(), DeviceError> {
    let mut script = String::new();
    for name in PROVIDERS {
        script.push_str(&format!(
            "cmd location providers remove-test-provider {name} >/dev/null 2>&1; "
        ));
    }
    script.push_str(&format!("appops set {SHELL} android:mock_location default"));
    let script = Script::raw(script, "cmd location");
    device.shell(&script, REMOVE_LIMIT).await.map(drop)
}
