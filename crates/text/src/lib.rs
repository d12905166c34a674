#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod confusables;
pub mod diagnostic;
pub mod flow_text;
pub mod harmless;
pub mod input_file;
pub mod percent;
pub mod secret;
pub mod shell;
pub mod source_file;
pub mod suggest;
pub mod temporary_folder;
pub mod units;
pub mod wide_signs;
pub mod yaml;
