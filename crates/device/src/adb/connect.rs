//! Lists devices and opens sessions with them.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use runner_adb::auth::HostKeys;
pub use runner_adb::client::{AdbServer, ConnectedDevice, ConnectionState};
use runner_adb::client::{ClientError, DirectLink, Host, Transport, UsbState, usb_devices};

use super::super::{Device, DeviceError};
use super::session::AdbDevice;

/// Limit for listing devices, and for a device's description after its greeting. It includes the start of an adb
/// server. Chosen: a start takes up to 15 s.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// Lists the server's devices, those that are not ready too; starts the server if that is allowed.
/// [`DeviceError::NoServer`] after 30 s.
pub async fn list_devices(server: &AdbServer) -> Result<Vec<ConnectedDevice>, DeviceError> {
    in_time(server, server.devices()).await
}

/// Lists the devices on USB, with states worded as a server's. Each is opened and claimed for a moment. One that a
/// server or another program holds has the state "in use", and a free one is online. Returns none if `server` is on
/// another computer, as the devices are there then.
pub async fn list_usb(server: &AdbServer) -> io::Result<Vec<ConnectedDevice>> {
    if !server.is_loopback() {
        return Ok(Vec::new());
    }
    // The system's calls block.
    let observed = tokio::task::spawn_blocking(usb_devices).await;
    let attached = observed.unwrap_or_else(|stopped| Err(io::Error::other(stopped)))?;
    let of_usb = attached.into_iter().map(|device| ConnectedDevice {
        serial: device.serial,
        state: match device.state {
            UsbState::Free => ConnectionState::Online,
            UsbState::NoPermissions => ConnectionState::Other("no permissions".to_owned()),
            UsbState::InUse => ConnectionState::Other("in use".to_owned()),
        },
        model: device.model,
        transport_id: None,
    });
    Ok(of_usb.collect())
}

/// Returns the version of the server's protocol, such as 41; starts the server if that is allowed.
/// [`DeviceError::NoServer`] after 30 s.
pub async fn server_version(server: &AdbServer) -> Result<u32, DeviceError> {
    in_time(server, server.version()).await
}

/// Opens a session with a device of the server. `serial` must be one that the server knows; a server on this computer
/// that does not run is started if its program is known. [`DeviceError::Lost`] after 30 s.
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

/// Opens a session with an adbd at `host:port` that asks for no key, such as the virtual device's. `serial`
/// names it in reports.
pub async fn connect_direct(address: &str, serial: &str) -> Result<Arc<dyn Device>, DeviceError> {
    connect_tcp(address, serial, Host::new(HostKeys::default())).await
}

/// Opens a session with the adbd at `host:port`, without a server. `serial` names it in reports. Waits as
/// long as `host` gives the device's owner to answer.
pub async fn connect_tcp(
    address: &str,
    serial: &str,
    host: Host,
) -> Result<Arc<dyn Device>, DeviceError> {
    connect(Transport::Direct(DirectLink::tcp(address, serial, host))).await
}

/// Opens a session with the USB device of this serial, without a server. Waits as long as `host` gives the
/// device's owner to answer.
pub async fn connect_usb(serial: &str, host: Host) -> Result<Arc<dyn Device>, DeviceError> {
    connect(Transport::Direct(DirectLink::usb(serial, host))).await
}

/// Opens a session: greets the device, without a limit here as a person may be asked, and then asks for its
/// description within [`CONNECT_LIMIT`]. The device counts as lost after that.
async fn connect(transport: Transport) -> Result<Arc<dyn Device>, DeviceError> {
    let serial = transport.serial().to_owned();
    // Not bounded here: the handshake has its own limits, which are longer if a person is asked.
    transport.prepare().await?;
    let connecting = AdbDevice::connect(transport);
    match tokio::time::timeout(CONNECT_LIMIT, connecting).await {
        Ok(device) => Ok(Arc::new(device?)),
        Err(_) => Err(DeviceError::Lost {
            serial,
            cause: format!("no connection within {CONNECT_LIMIT:?}"),
        }),
    }
}

/// Bounds a question to the server itself by [`CONNECT_LIMIT`].
///
/// # Errors
/// Returns [`DeviceError::NoServer`] after the limit, and the question's own error.
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
