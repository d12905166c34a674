#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod apk;
pub mod archive;
pub mod classes;
pub mod client;
pub mod device;
mod eviction;
pub mod host;
pub mod host_jar;
mod jar;
pub mod jdk;
pub mod launch;
pub mod manifest_text;
pub mod parts;
pub mod places;
pub mod pool;
pub mod prepare;
pub mod process;
mod retrace;
