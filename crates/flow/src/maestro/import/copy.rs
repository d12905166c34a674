//! Decides which files are copied together with a flow that stays a Maestro flow, and where to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::super::files::{inside, normalise};
use super::super::super::yaml;
use super::sources::Import;
use runner_text::diagnostic::Source;

/// Maximum bytes of a text that may be a path. Chosen: a longer text is content, and would be looked up in
/// the file system for nothing.
const MAX_PATH_BYTES: usize = 1000;

/// File that is copied unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CopiedFile {
    /// Path of the source below the root.
    pub from: Utf8PathBuf,
    /// Path below the new folder of flows.
    pub path: Utf8PathBuf,
}

/// Flows that stay Maestro flows, and the files that they name.
#[derive(Debug, Default)]
pub(super) struct NamedFiles {
    /// Paths below the root.
    pub(super) files: BTreeSet<Utf8PathBuf>,
    /// Named files, each with one of the files that name it.
    pub(super) runners: BTreeMap<Utf8PathBuf, Utf8PathBuf>,
}

/// Lists the files that a flow names: every value that is the path of an existing file below the root, relative to
/// the flow or absolute, also with `.png` added. So nothing is missed, even in a flow with errors; of one that is no
/// YAML nothing is found. Paths with `${…}` are not. The paths are relative to the root, in the order of the values,
/// with duplicates; the flow itself and links to the outside are left out.
pub(super) fn named_files(
    source: &Arc<Source>,
    flow: &Utf8Path,
    root: &Utf8Path,
) -> Vec<Utf8PathBuf> {
    let documents = yaml::read_documents(source, &mut Vec::new()).unwrap_or_default();
    let nodes = documents.iter().flat_map(|document| document.node.nodes());
    let texts = nodes.filter_map(|node| Some(node.scalar()?.text.as_str()));
    let texts = texts.filter(|text| {
        !text.trim().is_empty() && text.len() <= MAX_PATH_BYTES && !text.contains(['\n', '\0'])
    });
    let folder = flow.parent().unwrap_or(Utf8Path::new(""));
    let mut named = Vec::new();
    for text in texts {
        // Flows name pictures without their extension.
        for text in [text.to_owned(), format!("{text}.png")] {
            let requested = Utf8Path::new(&text);
            let path = match requested.strip_prefix(root) {
                Ok(below) => normalise(below),
                Err(_) if requested.is_absolute() => None,
                Err(_) => normalise(&folder.join(requested)),
            };
            let is_there = |path: &Utf8PathBuf| {
                let full = root.join(path);
                path != flow && full.is_file() && inside(&full, root).is_ok()
            };
            named.extend(path.filter(is_there));
        }
    }
    named
}

/// Error: a file would not be found from the new place of the flows that name it.
#[derive(Debug, thiserror::Error)]
#[error(
    "{runner} names {file}, which it would not find from {to}; take over a folder that holds both"
)]
pub(super) struct OutOfReachError {
    runner: String,
    file: Utf8PathBuf,
    to: Utf8PathBuf,
}

impl Import<'_> {
    /// Collects these flows, the files that they name, and the files that flows among those name, each once, at any
    /// depth. Also keeps for each named file one flow that names it. Files that were not read name nothing. Reads no
    /// files.
    pub(super) fn closure<'f>(&self, flows: impl Iterator<Item = &'f Utf8PathBuf>) -> NamedFiles {
        let mut closed = NamedFiles::default();
        let mut next: Vec<Utf8PathBuf> = flows.cloned().collect();
        while let Some(file) = next.pop() {
            if !closed.files.insert(file.clone()) {
                continue;
            }
            let flow = self.files.get(&file);
            for named in flow.into_iter().flat_map(|flow| &flow.named) {
                let runners = closed.runners.entry(named.clone());
                runners.or_insert_with(|| file.clone());
                next.push(named.clone());
            }
        }
        closed
    }

    /// Returns the copy of a file, with its path below the new folder, which is that below the old one. Returns
    /// `None` if the file is outside of the old folder but the copied flows still find it, because the new folder is
    /// beside the old one. Copies nothing yet.
    ///
    /// # Errors
    /// [`OutOfReachError`] if the copied flows would not find it. It names the flow in `closed` that needs the file.
    pub(super) fn copy_of(
        &self,
        file: &Utf8Path,
        closed: &NamedFiles,
    ) -> Result<Option<CopiedFile>, OutOfReachError> {
        if let Some(path) = self.below(file) {
            let from = file.to_owned();
            return Ok(Some(CopiedFile { from, path }));
        }
        // From a sibling folder `../shared/a.js` is the same file.
        let (from, to) = (self.plan.from, self.plan.to);
        if from.parent() == to.parent() && !self.options.root.join(file).starts_with(to) {
            return Ok(None);
        }
        let runner = closed.runners.get(file);
        let runner = runner.map_or("a flow", |runner| runner.as_str());
        Err(OutOfReachError {
            runner: runner.to_owned(),
            file: file.to_owned(),
            to: to.to_owned(),
        })
    }
}
