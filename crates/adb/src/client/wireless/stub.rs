//! mDNS for a build without the feature `mdns`: it finds no devices.

use std::time::Duration;

use super::WirelessDevice;

/// Returns no devices.
///
/// # Errors
/// None.
pub fn wireless_devices(_time: Duration) -> std::io::Result<Vec<WirelessDevice>> {
    Ok(Vec::new())
}
