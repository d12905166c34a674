//! The host's side of adb: the ways to a device, through an adb server or straight to its adbd.
//!
//! A [`Transport`] opens services of one device as byte streams. What is said on them is the caller's.

mod direct;
mod error;
mod listing;
mod server;
mod transport;

pub use direct::DirectLink;
pub use error::ClientError;
pub use listing::{ConnectedDevice, ConnectionState};
pub use server::{AdbServer, advice_for};
pub use transport::{BoxStream, Features, Stream, Transport};
