//! The one way to a device: adb, through a server (local or remote) or directly to a device's TCP port.
//!
//! Owns the conversation: smart socket, adbd's packets, shell, sync, and the fall-backs for what real devices do.
//! What a device is asked lies in [`super`]; here is only how it is asked.

mod connect;
mod direct;
mod dump;
mod gestures;
mod info;
mod log;
mod screencap;
mod server;
mod session;
mod shell;
mod sync;
mod touchscreen;
mod transport;

#[cfg(test)]
mod fake;

pub use connect::{
    AdbServer, ConnectedDevice, ConnectionState, connect_direct, connect_serial, list_devices,
    server_version,
};
pub(in crate::device) use info::size;
