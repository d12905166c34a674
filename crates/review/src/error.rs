//! Errors of the review.

use camino::Utf8PathBuf;

use runner_base::own_folder::OwnFolderError;
use runner_snapshot::{Digest, SnapshotError};

use super::decisions::DecisionsError;

/// Error of the review.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// Error of the goldens.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// Error of the flows.
    #[error(transparent)]
    Plan(#[from] runner_run::PlanError),
    /// No golden of this key is pending any more.
    #[error("{0} does not wait for review any more; somebody else decided, or a run passed")]
    Gone(String),
    /// Error of a file.
    #[error("{path}: {source}")]
    File {
        path: Utf8PathBuf,
        source: std::io::Error,
    },
    /// Error of the terminal or the server.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Decisions are about another archive.
    #[error(
        "the decisions are about another archive ({decided}) than the one given ({found}); download the artifacts of the run that the page shows"
    )]
    OtherArchive {
        /// Digest in the decisions.
        decided: Digest,
        /// Digest of the archive.
        found: Digest,
    },
    /// Decisions cannot be parsed.
    #[error("{name}: {source}")]
    Decisions {
        /// File, or `-`.
        name: String,
        source: DecisionsError,
    },
    /// Error of a page's folder.
    #[error(transparent)]
    Folder(#[from] OwnFolderError),
    /// Request that cannot be fulfilled; the text says what to do.
    #[error("{0}")]
    Usage(String),
}
