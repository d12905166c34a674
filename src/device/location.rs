//! Where the device says that it is.

use super::command::{QUICK, failed, is_missing};
use super::{Device, DeviceError, Script};

/// First release whose shell can set a place.
const SDK: u32 = 31;
const WHAT: &str = "say that it is elsewhere";

/// Makes the device say that it is at this place, in degrees. It says so until [`reset`].
pub async fn set(device: &dyn Device, latitude: f64, longitude: f64) -> Result<(), DeviceError> {
    let release = device.info().sdk;
    if release < SDK {
        return Err(unsupported(&format!(
            "its shell can do so since SDK {SDK} (this is {release})"
        )));
    }
    let provider = "cmd location providers";
    let script = Script::raw(
        format!(
            "appops set com.android.shell android:mock_location allow; {provider} add-test-provider gps >/dev/null 2>&1; \
             {provider} set-test-provider-enabled gps true && \
             {provider} set-test-provider-location gps --location {latitude},{longitude}"
        ),
        "cmd location providers",
    );
    let output = device.shell(&script, QUICK).await?;
    let message = output.message();
    if is_missing(&message) || message.contains("SecurityException") {
        return Err(unsupported("its shell may not"));
    }
    if output.exit_code.is_some_and(|code| code != 0) || message.contains("Exception") {
        return Err(failed(&script, &output));
    }
    Ok(())
}

/// The device says where it is again.
pub async fn reset(device: &dyn Device) -> Result<(), DeviceError> {
    let script = Script::command([
        "cmd",
        "location",
        "providers",
        "remove-test-provider",
        "gps",
    ]);
    device.shell(&script, QUICK).await.map(drop)
}

fn unsupported(missing: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: WHAT.to_owned(),
        missing: missing.to_owned(),
    }
}
