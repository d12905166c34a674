//! Failures of a snapshot step for errors of the store, of the comparison and of files.

use runner_snapshot::SnapshotError;
use runner_tools::{Failure, FailureKind};

/// Returns the failure for an error of the store or comparison. An undecodable picture is the device's fault; all else
/// has the kind `Snapshot`.
pub(super) fn snapshot_failure(error: &SnapshotError) -> Failure {
    match error {
        // The device took the picture, so the app is not at fault.
        SnapshotError::Picture(_) => Failure::device(error.to_string()),
        error => Failure::new(FailureKind::Snapshot, error.to_string()),
    }
}

/// Returns the failure, one of usage, that artifacts cannot be written.
pub(super) fn artifact_failure(error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Usage,
        format!("artifacts of the snapshot could not be written: {error}"),
    )
}
