//! The device's shell: text is read as a POSIX shell reads it and run against the device's commands.
//!
//! Bounded in steps, depth and output, so no script hangs the device. Words come from outside and never reach the host's
//! shell or files.

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
/// Whether a script reads.
pub(super) fn parses(script: &str) -> bool {
    parse::parse(script).is_ok()
}

pub(super) use streams::{Output, StdinFeed, stdin};
