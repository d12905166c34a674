//! Flows of the folder that is imported, and the files that they name.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::super::reader::ReadOptions;
use super::super::workspace::Workspace;
use super::steps::Reason;
use crate::Flow;

/// Source and target of an import.
#[derive(Debug, Clone, Copy)]
pub struct ImportPlan<'a> {
    /// Absolute folder of the Maestro flows.
    pub from: &'a Utf8Path,
    /// Absolute folder for the results.
    pub to: &'a Utf8Path,
    /// True if `takeScreenshot` compares with goldens in this project.
    pub keeps_goldens: bool,
}

/// Import of a folder before anything is written: all flow files below it, those of an earlier import left
/// out, with what they name.
pub(super) struct Import<'a> {
    pub(super) plan: &'a ImportPlan<'a>,
    pub(super) options: &'a ReadOptions,
    pub(super) workspace: Option<Workspace>,
    /// Files by their paths below the root.
    pub(super) files: BTreeMap<Utf8PathBuf, SourceFile>,
}

/// Flow file of the source folder.
pub(super) struct SourceFile {
    pub(super) flow: Result<Box<Flow>, Reason>,
    /// Files that it names, below the root.
    pub(super) named: Vec<Utf8PathBuf>,
}

impl Import<'_> {
    /// Returns a path relative to the source folder; `None` if it is outside of it. `path` is relative to the root,
    /// or absolute. Does not look whether it exists, and resolves no `..`.
    pub(super) fn below(&self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let full = self.options.root.join(path);
        full.strip_prefix(self.plan.from)
            .ok()
            .map(Utf8Path::to_owned)
    }
}
