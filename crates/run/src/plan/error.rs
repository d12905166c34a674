//! Reasons why there is nothing to run.

use camino::Utf8PathBuf;

use runner_flow::DiscoverError;
use runner_flow::maestro::WorkspaceError;

#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// A given path is missing or has no flow, or the files cannot be listed.
    #[error("{0}{advice}", advice = first_flow(.0))]
    Discover(DiscoverError),
    /// A Maestro workspace cannot be used.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// Patterns leave no flow.
    #[error(
        "none of the {found} flows found matches what is looked for in `PATH › NAME › CASE`: a word that is no path, --grep, --grep-invert; `runner test --list` lists all{meant}"
    )]
    NoMatch {
        /// Number of flows before.
        found: usize,
        /// Option that was meant, as the end of the message; may be empty.
        meant: String,
    },
    /// Tags leave no flow.
    #[error("no flow matches the tags ({found} found){meant}")]
    NoTag {
        /// Number of flows before.
        found: usize,
        /// Suggestion of tags, as the end of the message; may be empty.
        meant: String,
    },
    /// The history knows nothing of the selected flows.
    #[error(
        "--last-failed: the history in {history} says nothing of {unknown} of the {found} flows, and nothing of what failed is among the others; run all once, or write --last-failed=or-all"
    )]
    NoHistory {
        history: Utf8PathBuf,
        /// Number of flows that never ran.
        unknown: usize,
        /// Number of selected flows.
        found: usize,
    },
}

/// Returns the end of an error's message: the advice of `runner init`. Empty where a similar path exists, or where
/// the error has advice of its own.
fn first_flow(error: &DiscoverError) -> &'static str {
    match error {
        DiscoverError::Missing(missing) if !missing.near.is_empty() => "",
        DiscoverError::None(none) if none.is_elsewhere => "",
        DiscoverError::TakenAway(_) | DiscoverError::Joined { .. } => "",
        _ => ". `runner init` writes a first flow",
    }
}

impl From<DiscoverError> for PlanError {
    /// Keeps an error of a Maestro workspace as one of its own.
    fn from(error: DiscoverError) -> Self {
        match error {
            DiscoverError::Workspace(error) => Self::Workspace(error),
            error => Self::Discover(error),
        }
    }
}
