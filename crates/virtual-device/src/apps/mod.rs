//! The apps of the virtual device and everything a person sees: [`VirtualPhone`].
//!
//! - `app`: app folders, their manifest, what their actions do
//! - `a2ui`: the protocol their screens are written in
//! - `ui`: elements, layout, pixels, dump rows
//! - `system`: keyboard, launcher, bars, dialogs and menus
//! - `phone`: the whole, behind the [`super::Phone`] seam
//!
//! Owns the state of the device above the shell. No I/O beyond reading app folders, no clock: time is virtual.

mod a2ui;
mod app;
mod phone;
mod system;
mod ui;

pub use a2ui::MessageError;
pub use a2ui::docs::docs as a2ui_docs;
pub use app::{AppError, check, has_errors, schema};
pub use phone::HostCall;
pub use phone::VirtualPhone;
pub(crate) use phone::{LAUNCHER, WALL_CLOCK};
