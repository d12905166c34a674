//! Checks an app's files and reports problems with file, line, column and a suggestion.
//!
//! `manifest` checks `app.yaml`, `surface` the files of A2UI messages, `value` the values of properties and
//! arguments, `literal` texts that stand as they are; `advice` says what was meant by words of other tools. Nothing is
//! changed; valid apps are loaded elsewhere.

mod advice;
mod literal;
mod manifest;
mod surface;
mod value;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use super::near::app_advice;
use crate::SchemaCheck;
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};
use runner_text::suggest::{SourceRange, error, nearest, suggest};
use runner_text::yaml::{Key, Node, NodeKind};
use runner_text::{source_file, yaml};

/// Most problems that are reported for one app, and most of each severity that are collected for one file. Chosen:
/// nobody reads more.
const MAX_PROBLEMS: usize = 200;

/// Message for a symbolic link.
const LINK_OUTSIDE: &str = "this link leads out of the app's folder";

/// Checks the app in `folder` and returns its problems, 200 at most, those of `app.yaml` first. Their paths are shown
/// below `displayed`. If `app.yaml` cannot be read or parsed, only that is reported. A file that several activities
/// name is checked once, and one outside the folder, also through links, is refused unread. If any file cannot be read,
/// names of dialogs are not checked.
pub fn check(
    folder: &Utf8Path,
    displayed: &Utf8Path,
    against_schema: SchemaCheck,
) -> Vec<Diagnostic> {
    if is_outside(folder, "app.yaml".into()) {
        let source = Source::unread(&displayed.join("app.yaml"));
        return vec![error(
            &SourceRange::new(&source, 0..0),
            Code::Unreadable,
            LINK_OUTSIDE,
        )];
    }
    let source = match source_file::load(&folder.join("app.yaml"), &displayed.join("app.yaml")) {
        Ok(source) => source,
        Err(mut diagnostic) => {
            let meant = app_advice(folder, displayed);
            let help = meant.unwrap_or_else(|| {
                "an app is a folder with an `app.yaml` and the files it names".to_owned()
            });
            diagnostic.help = Some(help);
            return vec![*diagnostic];
        }
    };
    let mut report = Report::new(source);
    report.found = against_schema(&report.source, &super::schema());
    let Some(tree) = yaml::read(&report.source, &mut Vec::new()) else {
        return report.found;
    };
    advice::improve(&tree, &mut report.found);
    let manifest = manifest::Manifest::read(&tree, &mut report);
    let mut dialogs = BTreeSet::new();
    let mut others: Vec<Diagnostic> = Vec::new();
    let mut all_known = true;
    let mut observed = BTreeSet::new();
    for (activity, file) in &manifest.surfaces {
        let Some(path) = inside(&file.text) else {
            let message = format!(
                "activity `{activity}`: `surface: {}` must be a file inside the app's folder",
                file.text
            );
            report.fail(&file.span, Code::Surface, message, None);
            continue;
        };
        if !observed.insert(path.clone()) {
            continue;
        }
        if is_outside(folder, &path) {
            let message = format!("{path}: cannot be read: {LINK_OUTSIDE}");
            report.fail(&file.span, Code::Surface, message, None);
            all_known = false;
            continue;
        }
        match source_file::load(&folder.join(&path), &displayed.join(&path)) {
            Ok(source) => {
                let mut report = Report::new(source);
                match surface::check(&mut report, &manifest.actions) {
                    Some(ids) => dialogs.extend(ids),
                    None => all_known = false,
                }
                others.extend(report.into_diagnostics());
            }
            Err(problem) => {
                let message = format!("{path}: cannot be read: {}", problem.message);
                let help = near_file(folder, &path).map(|name| format!("did you mean `{name}`?"));
                report.fail(&file.span, Code::Surface, message, help);
                all_known = false;
            }
        }
    }
    // The components of an unreadable file are unknown.
    if all_known {
        manifest.check_dialogs(&dialogs, &mut report);
    }
    let mut found = report.into_diagnostics();
    found.extend(others);
    truncate(found)
}

/// Cuts the problems to [`MAX_PROBLEMS`] and keeps their order; warnings are dropped first, from the end.
fn truncate(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let errors = found.iter().filter(|one| is_error(one)).count();
    let mut warnings = MAX_PROBLEMS.saturating_sub(errors);
    found.retain(|one| {
        let stays = is_error(one) || warnings > 0;
        warnings -= usize::from(stays && !is_error(one));
        stays
    });
    found.truncate(MAX_PROBLEMS);
    found
}

/// Returns true if a path leads out of the folder, through links. A diagnostic would show lines of the other file. A
/// missing file is not outside.
fn is_outside(folder: &Utf8Path, path: &Utf8Path) -> bool {
    match (
        folder.canonicalize_utf8(),
        folder.join(path).canonicalize_utf8(),
    ) {
        (Ok(folder), Ok(file)) => !file.starts_with(folder),
        // A missing file leads nowhere, and is reported as missing.
        _ => false,
    }
}

