//! Helpers of tests: programs of the system, and recordings of real devices.
//!
//! If one is missing, a test reports that on the terminal and ends early. In CI, where every program can be
//! installed, a missing program fails the test; missing recordings, as in a fork's checkout, do not. It is a
//! crate so that the tests of all crates share it.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

mod corpus;
mod files;
mod framework;
mod missing;

use std::process::{Command, Stdio};

pub use corpus::{Source, recorded_files, sources};
pub use files::{recorded_text, recording, root, shared_text};
pub use framework::{FrameworkScreen, framework_screens};
use missing::missing;
pub use missing::{is_ci, untested};

/// Returns true if the program starts with `--version`, which `adb` and `xmllint` know. In CI it panics
/// otherwise.
pub fn program(name: &str) -> bool {
    let started = with_real_clock(Command::new(name))
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok();
    started || missing(&format!("the program `{name}`"))
}

/// Returns the command of an MCP client that CI installs into `target/clients`, with the clients' own Node.js
/// first in `PATH`.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn client_program(below: &str) -> Option<Command> {
    let clients = root().join("target/clients");
    let program = clients.join(below);
    if !program.exists() && !missing(&format!("the client {}", program.display())) {
        return None;
    }
    let mut folders = vec![clients.join("node_modules/.bin")];
    folders.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let mut command = with_real_clock(Command::new(program));
    command.env("PATH", std::env::join_paths(folders).ok()?);
    Some(command)
}

/// Runs the command with the computer's own clock: the library with which `.ci/run-long` shifts the clock
/// makes Chromium and Java hang in a loop.
fn with_real_clock(mut command: Command) -> Command {
    command.env_remove("LD_PRELOAD");
    command
}

/// Returns the seconds by which this process's clock is ahead of the computer's: `.ci/run-long` runs the
/// tests on other days.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn clock_shift() -> i64 {
    let shift = std::env::var("RUNNER_TEST_SHIFT").ok();
    shift.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Returns the document with `text` in place of what stood between the lines `begin` and `end`.
///
/// # Panics
/// Panics if one of the lines is missing.
pub fn with_section(document: &str, begin: &str, end: &str, text: &str) -> String {
    let (before, rest) = document.split_once(begin).expect("a begin");
    let (_, after) = rest.split_once(end).expect("an end");
    format!("{before}{begin}{text}{end}{after}")
}

/// Returns `all` in `.ci/run-long`, which sets `RUNNER_LONG`, and else `part`, which finds most faults in a
/// fraction of the time.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn long<T>(part: T, all: T) -> T {
    if std::env::var_os("RUNNER_LONG").is_some() {
        all
    } else {
        part
    }
}
