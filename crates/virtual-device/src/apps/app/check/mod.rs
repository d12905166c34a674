//! Problems in an app's files, reported with file, line and column, and with what was probably meant.
//!
//! `manifest` looks at `app.yaml`, `surface` at the files of A2UI messages, `value` at what properties and arguments take.
//! Reads files, changes nothing; what is right is loaded elsewhere.

mod manifest;
mod surface;
mod value;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

use crate::SchemaCheck;
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};
use runner_text::suggest::{Place, error, suggest};
use runner_text::yaml::{Key, Kind, Node};
use runner_text::{source_file, yaml};

/// Most errors, and most warnings, that are reported for one app.
const MOST: usize = 200;

/// Of a link.
const LEADS_OUT: &str = "this link leads out of the app's folder";

/// What is wrong with the app in `folder`, whose files are shown below `displayed`. Empty where nothing is.
pub fn check(
    folder: &Utf8Path,
    displayed: &Utf8Path,
    against_schema: SchemaCheck,
) -> Vec<Diagnostic> {
    if leads_out(folder, "app.yaml".into()) {
        let source = Source::unread(&displayed.join("app.yaml"));
        return vec![error(
            &Place::new(&source, 0..0),
            Code::Unreadable,
            LEADS_OUT,
        )];
    }
    let source = match source_file::load(&folder.join("app.yaml"), &displayed.join("app.yaml")) {
        Ok(source) => source,
        Err(mut diagnostic) => {
            diagnostic.help =
                Some("an app is a folder with an `app.yaml` and the files it names".to_owned());
            return vec![*diagnostic];
        }
    };
    let mut report = Report::new(source);
    report.found = against_schema(&report.source, &super::schema());
    let Some(tree) = yaml::read(&report.source, &mut Vec::new()) else {
        return report.found;
    };
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
        if leads_out(folder, &path) {
            let message = format!("{path}: cannot be read: {LEADS_OUT}");
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
                others.extend(report.finished());
            }
            Err(problem) => {
                let message = format!("{path}: cannot be read: {}", problem.message);
                report.fail(&file.span, Code::Surface, message, None);
                all_known = false;
            }
        }
    }
    // Of a file that does not read, nobody knows the components.
    if all_known {
        manifest.check_dialogs(&dialogs, &mut report);
    }
    let mut found = report.finished();
    found.extend(others);
    limited(found)
}

/// At most as many as are reported; warnings are dropped first.
fn limited(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    let errors = found.iter().filter(|one| is_error(one)).count();
    let mut warnings = MOST.saturating_sub(errors);
    found.retain(|one| {
        let stays = is_error(one) || warnings > 0;
        warnings -= usize::from(stays && !is_error(one));
        stays
    });
    found.truncate(MOST);
    found
}

/// Whether a file is a link to one elsewhere: a diagnostic would show lines of that one.
fn leads_out(folder: &Utf8Path, path: &Utf8Path) -> bool {
    match (
        folder.canonicalize_utf8(),
        folder.join(path).canonicalize_utf8(),
    ) {
        (Ok(folder), Ok(file)) => !file.starts_with(folder),
        // A missing file leads nowhere, and is reported as missing.
        _ => false,
    }
}

/// Whether any of these keeps an app from being loaded.
pub fn has_errors(found: &[Diagnostic]) -> bool {
    found
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The path of a file, unless its name leads out of its folder.
pub(super) fn inside(name: &str) -> Option<Utf8PathBuf> {
    let path = Utf8Path::new(name);
    let plain = |part| matches!(part, Utf8Component::Normal(_));
    (!name.is_empty() && path.components().all(plain)).then(|| path.to_owned())
}

/// What is found in one file.
struct Report {
    source: Arc<Source>,
    found: Vec<Diagnostic>,
}

impl Report {
    fn new(source: Arc<Source>) -> Self {
        Self {
            source,
            found: Vec::new(),
        }
    }

    /// In the order of the file, each once.
    fn finished(mut self) -> Vec<Diagnostic> {
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

    fn push(
        &mut self,
        severity: Severity,
        span: &Range<usize>,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if !self.is_full(severity) {
            let place = Place::new(&self.source, span.clone());
            self.found.push(Diagnostic {
                severity,
                help,
                ..error(&place, code, message)
            });
        }
    }

    /// Whether no more of this severity are reported.
    fn is_full(&self, severity: Severity) -> bool {
        let similar = |diagnostic: &&Diagnostic| diagnostic.severity == severity;
        self.found.iter().filter(similar).count() >= MOST
    }

    /// A name that is none of those there are.
    fn unknown<'n>(
        &mut self,
        span: &Range<usize>,
        code: Code,
        message: String,
        names: impl IntoIterator<Item = &'n str>,
        wrong: &str,
    ) {
        // Looking for what was meant takes longer than anything else here.
        if !self.is_full(Severity::Error) {
            self.fail(span, code, message, suggest(wrong, names));
        }
    }

    /// The entries of a map, or an error.
    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Key, Node)]> {
        match &node.kind {
            Kind::Map(entries) => Some(entries),
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

    /// The items of a list, or an error.
    fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        match &node.kind {
            Kind::Sequence(items) => Some(items),
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

    /// A text that is written out, or an error: `no` without quotes is not text in YAML.
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

/// What YAML takes a word without quotes for, where that is not text.
fn other_than_text(text: &str) -> Option<&'static str> {
    const LONGEST: usize = 32;
    if text.len() > LONGEST {
        return None;
    }
    match serde_yaml::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::Bool(_)) => Some("a boolean"),
        Ok(serde_json::Value::Number(_)) => Some("a number"),
        Ok(serde_json::Value::Null) => Some("nothing"),
        _ => None,
    }
}

/// The entry of a map.
fn find<'n>(entries: &'n [(Key, Node)], name: &str) -> Option<&'n (Key, Node)> {
    entries.iter().find(|(key, _)| key.text == name)
}

#[cfg(test)]
mod tests;
