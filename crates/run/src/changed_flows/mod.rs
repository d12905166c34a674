//! `--changed-since`: chooses the flows that changed files concern.
//!
//! A file concerns the flows that it is a part of, and those that the impact map of `runner.yaml` names for
//! it. Mentions in flows and the history only add flows. If a file cannot be placed, all flows run.

mod choose;
mod code;
pub(super) mod flow_files;
mod git_names;
mod mentions;
mod path;
mod place;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use runner_event::ChangedSince;
use runner_flow::PathPattern;
use runner_history::ScreenNamesByFlow;

pub use path::relative_to;

/// Files that changed, according to git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFiles {
    /// Commit or branch that the person named.
    pub reference: String,
    /// Full hash of the commit that was compared with.
    pub base: String,
    /// Changed files, relative to the root. Those outside begin with `../`.
    pub files: Vec<Utf8PathBuf>,
}

/// Input for adding flows to those that the impact map names.
#[derive(Debug, Clone, Default)]
pub struct Addition {
    /// Changed lines of the code files. None if there are too many to search.
    pub lines: Option<String>,
    /// Names and texts that flows met on screens in earlier runs.
    pub met: ScreenNamesByFlow,
}

#[derive(Debug, Clone)]
pub struct ChangedReport {
    /// Numbers for reports.
    pub since: ChangedSince,
    /// Reason why all flows run, if they do.
    pub runs_all: Option<RunAllReason>,
    /// Flows that were left out, relative to the root.
    pub left_out: Vec<Utf8PathBuf>,
    /// Reason of each flow that runs; if all run, only of those that have one of their own.
    pub because: BTreeMap<Utf8PathBuf, String>,
    /// Number of flows that run only because no run in the history noted their screens.
    pub unknown: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunAllReason {
    /// This file belongs to all flows, such as `runner.yaml`.
    Shared(Utf8PathBuf),
    /// No flow consists of these files and no rule names them, or a rule for them names only flows that do not exist.
    Unplaced {
        /// Unplaced files, relative to the root.
        files: Vec<Utf8PathBuf>,
        /// True if the project has an impact map.
        has_map: bool,
    },
}

/// Chosen: what fits in one line of a message. Further files are only counted.
const MAX_NAMED_FILES: usize = 3;

impl std::fmt::Display for RunAllReason {
    /// Writes why all flows run. For files without a place it names at most 3 and counts the others, and shows the
    /// entry of `impact` that would say what the first concerns.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (files, has_map) = match self {
            Self::Shared(file) => return write!(f, "{file} is of all flows"),
            Self::Unplaced { files, has_map } => (files, has_map),
        };
        let names: Vec<&str> = files
            .iter()
            .take(MAX_NAMED_FILES)
            .map(|file| file.as_str())
            .collect();
        write!(f, "nothing says which flows {}", names.join(", "))?;
        if let Some(more) = files.len().checked_sub(names.len()).filter(|it| *it > 0) {
            write!(f, " and {more} more")?;
        }
        f.write_str(" concern")?;
        let example = PathPattern::escape(names.first().copied().unwrap_or_default());
        // JSON's quotes are YAML's too.
        let example = serde_json::to_string(&example).unwrap_or_default();
        let place = if *has_map {
            "add to `impact` of runner.yaml"
        } else {
            "runner.yaml has no `impact`; write"
        };
        let entry = if *has_map {
            format!("{example}: {{ tags: [ … ] }}")
        } else {
            format!("impact: {{ {example}: {{ tags: [ … ] }} }}")
        };
        write!(
            f,
            "; {place} `{entry}`, or `{{ flows: [] }}` if no flow depends on it"
        )
    }
}

#[cfg(test)]
mod tests;
