#![doc = include_str!("../README.md")]

pub mod client;
pub mod device;
pub mod pool;
pub mod process;
