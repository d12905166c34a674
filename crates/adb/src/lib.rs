#![doc = include_str!("../README.md")]

pub mod auth;
pub mod client;
mod script;
pub mod wire;

pub use script::{Script, ShellOutput, quote};
