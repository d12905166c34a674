//! Maestro workspaces: a folder of flows with a `config.yaml`.

mod error;
mod kinds;
mod patterns;
mod settings;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::super::ast::Spanned;
use super::super::files;
use super::super::report::{SourceRange, error};
use super::super::yaml::{self, NodeKind};
use error::rendered;
use kinds::{FileKinds, holds_only_own, is_workspace, own_config, walk, yaml_files};
use patterns::{Patterns, matched_flows};
use runner_text::diagnostic::{Code, Diagnostic, Source};
use settings::Settings;

pub use error::WorkspaceError;
pub use kinds::is_maestro_file;

#[derive(Debug, Clone)]
pub struct Workspace {
    pub folder: Utf8PathBuf,
    /// Paths of the YAML files that `flows` takes, sorted; absolute if `folder` is. They need not be flows.
    pub files: Vec<Utf8PathBuf>,
    /// Tags of which a flow must have one; empty for no such rule.
    pub include_tags: Vec<Spanned<String>>,
    /// Tags of which a flow must have none.
    pub exclude_tags: Vec<Spanned<String>>,
    /// Names of flows that run first, one after another.
    pub order: Vec<Spanned<String>>,
    /// True if the next flow of `order` runs after a failure.
    pub continue_on_failure: bool,
    /// `config.yaml`, if there is one.
    pub config: Option<Arc<Source>>,
    /// Warnings about settings without effect here.
    pub warnings: Vec<Diagnostic>,
    patterns: Patterns,
}

impl Workspace {
    /// Reads the workspace in a folder, and lists its flows without reading them as flows; `None` if it is none: it
    /// has no `config.yaml`, and flows below it are missing or not all Maestro's. `config` replaces its
    /// `config.yaml`, may lie anywhere, and makes any folder a workspace but one with flows of our own alone. Does
    /// not apply tags or `executionOrder`.
    ///
    /// # Errors
    /// [`WorkspaceError`] if the configuration is invalid or its own one leads out of the root, if a pattern or all
    /// of them match nothing, or if the folder cannot be read.
    pub fn open(
        folder: &Utf8Path,
        config: Option<&Utf8Path>,
    ) -> Result<Option<Self>, WorkspaceError> {
        let own = own_config(folder);
        let own = own.as_deref();
        let mut kinds = FileKinds::default();
        let is_one = match config {
            Some(_) => !holds_only_own(folder, own, &mut kinds),
            None => is_workspace(folder, own, &mut kinds),
        };
        if !is_one {
            return Ok(None);
        }
        let path = config.or(own);
        // A configuration that a person named may lie anywhere.
        let leads_out = config.is_none()
            && own.is_some_and(|own| files::inside(own, &root_of(folder)).is_err());
        let source = path.map(|path| files::load(path, path)).transpose();
        let source = source.map_err(|wrong| WorkspaceError::Config(rendered(&[*wrong])))?;
        if let (true, Some(source)) = (leads_out, &source) {
            let message = "a link leads out of the project's root".to_owned();
            let wrong = error(&SourceRange::new(source, 0..0), Code::Unreadable, message);
            return Err(WorkspaceError::Config(rendered(&[wrong])));
        }
        let settings = match &source {
            Some(source) => Settings::read(source)?,
            None => Settings::none(),
        };
        let (files, patterns) = matched_flows(folder, path, &settings.flows, &mut kinds)?;
        if let Some(source) = &source {
            let unused = patterns.unused(folder, &files, &settings.flows);
            let unused: Vec<Diagnostic> = unused
                .map(|pattern| {
                    let message = format!(
                        "no flow matches `{}`; correct it, or take it out",
                        pattern.value
                    );
                    let place = SourceRange::new(source, pattern.span.clone());
                    error(&place, Code::Unreadable, message)
                })
                .collect();
            if !unused.is_empty() {
                return Err(WorkspaceError::Config(rendered(&unused)));
            }
        }
        Ok(Some(Self {
            folder: folder.to_owned(),
            files,
            include_tags: settings.include_tags,
            exclude_tags: settings.exclude_tags,
            order: settings.order,
            continue_on_failure: settings.continue_on_failure,
            config: source,
            warnings: settings.warnings,
            patterns,
        }))
    }

