//! Converts the names of devices that a person gives to targets.

use std::sync::Arc;

use super::target::{Address, Target, is_address};
use runner_config::DeviceSpec;
use runner_device::adb::{AdbServer, ConnectedDevice, ConnectionState, list_devices, list_usb};
use runner_device::{DeviceError, VIRTUAL};

/// Converts device names to targets in the given order, with distinct labels; connects to no device. An address that is
/// online at the adb server is reached through the server, any other directly. A serial number need not exist: without
/// a running server it is reached on USB if it is there, else through the server. If none is named, the only device of
/// the server or, without one, on USB is returned. Asks the server only for these three cases.
///
/// # Errors
/// [`DeviceError`] if none is named and not exactly one device is online, or if a device other than the virtual one and
/// WebDriver ones is named twice.
pub async fn resolve(
    wanted: &[DeviceSpec],
    server: &AdbServer,
) -> Result<Vec<Target>, DeviceError> {
    if wanted.is_empty() {
        let address = find_only_device(server).await?;
        let label = address.name().to_owned();
        return Ok(vec![Target::with_defaults(&label, address)]);
    }
    let by_address = |device: &DeviceSpec| device.webdriver.is_none() && is_address(&device.name);
    let known = if wanted.iter().any(by_address) {
        // Without a server an address is reached directly.
        list_devices(server).await.unwrap_or_default()
    } else {
        Vec::new()
    };
    let mut targets: Vec<Target> = Vec::new();
    for (index, device) in wanted.iter().enumerate() {
        let is_one = |device: &DeviceSpec| device.webdriver.is_none() && device.name != VIRTUAL;
        let mut earlier = wanted.iter().take(index).filter(|other| is_one(other));
        if is_one(device) && earlier.any(|other| other.name == device.name) {
            return Err(DeviceError::Ambiguous(format!(
                "device '{}' is named twice; each device of a run is another one",
                device.name
            )));
        }
        let address = if let Some(spec) = &device.webdriver {
            Address::WebDriver {
                name: device.name.clone(),
                spec: Arc::new(spec.clone()),
            }
        } else if device.name == VIRTUAL {
            Address::Virtual
        // A device that is online at the server by this address is reached through the server. One that is
        // offline there is reached directly: an old server speaks no TLS.
        } else if is_address(&device.name) && !known.iter().any(|known| has(known, &device.name)) {
            Address::Direct(device.name.clone())
        } else {
            by_serial(&device.name, server).await
        };
        let label = unused_label(device.label.as_deref().unwrap_or(&device.name), &targets);
        targets.push(Target {
            label,
            address,
            render_class: device.render_class.clone(),
            variant: device.variant.clone(),
            driver: device.driver,
            tags: device.tags.clone(),
        });
    }
    Ok(targets)
}

/// Converts device names to targets, as [`resolve`] does. If none is named it returns all devices that are online at
/// the adb server, or without a server those on USB, in the order in which they are listed; their labels are their
/// serial numbers.
///
/// # Errors
/// [`DeviceError`] if none is named and no device can be used, or if [`resolve`] fails.
pub async fn resolve_all(
    wanted: &[DeviceSpec],
    server: &AdbServer,
) -> Result<Vec<Target>, DeviceError> {
    if !wanted.is_empty() {
        return resolve(wanted, server).await;
    }
    let (listed, address): (_, fn(String) -> Address) = match list_devices(server).await {
        Ok(listed) => (listed, Address::Serial),
        Err(no_server) => match on_usb(server).await {
            observed if observed.is_empty() => return Err(no_server),
            attached => (attached, Address::Usb),
        },
    };
    let online = listed
        .iter()
        .filter(|device| device.state == ConnectionState::Online);
    let targets: Vec<Target> = online
        .map(|device| Target::with_defaults(&device.serial, address(device.serial.clone())))
        .collect();
    if targets.is_empty() {
        // Its error says why each device cannot be used.
        only_one(listed)?;
    }
    Ok(targets)
}

/// Returns the only device that is online: of the adb server, or on USB if there is no server. Fails if there is none
/// or more than one; without server and USB device, with the server's error.
async fn find_only_device(server: &AdbServer) -> Result<Address, DeviceError> {
    match list_devices(server).await {
        Ok(listed) => only_one(listed).map(Address::Serial),
        Err(no_server) => match on_usb(server).await {
            observed if observed.is_empty() => Err(no_server),
            attached => only_one(attached).map(Address::Usb),
        },
    }
}

