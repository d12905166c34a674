//! The apps of the virtual device and everything on its screen: [`VirtualPhone`].
//!
//! - `app`: app folders, their manifest, the steps of their actions
//! - `a2ui`: the protocol of their screens
//! - `ui`: elements, layout, pixels, dump nodes
//! - `system`: keyboard, launcher, bars, dialogs and menus
//! - `phone`: the complete phone, which implements [`super::Phone`]
//!
//! Owns the state of the device above the shell. No I/O except reading app folders, and no clock: time is
//! virtual.

mod a2ui;
mod app;
mod phone;
mod system;
mod ui;

pub use a2ui::MessageError;
pub use a2ui::docs::docs as a2ui_docs;
pub use app::{AppError, app_advice, check, has_errors, schema};
pub use phone::HostCall;
pub use phone::VirtualPhone;
pub(crate) use phone::{LAUNCHER, WALL_CLOCK};
