//! The USB devices of this computer that speak adb.

use std::io;

use nusb::descriptors::TransferType;
use nusb::transfer::{Buffer, Bulk, Direction, In, Out, TransferError};
use nusb::{DeviceInfo, Endpoint, ErrorKind, Interface, MaybeFuture as _};

use super::framing::{BulkIn, BulkOut, UsbConnection};
use super::{UsbDevice, UsbState};
use crate::client::{ClientError, advice_for};

/// Class, subclass and protocol of the interface that speaks adb.
const ADB_INTERFACE: (u8, u8, u8) = (0xff, 0x42, 0x01);

/// The devices on USB that speak adb and have a serial. Blocks: each is opened for a moment.
///
/// # Errors
/// The system's, where USB cannot be looked at.
pub fn devices() -> io::Result<Vec<UsbDevice>> {
    let listed = match nusb::list_devices().wait() {
        Ok(listed) => listed,
        // A computer without USB has no devices there.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
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

/// Opens the device with this serial.
pub(in crate::client) async fn open(
    serial: &str,
) -> Result<UsbConnection<Input, Output>, ClientError> {
    let wanted = serial.to_owned();
    // The system's calls block.
    let opened = tokio::task::spawn_blocking(move || open_now(&wanted)).await;
    opened.unwrap_or_else(|cause| Err(lost(serial, cause)))
}

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
    // An earlier program may have left them in the middle of a transfer. Not every device knows the request.
    let _ = input.clear_halt().wait();
    let _ = output.clear_halt().wait();
    Ok(UsbConnection::new(Input(input), Output(output)))
}

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

fn refused(serial: &str, cause: &nusb::Error) -> ClientError {
    let state = match cause.kind() {
        ErrorKind::PermissionDenied => "no permissions",
        ErrorKind::Busy => "in use",
        _ => return lost(serial, cause),
    };
    ClientError::Unusable {
        serial: serial.to_owned(),
        state: state.to_owned(),
        advice: advice_for(state).to_owned(),
    }
}

fn lost(serial: &str, cause: impl std::fmt::Display) -> ClientError {
    ClientError::Lost {
        serial: serial.to_owned(),
        cause: format!("{cause} (on USB)"),
    }
}

/// The endpoint from the device.
pub(in crate::client) struct Input(Endpoint<Bulk, In>);
/// The endpoint to the device.
pub(in crate::client) struct Output(Endpoint<Bulk, Out>);

impl BulkIn for Input {
    fn packet_size(&self) -> usize {
        self.0.max_packet_size().max(1)
    }

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
