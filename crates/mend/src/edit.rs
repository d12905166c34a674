//! Edits a flow's text: replaces scalars of selectors and keeps every other byte. Parses the result, and
//! compares it with the intended one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use runner_flow::yaml::{self, Node, NodeKind};
use runner_text::diagnostic::{Severity, Source};
use runner_text::flow_text;
use serde_json::Value;

/// File with edited selectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file as read. [`Self::text`] may be written only while the file has this text.
    pub source: Arc<Source>,
    /// Complete new text.
    pub text: String,
}

/// Error of editing a selector in a flow's text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {why}; write it by hand")]
pub struct EditError {
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    pub why: EditFault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EditFault {
    /// The file is no valid YAML.
    #[error("the file does not read any more")]
    Unreadable,
    /// The text at this place has changed.
    #[error("the selector is not there any more")]
    Gone,
    /// An alias uses the text in several places.
    #[error("an alias (`*`) repeats the selector elsewhere")]
    Repeated,
    /// Several groups of patches edit the text differently.
    #[error("two accepted patches give the selector different values")]
    Conflict,
    /// Maestro would run a part of the new text as a script.
    #[error("Maestro would run `${{` in the new text as a script")]
    Script,
    /// The edit would change more than the scalar.
    #[error("its layout does not allow it")]
    Layout,
}

/// Replacement of one scalar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScalarEdit {
    pub(crate) span: Range<usize>,
    pub(crate) from: String,
    pub(crate) to: String,
    /// The file is a Maestro flow, in which `${` cannot be escaped.
    pub(crate) is_maestro: bool,
}

impl ScalarEdit {
    /// Returns the value as it is written in the file, with quotes if it needs them. In a Maestro flow, a value
    /// with `${` is an error, as it would be evaluated.
    fn written(&self) -> Result<String, EditFault> {
        let value = Value::String(self.to.clone());
        match self.is_maestro {
            false => Ok(flow_text::literal(&value)),
            true if self.to.contains("${") => Err(EditFault::Script),
            true => Ok(flow_text::with_expressions(&value)),
        }
    }
}

/// Replaces scalars of a file in memory; nothing is written. Repeated edits count once, and without edits the text
/// stays. The result is parsed again: only the edited scalars may have changed.
///
/// # Errors
/// The file cannot be parsed, a scalar is not at its place with its old text or is used by an alias, two edits give it
/// different texts, the new text cannot be written there, or the edit would change something else. Then no scalar is
/// replaced.
pub(crate) fn edit(source: &Arc<Source>, edits: &[ScalarEdit]) -> Result<FileEdit, EditError> {
    let fail = |edit: Option<&ScalarEdit>, why| EditError {
        file: source.path.to_string(),
        line: edit.map_or(1, |edit| {
            runner_text::diagnostic::line_column(&source.text, edit.span.start).0
        }),
        why,
    };
    let tree = read(source).ok_or_else(|| fail(None, EditFault::Unreadable))?;
    let mut edits: Vec<&ScalarEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
    edits.dedup();
    let is_one_place = |pair: &&[&ScalarEdit]| pair[0].span.start == pair[1].span.start;
    if let Some(pair) = edits.windows(2).find(is_one_place) {
        return Err(fail(Some(pair[0]), EditFault::Conflict));
    }
    let mut text = source.text.clone();
    let mut meant: HashMap<Range<usize>, String> = HashMap::new();
    for edit in edits.iter().copied() {
        check(&tree, edit).map_err(|why| fail(Some(edit), why))?;
        let written = edit.written().map_err(|why| fail(Some(edit), why))?;
        text.replace_range(edit.span.clone(), &written);
        // In runner's own flows `$${` stands for a plain `${`.
        let value = if edit.is_maestro {
            edit.to.clone()
        } else {
            flow_text::escaped_text(&edit.to)
        };
        meant.insert(edit.span.clone(), value);
    }
    let edited = Arc::new(Source {
        path: source.path.clone(),
        text,
    });
    let is_as_meant = read(&edited).is_some_and(|after| {
        after.len() == tree.len()
            && (tree.iter().zip(&after))
                .all(|(before, after)| is_as_intended(before, after, &meant))
    });
    if !is_as_meant {
        return Err(fail(edits.last().copied(), EditFault::Layout));
    }
    Ok(FileEdit {
        source: Arc::clone(source),
        text: Arc::unwrap_or_clone(edited).text,
    })
}

/// Parses the documents of a file. `None` if there is an error; warnings are no error.
fn read(source: &Arc<Source>) -> Option<Vec<Node>> {
    let mut problems = Vec::new();
    let documents = yaml::read_documents(source, &mut problems)?;
    let is_error = |severity| severity == Severity::Error;
    let nodes = documents.into_iter().map(|document| document.node);
    (!problems.iter().any(|one| is_error(one.severity))).then(|| nodes.collect())
}

/// Refuses an edit if no scalar with its old text is at its place ([`EditFault::Gone`]), or if it is used in several
/// places by an alias ([`EditFault::Repeated`]).
fn check(tree: &[Node], edit: &ScalarEdit) -> Result<(), EditFault> {
    let nodes = tree.iter().flat_map(Node::nodes);
    let mut found = nodes.filter(|node| node.span == edit.span && node.scalar().is_some());
    match (found.next().and_then(Node::scalar), found.next()) {
        (Some(_), Some(_)) => Err(EditFault::Repeated),
        (Some(scalar), None) if scalar.text == edit.from => Ok(()),
        _ => Err(EditFault::Gone),
    }
}

/// Returns true if `after` equals `before` except for the scalars in `meant`, which have their new texts. The
/// places in `meant` are those in `before`. Quotes and the order of keys count, comments and spaces do not.
fn is_as_intended(before: &Node, after: &Node, meant: &HashMap<Range<usize>, String>) -> bool {
    match (&before.kind, &after.kind) {
        (NodeKind::Scalar(old), NodeKind::Scalar(new)) => match meant.get(&before.span) {
            Some(text) => new.text == *text && !new.is_null(),
            // Compares quotes too: `1` and `"1"` are two values.
            None => old == new,
        },
        (NodeKind::Sequence(old), NodeKind::Sequence(new)) => {
            old.len() == new.len()
                && old
                    .iter()
                    .zip(new)
                    .all(|(old, new)| is_as_intended(old, new, meant))
        }
        (NodeKind::Map(old), NodeKind::Map(new)) => {
            old.len() == new.len()
                && old.iter().zip(new).all(|((old_key, old), (key, new))| {
                    old_key.text == key.text && is_as_intended(old, new, meant)
                })
        }
        _ => false,
    }
}
