//! Context of one selection, and the choice of the option that a value means.

use std::time::Duration;

use super::element::failed;
use crate::{Failure, Words};
use runner_engine::Session;
use runner_text::secret::without_secrets;

pub(super) struct Selection<'a> {
    pub(super) session: &'a Session,
    pub(super) id: &'a str,
    pub(super) value: &'a str,
    /// Time for the screen to show the selected value: 3 s, or the call's timeout if that is less.
    pub(super) limit: Duration,
    /// The call's timeout.
    pub(super) timeout: Duration,
}

impl Selection<'_> {
    /// Builds the failure, with the code `ACTION_FAILED`, of a value that is not an option. It lists `options`, or says
    /// that nothing can be read.
    pub(super) fn no_option(&self, options: &[String]) -> Failure {
        let there = if options.is_empty() {
            "nothing that can be read".to_owned()
        } else {
            options.join(", ")
        };
        failed(Words::format(
            "Element '{}' has no option '{}'; it has: {}",
            &[&self.id, &self.value, &there],
        ))
    }

    /// Builds the failure, with the code `ACTION_FAILED`, of a touched option that did not become selected.
    pub(super) fn not_applied(&self) -> Failure {
        failed(Words::format(
            "Element '{}' did not take '{}'",
            &[&self.id, &self.value],
        ))
    }
}

/// Compares two texts of any script without their letter case.
pub(super) fn is_same_in_any_case(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// Returns the index of the first label equal to a value, else of the first that is equal ignoring case.
/// Labels are compared with secrets masked, as clients saw them.
pub(super) fn best(value: &str, labels: &[String]) -> Option<usize> {
    // Compared in the form that clients saw, with secrets masked.
    let same = |label: &String| without_secrets(label) == value;
    let similar = |label: &String| is_same_in_any_case(&without_secrets(label), value);
    labels
        .iter()
        .position(same)
        .or_else(|| labels.iter().position(similar))
}
