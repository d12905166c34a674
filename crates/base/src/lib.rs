#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod archive;
pub mod context;
pub mod exit_code;
pub mod files;
pub mod interrupt;
pub mod log;
pub mod named_path;
pub mod output_file;
pub mod own_folder;
