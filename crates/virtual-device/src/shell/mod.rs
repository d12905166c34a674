//! The device's shell: parses text as a POSIX shell and runs it with the device's commands.
//!
//! Steps, depth and output are limited, so no script hangs the device. Scripts come from clients and never
//! reach the host's shell or files.

mod arithmetic;
mod ast;
mod builtins;
mod commands;
mod expand;
mod parse;
mod pattern;
mod run;
mod session;
mod streams;
#[cfg(test)]
mod tests;
mod traps;

pub use commands::{crash_app, key_code, key_name};
pub(super) use session::{interactive, run};
/// Returns true if a script parses.
pub(super) fn parses(script: &str) -> bool {
    parse::parse(script).is_ok()
}

pub(super) use streams::{Output, StdinFeed, stdin};
