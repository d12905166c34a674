//! The one way to a device: adb, through a server (local or remote) or directly to a device's TCP port.
//!
//! Owns the conversation: shell, sync, and the fall-backs for what real devices do. The ways to a device lie below, in
//! `runner_adb::client`; what a device is asked lies in [`super`]; here is only how it is asked.

mod access;
mod connect;
mod dump;
mod error;
mod gestures;
pub(crate) mod info;
mod log;
mod screencap;
mod session;
mod shell;
mod sync;
mod touchscreen;

#[cfg(test)]
mod fake;

pub use access::Access;
pub use connect::{
    AdbServer, ConnectedDevice, ConnectionState, connect_direct, connect_serial, connect_tcp,
    connect_usb, list_devices, list_usb, server_version,
};
pub(crate) use info::size;
pub use info::{QUESTIONS, ask_again, read as read_info};
pub use runner_adb::auth::HostKeys;
pub use runner_adb::client::{Host, OWNER_LIMIT};
pub use screencap::read_png;
