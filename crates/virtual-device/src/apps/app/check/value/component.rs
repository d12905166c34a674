//! Checks ids of components.

use super::super::{Report, advice, find};
use super::context::Values;
use runner_text::diagnostic::Code;
use runner_text::yaml::{Node, NodeKind};

/// Checks the id of a component. A component in place of its id is told where it belongs.
pub(super) fn component(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    if let NodeKind::Map(fields) = &node.kind {
        let id = find(fields, "id").map_or_else(|| "ID".to_owned(), |(_, id)| advice::shown(id));
        let help = format!("write `{id}` alone, and the component as an item of `components`");
        let message = "the id of a component must be text, not a map";
        report.fail(&node.span, Code::WrongType, message, Some(help));
        return;
    }
    if let Some(id) = report.text(node, "the id of a component") {
        values.components.push((id.to_owned(), node.span.clone()));
    }
}

/// Checks a list of ids of children, or a template `{componentId: …, path: …}`, which needs both. The ids are
/// looked up once all components are known.
pub(super) fn children(node: &Node, values: &mut Values<'_>, report: &mut Report) {
    match &node.kind {
        NodeKind::Sequence(items) => {
            for item in items {
                component(item, values, report);
            }
        }
        NodeKind::Map(fields) => {
            for name in ["componentId", "path"] {
                if find(fields, name).is_none() {
                    let message = format!("a template needs `{name}`");
                    report.fail(&node.span, Code::MissingKey, message, None);
                }
            }
            for (key, value) in fields {
                match key.text.as_str() {
                    "componentId" => component(value, values, report),
                    "path" => drop(report.text(value, "`path`")),
                    other => {
                        let message = format!("`{other}` is not known here");
                        let names = ["componentId", "path"];
                        report.unknown(&key.span, Code::UnknownKey, message, names, other);
                    }
                }
            }
        }
        NodeKind::Scalar(_) => {
            let message = format!(
                "a list of ids, or a template `{{componentId: …, path: …}}`, is expected here, not {}",
                node.what()
            );
            let help = Some(format!("write `children: [{}]`", advice::shown(node)));
            report.fail(&node.span, Code::WrongType, message, help);
        }
    }
}