/// Finds the file in the app's folder, not below it, that was probably meant by the name `missing`: one of the same
/// name with another extension, else one whose name differs by a slip. `None` if nothing is near; `app.yaml` is never
/// meant.
fn near_file(folder: &Utf8Path, missing: &Utf8Path) -> Option<String> {
    let entries = folder.read_dir_utf8().ok()?.flatten();
    let names = entries.map(|entry| entry.file_name().to_owned());
    let names: Vec<String> = names.filter(|name| name != "app.yaml").collect();
    let is_same = |name: &&String| Utf8Path::new(name).file_stem() == missing.file_stem();
    let same = names.iter().find(is_same).map(String::as_str);
    let near = || nearest(missing.as_str(), names.iter().map(String::as_str));
    same.or_else(near).map(str::to_owned)
}

/// Returns true if a problem keeps the app from being loaded. Warnings do not.
pub fn has_errors(found: &[Diagnostic]) -> bool {
    found
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Returns the path of a file, unless it is empty, absolute, or has `.` or `..` in it. Links are not
/// followed.
pub(super) fn inside(name: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(name);
    let plain = |part| matches!(part, Utf8Component::Normal(_));
    (!name.is_empty() && path.components().all(plain)).then(|| path.to_owned())
}

/// Problems of one file.
struct Report {
    source: Arc<Source>,
    found: Vec<Diagnostic>,
}

impl Report {
    /// Returns a report without problems.
    fn new(source: Arc<Source>) -> Self {
        Self {
            source,
            found: Vec::new(),
        }
    }

    /// Returns the problems in the order of the file, without adjacent duplicates.
    fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| diagnostic.span.start);
        self.found.dedup();
        self.found
    }

    fn fail(
        &mut self,
        span: &Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.push(Severity::Error, span, code, message, help);
    }

    fn warn(&mut self, span: &Range<usize>, code: Code, message: impl Into<String>) {
        self.push(Severity::Warning, span, code, message, None);
    }

    /// Adds a problem, unless the report has [`MAX_PROBLEMS`] of its severity.
    fn push(
        &mut self,
        severity: Severity,
        span: &Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if !self.is_full(severity) {
            let place = SourceRange::new(&self.source, span.clone());
            self.found.push(Diagnostic {
                severity,
                help,
                ..error(&place, code, message)
            });
        }
    }

    /// Returns true if the limit for this severity is reached.
    fn is_full(&self, severity: Severity) -> bool {
        let similar = |diagnostic: &&Diagnostic| diagnostic.severity == severity;
        self.found.iter().filter(similar).count() >= MAX_PROBLEMS
    }

    /// Reports an unknown name as an error, with the most similar known one as help if there is any.
    fn unknown<'n>(
        &mut self,
        span: &Range<usize>,
        code: Code,
        message: String,
        names: impl IntoIterator<Item = &'n str>,
        wrong: &str,
    ) {
        // The search for a similar name is the slowest part of the checks.
        if !self.is_full(Severity::Error) {
            self.fail(span, code, message, suggest(wrong, names));
        }
    }

    /// Returns the entries of a map, or reports an error, in which `what` names the node, and returns `None`.
    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Key, Node)]> {
        match &node.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => {
                self.fail(
                    &node.span,
                    Code::WrongType,
                    format!("{what} must be a map, not {}", node.what()),
                    None,
                );
                None
            }
        }
    }

    /// Returns the items of a list, or reports an error, in which `what` names the node, and returns `None`.
    fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.kind {
            NodeKind::Sequence(items) => Some(items),
            _ => {
                self.fail(
                    &node.span,
                    Code::WrongType,
                    format!("{what} must be a list, not {}", node.what()),
                    None,
                );
                None
            }
        }
    }

    /// Returns a literal text, or reports an error, in which `what` names the node, and returns `None`. A missing value
    /// is an error too, and so is a word that YAML reads as something else without quotes, such as `no` and `12`.
    fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        let Some(scalar) = node.scalar().filter(|_| !node.is_missing()) else {
            self.fail(
                &node.span,
                Code::WrongType,
                format!("{what} must be text, not {}", node.what()),
                None,
            );
            return None;
        };
        if let Some(other) = other_than_text(&scalar.text).filter(|_| scalar.plain) {
            self.fail(
                &node.span,
                Code::WrongType,
                format!(
                    "{what} must be text, and `{}` without quotes is {other} in YAML",
                    scalar.text
                ),
                Some(format!("write \"{}\"", scalar.text)),
            );
            return None;
        }
        Some(&scalar.text)
    }
}

/// Returns the YAML type of a word without quotes: a boolean, a number or nothing. Returns `None` if it is
/// text, or longer than any of these.
fn other_than_text(text: &str) -> Option<&'static str> {
    // Chosen: booleans, numbers and `null` are shorter, and parsing takes time.
    const MAX_WORD_BYTES: usize = 32;
    if text.len() > MAX_WORD_BYTES {
        return None;
    }
    match serde_yaml::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Bool(_)) => Some("a boolean"),
        Ok(serde_json::Value::Number(_)) => Some("a number"),
        Ok(serde_json::Value::Null) => Some("nothing"),
        _ => None,
    }
}

fn find<'n>(entries: &'n [(Key, Node)], name: &str) -> Option<&'n (Key, Node)> {
    entries.iter().find(|(key, _)| key.text == name)
}

#[cfg(test)]
mod tests;
