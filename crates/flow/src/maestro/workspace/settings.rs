//! Reads the settings in a `config.yaml`.

use std::sync::Arc;

use super::error::{WorkspaceError, rendered};
use crate::ast::Spanned;
use crate::report::{SourceRange, error, nearest};
use crate::yaml::{self, Key, Node, NodeKind, Scalar};
use runner_text::diagnostic::{self, Code, Diagnostic, Source};

/// Keys of Maestro's `config.yaml`. A file with only these is not a flow.
const KNOWN: [&str; 9] = [
    "flows",
    "includeTags",
    "excludeTags",
    "executionOrder",
    "baselineBranch",
    "notifications",
    "disableRetries",
    "platform",
    "testOutputDir",
];

/// Contents of `config.yaml`.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) flows: Vec<Spanned<String>>,
    pub(super) include_tags: Vec<Spanned<String>>,
    pub(super) exclude_tags: Vec<Spanned<String>>,
    pub(super) order: Vec<Spanned<String>>,
    pub(super) continue_on_failure: bool,
    pub(super) warnings: Vec<Diagnostic>,
}

impl Settings {
    /// Returns the settings of a folder without `config.yaml`: all flows directly in it, in any order, and
    /// all run after a failure.
    pub(super) fn none() -> Self {
        Self {
            flows: vec![Spanned {
                value: "*".to_owned(),
                span: 0..0,
            }],
            continue_on_failure: true,
            ..Self::default()
        }
    }

    /// Reads the settings over those of [`Self::none`], which an empty file gives. All errors are returned together,
    /// with the warnings; warnings alone are kept.
    pub(super) fn read(source: &Arc<Source>) -> Result<Self, WorkspaceError> {
        let mut diagnostics = Vec::new();
        let node = yaml::read(source, &mut diagnostics);
        let mut settings = Self::none();
        if let Some(node) = node.filter(|node| !node.is_missing()) {
            match &node.kind {
                NodeKind::Map(entries) => {
                    let mut reader = SettingsReader {
                        source,
                        diagnostics: &mut diagnostics,
                    };
                    settings.take(&mut reader, entries);
                }
                _ => diagnostics.push(wrong(source, &node, "a map is expected here")),
            }
        }
        let is_error = |it: &&Diagnostic| it.severity == diagnostic::Severity::Error;
        if diagnostics.iter().any(|it| is_error(&it)) {
            return Err(WorkspaceError::Config(rendered(&diagnostics)));
        }
        settings.warnings = diagnostics;
        Ok(settings)
    }

    /// Reads the entries over the present settings, and reports wrong values: lists are empty then, all else stays.
    /// Warns of unknown keys and of those without effect here. Keys of Maestro's cloud and keys without a value are
    /// ignored.
    fn take(&mut self, reader: &mut SettingsReader<'_>, entries: &[(Key, Node)]) {
        for (key, node) in entries.iter().filter(|(_, node)| !node.is_missing()) {
            match key.text.as_str() {
                "flows" => self.flows = reader.texts(node),
                "includeTags" => self.include_tags = reader.texts(node),
                "excludeTags" => self.exclude_tags = reader.texts(node),
                "executionOrder" => {
                    let NodeKind::Map(entries) = &node.kind else {
                        reader.fail(node, "a map is expected here");
                        continue;
                    };
                    for (key, node) in entries.iter().filter(|(_, node)| !node.is_missing()) {
                        match key.text.as_str() {
                            "flowsOrder" => self.order = reader.texts(node),
                            "continueOnFailure" => {
                                let flag = node.scalar().and_then(Scalar::boolean);
                                match flag {
                                    Some(flag) => self.continue_on_failure = flag,
                                    None => reader.fail(node, "`true` or `false` is expected here"),
                                }
                            }
                            _ => reader.unknown(key, &["flowsOrder", "continueOnFailure"]),
                        }
                    }
                }
                "testOutputDir" => reader.ignored(
                    key,
                    "`testOutputDir` changes nothing here",
                    "say it with --test-output-dir, or as `reports: { artifacts: … }` in runner.yaml",
                ),
                name if KNOWN.contains(&name) => {}
                _ => reader.unknown(key, &KNOWN),
            }
        }
    }
}

struct SettingsReader<'a> {
    source: &'a Arc<Source>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl SettingsReader<'_> {
    /// Reads a text, as a list of one, or a list of texts. Reports other kinds of values, and returns an empty list
    /// then, also if only one item is wrong.
    fn texts(&mut self, node: &Node) -> Vec<Spanned<String>> {
        let text = |node: &Node| {
            node.scalar().map(|scalar| Spanned {
                value: scalar.text.clone(),
                span: node.span.clone(),
            })
        };
        let items = match &node.kind {
            NodeKind::Sequence(items) => items.iter().collect(),
            _ => vec![node],
        };
        let texts: Option<Vec<Spanned<String>>> = items.into_iter().map(text).collect();
        if texts.is_none() {
            self.fail(node, "a list of texts is expected here");
        }
        texts.unwrap_or_default()
    }

    /// Warns of a key that has no effect here.
    fn ignored(&mut self, key: &Key, message: &str, help: &str) {
        let place = SourceRange::new(self.source, key.span.clone());
        let mut diagnostic = error(&place, Code::Ignored, message);
        diagnostic.help = Some(help.to_owned());
        self.diagnostics.push(diagnostic);
    }

    /// Warns of a key that is not among `known`, with the most similar one or all.
    fn unknown(&mut self, key: &Key, known: &[&str]) {
        let message = format!("`{}` changes nothing: no key here has this name", key.text);
        let help = nearest(&key.text, known.iter().copied());
        let help = help.map_or_else(
            || format!("there are {}", known.join(", ")),
            |suggestion| format!("did you mean `{suggestion}`?"),
        );
        self.ignored(key, &message, &help);
    }

    fn fail(&mut self, node: &Node, message: &str) {
        self.diagnostics.push(wrong(self.source, node, message));
    }
}

/// Returns the error about a value of the wrong type.
fn wrong(source: &Arc<Source>, node: &Node, message: &str) -> Diagnostic {
    error(
        &SourceRange::new(source, node.span.clone()),
        Code::WrongType,
        message,
    )
}

/// Returns true if a file is one map with only keys of a `config.yaml`. An empty map `{}` is true; several documents,
/// and text that is no YAML, are false.
pub(super) fn is_settings(source: &Arc<Source>) -> bool {
    if source.text.contains("\n---") {
        return false;
    }
    let Some(Node {
        kind: NodeKind::Map(entries),
        ..
    }) = yaml::read(source, &mut Vec::new())
    else {
        return false;
    };
    entries
        .iter()
        .all(|(key, _)| KNOWN.contains(&key.text.as_str()))
}
