//! Errors of git commands. Each message tells what to do next.

use camino::Utf8PathBuf;

/// Failure of a git command, or of the question it was to answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// `git` is not on PATH.
    #[error("`git` was not found; install git, or add it to PATH")]
    NoGit,
    /// The folder is in no working tree, or, for [`crate::Repository::path_of`], not below the top of this
    /// one.
    #[error("{0} is not in a git repository")]
    NoRepository(Utf8PathBuf),
    /// The commit is not in this clone.
    #[error("git does not know the commit {0:?}; fetch it: `git fetch origin {0}`")]
    NoCommit(String),
    /// HEAD and the commit have no common ancestor in this clone, which is shallow.
    #[error(
        "HEAD and {0:?} have no common commit in this clone, which is shallow; fetch the history: `git fetch --unshallow` (in GitHub's checkout `fetch-depth: 0`, in GitLab `GIT_DEPTH: 0`)"
    )]
    Shallow(String),
    /// HEAD and the commit have no common ancestor, though the clone is complete.
    #[error("HEAD and {0:?} have no common commit; name another commit or branch")]
    Unrelated(String),
    /// The command ended with an exit code other than 0.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// First argument of git, such as `diff`.
        command: String,
        /// Text that git wrote to stderr.
        message: String,
    },
    /// The command was stopped after a minute.
    #[error("`git {0}` did not end within a minute")]
    TimedOut(String),
    /// The command wrote more than 256 MiB.
    #[error("`git {0}` wrote more than 256 MiB")]
    TooLong(String),
    /// Output of git is not UTF-8. Holds the output, with U+FFFD for what is not.
    #[error("git names a file whose name is not UTF-8: {0:?}")]
    NotUtf8(String),
    /// git could not be started, or its output could not be read.
    #[error("git could not be run: {0}")]
    Io(#[from] std::io::Error),
}
