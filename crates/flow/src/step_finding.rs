//! Finding about a value of a step.

use super::reader::find;
use super::yaml::{Node, NodeKind};
use runner_text::diagnostic::Code;

/// Value of a step with a message about it, which is a warning or, by its code, an error.
pub(crate) struct StepFinding<'n> {
    pub(crate) place: &'n Node,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) help: String,
}

/// Builds a warning (`Code::Doubtful`).
pub(crate) fn finding<'n>(place: &'n Node, message: &str, help: &str) -> StepFinding<'n> {
    StepFinding {
        place,
        code: Code::Doubtful,
        message: message.to_owned(),
        help: help.to_owned(),
    }
}

/// Returns the value of a key, which may be a missing one; `None` if the node is no map or does not have it.
pub(crate) fn entry<'n>(value: &'n Node, name: &str) -> Option<&'n Node> {
    match &value.kind {
        NodeKind::Map(entries) => find(entries, name).map(|(_, node)| node),
        _ => None,
    }
}
