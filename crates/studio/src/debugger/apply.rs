//! Applies the edits that a failure offers to the flow's text. All other text stays byte for byte as it is.

use std::ops::Range;
use std::sync::Arc;

use camino::Utf8Path;
use serde_json::Value;

use crate::file::{Content, SaveResult};
use crate::run;
use crate::{Studio, StudioError};
use runner_flow::yaml::{self, Node, NodeKind};
use runner_flow::{Flow, Step};
use runner_run::{self as runs, Pause};
use runner_text::diagnostic::Source;
#[cfg(test)]
use runner_text::flow_text::literal;
use runner_text::flow_text::with_expressions;
use runner_tools::Fix;

/// Edits the flow's file by the edit with this number among those that the pause offers.
///
/// # Errors
/// Returns an error if the pause is over, the step is in another file, or the text to replace is not written
/// literally.
pub(super) fn apply(studio: &Studio, turn: u64, number: usize) -> Result<Content, StudioError> {
    let (pause, outline) = {
        let inner = studio.debugger.lock();
        let open = inner.pause.as_ref().filter(|_| inner.turns == turn);
        let open = open.ok_or(StudioError::PauseOver)?;
        (open.pause.clone(), inner.outline.clone())
    };
    let fixes = pause.failure.iter().flat_map(|failure| &failure.fixes);
    let fix = fixes.take(super::MAX_FIXES).nth(number);
    let fix = fix.ok_or(StudioError::PauseOver)?;
    let outline = outline.ok_or(StudioError::PauseOver)?;
    let content = studio.file.read()?;
    let plan = run::read(studio)?;
    let case = plan.cases.first().ok_or(StudioError::DoesNotRead)?;
    let flow = outline.select_edited(&case.flow)?;
    let step = find_step(&flow, &pause)?;
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

/// Finds the step of the pause in the flow as it is now.
fn find_step<'f>(flow: &'f Flow, pause: &Pause) -> Result<&'f Step, StudioError> {
    runs::resumable(&pause.flow, flow, &pause.place.path)?;
    runs::step_at(flow, &pause.place.path).ok_or(StudioError::NoStep)
}

/// Keys whose text is no whole selector, though it may have the same words: `type: { text: Name, into: Name }`. Modifiers
/// are among them, and parts of a selector that is written as a map.
const OTHER_TEXTS: [&str; 9] = [
    "as", "class", "desc", "hint", "id", "label", "message", "name", "text",
];

/// Replacement of a range of a text.
struct Edit {
    range: Range<usize>,
    /// Texts to try in this order, the plainest first.
    by: Vec<String>,
    /// Place of the value in the tree, and the value that must be there after the replacement.
    place: Vec<usize>,
    value: Value,
}

/// Returns the text with the step edited, or `None` if the text to replace is not written literally there.
pub(super) fn edited(text: &str, step: &Range<usize>, fix: &Fix) -> Option<String> {
    let tree = tree(text)?;
    // Outer nodes come first.
    let is_of_step = |node: &Node| step.start <= node.span.start && node.span.end <= step.end;
    let mut nodes = tree.places().filter(|(_, node)| is_of_step(node));
    let edits = nodes.find_map(|(place, node)| match fix {
        Fix::Selector { was, write, .. } => {
            let was: Value = serde_yaml::from_str(was).ok()?;
            let write: Value = serde_yaml::from_str(write).ok()?;
            if !was.is_object() && is_other_text(&tree, &place) {
                return None;
            }
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
    // From the last edit to the first, so that earlier ranges stay valid.
    for edit in edits.iter().rev() {
        let fits = |by: &&String| {
            let tried = replace(&result, &edit.range, by);
            let edited = self::tree(&tried);
            let node = edited.as_ref().and_then(|tree| tree.at(&edit.place));
            node.is_some_and(|node| value(node) == edit.value)
        };
        let by = edit.by.iter().find(fits)?;
        result = replace(&result, &edit.range, by);
    }
    Some(result)
}

/// Returns true if the node at this place is the value of one of [`OTHER_TEXTS`].
fn is_other_text(tree: &Node, place: &[usize]) -> bool {
    let Some((at, above)) = place.split_last() else {
        return false;
    };
    let key = tree.at(above).and_then(|map| map.entries().get(*at));
    key.is_some_and(|(key, _)| OTHER_TEXTS.contains(&key.text.as_str()))
}

fn replace(text: &str, range: &Range<usize>, by: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range.clone(), by);
    text
}

/// Parses the text as YAML. `None` if it does not parse; problems are not reported.
fn tree(text: &str) -> Option<Node> {
    let source = Arc::new(Source {
        path: Utf8Path::new("flow.yaml").to_owned(),
        text: text.to_owned(),
    });
    yaml::read(&source, &mut Vec::new())
}

/// Converts a node to a value. An unquoted scalar becomes a boolean or number if it looks like one.
fn value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Scalar(scalar) => match (scalar.boolean(), scalar.number()) {
            (Some(is), _) => is.into(),
            (_, Some(number)) => Value::Number(number),
            _ => scalar.text.as_str().into(),
        },
        NodeKind::Sequence(items) => items.iter().map(value).collect(),
        NodeKind::Map(entries) => entries
            .iter()
            .map(|(key, inner)| (key.text.clone(), value(inner)))
            .collect(),
    }
}

/// Compares two values as a selector does, for which `3` is a text too.
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

/// Returns place and value of a key; `None` if the node has no such key or is no map.
fn entry<'n>(node: &'n Node, key: &str) -> Option<(usize, &'n Node)> {
    let mut entries = node.entries().iter().enumerate();
    entries
        .find(|(_, (name, _))| name.text == key)
        .map(|(at, (_, inner))| (at, inner))
}

/// Returns true if the value is written literally, without an expression.
fn is_plain(node: &Node) -> bool {
    node.scalar()
        .is_none_or(|scalar| !scalar.text.replace("$${", "").contains("${"))
}

/// Returns an edit that replaces a node: as flows write the value, or in quotes if that would mean something
/// else.
fn replacement(node: &Node, place: &[usize], write: &Value) -> Edit {
    Edit {
        range: node.span.clone(),
        by: vec![with_expressions(write), quoted(write)],
        place: place.to_owned(),
        value: write.clone(),
    }
}

/// Formats a value as JSON, which is valid YAML.
fn quoted(value: &Value) -> String {
    value.to_string()
}

/// Returns the edits that turn the selector `was` of this node into `write`. Keys that are not part of it
/// stay.
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
    let NodeKind::Map(entries) = &node.kind else {
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
    // The node has other keys too, which are kept as written, on one line.
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

/// Formats a text of the screen as edits write it.
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

    /// Applies a fix, with the whole text as the step.
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
                "type: { text: Name, into: Name }\nlabel: Name\n",
                "Name",
                "{ id: name }",
                "type: { text: Name, into: { id: name } }\nlabel: Name\n",
            ),
            (
                "label: Name\nclick: Name\n",
                "Name",
                "Names",
                "label: Name\nclick: Names\n",
            ),
            (
                "message: Name\nas: Name\nclick: Name\n",
                "Name",
                "Names",
                "message: Name\nas: Name\nclick: Names\n",
            ),
            (
                "click: { id: Name, inside: Name }\n",
                "Name",
                "Names",
                "click: { id: Name, inside: Names }\n",
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
        // The value comes from an expression, so it is not written there.
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
