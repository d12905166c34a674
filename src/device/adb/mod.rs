//! The one way to a device: adb, through a server (local or remote) or directly to a device's TCP port.
//!
//! Owns the conversation: smart socket, adbd's packets, shell, sync, and the fall-backs for what real devices do.

mod connect;

pub use connect::{
    AdbServer, ConnectedDevice, ConnectionState, connect_direct, connect_serial, list_devices,
};
