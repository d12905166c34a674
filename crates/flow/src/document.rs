//! Reads other YAML files of a project against a schema, with the same errors as flows. Returns the value and
//! the place of each part.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::ast::{Argument, Spanned};
use super::check::{Checker, literal};
use super::foreign;
use super::report;
use super::vocabulary::Vocabulary;
use super::yaml;
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};

pub type ByteRange = Range<usize>;

pub struct Document {
    pub value: Value,
    /// Range of each value, by its dotted path.
    pub places: BTreeMap<String, ByteRange>,
}

/// Parses a document and checks it against a schema. An empty file is an empty map. No expressions are possible; an
/// error about a text with `${` has help that says so.
///
/// # Errors
/// All problems, sorted by their place, if one of them is an error. Warnings alone are dropped.
pub fn read(source: &Arc<Source>, schema: &Value) -> Result<Document, Vec<Diagnostic>> {
    let mut diagnostics = Vec::new();
    let Some(mut node) = yaml::read(source, &mut diagnostics) else {
        return Err(diagnostics);
    };
    if node.is_missing() {
        node.kind = yaml::NodeKind::Map(Vec::new());
    }
    let vocabulary = Vocabulary {
        tools: Vec::new(),
        selector: Value::Bool(true),
        snapshot: Value::Bool(true),
        definitions: schema
            .get("definitions")
            .and_then(Value::as_object)
            .cloned()
            .unwrap_or_default(),
    };
    let mut checker = Checker {
        source,
        vocabulary: &vocabulary,
        names: None,
        diagnostics,
    };
    let argument = checker.value(&node, schema);
    let mut diagnostics = checker.diagnostics;
    let good = diagnostics
        .iter()
        .all(|diagnostic| diagnostic.severity == Severity::Warning);
    if good {
        let mut places = BTreeMap::new();
        collect(&argument, String::new(), &mut places);
        return Ok(Document {
            value: literal(&argument.value).unwrap_or_default(),
            places,
        });
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    Err(diagnostics)
}

/// Returns the errors of a document by its schema, sorted by place, with the warnings beside them. Warnings
/// alone are dropped.
pub fn problems(source: &Arc<Source>, schema: &Value) -> Vec<Diagnostic> {
    read(source, schema).err().unwrap_or_default()
}

/// Returns advice for a key that is not among `names`, as for the keys of a schema: what stands for the word of
/// another tool, the most similar name, or the list of all. Returns `None` without names.
pub fn suggest_key<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    foreign::suggestion(word, names)
}

/// Builds a problem at a place, or at the start of the file without one. Its code decides whether it is an
/// error or a warning.
pub fn problem(
    source: &Arc<Source>,
    place: Option<&ByteRange>,
    code: Code,
    message: String,
) -> Diagnostic {
    let span = place.cloned().unwrap_or(0..0);
    report::error(&report::SourceRange::new(source, span), code, message)
}

/// Adds the place of an argument and of all in it, by paths such as `on.any_of.0`. The argument's own `path` may be
/// empty.
fn collect(argument: &Spanned<Argument>, path: String, places: &mut BTreeMap<String, ByteRange>) {
    let below = |part: &str| {
        if path.is_empty() {
            part.to_owned()
        } else {
            format!("{path}.{part}")
        }
    };
    match &argument.value {
        Argument::Map(entries) => entries
            .iter()
            .for_each(|(key, value)| collect(value, below(key), places)),
        Argument::List(items) => items
            .iter()
            .enumerate()
            .for_each(|(index, item)| collect(item, below(&index.to_string()), places)),
        _ => {}
    }
    places.insert(path, argument.span.clone());
}
