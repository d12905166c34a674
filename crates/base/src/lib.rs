#![doc = include_str!("../README.md")]

pub mod archive;
pub mod context;
pub mod exit_code;
pub mod files;
pub mod interrupt;
pub mod log;
pub mod own_folder;
