//! How results begin: `ERROR`, `TIMEOUT` and the statuses that say "no".

use crate::{Failure, FailureKind, Outcome, Words};

/// A failure as an answer.
#[expect(
    clippy::unnecessary_wraps,
    reason = "other catalogues give the failure back"
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

/// A clear "no", such as `NOT_FOUND: …`: the step fails with the same words.
pub(super) fn no(text: impl Into<Words>) -> Outcome {
    let text = text.into();
    Outcome::text(text.clone()).failed(Failure::assertion(text))
}

/// What failed, with the words of its cause behind it.
pub(super) fn because(what: &'static str, error: impl Into<Failure>) -> Failure {
    let failure = error.into();
    Failure {
        message: Words::format("{}: {}", &[&Words::from(what), &failure.message]),
        ..failure
    }
}
