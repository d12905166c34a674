//! What can go wrong in a review.

use camino::Utf8PathBuf;

use runner_base::own_folder::OwnFolderError;
use runner_snapshot::{Digest, SnapshotError};

use super::decisions::DecisionsError;

/// Errors of the review.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The goldens.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The flows.
    #[error(transparent)]
    Plan(#[from] runner_run::PlanError),
    /// Nothing of this key waits any more.
    #[error("{0} does not wait for review any more; somebody else decided, or a run passed")]
    Gone(String),
    /// A file.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: Utf8PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The terminal or the server.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Decisions about something else.
    #[error(
        "the decisions are about another archive ({decided}) than the one given ({found}); download the artifacts of the run that the page shows"
    )]
    OtherArchive {
        /// What was decided about.
        decided: Digest,
        /// What the archive proposes.
        found: Digest,
    },
    /// Decisions that do not read.
    #[error("{name}: {source}")]
    Decisions {
        /// The file, or `-`.
        name: String,
        /// What is wrong.
        source: DecisionsError,
    },
    /// The folder of a page.
    #[error(transparent)]
    Folder(#[from] OwnFolderError),
    /// What was asked for cannot be; says what to do.
    #[error("{0}")]
    Usage(String),
}
