//! Advice for the header of a flow: a flow under one key, names in the wrong place, and values of `env`.

use super::ast::Flow;
use super::interpolate::check_name;
use super::keys::MODIFIERS;
use super::names::Names;
use super::yaml::{Key, Node, NodeKind};
use runner_tools::package::{is_app_file, is_app_package};

/// Returns advice for a name of ASCII capital letters, digits and `_` in the header, which is probably a value of
/// `env`, also for an empty one; `None` for others.
pub(crate) fn variable(name: &str) -> Option<String> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.chars()
        .all(is_part)
        .then(|| format!("it belongs to `env`: write `{name}: …` below `env:`, two blanks deeper"))
}

/// Returns advice for a condition on the screen in the header, such as `when: { visible: Home }`: `if` around the
/// steps. Returns `None` for other keys, and for values that are no map with `visible` or its negation.
pub(crate) fn on_screen(key: &Key, node: &Node) -> Option<String> {
    const CONDITIONS: [&str; 8] = [
        "when",
        "if",
        "only_if",
        "onlyIf",
        "run_if",
        "runIf",
        "condition",
        "unless",
    ];
    let mut asked = ["visible", "not_visible", "notVisible"].into_iter();
    let is_asked = asked.any(|name| node.entry(name).is_some());
    (is_asked && CONDITIONS.contains(&key.text.as_str())).then(|| {
        "the header sees no screen: write `if: { visible: … }` with `then: […]` around the steps; for a condition on the device write `skip: { if: \"${…}\", because: … }` with the opposite condition"
            .to_owned()
    })
}

/// Returns advice for a list of steps under a word of a scenario, such as `given` and `when`; `None` for other words, and
/// for what is no list.
pub(crate) fn part_of_scenario(key: &Key, node: &Node) -> Option<String> {
    const PARTS: [&str; 7] = ["given", "when", "then", "and", "arrange", "act", "assert"];
    let is_part = PARTS.contains(&key.text.to_lowercase().as_str());
    (is_part && matches!(node.kind, NodeKind::Sequence(_))).then(|| {
        "what a flow does stands in one list: write all these steps below each other under `steps:`"
            .to_owned()
    })
}

/// Returns advice for packages under `apps`: one under `app`, and at its steps each other one. Returns `None` for other
/// keys, and if a value is no package.
pub(crate) fn apps(key: &Key, node: &Node) -> Option<String> {
    let packages: Option<Vec<&str>> = match &node.kind {
        NodeKind::Sequence(items) => items.iter().map(package).collect(),
        _ => package(node).map(|only| vec![only]),
    };
    let packages = packages.filter(|_| key.text == "apps")?;
    match packages.as_slice() {
        [] => None,
        [only] => Some(format!("write `app: {only}`")),
        [first, second, ..] => Some(format!(
            "write `app: {first}`; a step of another app names it: `launch: {{ app: {second} }}`"
        )),
    }
}

/// Returns advice for capabilities of Appium beside `app`, which says all that a flow needs; `None` for other keys.
pub(crate) fn capabilities(key: &Key) -> Option<String> {
    const WORDS: [&str; 4] = [
        "capabilities",
        "desired_capabilities",
        "caps",
        "desiredCapabilities",
    ];
    WORDS.contains(&key.text.as_str()).then(|| {
        "leave it out: `app` says which app it is, and `--device …` behind `runner test`, or `devices` in runner.yaml, which devices run the flow"
            .to_owned()
    })
}

/// Returns the text of a node that may be a package; `None` for other nodes.
fn package(node: &Node) -> Option<&str> {
    let text = node.scalar()?.text.as_str();
    (is_app_package(text) && !is_app_file(text)).then_some(text)
}

/// Returns advice for a modifier of steps in the header, such as `message`; `None` for other words.
pub(crate) fn modifier(word: &str) -> Option<String> {
    MODIFIERS.contains(&word).then(|| {
        format!(
            "`{word}` belongs to a step: write it below the step, in the column of the step's name"
        )
    })
}

/// Returns advice for limits in a map, such as `timeout: { flow: 2m, step: 10s }`: a key for each, with its value
/// unchecked. Returns `None` for other nodes, if any of the keys names no limit or has no plain value, and if all of
/// them name the limit of the flow.
pub(crate) fn limits(node: &Node) -> Option<String> {
    let NodeKind::Map(entries) = &node.kind else {
        return None;
    };
    let limit = |(key, value): &(Key, Node)| {
        let name = match key.text.to_lowercase().as_str() {
            "flow" | "test" | "total" | "all" | "overall" | "global" | "whole" => "timeout",
            "step" | "steps" | "element" | "find" | "default" | "implicit" | "action" | "wait" => {
                "step_timeout"
            }
            "teardown" | "cleanup" | "after" => "teardown_timeout",
            _ => return None,
        };
        let time = value.scalar().filter(|_| !value.is_missing())?;
        Some(format!("`{name}: {}`", time.text))
    };
    let limits: Option<Vec<String>> = entries.iter().map(limit).collect();
    // `timeout: { flow: 2m }` alone is one value.
    let is_other = |limit: &String| !limit.starts_with("`timeout");
    let limits = limits.filter(|limits| limits.iter().any(is_other))?;
    Some(format!(
        "each limit is a key of its own in the first column: write {}",
        limits.join(" and ")
    ))
}

/// Lists the outputs of a flow in their order and one more name behind them, with commas between.
pub(crate) fn outputs_with(flow: &Flow, name: &str) -> String {
    let outputs = flow.outputs.iter().map(String::as_str);
    outputs.chain([name]).collect::<Vec<_>>().join(", ")
}

/// Returns true for a map with a list under `steps`: its author probably put the whole flow under one key.
pub(crate) fn wraps_flow(node: &Node) -> bool {
    node.entry("steps")
        .is_some_and(|(_, steps)| matches!(steps.kind, NodeKind::Sequence(_)))
}

/// Returns true for a list of flows, each a map with a list of `steps`. False for an empty list.
pub(crate) fn lists_flows(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Sequence(items) => !items.is_empty() && items.iter().all(wraps_flow),
        _ => false,
    }
}

/// Returns advice for a value of `env` that needs a name without a value: itself, the first one that stands below it
/// in `entries`, or a variable of the environment as a shell writes it (`$NAME`). `entries` are all of `env`, `key`
/// among them. Returns `None` for other values, and for names that `names` knows.
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
