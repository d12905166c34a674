//! Prints what was accepted.

use super::{output, undo};
use crate::snapshot::AcceptResult;

/// Prints the accepted goldens to standard output, then the reasons for which they were pending, and how to take it
/// back, to standard error. Refused ones are not printed. Prints nothing if none was accepted.
pub(super) fn print(done: &AcceptResult) {
    output::keys("accepted", &done.accepted);
    if !done.accepted.is_empty() {
        for line in done.in_words() {
            output::note(&line);
        }
        output::note(undo::HINT);
    }
}
