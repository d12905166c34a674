//! Evaluates expressions during a run.

use runner_flow::{InterpolationError, NameError};
use runner_snapshot::picture;
use runner_tools::{Failure, FailureKind};

/// Runs blocking work. Tokio moves the other tasks of this thread, such as those that serve devices, to another one.
/// Panics on a runtime with one thread.
pub(super) fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// Runs blocking work on pixels once a processor is free for it, and blocks this thread until then. `work` must not call
/// this function or wait for something that does, or all may wait for ever. Panics on a runtime with one thread.
pub(super) fn picture_work<T>(work: impl FnOnce() -> T) -> T {
    block_in_place(|| picture::in_turn(work))
}

/// Evaluates an expression, and blocks this thread meanwhile. An error becomes a failure as [`interpolation_failure`]
/// says. If the work was stopped because the flow's time is up or the run ends, this never completes: the caller that
/// waits for that reports it.
pub(super) async fn evaluate<T>(
    work: impl FnOnce() -> Result<T, InterpolationError>,
) -> Result<T, Failure> {
    match block_in_place(work) {
        Ok(value) => Ok(value),
        Err(error) if error.stopped => std::future::pending().await,
        Err(error) => Err(interpolation_failure(error)),
    }
}

/// Converts an error to a usage failure, or to one of the infrastructure if the device did not answer a value that the
/// expression uses.
pub(super) fn interpolation_failure(error: InterpolationError) -> Failure {
    let kind = if error.unanswered {
        FailureKind::Infrastructure
    } else {
        FailureKind::Usage
    };
    Failure::new(kind, error.message)
}

pub(super) fn name_error(error: NameError) -> Failure {
    Failure::new(FailureKind::Usage, error.to_string())
}
