//! Reports of what tests lack.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::{Mutex, PoisonError};

/// Missing things that were already reported.
static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

#[allow(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
pub fn is_ci() -> bool {
    std::env::var_os("CI").is_some()
}

/// Reports a missing program and returns false; in CI it panics.
pub(super) fn missing(what: &str) -> bool {
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
