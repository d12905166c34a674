//! Finds elements, answers and outputs that were kept and stand as a whole where one of their values is meant.

use super::check::Checker;
use super::expression::{self, Kind, TemplatePart};
use super::yaml::Node;
use runner_text::diagnostic::Code;

impl Checker<'_> {
    /// Warns of an element, an answer or an output that stands as a whole in a text: `Total: ${total}`.
    pub(crate) fn whole_in_text(&mut self, node: &Node, text: &str) {
        let Some(names) = self.names else {
            return;
        };
        let pieces = expression::pieces(text).unwrap_or_default();
        let help = pieces.iter().find_map(|piece| {
            let TemplatePart::Expression(range) = piece else {
                return None;
            };
            let inner = text.get(range.clone())?;
            let is_map = names.kind_of(inner) == Some(Kind::Map);
            names.without_field(inner).filter(|_| is_map)
        });
        if help.is_some() {
            let message = "this puts all values of what was kept into the text, as JSON";
            self.fail(node, Code::Doubtful, message, help);
        }
    }

    /// Reports an element, an answer or an output in place of a selector: `click: "${total}"`.
    pub(crate) fn kept_as_selector(&mut self, node: &Node, inner: &str) {
        let Some(names) = self.names else {
            return;
        };
        let is_map = names.kind_of(inner) == Some(Kind::Map);
        if !is_map || names.without_field(inner).is_none() {
            return;
        }
        let message = "what was kept is no selector: it holds also where the element was";
        let help =
            "write what names the element, as the step that kept it does, such as `{ id: … }`";
        self.fail(node, Code::WrongType, message, Some(help.to_owned()));
    }
}
