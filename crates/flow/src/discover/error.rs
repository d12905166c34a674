//! Reason why no flows are found, with advice.

use camino::{Utf8Path, Utf8PathBuf};

use super::flow_path::{clean, is_flow};
use super::limits::MAX_ENTRIES;
use crate::files::near_files;
use crate::maestro::WorkspaceError;
use crate::report::nearest;

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
    /// Path that does not exist, and that is several with commas between them.
    #[error("`{}`: there is no such file or folder: a comma joins no paths; write {advice}", .parts.join(", "))]
    Joined {
        /// Paths between the commas.
        parts: Vec<String>,
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
    /// No flow in all paths together. Holds the paths.
    #[error(
        "no flow found in {0}; flows are `*.yaml` files, but for those whose name, or whose folder's name, begins with `_` or `.`"
    )]
    None(String),
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

impl MissingPath {
    /// Looks for a similar path that exists, for the message.
    pub(super) fn new(path: &Utf8Path, folder: &Utf8Path) -> Self {
        Self {
            path: path.to_owned(),
            near: near(path, folder).unwrap_or_default(),
        }
    }
}

/// Returns an ending for the message about a missing path, or `None`. It is the similar name in place of the
/// first missing part, if the rest of the path exists behind it. Else it lists at most 3 flows of the deepest
/// existing folder, unless that is `folder`, or mentions the folder `flows`. Reads the file system.
fn near(path: &Utf8Path, folder: &Utf8Path) -> Option<String> {
    /// Chosen: more names would hide the message.
    const MAX_NAMED: usize = 3;
    let absolute = folder.join(path);
    let there = absolute.ancestors().find(|it| it.is_dir())?;
    let rest = absolute.strip_prefix(there).ok()?;
    let (wrong, below) = {
        let mut parts = rest.components();
        (parts.next()?.as_str(), parts.as_path())
    };
    let entries = there.read_dir_utf8().ok()?.flatten();
    let names: Vec<String> = entries.map(|it| it.file_name().to_owned()).collect();
    let shown = |path: Utf8PathBuf| {
        path.strip_prefix(folder)
            .map(Utf8Path::to_owned)
            .unwrap_or(path)
    };
    let meant = nearest(wrong, names.iter().map(String::as_str));
    // Joined to nothing, the name of a file would end in `/`, and no file has such a name.
    let meant = meant.map(|name| match below.as_str() {
        "" => there.join(name),
        _ => there.join(name).join(below),
    });
    if let Some(meant) = meant.filter(|meant| meant.exists()) {
        return Some(format!("; did you mean `{}`?", shown(clean(&meant))));
    }
    // A name without its extension, or a sub-flow without its `_`.
    if below.as_str().is_empty()
        && let Some(name) = near_files(&there.join(wrong))
    {
        return Some(format!("; did you mean `{}`?", shown(there.join(name))));
    }
    let mut flows: Vec<&str> = names.iter().map(String::as_str).collect();
    flows.retain(|name| is_flow(Utf8Path::new(name)) && !name.starts_with(['_', '.']));
    flows.sort_unstable();
    flows.truncate(MAX_NAMED);
    if there != folder && !flows.is_empty() {
        return Some(format!(
            "; `{}` has `{}`",
            shown(there.to_owned()),
            flows.join("`, `")
        ));
    }
    let usual = folder.join("flows");
    usual
        .is_dir()
        .then(|| "; the folder `flows` is there".to_owned())
}
