//! All devices that this computer can reach, by whatever connection.

use std::time::Duration;

use runner_adb::client::wireless_devices;
use serde::Serialize;

use super::adb::{AdbServer, ConnectedDevice, ConnectionState, list_devices, list_usb};
use super::{DeviceError, VIRTUAL};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NearbyDevice {
    /// Value for `--device`.
    pub name: String,
    /// Connection: `server`, `usb`, `direct HOST:PORT`, `built in`.
    pub way: String,
    /// `ready`, or the state in adb's words.
    pub state: String,
    /// Model, if it is known.
    pub model: Option<String>,
    /// Name of its announcement in the network, if it has one.
    pub announced_as: Option<String>,
    /// Instruction to the person, if it cannot be used yet.
    pub advice: Option<String>,
}

#[derive(Debug, Default)]
pub struct NearbyDevices {
    /// All devices found, the built-in one last.
    pub devices: Vec<NearbyDevice>,
    /// Reason that there is no adb server to ask.
    pub no_server: Option<DeviceError>,
    /// Reasons that other places could not be searched.
    pub problems: Vec<String>,
}

/// Asks the adb server, starting it if it has a program, and USB; with `browse`, also listens for that long for
/// devices that announce themselves in the network. The devices come in this order: the server's, those on USB, the
/// announced ones, and last the virtual device, which is always there. A device that an earlier place already has
/// is left out.
///
/// Never fails: a missing server is `no_server`, and the errors of the other places are texts in `problems`.
pub async fn find_nearby(server: &AdbServer, browse: Option<Duration>) -> NearbyDevices {
    let mut nearby = NearbyDevices::default();
    let (listed, announced) = tokio::join!(list_devices(server), wireless(browse));
    match listed {
        Ok(listed) => nearby
            .devices
            .extend(listed.into_iter().map(|it| to_nearby(it, "server"))),
        Err(error) => nearby.no_server = Some(error),
    }
    // After the server's list: that may have started the server, which then holds the USB devices.
    for found in [on_usb(server).await, announced] {
        match found {
            Ok(devices) => {
                let known: Vec<String> = nearby.devices.iter().map(|it| it.name.clone()).collect();
                let other = |device: &NearbyDevice| !known.iter().any(|name| is_same(name, device));
                nearby.devices.extend(devices.into_iter().filter(other));
            }
            Err(error) => nearby.problems.push(error.to_string()),
        }
    }
    nearby.devices.push(NearbyDevice {
        name: VIRTUAL.to_owned(),
        way: "built in".to_owned(),
        state: "ready".to_owned(),
        model: None,
        announced_as: None,
        advice: None,
    });
    nearby
}

/// Returns true if the server's `name` is this device: it names wireless devices by address, or by their
/// announcement followed by its service.
fn is_same(name: &str, device: &NearbyDevice) -> bool {
    let announced = device.announced_as.as_deref();
    name == device.name
        || announced.is_some_and(|announced| name.starts_with(&format!("{announced}._adb")))
}

/// Converts a device of a server or of USB; `way` says how it is reached. One that is online is `ready`.
fn to_nearby(device: ConnectedDevice, way: &str) -> NearbyDevice {
    NearbyDevice {
        advice: device.state.advice().map(str::to_owned),
        name: device.serial,
        way: way.to_owned(),
        state: match device.state {
            ConnectionState::Online => "ready".to_owned(),
            ConnectionState::Other(state) => state,
        },
        model: device.model,
        announced_as: None,
    }
}

#[derive(Debug, thiserror::Error)]
enum LookError {
    #[error("USB cannot be looked at: {0}")]
    Usb(std::io::Error),
    #[error("wireless devices cannot be looked for: {0}")]
    Wireless(std::io::Error),
    #[error(transparent)]
    Interrupted(#[from] tokio::task::JoinError),
}

/// Lists the devices on USB. Empty if the server is on another computer.
async fn on_usb(server: &AdbServer) -> Result<Vec<NearbyDevice>, LookError> {
    let observed = list_usb(server).await.map_err(LookError::Usb)?;
    Ok(observed
        .into_iter()
        .map(|device| to_nearby(device, "usb"))
        .collect())
}

/// Listens to announcements in the network for as long as `browse`; without it returns none at once. Each is named
/// by its address and has the state `announced`. Devices that must be paired come with advice.
async fn wireless(browse: Option<Duration>) -> Result<Vec<NearbyDevice>, LookError> {
    let Some(time) = browse else {
        return Ok(Vec::new());
    };
    let found = tokio::task::spawn_blocking(move || wireless_devices(time))
        .await?
        .map_err(LookError::Wireless)?;
    let wireless = found.into_iter().map(|device| NearbyDevice {
        name: device.address.to_string(),
        way: format!("direct {}", device.address),
        state: "announced".to_owned(),
        advice: device.secure.then(|| {
            format!(
                "pair it once: open \"Pair device with pairing code\" in its wireless debugging settings, and run `adb pair {}:PORT` with the port it shows",
                device.address.ip()
            )
        }),
        model: device.model,
        announced_as: Some(device.name),
    });
    Ok(wireless.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wireless_device_that_the_server_has_is_told_once() {
        let device = NearbyDevice {
            name: "192.168.1.7:37001".to_owned(),
            way: "direct 192.168.1.7:37001".to_owned(),
            state: "announced".to_owned(),
            model: None,
            announced_as: Some("adb-R58-x7Yz".to_owned()),
            advice: None,
        };
        for same in [
            "192.168.1.7:37001",
            "adb-R58-x7Yz._adb-tls-connect._tcp",
            "adb-R58-x7Yz._adb-tls-connect._tcp.",
        ] {
            assert!(is_same(same, &device), "{same}");
        }
        for other in [
            "192.168.1.7:5555",
            "adb-R58-x7Yz2._adb-tls-connect._tcp",
            "R58",
        ] {
            assert!(!is_same(other, &device), "{other}");
        }
    }

    #[tokio::test]
    async fn without_a_server_the_built_in_device_is_there() {
        let nobody = AdbServer {
            host: "127.0.0.1".to_owned(),
            port: 1,
            program: None,
        };
        let nearby = find_nearby(&nobody, None).await;
        assert!(nearby.no_server.is_some());
        let last = nearby.devices.last().map(|device| device.name.as_str());
        assert_eq!(last, Some(VIRTUAL));
    }
}
