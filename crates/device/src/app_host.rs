//! Recognises virtual devices whose apps run in Android's framework on this computer.

use super::command::QUICK;
use super::{Device, DeviceInfo, Reading, Script};

pub const HOSTED_MODEL: &str = "Android 15's framework on this computer, not a phone";

/// Returns true if the device's apps run in Android's framework on a computer.
pub fn is_hosted(info: &DeviceInfo) -> bool {
    matches!(&info.model, Reading::Said(model) if model == HOSTED_MODEL)
}

/// Returns the reason that the process of a real app failed on the virtual device, if the app is not to blame
/// for it. `None` if there is no such reason or the device does not answer.
pub async fn fault(device: &dyn Device) -> Option<String> {
    let question = Script::command(["getprop", "runner.host.fault"]);
    let answer = device.shell(&question, QUICK).await.ok()?;
    let fault = answer.text().trim().to_owned();
    (!fault.is_empty()).then_some(fault)
}