/// Returns the address of a serial number: on USB if no adb server runs and the device is there, else through
/// the server, known or not. A running server occupies the USB devices.
async fn by_serial(serial: &str, server: &AdbServer) -> Address {
    if !server.answers().await {
        let observed = on_usb(server).await;
        if observed.iter().any(|device| device.serial == serial) {
            return Address::Usb(serial.to_owned());
        }
    }
    Address::Serial(serial.to_owned())
}

/// Lists the devices on USB. The list is empty where USB cannot be read.
async fn on_usb(server: &AdbServer) -> Vec<ConnectedDevice> {
    list_usb(server).await.unwrap_or_default()
}

/// Returns `name`, or `name-2`, `name-3` and so on: the first that no target has as its label.
fn unused_label(name: &str, targets: &[Target]) -> String {
    let acquired = |label: &str| targets.iter().any(|target| target.label == label);
    if !acquired(name) {
        return name.to_owned();
    }
    (2..)
        .map(|number| format!("{name}-{number}"))
        .find(|label| !acquired(label))
        .unwrap_or_else(|| name.to_owned())
}

fn has(known: &ConnectedDevice, name: &str) -> bool {
    known.serial == name && known.state == ConnectionState::Online
}

/// Returns the serial number of the only device that is online. Devices in other states are ignored beside it.
/// Otherwise the error says how many are online, or each device's state if none is.
fn only_one(devices: Vec<ConnectedDevice>) -> Result<String, DeviceError> {
    let online: Vec<&ConnectedDevice> = devices
        .iter()
        .filter(|device| device.state == ConnectionState::Online)
        .collect();
    match online.as_slice() {
        [device] => Ok(device.serial.clone()),
        [] if devices.is_empty() => Err(DeviceError::Ambiguous(
            "no device is connected. Connect one (`adb devices` must list it), or use the built-in one: `--device virtual`".into(),
        )),
        [] => Err(DeviceError::Ambiguous(format!(
            "no device is ready: {}. `runner doctor` says what to do, or use the built-in one: `--device virtual`",
            devices.iter().map(describe).collect::<Vec<_>>().join(", ")
        ))),
        several => Err(DeviceError::Ambiguous(format!(
            "{} devices are connected: {}. Name one with `--device SERIAL`, ANDROID_SERIAL or `devices:` in runner.yaml",
            several.len(),
            several.iter().map(|device| device.serial.as_str()).collect::<Vec<_>>().join(", ")
        ))),
    }
}

/// Returns the serial number, with the state unless the device is online.
fn describe(device: &ConnectedDevice) -> String {
    match &device.state {
        ConnectionState::Online => device.serial.clone(),
        ConnectionState::Other(state) => format!("{} is {state}", device.serial),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(serial: &str, state: ConnectionState) -> ConnectedDevice {
        ConnectedDevice {
            serial: serial.into(),
            state,
            model: None,
            transport_id: None,
        }
    }

    #[test]
    fn the_only_device_is_taken_and_anything_else_is_explained() {
        let online = || ConnectionState::Online;
        assert_eq!(only_one(vec![device("a", online())]).unwrap(), "a");
        assert_eq!(
            only_one(vec![
                device("a", online()),
                device("b", ConnectionState::Other("offline".into()))
            ])
            .unwrap(),
            "a"
        );
        for (devices, word) in [
            (vec![], "--device virtual"),
            (vec![device("a", online()), device("b", online())], "a, b"),
            (
                vec![device("a", ConnectionState::Other("unauthorized".into()))],
                "a is unauthorized",
            ),
        ] {
            let error = only_one(devices).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn labels_stay_unique() {
        let target = |label: &str| Target::with_defaults(label, Address::Virtual);
        assert_eq!(unused_label("virtual", &[]), "virtual");
        assert_eq!(unused_label("virtual", &[target("virtual")]), "virtual-2");
        assert_eq!(
            unused_label("virtual", &[target("virtual"), target("virtual-2")]),
            "virtual-3"
        );
    }
}
