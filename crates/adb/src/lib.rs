#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

pub mod auth;
pub mod client;
mod script;
pub mod wire;

pub use runner_text::shell::quote;
pub use script::{Script, ShellOutput};
