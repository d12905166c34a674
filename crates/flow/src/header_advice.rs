//! Advice for the header of a flow: a flow under one key, names in the wrong place, and values of `env`.

use super::ast::Flow;
use super::interpolate::check_name;
use super::names::Names;
use super::yaml::{Key, Kind, Node};

/// Returns advice for a name in capital letters in the header, which is probably a value of `env`; `None` for others.
pub(crate) fn variable(name: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.chars()
        .all(is_part)
        .then(|| format!("it belongs to `env`: write `{name}: …` below `env:`, two blanks deeper"))
}

/// Lists the outputs of a flow and one more name.
pub(crate) fn outputs_with(flow: &Flow, name: &str) -> String {
    let outputs = flow.outputs.iter().map(String::as_str);
    outputs.chain([name]).collect::<Vec<_>>().join(", ")
}

/// Returns true for a map that holds what a flow holds, because its author put the whole flow under one key.
pub(crate) fn wraps_flow(node: &Node) -> bool {
    node.entry("steps")
        .is_some_and(|(_, steps)| matches!(steps.kind, Kind::Sequence(_)))
}

/// Returns true for a list of flows, each a map with `steps`.
pub(crate) fn lists_flows(node: &Node) -> bool {
    match &node.kind {
        Kind::Sequence(items) => !items.is_empty() && items.iter().all(wraps_flow),
        _ => false,
    }
}

/// Returns advice for a value of `env` that needs a name without a value: itself, one that stands below it in
/// `entries`, or a variable of the environment as a shell writes it. Returns `None` for other values.
pub(crate) fn missing_value(
    key: &Key,
    value: &Node,
    entries: &[(Key, Node)],
    names: &Names,
) -> Option<String> {
    let text = value.scalar()?.text.as_str();
    let signs = ['$', '{', '}', '(', ')', '%', ' '];
    let inner = text.trim_matches(signs);
    let is_alone = inner.len() < text.len() && check_name(inner).is_ok();
    if is_alone && (inner == key.text || text.starts_with('$') && !text.starts_with("${")) {
        return (!names.has_value(inner))
            .then(|| format!("write `${{os.{inner}}}` for the variable of the environment"));
    }
    let needs = |text: &str, name: &str| {
        let mut places = text.match_indices(name);
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        text.contains("${")
            && places.any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
    };
    let mut below = entries
        .iter()
        .skip_while(|(other, _)| other.span != key.span)
        .skip(1);
    let (later, other) =
        below.find(|(later, _)| needs(text, &later.text) && !names.has_value(&later.text))?;
    let is_circle = other
        .scalar()
        .is_some_and(|other| needs(&other.text, &key.text));
    Some(if is_circle {
        format!(
            "`{}` and `{}` need each other: give one of them a value without the other",
            key.text, later.text
        )
    } else {
        format!(
            "write `{}` above `{}`: a value knows the names above it alone",
            later.text, key.text
        )
    })
}
