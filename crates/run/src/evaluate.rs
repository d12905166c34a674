//! Evaluating expressions during a run.

use runner_flow::{InterpolationError, NameError};
use runner_snapshot::picture;
use runner_tools::{Failure, FailureKind};

/// Expressions may take their time: another thread serves the devices meanwhile.
pub(super) fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    tokio::task::block_in_place(work)
}

/// Works on pixels when it is this one's turn. Another thread serves the devices meanwhile.
pub(super) fn picture_work<T>(work: impl FnOnce() -> T) -> T {
    block_in_place(|| picture::in_turn(work))
}

/// Evaluates expressions. Where the flow's time was up or the run is to end, it leaves it to who waits for that to say so.
pub(super) async fn evaluated<T>(
    work: impl FnOnce() -> Result<T, InterpolationError>,
) -> Result<T, Failure> {
    match block_in_place(work) {
        Ok(value) => Ok(value),
        Err(error) if error.stopped => std::future::pending().await,
        Err(error) => Err(interpolation_failure(error)),
    }
}

/// The flow's fault, but where the device did not answer what the expression uses.
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
