//! Parses the modifiers that stand beside a step.

use crate::ast::{Modifiers, StepAction};
use crate::keys;
use crate::reader::{Reader, find};
use crate::yaml::{Key, Node, NodeKind};
use runner_text::diagnostic::Code;
use runner_text::units::HumanDuration;

impl Reader<'_> {
    /// Reads the modifiers beside a step. Wrong values are reported and count as missing, except a wrong `message`
    /// and name; other keys are not looked at. A `timeout` of zero is an error for steps with steps inside. Whether
    /// they fit the step is not checked.
    pub(super) fn modifiers(&mut self, step: &Key, entries: &[(Key, Node)]) -> Modifiers {
        let schema = keys::modifiers();
        let mut modifiers = Modifiers::default();
        for (key, node) in entries {
            // The step's own key: `retry` may be the step.
            if key.span == step.span {
                continue;
            }
            if key.text == "when" {
                modifiers.when = self.condition(node);
                continue;
            }
            let Some(schema) = schema
                .get("properties")
                .and_then(|properties| properties.get(&key.text))
            else {
                continue;
            };
            if key.text == "message" {
                let before = self.diagnostics.len();
                modifiers.message = Some(self.checked(node, schema));
                if let (NodeKind::Sequence(_), Some(wrong)) =
                    (&node.kind, self.diagnostics[before..].last_mut())
                {
                    wrong.help = Some("write one text, without brackets".to_owned());
                }
                continue;
            }
            let of_block = matches!(
                step.text.as_str(),
                "run" | "repeat" | "retry" | "if" | "group"
            );
            let limit = (of_block && key.text == "timeout").then(|| keys::limit(""));
            let Some(value) = self.literal(node, limit.as_ref().unwrap_or(schema)) else {
                continue;
            };
            let text = || value.as_str().map(str::to_owned);
            match key.text.as_str() {
                "label" => modifiers.label = text(),
                "timeout" => {
                    modifiers.timeout = text().and_then(|text| text.parse::<HumanDuration>().ok());
                }
                "optional" => modifiers.optional = value.as_bool().unwrap_or_default(),
                "soft" => modifiers.soft = value.as_bool().unwrap_or_default(),
                "as" => {
                    let name = Key {
                        text: text().unwrap_or_default(),
                        span: node.span.clone(),
                    };
                    self.check_name(&name);
                    modifiers.keep_as = Some(name.text);
                }
                _ => {
                    let count = value.as_u64().unwrap_or_default();
                    modifiers.retry = u32::try_from(count).unwrap_or(u32::MAX);
                }
            }
        }
        modifiers
    }

    /// Reports `soft` at a step that is no assertion, because others change the device, at a snapshot, and at an
    /// optional step. The modifiers stay as they are. Does nothing without the key `soft`; the caller knows that it is
    /// true.
    pub(super) fn check_soft(
        &mut self,
        action: &StepAction,
        entries: &[(Key, Node)],
        is_optional: bool,
    ) {
        let Some((soft, _)) = find(entries, "soft") else {
            return;
        };
        let (message, help) = match action {
            StepAction::Snapshot(_) => (
                "`soft` belongs to an assertion",
                "leave it out: a flow goes on after a snapshot that differs",
            ),
            _ if !action.is_assertion() => (
                "`soft` belongs to an assertion",
                "write `optional: true` where a failure is not a failure of the flow",
            ),
            _ if is_optional => (
                "`soft` does not go together with `optional`",
                "an optional step fails nothing; leave out one of both",
            ),
            _ => return,
        };
        self.fail_at(
            soft.span.clone(),
            Code::Step,
            message,
            Some(help.to_owned()),
        );
    }
}
