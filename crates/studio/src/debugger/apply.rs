//! Edits of a failed step, as its failure offers them. All else of the flow's text stays byte for byte as it is.

use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use serde_json::Value;

use crate::file::{Content, SaveResult};
use crate::run;
use crate::{Studio, StudioError};
use runner_flow::yaml::{self, Kind, Node};
use runner_flow::{Flow, Step};
use runner_run::{self as runs, Pause};
use runner_text::diagnostic::Source;
#[cfg(test)]
use runner_text::flow_text::literal;
use runner_text::flow_text::with_expressions;
use runner_tools::Fix;

/// Edits the flow's file by one of the edits that the pause offers.
pub(super) fn apply(studio: &Studio, turn: u64, number: usize) -> Result<Content, StudioError> {
    let (pause, outline) = {
        let inner = studio.debugger.lock();
        let open = inner.pause.as_ref().filter(|_| inner.turns == turn);
        let open = open.ok_or(StudioError::Decided)?;
        (open.pause.clone(), inner.outline.clone())
    };
    let fixes = pause.failure.iter().flat_map(|failure| &failure.fixes);
    let fix = fixes.take(super::MOST_FIXES).nth(number);
    let fix = fix.ok_or(StudioError::Decided)?;
    let outline = outline.ok_or(StudioError::Decided)?;
    let content = studio.file.read()?;
    let plan = run::read(studio)?;
    let case = plan.cases.first().ok_or(StudioError::DoesNotRead)?;
    let flow = outline.of_edited(&case.flow)?;
    let step = found(&flow, &pause)?;
    if step.source.path != flow.source.path {
        return Err(StudioError::OtherFile(step.source.path.to_string()));
    }
    // Spans are those of the file as it is written, with its own ends of lines.
    let text = &step.source.text;
    let edited = edited(text, &step.span, fix).ok_or(StudioError::CannotApply)?;
    match studio.file.save(edited, &content.version, None)? {
        SaveResult::Saved(content) => Ok(content),
        SaveResult::Conflict(_) => Err(StudioError::Changed),
    }
}

/// The step of the pause, in the flow as it is now.
fn found<'f>(flow: &'f Flow, pause: &Pause) -> Result<&'f Step, StudioError> {
    runs::resumable(&pause.flow, flow, &pause.place.path)?;
    runs::step_at(flow, &pause.place.path).ok_or(StudioError::NoStep)
}

/// A replacement in a text.
struct Edit {
    range: Range<usize>,
    /// What may stand there instead, the plainest first.
    by: Vec<String>,
    /// Where the value stands in the tree, and what it has to be then.
    place: Vec<usize>,
    value: Value,
}

/// The text with the step edited; `None` where what is to be replaced is not written out there.
pub(super) fn edited(text: &str, step: &Range<usize>, fix: &Fix) -> Option<String> {
    let tree = tree(text)?;
    // The outermost first.
    let is_of_step = |node: &Node| step.start <= node.span.start && node.span.end <= step.end;
    let mut nodes = tree.places().filter(|(_, node)| is_of_step(node));
    let edits = nodes.find_map(|(place, node)| match fix {
        Fix::Selector { was, write, .. } => {
            let was: Value = serde_yaml::from_str(was).ok()?;
            let write: Value = serde_yaml::from_str(write).ok()?;
            selector_edits(text, node, &place, &was, &write)
        }
        Fix::Value { key, write } => {
            let (at, inner) = entry(node, key)?;
            is_plain(inner).then(|| {
                vec![replacement(
                    inner,
                    &[place.as_slice(), &[at]].concat(),
                    write,
                )]
            })
        }
    })?;
    let mut result = text.to_owned();
    // From behind, so that the places before stay.
    for edit in edits.iter().rev() {
        let fits = |by: &&String| {
            let tried = replaced(&result, &edit.range, by);
            let edited = self::tree(&tried);
            let node = edited.as_ref().and_then(|tree| tree.at(&edit.place));
            node.is_some_and(|node| value(node) == edit.value)
        };
        let by = edit.by.iter().find(fits)?;
        result = replaced(&result, &edit.range, by);
    }
    Some(result)
}

