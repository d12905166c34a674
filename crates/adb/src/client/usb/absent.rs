//! What is on USB for a build that cannot look there: nothing.

use std::io;

use super::UsbDevice;
use super::framing::{BulkIn, BulkOut, UsbConnection};
use crate::client::ClientError;

/// No devices.
///
/// # Errors
/// None.
pub fn devices() -> io::Result<Vec<UsbDevice>> {
    Ok(Vec::new())
}

/// Finds no device.
pub(in crate::client) async fn open(
    serial: &str,
) -> Result<UsbConnection<Nothing, Nothing>, ClientError> {
    Err(ClientError::NotFound {
        serial: serial.to_owned(),
    })
}

/// An endpoint that nobody can have.
pub(in crate::client) enum Nothing {}

impl BulkIn for Nothing {
    fn packet_size(&self) -> usize {
        match *self {}
    }

    async fn read(&mut self, _length: usize) -> io::Result<Vec<u8>> {
        match *self {}
    }
}

impl BulkOut for Nothing {
    fn packet_size(&self) -> usize {
        match *self {}
    }

    async fn write(&mut self, _transfer: &[u8]) -> io::Result<()> {
        match *self {}
    }
}
