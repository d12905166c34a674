#![doc = include_str!("../README.md")]

mod script;
pub mod wire;

pub use script::{Script, ShellOutput, quote};
