//! What git refuses, and what to do then.

use camino::Utf8PathBuf;

/// Why git did not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no such program.
    #[error("`git` was not found; install git, or add it to PATH")]
    NoGit,
    /// The folder is in no working tree.
    #[error("{0} is not in a git repository")]
    NoRepository(Utf8PathBuf),
    /// The commit is not in this clone.
    #[error("git does not know the commit {0:?}; fetch it: `git fetch origin {0}`")]
    NoCommit(String),
    /// Both commits are there, and nothing that both come from.
    #[error(
        "HEAD and {0:?} have no common commit in this clone, which is shallow; fetch the history: `git fetch --unshallow` (in GitHub's checkout `fetch-depth: 0`, in GitLab `GIT_DEPTH: 0`)"
    )]
    Shallow(String),
    /// The same in a whole clone.
    #[error("HEAD and {0:?} have no common commit; name another commit or branch")]
    Unrelated(String),
    /// A command ended with an error.
    #[error("`git {command}` failed: {message}")]
    Failed {
        /// Its first argument.
        command: String,
        /// What it said.
        message: String,
    },
    /// A command did not end in time.
    #[error("`git {0}` did not end within a minute")]
    TimedOut(String),
    /// A command said more than fits.
    #[error("`git {0}` wrote more than 256 MiB")]
    TooLong(String),
    /// A name is not UTF-8.
    #[error("git names a file whose name is not UTF-8: {0:?}")]
    NotUtf8(String),
    /// The program could not be started or read.
    #[error("git could not be run: {0}")]
    Io(#[from] std::io::Error),
}
