//! USB for a build without the feature `usb`: it finds no devices.

use std::io;

use super::UsbDevice;
use super::framing::{BulkIn, BulkOut, UsbConnection};
use crate::client::ClientError;

/// Returns no devices.
///
/// # Errors
/// None.
pub fn devices() -> io::Result<Vec<UsbDevice>> {
    Ok(Vec::new())
}

/// Fails: there is no device.
pub(in crate::client) async fn open(
    serial: &str,
) -> Result<UsbConnection<NoEndpoint, NoEndpoint>, ClientError> {
    Err(ClientError::NotFound {
        serial: serial.to_owned(),
    })
}

/// Endpoint type of a connection that never exists.
pub(in crate::client) enum NoEndpoint {}

impl BulkIn for NoEndpoint {
    fn packet_size(&self) -> usize {
        match *self {}
    }

    async fn read(&mut self, _length: usize) -> io::Result<Vec<u8>> {
        match *self {}
    }
}

impl BulkOut for NoEndpoint {
    fn packet_size(&self) -> usize {
        match *self {}
    }

    async fn write(&mut self, _transfer: &[u8]) -> io::Result<()> {
        match *self {}
    }
}
