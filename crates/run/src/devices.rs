//! Devices of a run: resolves the names that a person gives, and opens the devices.

use std::pin::Pin;
use std::sync::Arc;

use runner_app_host::launch::{self, HostedApps};
use runner_app_host::places::Places;
use runner_config::{AppPaths, Config, DeviceSpec, Origin};
use runner_device::adb::{
    Access, AdbServer, ConnectedDevice, ConnectionState, connect_direct, connect_serial,
    connect_tcp, connect_usb, list_devices, list_usb,
};
use runner_device::uia2::{self, ApkPlaces, Use};
use runner_device::{Device, DeviceError, DriverChoice, VIRTUAL, system};
use runner_flow::document;
use runner_virtual_automation::SERVERS;
use runner_virtual_device::{Quirk, VirtualDevice, VirtualDeviceOptions};
use runner_webdriver::{SessionScope, WebDriverSpec};

/// Device to run on, which need not be open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name in reports, different from those of the run's other devices.
    pub label: String,
    pub address: Address,
    /// Render class from `runner.yaml`, in place of the one that is computed.
    pub render_class: Option<String>,
    /// Variant of its goldens from `runner.yaml`.
    pub variant: Option<String>,
    /// Driver that `runner.yaml` sets for this device alone.
    pub driver: Option<DriverChoice>,
    /// Tags that flows can require with `needs`.
    pub tags: Vec<String>,
}

impl Target {
    /// Returns true if the device is released after each flow.
    pub(crate) fn is_for_one_flow(&self) -> bool {
        matches!(&self.address, Address::WebDriver { spec, .. } if spec.scope == SessionScope::Flow)
    }

    /// Creates a target without render class, variant, driver and tags.
    pub(super) fn with_defaults(label: &str, address: Address) -> Self {
        Self {
            label: label.to_owned(),
            address,
            render_class: None,
            variant: None,
            driver: None,
            tags: Vec::new(),
        }
    }

    /// Placeholder for the device of flows that found none.
    pub fn missing() -> Self {
        Self::with_defaults("none", Address::Serial("none".into()))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Serial number, through the adb server.
    Serial(String),
    /// `host:port` of adbd, without an adb server.
    Direct(String),
    /// Serial number on USB, without an adb server.
    Usb(String),
    /// Built-in virtual device, started in this process.
    Virtual,
    WebDriver {
        /// Name of the device in `runner.yaml`, which `--device` takes.
        name: String,
        /// Server, and the capabilities to request.
        spec: Arc<WebDriverSpec>,
    },
}

impl Address {
    /// Returns the value of `--device` that names it: a serial number, `host:port`, the configured name of a WebDriver
    /// device, or `virtual`. All virtual devices have the same name.
    pub fn name(&self) -> &str {
        match self {
            Self::Serial(name) | Self::Direct(name) | Self::Usb(name) => name,
            Self::WebDriver { name, .. } => name,
            Self::Virtual => VIRTUAL,
        }
    }

    /// Returns true if other computers reach the device too: through an adb server of another computer, or at an
    /// address that is not this computer's, also where this computer's server connects to it. A host name other than
    /// `localhost` counts as another computer. USB, virtual and WebDriver devices are never shared.
    pub fn is_shared(&self, server: &AdbServer) -> bool {
        match self {
            Self::Serial(serial) => {
                !server.is_loopback() || is_address(serial) && is_elsewhere(serial)
            }
            Self::Direct(address) => is_elsewhere(address),
            // A server gives a device to one session at a time.
            Self::Usb(_) | Self::Virtual | Self::WebDriver { .. } => false,
        }
    }

    /// Describes the connection: `server`, `direct HOST:PORT`, `usb`, `webdriver URL`, `built in`.
    pub fn way(&self) -> String {
        match self {
            Self::Serial(_) => "server".to_owned(),
            Self::Direct(address) => format!("direct {address}"),
            Self::Usb(_) => "usb".to_owned(),
            Self::WebDriver { spec, .. } => format!("webdriver {}", spec.display),
            Self::Virtual => "built in".to_owned(),
        }
    }
}

/// Open device. Dropping it ends the virtual device.
pub struct OpenDevice {
    pub device: Arc<dyn Device>,
    virtual_device: Option<VirtualDevice>,
}

impl std::fmt::Debug for OpenDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenDevice")
            .field("virtual", &self.virtual_device.is_some())
            .finish_non_exhaustive()
    }
}

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

/// Returns true unless an address with a port is this computer's: a loopback one, or `localhost` in any letter case.
fn is_elsewhere(address: &str) -> bool {
    let host = address.rsplit_once(':').map_or("", |(host, _)| host);
    let host = host.trim_matches(['[', ']']);
    let ip = host.parse::<std::net::IpAddr>();
    !host.eq_ignore_ascii_case("localhost") && !ip.is_ok_and(|ip| ip.is_loopback())
}

