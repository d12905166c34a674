//! Where the device is: by the emulator's console, else by the system's test providers.

use std::time::Duration;

use super::super::command::QUICK;
use super::super::{Device, DeviceError, Feature, Script};
use super::{Place, ask, unsupported};

/// What errors say that a device cannot do.
const WHAT: &str = "take a place";
/// First release whose `cmd location` has test providers (Android 12).
const PROVIDERS_SDK: u32 = 31;
/// What apps ask for a place: the satellites, and what is made of all.
const PROVIDERS: [&str; 2] = ["gps", "fused"];
/// The app to which the shell's commands belong. It needs leave to make places up.
const SHELL: &str = "com.android.shell";
/// How long the places that were made up last may take to go.
const REMOVE_LIMIT: Duration = QUICK;

/// What a place is put back to: there is none to read, so none.
///
/// # Errors
/// Where no place can be set.
pub(super) fn current(device: &dyn Device) -> Result<Option<Place>, DeviceError> {
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

/// Takes a place, or gives the device its own back.
pub(super) async fn set(device: &dyn Device, place: Option<Place>) -> Result<(), DeviceError> {
    let Some(place) = place else {
        return remove(device).await;
    };
    current(device)?;
    let mut script = format!("appops set {SHELL} android:mock_location allow");
    for name in PROVIDERS {
        // One that is there already, of an earlier place, stays: only the last two have to go well.
        script.push_str(&format!(
            "; cmd location providers add-test-provider {name} >/dev/null 2>&1; cmd location providers set-test-provider-enabled {name} true && cmd location providers set-test-provider-location {name} --location {},{} || exit 1",
            place.lat(),
            place.lon()
        ));
    }
    ask(device, &script, WHAT).await.map(drop)
}

/// The places that were made up go. Without one there is nothing to do, so what the device says of it does not matter.
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