    /// Returns true if a folder is a workspace, valid or not: it has a `config.yaml` of one, or only Maestro
    /// flows.
    pub(crate) fn is_one(folder: &Utf8Path) -> bool {
        let own = own_config(folder);
        is_workspace(folder, own.as_deref(), &mut FileKinds::default())
    }

    /// Returns true if a pattern of `flows` takes a path relative to the folder, and none excludes it. The file need
    /// not exist.
    pub(super) fn takes(&self, below: &Utf8Path) -> bool {
        self.patterns.take(below)
    }
}

/// Returns a pattern that matches exactly this file, with its signs escaped. Backslashes become `/`.
pub(super) fn pattern_of(below: &Utf8Path) -> String {
    let mut pattern = String::new();
    for letter in below.as_str().replace('\\', "/").chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}

/// Returns the folder that files of a workspace must not leave: the project's root, else the nearest folder
/// with `.maestro` or `.git`, else the folder itself.
fn root_of(folder: &Utf8Path) -> Utf8PathBuf {
    let has = |folder: &&Utf8Path| folder.join(".maestro").is_dir() || folder.join(".git").exists();
    let around = || folder.ancestors().find(has).unwrap_or(folder).to_owned();
    crate::find_root(folder).unwrap_or_else(around)
}

/// Returns all Maestro flows in these paths: files themselves, whatever they hold, and for folders the Maestro flows
/// below and the files of the workspace. Sorted, without duplicates; empty if there is none.
///
/// # Errors
/// [`WorkspaceError`] for a folder that does not exist, cannot be read or is too large. A workspace that cannot be
/// opened is none.
pub fn all_files(paths: &[Utf8PathBuf]) -> Result<Vec<Utf8PathBuf>, WorkspaceError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_file() {
            files.push(path.clone());
            continue;
        }
        // A workspace whose patterns match nothing is an error elsewhere; its files are listed all the same.
        if let Ok(Some(workspace)) = Workspace::open(path, None) {
            files.extend(workspace.files);
        }
        let below = yaml_files(path, usize::MAX)?;
        files.extend(below.into_iter().filter(|path| is_maestro_file(path)));
    }
    files.sort();
    files.dedup();
    Ok(files)
}

/// Returns the YAML files at any depth below a folder, flows or not, for which `is_known` is false, sorted, without
/// `config.yaml`. Entries that cannot be read, and those after `MAX_ENTRIES`, are skipped.
pub fn other_flows(folder: &Utf8Path, is_known: impl Fn(&Utf8Path) -> bool) -> Vec<Utf8PathBuf> {
    let below = walk(folder, usize::MAX).filter_map(Result::ok);
    below.filter(|path| !is_known(path)).collect()
}

/// Returns the tags in the header of a Maestro flow, as written, even if its commands are wrong; an empty list
/// without `tags`. Returns `None` if it is no Maestro flow, if the file cannot be read or is no YAML, and if the tags
/// are no list of scalars. Nothing is reported.
pub fn written_tags(path: &Utf8Path) -> Option<Vec<String>> {
    if !is_maestro_file(path) {
        return None;
    }
    let source = files::load(path, path).ok()?;
    let documents = yaml::read_documents(&source, &mut Vec::new())?;
    let NodeKind::Map(header) = &documents.first()?.node.kind else {
        return None;
    };
    let Some((_, node)) = header.iter().find(|(key, _)| key.text == "tags") else {
        return Some(Vec::new());
    };
    match &node.kind {
        NodeKind::Sequence(tags) => {
            let tags = tags.iter().map(|tag| Some(tag.scalar()?.text.clone()));
            tags.collect()
        }
        _ => None,
    }
}
