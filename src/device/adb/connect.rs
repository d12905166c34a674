//! Finding devices and opening a session with one.

use std::sync::Arc;
use std::time::Duration;

use super::super::{Device, DeviceError};
use super::direct::DirectLink;
pub use super::server::AdbServer;
use super::session::AdbDevice;
use super::transport::Transport;

/// How long finding or greeting a device may take; it includes starting a server.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// State of a device as the server lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Ready (`device`).
    Online,
    /// Anything else, in adb's words: `offline`, `unauthorized`, `no permissions …`.
    Other(String),
}

impl ConnectionState {
    /// What to do about it; `None` where the device is ready.
    pub fn advice(&self) -> Option<&'static str> {
        match self {
            Self::Online => None,
            Self::Other(state) => Some(super::server::advice_for(state)),
        }
    }
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
    let list = ask(server, "host:devices-l").await?;
    Ok(list.lines().filter_map(parse_device).collect())
}

/// The version of the server's protocol, such as 41; starts the server where it may.
pub async fn server_version(server: &AdbServer) -> Result<u32, DeviceError> {
    let version = ask(server, "host:version").await?;
    u32::from_str_radix(version.trim(), 16).map_err(|_| {
        DeviceError::Protocol(format!("the server's version {version:?} is no number"))
    })
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

/// Asks the server itself.
async fn ask(server: &AdbServer, what: &str) -> Result<String, DeviceError> {
    let asking = super::server::query(server, what, "");
    tokio::time::timeout(CONNECT_LIMIT, asking)
        .await
        .unwrap_or_else(|_| {
            Err(DeviceError::NoServer {
                address: server.address(),
                cause: format!("it did not answer within {CONNECT_LIMIT:?}"),
            })
        })
}

/// Reads a line such as `emulator-5554  device product:sdk model:Pixel_7 device:emu transport_id:2`.
/// The state may be several words.
fn parse_device(line: &str) -> Option<ConnectedDevice> {
    // Only these keys count: adb's words of a state hold colons too, as in `see [http://developer.android.com/…]`.
    const KEYS: [&str; 6] = [
        "usb",
        "product",
        "model",
        "device",
        "transport_id",
        "features",
    ];
    let property = |word: &str| {
        word.split_once(':')
            .filter(|(key, _)| KEYS.contains(key))
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
    };
    let mut words = line.split_whitespace().peekable();
    let serial = words.next()?.to_owned();
    let mut state = Vec::new();
    while let Some(word) = words.next_if(|word| property(word).is_none()) {
        state.push(word);
    }
    let mut device = ConnectedDevice {
        serial,
        state: match state.join(" ").as_str() {
            "device" => ConnectionState::Online,
            other => ConnectionState::Other(other.to_owned()),
        },
        model: None,
        transport_id: None,
    };
    for (key, value) in words.filter_map(property) {
        match key.as_str() {
            "model" => device.model = Some(value),
            "transport_id" => device.transport_id = value.parse().ok(),
            _ => {}
        }
    }
    Some(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn device_lines_read() {
        let online = parse_device(
            "emulator-5554          device product:sdk_gphone model:Pixel_7 device:emu64 transport_id:12",
        )
        .unwrap();
        assert_eq!(online.serial, "emulator-5554");
        assert_eq!(online.state, ConnectionState::Online);
        assert_eq!(online.model.as_deref(), Some("Pixel_7"));
        assert_eq!(online.transport_id, Some(12));

        let refused = parse_device(
            "0123456789ABCDEF       no permissions (user in plugdev group; are your udev rules wrong?); see [http://developer.android.com/tools/device.html] usb:1-1 transport_id:3",
        )
        .unwrap();
        assert_eq!(refused.transport_id, Some(3));
        assert!(
            matches!(&refused.state, ConnectionState::Other(state) if state.starts_with("no permissions (user"))
        );
        assert!(
            refused
                .state
                .advice()
                .is_some_and(|advice| advice.contains("udev"))
        );

        for (line, state) in [
            ("192.168.1.5:5555 offline", "offline"),
            ("x unauthorized usb:1-2", "unauthorized"),
        ] {
            let device = parse_device(line).unwrap();
            assert_eq!(device.state, ConnectionState::Other(state.to_owned()));
        }
        assert_eq!(parse_device(""), None);
    }
}
