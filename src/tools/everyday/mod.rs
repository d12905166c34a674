//! The everyday steps: what a test case says most.

mod apps;
mod device;
mod element;
mod expect;
mod files;
mod log;
mod picture;
mod scroll;
mod text;

pub use apps::{Clear, Grant, Install, Launch, OpenLink, Revoke, Stop, Uninstall};
pub use device::{Rotate, SetDevice, Shell};
pub use element::{Click, DoubleClick, Find, LongClick, WaitFor};
pub use expect::{Assert, AssertNotVisible, AssertVisible, expect_element};
pub use files::{Pull, Push};
pub use log::AssertLog;
pub(super) use log::level;
pub use picture::{Record, Screenshot};
pub use scroll::ScrollTo;
pub use text::{Back, Erase, HideKeyboard, Home, NoArgs, Press, Type};
