//! Errors as pages receive them.

use axum::http::StatusCode;

use runner_pages::Problem;
use runner_run::ResumeError;
use runner_tools::Failure;

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
    /// The flow's file was there, and is not any more.
    #[error("{0} is gone; what it held is kept here: press Ctrl+S in the editor to write it again")]
    Gone(String),
    /// The flow does not read.
    #[error("the flow does not read; mend what is marked first")]
    DoesNotRead,
    /// No step to run.
    #[error("there is no step here; put the cursor into one")]
    NoStep,
    /// No step that takes a snapshot.
    #[error("no step takes a snapshot at this line; look at the list again")]
    NoSnapshot,
    /// Looks that cannot be swept.
    #[error("{0}")]
    Sweep(String),
    /// A run is under way.
    #[error("a run is under way; stop it, or wait until it ends")]
    Running,
    /// A pause that is over.
    #[error("another page decided already, or the run went on; look at what it does now")]
    Decided,
    /// A paused run cannot go on in the edited flow.
    #[error("{0}")]
    Resume(#[from] ResumeError),
    /// Breakpoints.
    #[error("a flow has {0} breakpoints at most; take some away")]
    TooManyBreakpoints(usize),
    /// The failed step is one of a sub-flow.
    #[error("the step stands in {0}: open that file to edit it (`runner studio {0}`)")]
    OtherFile(String),
    /// What an edit would replace is not written out.
    #[error(
        "what is to be replaced is not written out in the step: an expression gives it, or it stands over several lines. Edit it yourself, then choose Run it again"
    )]
    CannotApply,
    /// The file is another one by now.
    #[error("the file was changed meanwhile; look at it, and try again")]
    Changed,
    /// Nothing to take over.
    #[error("this is not a flow of Maestro's")]
    NotMaestro,
    /// A run that was saved, or what is kept on disk.
    #[error("{0}")]
    Recorded(String),
    /// No run, or no such flow in it.
    #[error("there is no such flow in the run; run one, or open a saved run")]
    NoRun,
    /// A tool or the device.
    #[error("{}", to_message(.0))]
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

fn to_message(failure: &Failure) -> String {
    let mut text = failure.message.to_text();
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
