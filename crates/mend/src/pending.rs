//! Evidence that waits for a decision, and rejected patches: files below `.runner/mend`, which are state of
//! this program and no part of the project.

use std::collections::{BTreeSet, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::{hash, write_atomic};
use runner_flow::SelectorUse;
use runner_text::input_file::{InputProblem, MAX_TEXT, read_regular, read_text};
use runner_tools::SelectorPatch;

use crate::evidence::{self, ENDING, Evidence, EvidenceError, MAX_PACKED, MAX_TOTAL};

/// Folder, relative to the root.
const FOLDER: &str = ".runner/mend";
/// File with the rejected patches, one a line.
const REJECTED: &str = "rejected";
/// Chosen: files that are read, in the order of their names. A review of more would help nobody.
const MAX_WAITING: usize = 1000;
/// Chosen: newest rejected patches that are remembered, so that the file does not grow without limit.
const MAX_REJECTED: usize = 10_000;

/// Folder of a project's pending evidence.
#[derive(Debug, Clone)]
pub struct PendingFolder {
    path: Utf8PathBuf,
}

impl PendingFolder {
    /// Returns the folder of the project at `root`.
    pub fn new(root: &Utf8Path) -> Self {
        Self {
            path: root.join(FOLDER),
        }
    }

    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Returns the names of the pending files, sorted. Empty if the folder cannot be read.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = fs_err::read_dir(&self.path).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.ends_with(ENDING)).collect()
    }

    /// Reads the pending evidence, each with the name of its file, sorted by name. Only the first 1000 names are
    /// read; the others are left out without a note. A file that cannot be read has its error, and so have those
    /// beyond 256 MiB of unpacked evidence. Empty if the folder cannot be read.
    pub fn read(&self) -> Vec<(String, Result<Evidence, EvidenceError>)> {
        let names = self.names().into_iter().take(MAX_WAITING);
        let mut budget = MAX_TOTAL;
        names
            .map(|name| {
                let packed = read_regular(self.path.join(&name), MAX_PACKED);
                let evidence = packed
                    .map_err(|error| EvidenceError::Packed(error.into()))
                    .and_then(|packed| Evidence::read(&packed, &mut budget));
                (name, evidence)
            })
            .collect()
    }

    /// Stores evidence. It replaces earlier evidence of the same selector. The folder is created if it is missing.
    ///
    /// # Errors
    /// The file system's.
    pub fn keep(&self, evidence: &Evidence) -> std::io::Result<()> {
        let path = self.path.join(evidence.file_name());
        write_atomic(&path, &evidence.pack()?)
    }

    /// Returns the name of the pending file of a selector of `flow`, whether it exists or not.
    pub fn name(flow: &Utf8Path, used: &SelectorUse) -> String {
        let selector = used.selector.to_string();
        evidence::file_name([flow.as_str(), used.source.path.as_str(), &selector])
    }

    /// Removes a file of the folder. A missing file is no error. `name` is not checked.
    ///
    /// # Errors
    /// The file system's.
    pub fn remove(&self, name: &str) -> std::io::Result<()> {
        match fs_err::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the keys of rejected patches, as [`rejection`] makes them. Empty if the list cannot be read.
    pub fn rejected(&self) -> HashSet<String> {
        let text = read_text(self.path.join(REJECTED), MAX_TEXT).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Adds keys to the rejected patches at the end, or removes them if `is_rejected` is false. Only the last 10,000
    /// stay. Adding a key again moves it to the end. The list is written anew even if nothing changed.
    ///
    /// # Errors
    /// The file system's. A list that exists but cannot be read is an error and stays as it is; a missing one is
    /// empty.
    pub fn reject(&self, rejections: &[String], is_rejected: bool) -> std::io::Result<()> {
        let path = self.path.join(REJECTED);
        let text = match read_text(&path, MAX_TEXT) {
            Ok(text) => text,
            Err(error) if matches!(error.problem, InputProblem::Missing) => String::new(),
            // Written anew, it would lose all that was rejected before.
            Err(error) => {
                let why = format!("{error}; remove it to begin a new list");
                return Err(std::io::Error::new(error.problem.kind(), why));
            }
        };
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.retain(|line| !rejections.contains(line));
        if is_rejected {
            lines.extend_from_slice(rejections);
        }
        let newest = &lines[lines.len().saturating_sub(MAX_REJECTED)..];
        let mut text = newest.join("\n");
        if !newest.is_empty() {
            text.push('\n');
        }
        write_atomic(&path, text.as_bytes())
    }
}

/// Returns the key under which a rejected patch is remembered: a hash of the change, its file and selector, and the
/// green run that it is based on. Neither the line nor the flow that ran counts. With another version of the app or
/// another commit the key is another.
pub fn rejection(evidence: &Evidence, change: &SelectorPatch) -> String {
    let green = [&evidence.green.app_version, &evidence.green.commit];
    let green = green.map(|one| one.as_deref().unwrap_or_default());
    let names = [evidence.file.as_str(), &evidence.selector];
    let change = [&change.property, &change.from, &change.to].map(String::as_str);
    let all = names.into_iter().chain(change).chain(green);
    let each: Vec<String> = all.map(|one| hash(one.as_bytes())).collect();
    hash(each.join(" ").as_bytes())
}
