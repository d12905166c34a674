//! Advice for steps and lists of steps in another form: texts and maps in place of a list, `type` for a step's name.

use super::reader::Reader;
use super::step_slips::shown;
use super::vocabulary::Vocabulary;
use super::yaml::{Key, Node, NodeKind};
use super::{foreign, keys};
use runner_tools::StepSyntax;

impl Reader<'_> {
    /// Returns advice for a text that stands in place of steps and holds some: a block behind `|`, a comment of
    /// another language before the first step, two dashes. Returns `None` for other texts. `text` is the value of
    /// `node`.
    pub(crate) fn text_of_steps(&self, node: &Node, text: &str) -> Option<String> {
        let is_plain = node.scalar().is_some_and(|scalar| scalar.plain);
        if !is_plain && text.trim_start().starts_with("- ") {
            let help = "leave out the `|`, which makes one text of the lines below it";
            return Some(help.to_owned());
        }
        let written = self.source.text.get(node.span.clone())?;
        let first = written.lines().next()?.trim();
        let dashed = first.trim_start_matches('-').trim_start();
        let mut steps = keys::step_names(self.project.vocabulary);
        let is_step = steps.any(|name| {
            let rest = dashed.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
        });
        if first.starts_with("--") && is_step {
            return Some(format!("one dash is too many: write `- {dashed}`"));
        }
        foreign::comment(first)
    }

    /// Returns advice for a map of lists in place of a list of steps: parts of a flow such as `setup`, and steps
    /// below a name. Returns `None` for an empty map, if one value is no list, and if the first name is that of a
    /// step.
    pub(crate) fn named_lists(&self, entries: &[(Key, Node)]) -> Option<String> {
        const PARTS: [&str; 3] = ["setup", "teardown", "on_failure"];
        let is_list = |(_, value): &&(Key, Node)| matches!(value.kind, NodeKind::Sequence(_));
        let (first, _) = entries.first()?;
        if entries.iter().filter(is_list).count() != entries.len() {
            return None;
        }
        let parts: Vec<&str> = entries.iter().map(|(key, _)| key.text.as_str()).collect();
        let parts: Vec<&str> = parts
            .into_iter()
            .filter(|part| PARTS.contains(part))
            .collect();
        if !parts.is_empty() {
            return Some(format!(
                "write `{}:` in the first column, as `steps:`, and the other steps below `steps:`",
                parts.join(":` and `")
            ));
        }
        let is_step = keys::step_names(self.project.vocabulary).any(|name| name == first.text);
        (!is_step).then(|| {
            format!(
                "a list of steps has no names: write the steps below each other, or `- group: […]` with `label: {}` beside it",
                foreign::yaml(&first.text)
            )
        })
    }
}

/// Returns advice for a step that is named by the key `type`, such as `{ type: click, text: Save }`. `step` and
/// `value` are that entry, `key` and `given` the one beside it. Returns `None` if the value is no step that takes an
/// element, and if the key beside names no element. A key such as `selector` may hold the element.
pub(crate) fn typed_step(
    step: &Key,
    value: &Node,
    key: &Key,
    given: &Node,
    vocabulary: &Vocabulary,
) -> Option<String> {
    const ELEMENTS: [&str; 5] = ["id", "text", "desc", "hint", "class"];
    const HOLDERS: [&str; 4] = ["selector", "element", "target", "locator"];
    let name = &value.scalar()?.text;
    let tool = vocabulary.tool(name)?;
    if step.text != "type" || tool.entry.writing != StepSyntax::Element {
        return None;
    }
    if HOLDERS.contains(&key.text.as_str()) {
        let known = vocabulary.properties(&vocabulary.selector);
        let inside = given.entries();
        let is_known = inside
            .iter()
            .all(|(key, _)| known.contains(&key.text.as_str()));
        let element = if is_known {
            shown(given)
        } else {
            "…".to_owned()
        };
        return Some(format!("write `{name}: {element}`"));
    }
    if !ELEMENTS.contains(&key.text.as_str()) {
        return None;
    }
    let text = given
        .scalar()
        .map_or_else(|| "…".to_owned(), |text| foreign::yaml(&text.text));
    Some(match key.text.as_str() {
        "text" => format!("write `{name}: {text}`"),
        other => format!("write `{name}: {{ {other}: {text} }}`"),
    })
}
