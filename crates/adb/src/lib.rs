//! The adb protocol: its codecs for both ends of the wire, and scripts for a device's shell.

mod script;
pub mod wire;

pub use script::{Script, ShellOutput, quote};
