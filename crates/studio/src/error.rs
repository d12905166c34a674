//! Errors as pages receive them.

use axum::http::StatusCode;

use runner_pages::Problem;
use runner_run::ResumeError;
use runner_tools::{Failure, FlowReader};

#[derive(Debug, thiserror::Error)]
pub enum StudioError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// No picture has this number, or it was removed.
    #[error("this picture is not kept any more; look at the newest")]
    NoFrame,
    #[error("the rows of this picture are not read yet; wait a moment")]
    NotRead,
    /// No element was given, or it does not exist.
    #[error("there is no such element on this picture; choose one")]
    NoElement,
    #[error("give the snapshot a name")]
    NoName,
    /// The element has no name except its text, which cannot be asserted then.
    #[error("nothing but its words names this element; assert that it is visible")]
    OnlyWords,
    /// Message of a selector that does not parse.
    #[error("{0}")]
    Selector(String),
    /// Message about a file that cannot be read or written as a flow.
    #[error("{0}")]
    File(String),
    /// Path of a flow's file that was there before and is missing now.
    #[error("{0} is gone; what it held is kept here: press Ctrl+S in the editor to write it again")]
    Gone(String),
    #[error("the flow does not read; mend what is marked first")]
    DoesNotRead,
    #[error("there is no step here; put the cursor into one")]
    NoStep,
    #[error("no step takes a snapshot at this line; look at the list again")]
    NoSnapshot,
    #[error("{0}")]
    Sweep(String),
    #[error("a run is under way; stop it, or wait until it ends")]
    Running,
    #[error("another page decided already, or the run went on; look at what it does now")]
    PauseOver,
    /// The paused run cannot continue in the edited flow.
    #[error("{0}")]
    Resume(#[from] ResumeError),
    #[error("a flow has {0} breakpoints at most; take some away")]
    TooManyBreakpoints(usize),
    /// The failed step is in a sub-flow's file.
    #[error("the step stands in {0}: open that file to edit it (`runner studio {0}`)")]
    OtherFile(String),
    /// The text that the edit would replace is not written literally.
    #[error(
        "what is to be replaced is not written out in the step: an expression gives it, or it stands over several lines. Edit it yourself, then choose Run it again"
    )]
    CannotApply,
    #[error("the file was changed meanwhile; look at it, and try again")]
    Changed,
    #[error("this is not a flow of Maestro's")]
    NotMaestro,
    /// A saved run, or a picture on disk, cannot be read.
    #[error("{0}")]
    Recorded(String),
    /// There is no run, or it has no such flow.
    #[error("there is no such flow in the run; run one, or open a saved run")]
    NoRun,
    /// A tool failed, or the device.
    #[error("{}", to_message(.0))]
    Failure(Box<Failure>),
}

impl StudioError {
    pub(super) fn recorded(error: impl std::fmt::Display) -> Self {
        Self::Recorded(error.to_string())
    }
}

/// Whoever acts on the page records a flow, so the advice is in its language.
impl From<Failure> for StudioError {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure.advise(&FlowReader)))
    }
}

/// Joins message and details, one a line, without a line end. Secrets are not masked.
pub(super) fn to_message(failure: &Failure) -> String {
    let lines = std::iter::once(&failure.message).chain(&failure.details);
    lines
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

impl From<StudioError> for Problem {
    /// Returns status and message for the page: 404 if a frame or run is missing, 500 for an error of files, 409
    /// for anything else. The message is the error's text; secrets are not masked here.
    fn from(error: StudioError) -> Self {
        let status = match error {
            StudioError::NoFrame | StudioError::NoRun => StatusCode::NOT_FOUND,
            StudioError::Io(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::CONFLICT,
        };
        Self(status, error.to_string())
    }
}
