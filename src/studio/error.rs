//! What a page is told when something cannot be.

use axum::http::StatusCode;

use crate::pages::Problem;
use crate::tools::Failure;

/// Errors of the studio.
#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    /// The server.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A picture of which nothing is kept.
    #[error("this picture is not kept any more; look at the newest")]
    NoFrame,
    /// A picture whose rows are not known.
    #[error("the rows of this picture are not read yet; wait a moment")]
    NotRead,
    /// No element where one is needed.
    #[error("there is no such element on this picture; choose one")]
    NoElement,
    /// A snapshot without a name.
    #[error("give the snapshot a name")]
    NoName,
    /// An element that nothing but its words names.
    #[error("nothing but its words names this element; assert that it is visible")]
    OnlyWords,
    /// A selector that does not read.
    #[error("{0}")]
    Selector(String),
    /// A flow file that cannot be one.
    #[error("{0}")]
    File(String),
    /// The flow does not read.
    #[error("the flow does not read; mend what is marked first")]
    DoesNotRead,
    /// No step to run.
    #[error("there is no step here; put the cursor into one")]
    NoStep,
    /// A run is under way.
    #[error("a run is under way; stop it, or wait until it ends")]
    Running,
    /// A run that was saved, or what is kept on disk.
    #[error("{0}")]
    Recorded(String),
    /// No run, or no such flow in it.
    #[error("there is no such flow in the run; run one, or open a saved run")]
    NoRun,
    /// A tool or the device.
    #[error("{}", told(.0))]
    Failure(Failure),
}

impl StudioError {
    /// What went wrong with a saved run.
    pub(super) fn recorded(error: impl std::fmt::Display) -> Self {
        Self::Recorded(error.to_string())
    }
}

impl From<Failure> for StudioError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

fn told(failure: &Failure) -> String {
    let mut text = failure.message.clone();
    for line in &failure.details {
        text.push('\n');
        text.push_str(line);
    }
    text
}

impl From<StudioError> for Problem {
    fn from(error: StudioError) -> Self {
        let status = match error {
            StudioError::NoFrame | StudioError::NoRun => StatusCode::NOT_FOUND,
            StudioError::Io(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::CONFLICT,
        };
        Self(status, error.to_string())
    }
}
