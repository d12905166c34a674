//! Result of an attempt, for the runner.

use camino::Utf8PathBuf;

use crate::step_result::FailedStep;
use runner_event::{Artifact, FlowStatus, ScreenNames, SourceLocation};
use runner_tools::Failure;

pub(crate) struct AttemptEnd {
    pub(crate) status: FlowStatus,
    pub(crate) failure: Option<Failure>,
    pub(crate) failed_at: Option<SourceLocation>,
    pub(crate) artifacts: Vec<Artifact>,
    /// A snapshot differs from its golden or has none, whatever else failed.
    pub(crate) has_differences: bool,
    /// The device does not answer any more, or the server that lends it cannot be reached.
    pub(crate) gone: bool,
    /// The flow was ended at a pause of the debugger: by a person, or because the device was lost.
    pub(crate) given_up: bool,
    /// Package of the app, with expressions resolved.
    pub(crate) app: Option<String>,
    /// Names and texts of the app's screens, for the history.
    pub(crate) met: Option<Box<ScreenNames>>,
    /// Path of the attempt's recording in the history.
    pub(crate) recording: Option<Utf8PathBuf>,
}

impl AttemptEnd {
    /// Creates an end with this status, and without failure, artifacts and other facts.
    pub(crate) fn with_status(status: FlowStatus) -> Self {
        Self {
            status,
            failure: None,
            failed_at: None,
            artifacts: Vec::new(),
            has_differences: false,
            gone: false,
            given_up: false,
            app: None,
            met: None,
            recording: None,
        }
    }

    /// Returns the end of an attempt that could not begin: an error with this failure.
    pub(crate) fn unstarted(failed: FailedStep) -> Self {
        Self::failed(FlowStatus::Error, failed, Vec::new())
    }

    /// Creates an end with this status, failure, its place and artifacts, and without other facts. The failure does
    /// not change the status.
    pub(crate) fn failed(status: FlowStatus, failed: FailedStep, artifacts: Vec<Artifact>) -> Self {
        Self {
            failure: Some(failed.failure),
            failed_at: Some(failed.at),
            artifacts,
            ..Self::with_status(status)
        }
    }
}