pub(super) fn is_address(name: &str) -> bool {
    name.rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
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

#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Access to the adb server and to devices without one.
    pub access: Access,
    /// Apps of the virtual device.
    pub apps: AppPaths,
    /// Locations of the programs and files in which APKs run on this computer.
    pub places: Places,
    /// Behaviours of some phones that the virtual device imitates.
    pub quirks: Vec<Quirk>,
    /// Driver of devices without one of their own.
    pub driver: DriverChoice,
    /// The person set the driver for this run: it takes precedence over a device's own.
    pub driver_of_all: bool,
    /// Places to look for the APKs of a driver.
    pub apks: ApkPlaces,
    /// Purpose for which the device is opened.
    pub wanted: Use,
    notifier: Notifier,
}

/// Callback that shows a person what a device waits for.
#[derive(Clone)]
struct Notifier(Arc<dyn Fn(&str) + Send + Sync>);

impl std::fmt::Debug for Notifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Notifier")
    }
}

impl OpenOptions {
    /// Creates options from the configuration. Nobody is notified of what the device's owner must do until
    /// [`OpenOptions::with_notifier`] is called. A driver from the environment or the command line applies to all
    /// devices.
    pub fn new(config: &Config, wanted: Use) -> Self {
        Self {
            access: config.adb_access(),
            apps: config.app_paths(),
            places: config.places.clone(),
            quirks: config.quirks.value.clone(),
            driver: config.driver.value,
            driver_of_all: matches!(
                config.driver.origin,
                Origin::Environment(_) | Origin::CommandLine
            ),
            apks: config.apk_places(),
            wanted,
            notifier: Notifier(Arc::new(|_| {})),
        }
    }

    /// Sets a callback that shows a person what to do while a device is waited for. It replaces an earlier one.
    #[must_use]
    pub fn with_notifier(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        let report = Arc::new(notify);
        self.notifier = Notifier(Arc::clone(&report) as Arc<_>);
        self.access = self.access.with_notifier(move |notice| report(notice));
        self
    }

    /// Returns the driver of a target: its own, unless it has none or one from the command line or environment is
    /// for all devices.
    fn driver(&self, target: &Target) -> DriverChoice {
        match target.driver {
            Some(driver) if !self.driver_of_all => driver,
            _ => self.driver,
        }
    }
}

/// Opens a target with its driver, as [`OpenOptions::wanted`] and the choice of driver say: the driver may be installed
/// and started first. The built-in device is started, and ends with the result. A device whose owner must allow the
/// connection is waited for, by default a minute, which the notifier tells.
///
/// # Errors
/// [`DeviceError`] if the device cannot be reached or started, or a driver that was asked for by name cannot be
/// installed or started.
pub fn open<'a>(target: &'a Target, options: &'a OpenOptions) -> Opening<'a> {
    Box::pin(async move {
        let opened = reach(target, options).await?;
        drive(opened, target, options).await
    })
}

/// Opens a target for flows: wakes and unlocks it while the driver starts. Returns true as the second value if it was
/// woken.
///
/// # Errors
/// [`DeviceError`] if [`open`] would fail, or if the device stays asleep or locked or is still starting. An error of
/// the driver comes before one of waking.
pub(super) async fn open_for_flows(
    target: &Target,
    options: &OpenOptions,
) -> Result<(OpenDevice, bool), DeviceError> {
    let opened = reach(target, options).await?;
    let device = Arc::clone(&opened.device);
    let driving = Box::pin(drive(opened, target, options));
    let (driven, was_woken) = tokio::join!(driving, system::make_ready(device.as_ref()));
    Ok((driven?, was_woken?))
}

/// Puts the wanted driver over an open device. The stock driver, and a WebDriver device, stay as they are. Otherwise a
/// server is borrowed, started or installed as `Use` and the choice of driver say; only one that was asked for by name
/// can fail.
async fn drive(
    opened: OpenDevice,
    target: &Target,
    options: &OpenOptions,
) -> Result<OpenDevice, DeviceError> {
    if matches!(target.address, Address::WebDriver { .. }) {
        return Ok(opened);
    }
    let choice = options.driver(target);
    let device = uia2::driven(opened.device, choice, options.wanted, &options.apks).await?;
    Ok(OpenDevice { device, ..opened })
}

/// Future of [`open`]. It is boxed, as each crate that awaits an unboxed one would compile every way to a
/// device again.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<OpenDevice, DeviceError>> + Send + 'a>>;

