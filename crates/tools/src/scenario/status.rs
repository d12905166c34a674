//! Statuses that results begin with: `ERROR`, `TIMEOUT` and those that mean "no".

use crate::{Failure, FailureKind, Outcome, Words};

/// Converts any failure to the answer `TIMEOUT: …` or `ERROR: …`, which also fails as a step. Always `Ok`.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature is shared with catalogues that return failures"
)]
pub(super) fn answer(failure: Failure) -> Result<Outcome, Failure> {
    let status = if failure.kind == FailureKind::Timeout {
        "TIMEOUT"
    } else {
        "ERROR"
    };
    Ok(Outcome::text(Words::format(
        "{}: {}",
        &[&Words::from(status), &failure.message],
    ))
    .failed(failure))
}

/// Builds a negative answer such as `NOT_FOUND: …`, which fails the step with the same words as an assertion.
pub(super) fn no(text: impl Into<Words>) -> Outcome {
    let text = text.into();
    Outcome::text(text.clone()).failed(Failure::assertion(text))
}

/// Returns a failure with the message `what: cause`. Its kind and all else stay as they are.
pub(super) fn because(what: &'static str, error: impl Into<Failure>) -> Failure {
    let failure = error.into();
    Failure {
        message: Words::format("{}: {}", &[&Words::from(what), &failure.message]),
        ..failure
    }
}
