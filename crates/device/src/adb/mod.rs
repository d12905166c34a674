//! [`Device`](super::Device) over adb: through a server, local or remote, or straight to a device's adbd.
//!
//! Owns the conversation: shell, file service, and the fall-backs for the faults of real devices. Connections
//! are in `runner_adb::client`; the questions themselves are in [`super`].

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
mod sleep;
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
