//! Finding devices and opening a session with one.

use std::sync::Arc;

use super::super::{Device, DeviceError};

/// Where the adb server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdbServer {
    /// Host name or address.
    pub host: String,
    /// Port, 5037 by default.
    pub port: u16,
    /// The `adb` program that may be started when nothing listens there (only for a loopback host).
    pub program: Option<std::path::PathBuf>,
}

/// State of a device as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Ready (`device`).
    Online,
    /// Anything else, in adb's words: `offline`, `unauthorized`, `no permissions …`.
    Other(String),
}

/// One line of `host:devices-l`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectedDevice {
    /// Serial.
    pub serial: String,
    /// State.
    pub state: ConnectionState,
    /// `model:` where known.
    pub model: Option<String>,
    /// `transport_id:` where known.
    pub transport_id: Option<u64>,
}

/// Devices the server knows; starts the server where it may.
pub async fn list_devices(server: &AdbServer) -> Result<Vec<ConnectedDevice>, DeviceError> {
    let _ = server;
    todo!()
}

/// Opens a session with a device of the server.
pub async fn connect_serial(
    server: &AdbServer,
    serial: &str,
) -> Result<Arc<dyn Device>, DeviceError> {
    let _ = (server, serial);
    todo!()
}

/// Opens a session with the adbd that listens at `host:port`, without a server. `serial` is what reports call it.
pub async fn connect_direct(address: &str, serial: &str) -> Result<Arc<dyn Device>, DeviceError> {
    let _ = (address, serial);
    todo!()
}
