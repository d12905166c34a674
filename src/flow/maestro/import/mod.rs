//! Maestro's flows in our own language: strict, with comments and order kept. What cannot be said is a comment.

mod comments;
mod script;
mod steps;
mod texts;
mod write;

use std::collections::{BTreeSet, HashMap};

use camino::{Utf8Path, Utf8PathBuf};

use self::steps::{Importer, OutputsOfFlows};
use super::super::reader::{ReadOptions, read_flow};
use super::super::report::{Place, error};
use super::workspace::{Workspace, all_files};
use super::{Header, WorkspaceError};
use crate::diagnostic::{Code, Diagnostic};
use crate::files::normal_parts;
use crate::flow::Flow;

/// A flow in our own language.
#[derive(Debug, Clone)]
pub struct ImportedFlow {
    /// Where it came from, below the root.
    pub from: Utf8PathBuf,
    /// Its path below the folder of flows.
    pub path: Utf8PathBuf,
    /// Its text, without the comment that tells its hash.
    pub text: String,
    /// What of it could not be said, by the line of the file it came from.
    pub left_out: Vec<(usize, String)>,
}

/// A workspace in our own language.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// Its flows, sorted.
    pub flows: Vec<ImportedFlow>,
    /// Flows that do not read, with what is wrong.
    pub unreadable: Vec<Diagnostic>,
    /// What its `config.yaml` says that runner.yaml cannot, as comments.
    pub notes: Vec<String>,
}

/// Takes over all flows below a folder.
///
/// # Errors
/// [`WorkspaceError`]: the folder cannot be looked through, or its configuration does not read.
pub fn import(folder: &Utf8Path, options: &ReadOptions) -> Result<Imported, WorkspaceError> {
    let files = all_files(&[folder.to_owned()])?;
    let workspace = Workspace::of(folder, None).ok().flatten();
    let started: BTreeSet<&Utf8Path> = match &workspace {
        Some(workspace) => workspace.files.iter().map(Utf8PathBuf::as_path).collect(),
        None => files.iter().map(Utf8PathBuf::as_path).collect(),
    };
    let mut imported = Imported::default();
    let mut read: Vec<Flow> = Vec::new();
    for file in &files {
        let (flow, diagnostics) = read_flow(file, options);
        match flow {
            Some(flow) => read.push(flow),
            None => imported.unreadable.extend(diagnostics),
        }
    }
    let folder = folder.strip_prefix(&options.root).unwrap_or(folder);
    let paths: HashMap<Utf8PathBuf, Utf8PathBuf> = read
        .iter()
        .map(|flow| {
            let file = &flow.source.path;
            let is_started = started.contains(options.root.join(file).as_path());
            (file.clone(), path_of(file, folder, is_started))
        })
        .collect();
    let outputs = OutputsOfFlows::default();
    for flow in &read {
        let Some(header) = flow.maestro() else {
            continue;
        };
        imported
            .flows
            .push(one(flow, header, &paths, &options.root, &outputs));
    }
    imported
        .flows
        .sort_by(|one, other| one.path.cmp(&other.path));
    imported.keep_apart();
    if let Some(workspace) = &workspace {
        imported.notes = notes(workspace);
    }
    Ok(imported)
}

impl Imported {
    /// Two files would be one here: `a.yaml` and `a.yml`.
    fn keep_apart(&mut self) {
        let mut taken: HashMap<String, Utf8PathBuf> = HashMap::new();
        for flow in &self.flows {
            let key = flow.path.as_str().to_lowercase();
            if let Some(owner) = taken.insert(key, flow.from.clone()) {
                let source = std::sync::Arc::new(crate::diagnostic::Source {
                    path: flow.from.clone(),
                    text: String::new(),
                });
                let message = format!("`{owner}` would be `{}` too", flow.path);
                self.unreadable.push(error(
                    &Place::new(&source, 0..0),
                    Code::SnapshotName,
                    message,
                ));
            }
        }
    }
}

/// Where a flow goes: a flow that only others run gets a name that begins with `_`.
fn path_of(file: &Utf8Path, folder: &Utf8Path, is_started: bool) -> Utf8PathBuf {
    let below = normal_parts(file.strip_prefix(folder).unwrap_or(file));
    let name = below
        .file_stem()
        .unwrap_or("flow")
        .trim_start_matches(['_', '.']);
    let mark = if is_started { "" } else { "_" };
    // Flows in folders of such a name would be left out.
    let parts = below.parent().unwrap_or(Utf8Path::new(""));
    let parts: Utf8PathBuf = parts
        .components()
        .map(|part| part.as_str().trim_start_matches(['_', '.']))
        .collect();
    parts.join(format!("{mark}{name}.yaml"))
}

fn one(
    flow: &Flow,
    header: &Header,
    paths: &HashMap<Utf8PathBuf, Utf8PathBuf>,
    root: &Utf8Path,
    outputs: &OutputsOfFlows,
) -> ImportedFlow {
    let path = paths.get(&flow.source.path).cloned().unwrap_or_default();
    let mut importer = Importer::new(flow, header, paths, root, outputs);
    let text = importer.text();
    ImportedFlow {
        from: flow.source.path.clone(),
        path,
        text,
        left_out: importer.left_out,
    }
}

fn notes(workspace: &Workspace) -> Vec<String> {
    let mut notes = Vec::new();
    let list = |names: &[String]| names.join(", ");
    if !workspace.include_tags.is_empty() {
        let tags = list(&workspace.include_tags);
        notes.push(format!(
            "includeTags: {tags}: give each to `runner test --tag`"
        ));
    }
    if !workspace.exclude_tags.is_empty() {
        let tags = list(&workspace.exclude_tags);
        notes.push(format!(
            "excludeTags: {tags}: give each to `runner test --exclude-tag`"
        ));
    }
    if !workspace.order.is_empty() {
        let names: Vec<String> = workspace
            .order
            .iter()
            .map(|name| name.value.clone())
            .collect();
        notes.push(format!(
            "executionOrder: {}: flows run in the order of their paths, and each begins anew",
            list(&names)
        ));
    }
    notes
}
