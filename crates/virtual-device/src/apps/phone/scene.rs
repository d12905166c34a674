//! The windows on the screen from back to front, laid out.

mod build;
mod frame;
mod measures;
mod stack;
mod system_windows;
mod window;

pub(super) use build::build;
pub(super) use measures::insets;
pub(crate) use stack::Scene;
pub(crate) use window::{Window, WindowName};
