//! A device to test against: adbd over TCP, its shell and storage, its apps drawn from A2UI.
//!
//! It is the other end of the wire, not a mock of the driver. Owns nothing the driver uses but [`crate::wire`] and
//! [`crate::screen`]'s geometry.

mod apps;
mod phone;

pub use apps::{AppError, VirtualPhone};
pub use phone::{KeyPress, NodeDump, PackageDump, Phone, PhoneOptions, Touch, WindowDump};
