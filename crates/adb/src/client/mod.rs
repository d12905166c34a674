//! Host's side of adb: connections to a device through an adb server or straight to its adbd.
//!
//! A [`Transport`] opens services of one device as byte streams. The caller speaks each service's own
//! protocol on them.

mod direct;
mod error;
mod features;
mod handshake;
mod host;
mod link;
mod listing;
mod packets;
mod server;
mod transport;
mod usb;
mod wireless;

pub use direct::DirectLink;
pub use error::{ClientError, Refusal};
pub use features::Features;
pub use host::{Host, Notice, Notifier, OWNER_LIMIT};
pub use listing::{ConnectedDevice, ConnectionState, advice_for};
pub use server::AdbServer;
pub use transport::{BoxStream, Stream, Transport};
pub use usb::{UsbDevice, UsbState, devices as usb_devices};
pub use wireless::{WirelessDevice, wireless_devices};
