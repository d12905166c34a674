//! What is wrong with an app's files, told with file, line and column, and with what was probably meant.
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
use runner_text::diagnostic::{Diagnostic, Severity, Source};
use runner_text::suggest::{Place, error, suggest};
use runner_text::yaml::{Key, Kind, Node};
use runner_text::{source_file, yaml};

/// Most that is told of one app.
const MOST: usize = 200;

/// What is wrong with the app in `folder`, whose files are shown below `shown`. Empty where nothing is.
pub fn check(folder: &Utf8Path, shown: &Utf8Path, against_schema: SchemaCheck) -> Vec<Diagnostic> {
    let source = match source_file::load(&folder.join("app.yaml"), &shown.join("app.yaml")) {
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
    let mut seen = BTreeSet::new();
    for (activity, file) in &manifest.surfaces {
        let Some(path) = inside(&file.text) else {
            let message = format!(
                "activity `{activity}`: `surface: {}` must be a file inside the app's folder",
                file.text
            );
            report.fail(&file.span, "surface", message, None);
            continue;
        };
        if !seen.insert(path.clone()) {
            continue;
        }
        match source_file::load(&folder.join(&path), &shown.join(&path)) {
            Ok(source) => {
                let mut report = Report::new(source);
                dialogs.extend(surface::check(&mut report, &manifest.actions));
                others.extend(report.finished());
            }
            Err(problem) => {
                let message = format!("{path}: cannot be read: {}", problem.message);
                report.fail(&file.span, "surface", message, None);
            }
        }
    }
    manifest.check_dialogs(&dialogs, &mut report);
    let mut found = report.finished();
    found.extend(others);
    found.truncate(MOST);
    found
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
        code: &'static str,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if self.found.len() < MOST {
            let place = Place::new(&self.source, span.clone());
            self.found.push(Diagnostic {
                help,
                ..error(&place, code, message)
            });
        }
    }

    fn warn(&mut self, span: &Range<usize>, code: &'static str, message: impl Into<String>) {
        self.fail(span, code, message, None);
        if let Some(last) = self.found.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    /// A name that is none of those there are.
    fn unknown<'n>(
        &mut self,
        span: &Range<usize>,
        code: &'static str,
        message: String,
        names: impl IntoIterator<Item = &'n str>,
        wrong: &str,
    ) {
        self.fail(span, code, message, suggest(wrong, names));
    }

    /// The entries of a map, or an error.
    fn map<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [(Key, Node)]> {
        match &node.kind {
            Kind::Map(entries) => Some(entries),
            _ => {
                self.fail(
                    &node.span,
                    "wrong-type",
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
                    "wrong-type",
                    format!("{what} must be a list, not {}", node.what()),
                    None,
                );
                None
            }
        }
    }

    /// A text that is written out, or an error: `no` without quotes is no text in YAML.
    fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        let Some(scalar) = node.scalar().filter(|_| !node.is_missing()) else {
            self.fail(
                &node.span,
                "wrong-type",
                format!("{what} must be text, not {}", node.what()),
                None,
            );
            return None;
        };
        if let Some(other) = other_than_text(&scalar.text).filter(|_| scalar.plain) {
            self.fail(
                &node.span,
                "wrong-type",
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

/// What YAML takes a word without quotes for, where that is no text.
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
