//! Evidence that waits for a decision, and what was rejected: files below `.runner/mend`, which are this program's own
//! state and no part of the project.

use std::collections::{BTreeSet, HashSet};

use camino::{Utf8Path, Utf8PathBuf};
use runner_base::files::{hash, write_atomic};
use runner_flow::SelectorUse;
use runner_text::input_file::{MAX_TEXT, read_regular, read_text};
use runner_tools::SelectorPatch;

use crate::evidence::{self, ENDING, Evidence, EvidenceError, MAX_PACKED, MAX_TOTAL};

/// The folder, below the root.
const FOLDER: &str = ".runner/mend";
/// The file of what was rejected.
const REJECTED: &str = "rejected";
/// Most files that wait; of more the first are read.
const MAX_WAITING: usize = 1000;
/// Rejected patches that are remembered, the newest.
const MAX_REJECTED: usize = 10_000;

/// The folder of a project's waiting evidence.
#[derive(Debug, Clone)]
pub struct PendingFolder {
    path: Utf8PathBuf,
}

impl PendingFolder {
    /// The folder of the project at `root`.
    pub fn new(root: &Utf8Path) -> Self {
        Self {
            path: root.join(FOLDER),
        }
    }

    /// Returns its path.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Returns the names of the files that wait; none where the folder cannot be read.
    pub fn names(&self) -> BTreeSet<String> {
        let entries = fs_err::read_dir(&self.path).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.ends_with(ENDING)).collect()
    }

    /// Reads what waits, each with the name of its file.
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

    /// Keeps evidence; an earlier one of the same selector goes.
    ///
    /// # Errors
    /// The file system's.
    pub fn keep(&self, evidence: &Evidence) -> std::io::Result<()> {
        let path = self.path.join(evidence.file_name());
        write_atomic(&path, &evidence.pack()?)
    }

    /// Returns the name of the file that waits for a selector of `flow`, where one would.
    pub fn name(flow: &Utf8Path, used: &SelectorUse) -> String {
        let selector = used.selector.to_string();
        evidence::file_name([flow.as_str(), used.source.path.as_str(), &selector])
    }

    /// Removes a file, which may be gone.
    ///
    /// # Errors
    /// The file system's.
    pub fn remove(&self, name: &str) -> std::io::Result<()> {
        match fs_err::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns what was rejected, by [`rejection`].
    pub fn rejected(&self) -> HashSet<String> {
        let text = read_text(self.path.join(REJECTED), MAX_TEXT).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Remembers, or forgets, that these patches are not to be offered again.
    ///
    /// # Errors
    /// The file system's.
    pub fn reject(&self, rejections: &[String], is_rejected: bool) -> std::io::Result<()> {
        let text = read_text(self.path.join(REJECTED), MAX_TEXT).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.retain(|line| !rejections.contains(line));
        if is_rejected {
            lines.extend_from_slice(rejections);
        }
        let newest = &lines[lines.len().saturating_sub(MAX_REJECTED)..];
        write_atomic(
            &self.path.join(REJECTED),
            (newest.join("\n") + "\n").as_bytes(),
        )
    }
}

/// Returns what a patch of a step is remembered by where it is rejected: what it writes where, and the green run that it
/// stands on.
pub fn rejection(evidence: &Evidence, change: &SelectorPatch) -> String {
    let green = [&evidence.green.app_version, &evidence.green.commit];
    let green = green.map(|one| one.as_deref().unwrap_or_default());
    let names = [evidence.file.as_str(), &evidence.selector];
    let change = [&change.property, &change.from, &change.to].map(String::as_str);
    let all = names.into_iter().chain(change).chain(green);
    let each: Vec<String> = all.map(|one| hash(one.as_bytes())).collect();
    hash(each.join(" ").as_bytes())
}
