#![doc = include_str!("../README.md")]

pub mod diagnostic;
pub mod flow_text;
pub mod harmless;
pub mod percent;
pub mod secret;
pub mod source_file;
pub mod suggest;
pub mod temporary_folder;
pub mod units;
pub mod yaml;
