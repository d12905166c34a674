//! Says why a workspace cannot be opened.

use camino::Utf8PathBuf;

use crate::discover::MAX_ENTRIES;
use runner_text::diagnostic::{self, Diagnostic};

#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// `config.yaml` has errors. Holds the rendered diagnostics.
    #[error("a workspace's configuration does not read\n{0}")]
    Config(String),
    #[error("`{pattern}` in `flows` of {config} is not a pattern: {reason}")]
    Pattern {
        pattern: String,
        config: Utf8PathBuf,
        /// Reason from the parser of patterns.
        reason: String,
    },
    /// `flows` has only patterns that exclude files.
    #[error(
        "`flows` of {0} only leaves out, so that nothing is left; add a pattern that takes: `\"*\"`"
    )]
    OnlyNegations(Utf8PathBuf),
    /// `flows` matches no file.
    #[error("no flow matches `flows` of {config}: {patterns}")]
    NoMatch {
        config: Utf8PathBuf,
        /// Patterns of `flows`.
        patterns: String,
    },
    /// All flows are in subfolders, which the default pattern does not match.
    #[error(
        "`{0}` itself holds no flow, and without `flows` in its config.yaml nothing below is taken: write `flows: [\"**\"]` there"
    )]
    NotBelow(Utf8PathBuf),
    /// No flow that runs has the first name of `executionOrder`, but one has a later name.
    #[error("`executionOrder` of {config} begins with `{name}`, which no flow that runs is called")]
    Order {
        config: Utf8PathBuf,
        /// Name that no flow has.
        name: String,
    },
    #[error("cannot look through the workspace: {0}")]
    Folder(#[from] std::io::Error),
    #[error("`{0}` holds more than {MAX_ENTRIES} files and folders; name a smaller one")]
    TooMany(Utf8PathBuf),
}

pub(super) fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostic::render(diagnostics, false, 100)
}
