//! Translates steps under a name of their own: `step1: { click: Save }`, and `name: Save it` beside `do: […]`.

use super::element::yaml;
use super::tables::{lists, plain};
use crate::yaml::{Key, Node, NodeKind};

/// Returns advice for a name, such as `name: Save it`, with the steps of a list beside it: a group with the label
/// `value`. A list of steps is a sequence under a key such as `do` or `actions`; its items are not looked at. Returns
/// `None` for other words, for a missing value, and if nothing in `beside` is a list of steps.
pub(crate) fn named_list(word: &str, value: &Node, beside: &[&(Key, Node)]) -> Option<String> {
    const NAMES: &str =
        "name title description desc test it describe context scenario testcase case section id";
    const LISTS: &str = "do steps actions commands tasks body perform then block sequence";
    let name = value.scalar().filter(|_| !value.is_missing())?;
    let mut beside = beside.iter();
    let has_steps = beside.any(|(key, node)| {
        lists(LISTS, &plain(&key.text)) && matches!(node.kind, NodeKind::Sequence(_))
    });
    (has_steps && lists(NAMES, &plain(word))).then(|| {
        format!(
            "write `group: […]`, and `label: {}` beside it for its name",
            yaml(&name.text)
        )
    })
}

/// Returns advice for one step, or a list with at least one step, below a name that is no step: the step or a group,
/// with the label `word`. `steps` are the names of all steps. Returns `None` for scalars, for maps of several keys,
/// and for a step whose value is a boolean, which is probably an option. The caller must know that `word` is no step.
pub(crate) fn under_name(word: &str, value: &Node, steps: &[&str]) -> Option<String> {
    let label = yaml(word);
    let is_step = |name: &str| steps.contains(&name);
    match &value.kind {
        NodeKind::Map(entries) => {
            let [(step, given)] = entries.as_slice() else {
                return None;
            };
            // `clear: true` is an option.
            let is_answer = given.scalar().is_some_and(|it| it.boolean().is_some());
            (is_step(&step.text) && !is_answer).then(|| {
                format!(
                    "a step is written by its name: write `{}: …`, and `label: {label}` beside it",
                    step.text
                )
            })
        }
        NodeKind::Sequence(items) => {
            let has_step = |item: &Node| {
                let word = item.scalar().is_some_and(|it| is_step(&it.text));
                word || item.entries().iter().any(|(key, _)| is_step(&key.text))
            };
            items
                .iter()
                .any(has_step)
                .then(|| format!("write `group: […]`, and `label: {label}` beside it for its name"))
        }
        NodeKind::Scalar(_) => None,
    }
}
