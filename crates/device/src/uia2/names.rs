//! Port and packages of Appium's server on the device.

/// Port of the server on the device (Appium's default).
pub(super) const PORT: u16 = 6790;
/// Package of the server.
pub const SERVER: &str = "io.appium.uiautomator2.server";
/// Package of the instrumentation that runs the server.
pub const TEST: &str = "io.appium.uiautomator2.server.test";
