//! Finding devices and opening a session with one.

use std::sync::Arc;
use std::time::Duration;

pub use runner_adb::client::{AdbServer, ConnectedDevice, ConnectionState};
use runner_adb::client::{ClientError, DirectLink, Transport};

use super::super::{Device, DeviceError};
use super::session::AdbDevice;

/// How long finding or greeting a device may take; it includes starting a server.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Devices the server knows; starts the server where it may.
pub async fn list_devices(server: &AdbServer) -> Result<Vec<ConnectedDevice>, DeviceError> {
    in_time(server, server.devices()).await
}

/// The version of the server's protocol, such as 41; starts the server where it may.
pub async fn server_version(server: &AdbServer) -> Result<u32, DeviceError> {
    in_time(server, server.version()).await
}

/// Opens a session with a device of the server.
pub async fn connect_serial(
    server: &AdbServer,
    serial: &str,
) -> Result<Arc<dyn Device>, DeviceError> {
    let transport = Transport::Server {
        server: server.clone(),
        serial: serial.to_owned(),
    };
    connect(transport).await
}

/// Opens a session with the adbd that listens at `host:port`, without a server. `serial` is what reports call it.
pub async fn connect_direct(address: &str, serial: &str) -> Result<Arc<dyn Device>, DeviceError> {
    connect(Transport::Direct(DirectLink::new(address, serial))).await
}

async fn connect(transport: Transport) -> Result<Arc<dyn Device>, DeviceError> {
    let serial = transport.serial().to_owned();
    let connecting = AdbDevice::connect(transport);
    match tokio::time::timeout(CONNECT_LIMIT, connecting).await {
        Ok(device) => Ok(Arc::new(device?)),
        Err(_) => Err(DeviceError::Lost {
            serial,
            cause: format!("no connection within {CONNECT_LIMIT:?}"),
        }),
    }
}

/// What the server answers about itself.
async fn in_time<T>(
    server: &AdbServer,
    asking: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, DeviceError> {
    match tokio::time::timeout(CONNECT_LIMIT, asking).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(DeviceError::NoServer {
            address: server.address(),
            cause: format!("it did not answer within {CONNECT_LIMIT:?}"),
        }),
    }
}
