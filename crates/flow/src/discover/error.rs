//! Reason why no flows are found, with advice.

use camino::Utf8PathBuf;

use super::limits::MAX_ENTRIES;
use crate::maestro::WorkspaceError;

/// Reason why discovery fails.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// Path that does not exist.
    #[error("`{}`: there is no such file or folder{}", .0.path, .0.near)]
    Missing(MissingPath),
    /// Path that does not exist and begins with `!`, as patterns of other tools that take files away. Holds the path
    /// in backticks.
    #[error(
        "{0}: no pattern takes flows away: leave it out; a flow whose name begins with `_` runs only in others, and `--exclude-tag TAG` leaves some out"
    )]
    TakenAway(String),
    /// Path that does not exist, and that is several with a sign between them.
    #[error("`{}`: there is no such file or folder: a {sign} joins no paths; write {advice}", .parts.join(", "))]
    Joined {
        /// Paths between the signs.
        parts: Vec<String>,
        /// Name of the sign: `comma`, `space` or `dash`.
        sign: &'static str,
        /// End of the message: how several are written.
        advice: String,
    },
    /// Invalid pattern.
    #[error(
        "`{pattern}` is not a pattern: {reason}; `*`, `**`, `?`, `[a-z]` and `{{a,b}}` are known"
    )]
    Pattern {
        pattern: String,
        /// Reason from the parser of patterns.
        reason: String,
    },
    /// No flow in all paths together.
    #[error("no flow found in {}; {}", .0.paths, .0.end)]
    None(NoFlow),
    /// No flow in one of several paths.
    #[error("no flow found in {0}, though the other paths have some; correct it, or take it out")]
    NoneIn(String),
    /// Error of the file system.
    #[error("cannot look for flows: {0}")]
    Folder(#[from] std::io::Error),
    /// Too many files, such as by links that lead to each other.
    #[error("`{0}` holds more than {MAX_ENTRIES} files and folders; name a smaller one")]
    TooMany(Utf8PathBuf),
    /// Invalid Maestro workspace.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Path that does not exist.
#[derive(Debug)]
pub struct MissingPath {
    /// Path as the person wrote it.
    pub path: Utf8PathBuf,
    /// End of the message with a similar path; may be empty.
    pub near: String,
}

/// Paths that exist or are patterns, and without any flow.
#[derive(Debug)]
pub struct NoFlow {
    /// The paths in backticks, with commas between them.
    pub paths: String,
    /// End of the message: which flows the usual folder has, else which files are flows.
    pub end: String,
    /// True if the usual folder has flows.
    pub is_elsewhere: bool,
}
