//! Android's framework on this computer, where the virtual device runs real apps in it.

use super::command::QUICK;
use super::{Device, DeviceInfo, Reading, Script};

/// The model of a virtual device whose apps run in Android's own framework (`ro.product.model`).
pub const HOSTED_MODEL: &str = "Android 15's framework on this computer, not a phone";

/// Whether a device's apps run in Android's framework on a computer.
pub fn is_hosted(info: &DeviceInfo) -> bool {
    matches!(&info.model, Reading::Said(model) if model == HOSTED_MODEL)
}

/// Returns what was wrong with the process of a real app, where the app is not to blame.
pub async fn fault(device: &dyn Device) -> Option<String> {
    let question = Script::command(["getprop", "runner.host.fault"]);
    let answer = device.shell(&question, QUICK).await.ok()?;
    let fault = answer.text().trim().to_owned();
    (!fault.is_empty()).then_some(fault)
}
