//! `--changed-since`: which flows changed files concern.
//!
//! A file concerns the flows that it is a part of, and those that the map of `runner.yaml` names for it. What flows mention
//! and what the history knows only adds flows. Where a file cannot be placed, all flows run.

mod choose;
mod code;
mod named;
mod own;
mod path;
mod place;

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

use runner_event::ChangedSince;
use runner_history::MetByFlow;

pub use path::relative_to;

/// What git says has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFiles {
    /// The commit or branch, as it was asked for.
    pub reference: String,
    /// The commit that was compared with, in full.
    pub base: String,
    /// The files, relative to the root; those outside begin with `../`.
    pub files: Vec<Utf8PathBuf>,
}

/// What adds flows to those that the map names.
#[derive(Debug, Clone, Default)]
pub struct Addition {
    /// The lines that changed in files of the code; none where there are too many to look through.
    pub lines: Option<String>,
    /// What flows met in earlier runs.
    pub met: MetByFlow,
}

/// What came of the choice.
#[derive(Debug, Clone)]
pub struct ChangedReport {
    /// In numbers.
    pub since: ChangedSince,
    /// Why all flows run, where they do.
    pub runs_all: Option<RunsAll>,
    /// Flows that were left out, below the root.
    pub left_out: Vec<Utf8PathBuf>,
    /// The others, each with why it runs.
    pub because: BTreeMap<Utf8PathBuf, String>,
    /// How many flows run only because no run in the history noted what they meet.
    pub unknown: usize,
}

/// Why all flows run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunsAll {
    /// This file is of all flows.
    Shared(Utf8PathBuf),
    /// Nobody says which flows these files concern.
    Unplaced {
        /// The files, relative to the root.
        files: Vec<Utf8PathBuf>,
        /// There is a map, and it does not name them.
        has_map: bool,
    },
}

/// More files are counted.
const MOST_NAMED: usize = 3;

impl std::fmt::Display for RunsAll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (files, has_map) = match self {
            Self::Shared(file) => return write!(f, "{file} is of all flows"),
            Self::Unplaced { files, has_map } => (files, has_map),
        };
        let names: Vec<&str> = files
            .iter()
            .take(MOST_NAMED)
            .map(|file| file.as_str())
            .collect();
        write!(f, "nothing says which flows {}", names.join(", "))?;
        if let Some(more) = files.len().checked_sub(names.len()).filter(|it| *it > 0) {
            write!(f, " and {more} more")?;
        }
        f.write_str(" concern")?;
        let example = names.first().copied().unwrap_or_default();
        // JSON's quotes are YAML's too.
        let example = serde_json::to_string(example).unwrap_or_default();
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
