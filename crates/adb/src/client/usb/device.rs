//! USB devices of this computer that speak adb.

use std::io;
use std::time::Duration;

use nusb::descriptors::TransferType;
use nusb::transfer::{Buffer, Bulk, Direction, In, Out, TransferError};
use nusb::{DeviceInfo, Endpoint, ErrorKind, Interface, MaybeFuture as _};

use super::framing::{BulkIn, BulkOut, UsbConnection};
use super::{UsbDevice, UsbState};
use crate::client::{ClientError, advice_for};

/// Class, subclass and protocol of adb's interface (AOSP `adb.h`, `ADB_CLASS` and so on).
const ADB_INTERFACE: (u8, u8, u8) = (0xff, 0x42, 0x01);

/// State of a device that another program holds, for errors.
const IN_USE: &str = "in use";
/// Linux's error `ENOENT`, for a system without a folder of USB devices.
const NO_SUCH_FOLDER: u32 = 2;
/// Attempts to claim an interface that another program holds. Chosen: with [`CLAIM_PAUSE`] a second, in which
/// an earlier connection of this program lets go.
const CLAIM_TRIES: u32 = 10;
/// Pause between two attempts. Chosen: short for a person, long for a processor.
const CLAIM_PAUSE: Duration = Duration::from_millis(100);

/// Lists the USB devices that speak adb and have a serial, in the system's order, each with its state: free, not
/// permitted, or in use by another program, which any other failure to open it counts as. Blocks: each is opened
/// briefly. A computer without USB has none.
///
/// # Errors
/// Returns the system's error if USB cannot be listed.
pub fn devices() -> io::Result<Vec<UsbDevice>> {
    let listed = match nusb::list_devices().wait() {
        Ok(listed) => listed,
        // A computer without USB, such as a container, has no devices there.
        Err(error) if error.os_error() == Some(NO_SUCH_FOLDER) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let found = listed.filter_map(|device| {
        let interface = adb_interface(&device)?;
        Some(UsbDevice {
            serial: device.serial_number()?.to_owned(),
            model: device.product_string().map(str::to_owned),
            state: match claim(&device, interface) {
                Ok(_) => UsbState::Free,
                Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                    UsbState::NoPermissions
                }
                Err(_) => UsbState::InUse,
            },
        })
    });
    Ok(found.collect())
}

/// Opens the device with this serial. Tries again for a second if another program holds it.
///
/// # Errors
/// Returns [`ClientError::Unusable`] if it is still held then, or not permitted, [`ClientError::NotFound`] without
/// such a device, and [`ClientError::Lost`] or [`ClientError::Protocol`] for all else. Only a held device is tried
/// again.
pub(in crate::client) async fn open(
    serial: &str,
) -> Result<UsbConnection<Input, Output>, ClientError> {
    let mut tries = 1;
    loop {
        let wanted = serial.to_owned();
        // The system's calls block.
        let opened = tokio::task::spawn_blocking(move || open_now(&wanted)).await;
        match opened.unwrap_or_else(|cause| Err(lost(serial, cause))) {
            // An earlier connection of this program may be releasing the interface.
            Err(ClientError::Unusable { state, .. }) if state == IN_USE && tries < CLAIM_TRIES => {
                tries += 1;
                tokio::time::sleep(CLAIM_PAUSE).await;
            }
            opened => return opened,
        }
    }
}

/// Opens the adb interface of the device with this serial, and clears what an earlier program left in its
/// endpoints. Blocks. Of several devices with this serial it is the first.
fn open_now(serial: &str) -> Result<UsbConnection<Input, Output>, ClientError> {
    let (device, interface) = nusb::list_devices()
        .wait()
        .map_err(|cause| lost(serial, cause))?
        .filter(|device| device.serial_number() == Some(serial))
        .find_map(|device| adb_interface(&device).map(|interface| (device, interface)))
        .ok_or_else(|| ClientError::NotFound {
            serial: serial.to_owned(),
        })?;
    let interface = claim(&device, interface).map_err(|cause| refused(serial, &cause))?;
    let address = |wanted: Direction| {
        interface.descriptor()?.endpoints().find_map(|endpoint| {
            let found = endpoint.transfer_type() == TransferType::Bulk;
            (found && endpoint.direction() == wanted).then(|| endpoint.address())
        })
    };
    let (Some(from), Some(to)) = (address(Direction::In), address(Direction::Out)) else {
        return Err(ClientError::Protocol(format!(
            "device '{serial}' has no two bulk endpoints in its adb interface"
        )));
    };
    let mut input = interface
        .endpoint::<Bulk, In>(from)
        .map_err(|cause| lost(serial, cause))?;
    let mut output = interface
        .endpoint::<Bulk, Out>(to)
        .map_err(|cause| lost(serial, cause))?;
    // An earlier program may have stopped in the middle of a transfer. Not every device knows this request.
    let _ = input.clear_halt().wait();
    let _ = output.clear_halt().wait();
    Ok(UsbConnection::new(Input(input), Output(output)))
}

/// Returns the number of the device's adb interface, if it has one.
fn adb_interface(device: &DeviceInfo) -> Option<u8> {
    let speaks_adb = |class: &nusb::InterfaceInfo| {
        (class.class(), class.subclass(), class.protocol()) == ADB_INTERFACE
    };
    let found = device
        .interfaces()
        .find(|interface| speaks_adb(interface))?;
    Some(found.interface_number())
}

fn claim(device: &DeviceInfo, interface: u8) -> Result<Interface, nusb::Error> {
    device.open().wait()?.claim_interface(interface).wait()
}

/// Builds the error of an interface that cannot be claimed: no permission, in use, or else lost.
fn refused(serial: &str, cause: &nusb::Error) -> ClientError {
    let state = match cause.kind() {
        ErrorKind::PermissionDenied => "no permissions",
        ErrorKind::Busy => IN_USE,
        _ => return lost(serial, cause),
    };
    ClientError::Unusable {
        serial: serial.to_owned(),
        state: state.to_owned(),
        advice: advice_for(state).to_owned(),
    }
}

/// Builds a [`ClientError::Lost`] whose cause says that the device is on USB.
fn lost(serial: &str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Lost {
        serial: serial.to_owned(),
        cause: format!("{cause} (on USB)"),
    }
}

pub(in crate::client) struct Input(Endpoint<Bulk, In>);
pub(in crate::client) struct Output(Endpoint<Bulk, Out>);

impl BulkIn for Input {
    fn packet_size(&self) -> usize {
        self.0.max_packet_size().max(1)
    }

    /// Waits for one transfer, without a limit.
    async fn read(&mut self, length: usize) -> io::Result<Vec<u8>> {
        self.0.submit(Buffer::new(length));
        let done = self.0.next_complete().await;
        let read = done.into_result().map_err(failed)?;
        Ok(read.into_vec())
    }
}

impl BulkOut for Output {
    fn packet_size(&self) -> usize {
        self.0.max_packet_size().max(1)
    }

    async fn write(&mut self, transfer: &[u8]) -> io::Result<()> {
        self.0.submit(Buffer::from(transfer));
        self.0.next_complete().await.into_result().map_err(failed)?;
        Ok(())
    }
}

fn failed(error: TransferError) -> io::Error {
    io::Error::other(error)
}
