//! Helpers of tests: programs of the system, and recordings of real devices.
//!
//! If one is missing, a test reports that on the terminal and ends early. In CI, where every program can be
//! installed, a missing program fails the test; missing recordings, as in a fork's checkout, do not. It is a
//! crate so that the tests of all crates share it.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Missing things that were already reported.
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

mod corpus;
mod framework;

pub use corpus::{Source, recorded_files, sources};
pub use framework::{FrameworkScreen, framework_screens};

/// Returns the folder of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

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

/// Returns the path of a recording, such as `commands/x.txt`, or of a folder of them; `None` if it is
/// missing.
pub fn recording(below: &str) -> Option<PathBuf> {
    shared(&format!("corpus/{below}"))
}

/// Reads a text file beside the project, such as `reference/x.md`; `None` if it is missing.
pub fn shared_text(below: &str) -> Option<String> {
    shared(below).and_then(|path| std::fs::read_to_string(path).ok())
}

fn shared(below: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(below);
    if path.exists() {
        return Some(path);
    }
    untested(&format!("the file {}", path.display()));
    None
}

/// Reads a recording as text; `None` if it is missing.
pub fn recorded_text(below: &str) -> Option<String> {
    recording(below).and_then(|path| std::fs::read_to_string(path).ok())
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

#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Reports a missing program and returns false; in CI it panics.
fn missing(what: &str) -> bool {
    assert!(!is_ci(), "{what} is missing; in CI nothing may be");
    untested(what);
    false
}

/// Reports once on the terminal that a test ended early.
pub fn untested(what: &str) {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.insert(what.to_owned()) {
        // Not `eprintln!`, whose output the test harness captures.
        let _ = writeln!(
            std::io::stderr(),
            "\nNOT TESTED: {what} is missing; docs/developers/contributing.md says what the tests need"
        );
    }
}