fn replaced(text: &str, range: &Range<usize>, by: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range.clone(), by);
    text
}

fn tree(text: &str) -> Option<Node> {
    let source = Arc::new(Source {
        path: Utf8Path::new("flow.yaml").to_owned(),
        text: text.to_owned(),
    });
    yaml::read(&source, &mut Vec::new())
}

/// A node as a value; what a person wrote without quotes is what it looks like.
fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar(scalar) => match (scalar.boolean(), scalar.number()) {
            (Some(is), _) => is.into(),
            (_, Some(number)) => Value::Number(number),
            _ => scalar.text.as_str().into(),
        },
        Kind::Sequence(items) => items.iter().map(value).collect(),
        Kind::Map(entries) => entries
            .iter()
            .map(|(key, inner)| (key.text.clone(), value(inner)))
            .collect(),
    }
}

/// Whether they are the same to a selector, which reads `3` as a text too.
fn is_same(one: &Value, other: &Value) -> bool {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    match (text(one), text(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

fn entry<'n>(node: &'n Node, key: &str) -> Option<(usize, &'n Node)> {
    let mut entries = node.entries().iter().enumerate();
    entries
        .find(|(_, (name, _))| name.text == key)
        .map(|(at, (_, inner))| (at, inner))
}

/// Whether a value is written out, and no expression gives it.
fn is_plain(node: &Node) -> bool {
    node.scalar()
        .is_none_or(|scalar| !scalar.text.replace("$${", "").contains("${"))
}

/// A node written anew: as a flow writes it, and where that means something else there, in quotes.
fn replacement(node: &Node, place: &[usize], write: &Value) -> Edit {
    Edit {
        range: node.span.clone(),
        by: vec![with_expressions(write), quoted(write)],
        place: place.to_owned(),
        value: write.clone(),
    }
}

/// In quotes, as JSON, which YAML reads.
fn quoted(value: &Value) -> String {
    value.to_string()
}

/// Makes the node that is the selector `was` the selector `write`. Keys that are not part of it stay.
fn selector_edits(
    text: &str,
    node: &Node,
    place: &[usize],
    was: &Value,
    write: &Value,
) -> Option<Vec<Edit>> {
    let Value::Object(old) = was else {
        let is_it = node.scalar().is_some() && is_same(&value(node), was);
        return is_it.then(|| vec![replacement(node, place, write)]);
    };
    let Kind::Map(entries) = &node.kind else {
        return None;
    };
    let holds = |(key, wanted): (&String, &Value)| {
        entry(node, key).is_some_and(|(_, inner)| is_same(&value(inner), wanted))
    };
    if !old.iter().all(holds) {
        return None;
    }
    if entries.len() == old.len()
        && old
            .keys()
            .ne(write.as_object().into_iter().flat_map(|it| it.keys()))
    {
        return Some(vec![replacement(node, place, write)]);
    }
    let new = write.as_object()?;
    if new.keys().all(|key| old.contains_key(key)) && new.len() == old.len() {
        let changed = new
            .iter()
            .filter(|(key, value)| old.get(*key) != Some(value));
        let mut edits: Vec<Edit> = changed
            .filter_map(|(key, value)| {
                let (at, inner) = entry(node, key)?;
                Some(replacement(inner, &[place, &[at]].concat(), value))
            })
            .collect();
        edits.sort_by_key(|edit| edit.range.start);
        return (!edits.is_empty()).then_some(edits);
    }
    // Other keys stand beside: they are kept as they are written, on one line.
    let whole = text.get(node.span.clone())?;
    if !whole.starts_with('{') || whole.contains(['\n', '#']) {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut expected = serde_json::Map::new();
    let rest = new
        .iter()
        .filter(|(key, value)| old.get(*key) != Some(value));
    for (key, value) in rest.clone() {
        parts.push(format!("{key}: {}", with_expressions(value)));
        expected.insert(key.clone(), value.clone());
    }
    for (key, inner) in entries {
        let is_kept = !old.contains_key(&key.text) || new.get(&key.text) == old.get(&key.text);
        if is_kept {
            parts.push(text.get(key.span.start..inner.span.end)?.to_owned());
            expected.insert(key.text.clone(), value(inner));
        }
    }
    Some(vec![Edit {
        range: node.span.clone(),
        by: vec![format!("{{ {} }}", parts.join(", "))],
        place: place.to_owned(),
        value: Value::Object(expected),
    }])
}

/// A text of the screen as an edit writes it.
#[cfg(test)]
fn written(text: &str) -> String {
    literal(&text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(was: &str, write: &str) -> Fix {
        Fix::Selector {
            was: was.to_owned(),
            write: write.to_owned(),
            miss: String::new(),
        }
    }

    /// All of the text is the step's.
    fn apply(text: &str, fix: &Fix) -> Option<String> {
        edited(text, &(0..text.len()), fix)
    }

    #[test]
    fn only_the_selector_changes() {
        for (text, was, write, expected) in [
            (
                "# a\nclick:   Sign in   # b\ntimeout: 3s\n",
                "Sign in",
                "Sign In",
                "# a\nclick:   Sign In   # b\ntimeout: 3s\n",
            ),
            (
                "click: 'Sign in'\n",
                "Sign in",
                "{ id: sign_in }",
                "click: { id: sign_in }\n",
            ),
            (
                "type: { into: Name, text: ada }\n",
                "Name",
                "{ id: name }",
                "type: { into: { id: name }, text: ada }\n",
            ),
            (
                "type: { into: Name, text: ada }\n",
                "Name",
                "First, last",
                "type: { into: \"First, last\", text: ada }\n",
            ),
            (
                "assert:\n  # which\n  id: totl # here\n  text: \"3\"\n",
                "{ id: totl }",
                "{ id: total }",
                "assert:\n  # which\n  id: total # here\n  text: \"3\"\n",
            ),
            (
                "assert: { id: totl, text: '3' }\n",
                "{ id: totl }",
                "{ class: Button }",
                "assert: { class: Button, text: '3' }\n",
            ),
            (
                "click: { text: A, inside: { id: lst } }\n",
                "{ text: A, inside: { id: lst } }",
                "{ text: A, inside: { id: list } }",
                "click: { text: A, inside: { id: list } }\n",
            ),
            ("click: \"$${x}\"\n", "$${x}", "$${y}", "click: $${y}\n"),
        ] {
            let got = apply(text, &selector(was, write));
            let got = got.unwrap_or_else(|| panic!("{text} is not edited"));
            if expected.contains("$${y}") {
                let tree = tree(&got).unwrap();
                let written = tree.at(&[0]).unwrap();
                assert_eq!(value(written), "$${y}", "{got}");
                continue;
            }
            assert_eq!(got, expected, "{text}");
        }
        // What an expression gives is not written there.
        assert_eq!(
            apply("click: ${NAME}\n", &selector("Sign in", "Sign In")),
            None
        );
    }

    #[test]
    fn a_count_or_a_text_is_written() {
        let count = Fix::Value {
            key: "count",
            write: 2.into(),
        };
        assert_eq!(
            apply("assert: { id: row, count: 3 } # c\n", &count).as_deref(),
            Some("assert: { id: row, count: 2 } # c\n")
        );
        let text = Fix::Value {
            key: "text",
            write: "4, or 5".into(),
        };
        assert_eq!(
            apply("assert:\n  id: total\n  text: '3' # was\n", &text).as_deref(),
            Some(&*format!(
                "assert:\n  id: total\n  text: {} # was\n",
                written("4, or 5")
            ))
        );
        assert_eq!(apply("assert: { id: a, text: \"${B}\" }\n", &text), None);
    }
}
