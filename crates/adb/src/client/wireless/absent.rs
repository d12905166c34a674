//! What is in the network for a build that cannot look there: nothing.

use std::time::Duration;

use super::WirelessDevice;

/// No devices.
///
/// # Errors
/// None.
pub fn wireless_devices(_time: Duration) -> Result<Vec<WirelessDevice>, String> {
    Ok(Vec::new())
}
