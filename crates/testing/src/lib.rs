//! What tests need beside the code: programs of the system, and the recordings of real devices.
//!
//! Where one is missing, a test says so on the terminal and ends. In CI, where every program can be installed, a missing
//! program fails it; a checkout without the recordings beside it, such as a fork, passes.
//! A crate of its own, so that the tests of every crate share it.

#![allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// What was said to be missing already.
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

mod corpus;
mod framework;

pub use corpus::{Source, recorded_files, sources};
pub use framework::{FrameworkScreen, framework_screens};

/// The project's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether a program can be started. `adb` and `xmllint` both know `--version`.
pub fn program(name: &str) -> bool {
    let started = foreign(Command::new(name))
        .arg("--version")
        .stdin(Stdio::null())
        .output()
        .is_ok();
    started || missing(&format!("the program `{name}`"))
}

/// A client of the protocol that CI installs into `target/clients`, with its own node before others in the path.
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
    let mut command = foreign(Command::new(program));
    command.env("PATH", std::env::join_paths(folders).ok()?);
    Some(command)
}

/// A program of others with this machine's own clock: the library that shifts ours in `.ci/run-long` makes Chromium and
/// Java spin.
fn foreign(mut command: Command) -> Command {
    command.env_remove("LD_PRELOAD");
    command
}

/// How far the clock of this process is ahead of the machine's, in seconds: `.ci/run-long` runs the tests on other days.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn clock_shift() -> i64 {
    let shift = std::env::var("RUNNER_TEST_SHIFT").ok();
    shift.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// A recording below the folder of recordings, such as `commands/x.txt`; a folder too.
pub fn recording(below: &str) -> Option<PathBuf> {
    shared(&format!("corpus/{below}"))
}

/// What lies beside the project, such as `reference/x.md`, as text.
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

/// A recording as text.
pub fn recorded_text(below: &str) -> Option<String> {
    recording(below).and_then(|path| std::fs::read_to_string(path).ok())
}

/// A document with `text` between two of its lines, where something else stood.
///
/// # Panics
/// One of the lines is missing.
pub fn with_section(document: &str, begin: &str, end: &str, text: &str) -> String {
    let (before, rest) = document.split_once(begin).expect("a begin");
    let (_, after) = rest.split_once(end).expect("an end");
    format!("{before}{begin}{text}{end}{after}")
}

/// How much of a long test is done: all of it in `.ci/run-long`, which sets `RUNNER_LONG`, and elsewhere a part that finds
/// most faults.
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

/// Whether this is a run in CI.
#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// A program is missing: a failure in CI, else said. Never true.
fn missing(what: &str) -> bool {
    assert!(!is_ci(), "{what} is missing; in CI nothing may be");
    untested(what);
    false
}

/// Says once that a test ended early.
pub fn untested(what: &str) {
    let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
    if reported.insert(what.to_owned()) {
        // The test harness keeps what the printing macros write to itself; this it lets through.
        let _ = writeln!(
            std::io::stderr(),
            "\nNOT TESTED: {what} is missing; docs/contributing.md says what the tests need"
        );
    }
}
