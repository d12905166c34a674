//! Opens a device, with its driver.

use std::pin::Pin;
use std::sync::Arc;

use super::built_in::{not_started, virtual_options};
use super::options::OpenOptions;
use super::target::{Address, Target};
use runner_device::adb::{connect_direct, connect_serial, connect_tcp, connect_usb};
use runner_device::{Device, DeviceError, system, uia2};
use runner_virtual_device::VirtualDevice;

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

/// Future of [`open`]. It is boxed, as each crate that awaits an unboxed one would compile every way to a
/// device again.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<OpenDevice, DeviceError>> + Send + 'a>>;

/// Opens a target for flows: wakes and unlocks it while the driver starts. Returns true as the second value if it was
/// woken.
///
/// # Errors
/// [`DeviceError`] if [`open`] would fail, or if the device stays asleep or locked or is still starting. An error of
/// the driver comes before one of waking.
pub(crate) async fn open_for_flows(
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