/// Connects to a target without a driver. The built-in device is started first.
async fn reach(target: &Target, options: &OpenOptions) -> Result<OpenDevice, DeviceError> {
    let access = &options.access;
    match &target.address {
        Address::Serial(serial) => Ok(OpenDevice {
            device: connect_serial(&access.server, serial).await?,
            virtual_device: None,
        }),
        Address::Direct(address) => Ok(OpenDevice {
            device: connect_tcp(address, &target.label, access.host.clone()).await?,
            virtual_device: None,
        }),
        Address::Usb(serial) => Ok(OpenDevice {
            device: connect_usb(serial, access.host.clone()).await?,
            virtual_device: None,
        }),
        Address::WebDriver { spec, .. } => Ok(OpenDevice {
            device: runner_webdriver::connect(spec, &target.label, options.notifier.0.as_ref())
                .await?,
            virtual_device: None,
        }),
        Address::Virtual => {
            let options = virtual_options(options, &target.label).await?;
            let virtual_device = VirtualDevice::start(options)
                .await
                .map_err(|error| not_started(&target.label, &error))?;
            let address = format!("127.0.0.1:{}", virtual_device.port());
            let device = connect_direct(&address, &target.label).await?;
            Ok(OpenDevice {
                device,
                virtual_device: Some(virtual_device),
            })
        }
    }
}

/// Returns the options of the built-in device, with the apps that the configuration names. APKs among them are started
/// in Android's framework on this computer, as [`with_apks`] does, and may fail as there.
async fn virtual_options(
    options: &OpenOptions,
    label: &str,
) -> Result<VirtualDeviceOptions, DeviceError> {
    let device = VirtualDeviceOptions {
        apps: options.apps.folders.clone(),
        quirks: options.quirks.clone(),
        schema_check: document::problems,
        servers: Some(SERVERS),
        ..VirtualDeviceOptions::default()
    };
    with_apks(device, &options.apps, &options.places, label).await
}

/// Returns `device` with the APKs of `apps`, which run in Android's framework on this computer; unchanged if there are
/// none. Reads whole APKs, starts a process of each, and waits until that of the first is ready or has failed. `label`
/// names the device in errors.
///
/// # Errors
/// [`DeviceError::Unusable`] with what is missing on this computer, or which APK cannot run.
pub async fn with_apks(
    device: VirtualDeviceOptions,
    apps: &AppPaths,
    places: &Places,
    label: &str,
) -> Result<VirtualDeviceOptions, DeviceError> {
    if apps.apks.is_empty() {
        return Ok(device);
    }
    let (apks, classes, places) = (apps.apks.clone(), apps.classes.clone(), places.clone());
    // Blocking, as it reads whole APKs.
    let prepared =
        tokio::task::spawn_blocking(move || launch::prepare(&apks, classes, &places)).await;
    let prepared = prepared.map_err(|error| not_started(label, &error))?;
    let HostedApps { apps, hosts } = prepared.map_err(|error| not_started(label, &error))?;
    Ok(device.with_hosted(apps, hosts))
}

/// Returns [`DeviceError::Unusable`] for a device that did not start, with the reason as advice.
fn not_started(label: &str, why: &dyn std::fmt::Display) -> DeviceError {
    DeviceError::Unusable {
        serial: label.to_owned(),
        state: "not started".into(),
        advice: why.to_string(),
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::{Address, Target};

    /// Returns a target without further settings.
    pub(crate) fn target(label: &str, address: Address) -> Target {
        Target::with_defaults(label, address)
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

    /// An address is reached through the server where that is connected to it, else directly.
    #[test]
    fn a_device_at_an_address_is_shared_whichever_way_it_is_reached() {
        let server = |host: &str| AdbServer {
            host: host.to_owned(),
            port: 5037,
            program: None,
        };
        for (name, shared) in [
            ("10.0.0.7:5555", true),
            ("phone.lab:5555", true),
            ("[fe80::7]:5555", true),
            ("127.0.0.1:5555", false),
            ("[::1]:5555", false),
            ("LocalHost:5555", false),
        ] {
            for address in [Address::Direct(name.into()), Address::Serial(name.into())] {
                let told = address.is_shared(&server("localhost"));
                assert_eq!(told, shared, "{address:?}");
            }
        }
        for serial in ["emulator-5554", "R58", "127.0.0.1:5555"] {
            let address = Address::Serial(serial.into());
            assert!(address.is_shared(&server("10.0.0.1")), "{serial}");
        }
        for serial in ["emulator-5554", "R58"] {
            let address = Address::Serial(serial.into());
            assert!(!address.is_shared(&server("127.0.0.1")), "{serial}");
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

    #[test]
    fn an_address_has_a_port() {
        assert!(is_address("127.0.0.1:5555"));
        assert!(is_address("[::1]:5555"));
        assert!(!is_address("emulator-5554"));
        assert!(!is_address("virtual"));
        assert!(!is_address("a:b"));
    }
}
