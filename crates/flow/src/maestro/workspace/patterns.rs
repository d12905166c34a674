//! Finds the files that the patterns of `flows` take.

use camino::{Utf8Path, Utf8PathBuf};
use regex::Regex;

use super::error::WorkspaceError;
use super::kinds::{FileKind, FileKinds, yaml_files};
use crate::ast::Spanned;
use crate::maestro::glob;

/// Patterns of `flows`.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns {
    takes: Vec<Regex>,
    leaves: Vec<Regex>,
}

impl Patterns {
    /// Returns true if a pattern takes the path below the folder and none leaves it out. Without patterns that take
    /// it is false.
    pub(super) fn take(&self, below: &Utf8Path) -> bool {
        let below = below.as_str().replace('\\', "/");
        self.takes.iter().any(|pattern| pattern.is_match(&below))
            && !self.leaves.iter().any(|pattern| pattern.is_match(&below))
    }

    /// Returns the patterns that match none of `files`. `flows` are the patterns as written, in the order in which
    /// they were compiled. Excluding patterns are left out, because files for them may come later. `files` are below
    /// `folder`.
    pub(super) fn unused<'a>(
        &self,
        folder: &Utf8Path,
        files: &[Utf8PathBuf],
        flows: &'a [Spanned<String>],
    ) -> impl Iterator<Item = &'a Spanned<String>> {
        let below: Vec<String> = files
            .iter()
            .map(|path| path.strip_prefix(folder).unwrap_or(path))
            .map(|path| path.as_str().replace('\\', "/"))
            .collect();
        let written = flows.iter().filter(|flow| !flow.value.starts_with('!'));
        let pairs = written.zip(&self.takes);
        let unused = pairs.filter(|(_, taking)| !below.iter().any(|path| taking.is_match(path)));
        let unused: Vec<_> = unused.map(|(written, _)| written).collect();
        unused.into_iter()
    }
}

/// Returns the YAML files in a folder that a pattern takes and none excludes, sorted, and the compiled patterns.
/// `config` itself and settings files are left out; other files need not be flows. With the pattern `*` alone it does
/// not look into folders below.
///
/// # Errors
/// An invalid pattern, only excluding patterns, no match, and a folder that cannot be read or is too large.
pub(super) fn matched_flows(
    folder: &Utf8Path,
    config: Option<&Utf8Path>,
    flows: &[Spanned<String>],
    kinds: &mut FileKinds,
) -> Result<(Vec<Utf8PathBuf>, Patterns), WorkspaceError> {
    let displayed = config.unwrap_or(folder).to_owned();
    let compile = |pattern: &str| {
        glob::compile(pattern).map_err(|reason| WorkspaceError::Pattern {
            pattern: pattern.to_owned(),
            config: displayed.clone(),
            reason: reason.to_string(),
        })
    };
    let mut patterns = Patterns::default();
    for pattern in flows {
        match pattern.value.strip_prefix('!') {
            Some(pattern) => patterns.leaves.push(compile(pattern)?),
            None => patterns.takes.push(compile(&pattern.value)?),
        }
    }
    if patterns.takes.is_empty() && !patterns.leaves.is_empty() {
        return Err(WorkspaceError::OnlyNegations(displayed));
    }
    let is_flat = flows.iter().all(|pattern| pattern.value == "*");
    let found = yaml_files(folder, if is_flat { 1 } else { usize::MAX })?;
    let mut is_taken = |path: &Utf8PathBuf| {
        let below = path.strip_prefix(folder).unwrap_or(path);
        patterns.take(below)
            && config != Some(path.as_path())
            && kinds.kind(path) != FileKind::Settings
    };
    let files: Vec<Utf8PathBuf> = found.into_iter().filter(&mut is_taken).collect();
    if files.is_empty() && is_flat {
        return Err(WorkspaceError::NotBelow(folder.to_owned()));
    }
    if files.is_empty() {
        let shown_patterns: Vec<String> = flows
            .iter()
            .map(|pattern| format!("`{}`", pattern.value))
            .collect();
        return Err(WorkspaceError::NoMatch {
            config: displayed,
            patterns: shown_patterns.join(", "),
        });
    }
    Ok((files, patterns))
}
