//! Parses conditions, and expressions that come to true or false.

use crate::ast::{Condition, ElementCondition, Spanned};
use crate::expression::{self, TemplatePart};
use crate::names::Text;
use crate::reader::{Reader, find, has_error};
use crate::yaml::{Key, Node, NodeKind};
use crate::{foreign, keys};
use runner_text::diagnostic::Code;

const ONE_CONDITION: &str = "a condition is one thing";
const NO_CONDITION: &str = "a condition is one `${…}` that comes to true or false";

impl Reader<'_> {
    /// Parses a condition: one `${…}` or boolean, or a map with either `visible` or `not_visible` and perhaps
    /// `timeout`. Reports anything else, and returns `None`. Faults inside the expression, the selector or the
    /// timeout are reported too, but the condition is returned, so that the rest of the flow is checked.
    pub(crate) fn condition(&mut self, node: &Node) -> Option<Condition> {
        let NodeKind::Map(entries) = &node.kind else {
            let words = node.scalar().filter(|words| {
                words.boolean().is_none() && !words.text.contains("${") && !node.is_missing()
            });
            if let Some(words) = words {
                let help = self.condition_advice(&words.text);
                self.fail(node, Code::Condition, NO_CONDITION, Some(help));
                return None;
            }
            return self.boolean_expression(node).map(Condition::Expression);
        };
        let is_timeout = |(key, _): &&(Key, Node)| key.text == "timeout";
        let timeout = entries.iter().find(is_timeout);
        let mut others = entries.iter().filter(|entry| !is_timeout(entry));
        let is_known = |key: &Key| ["visible", "not_visible"].contains(&key.text.as_str());
        let (key, value) = match (others.next(), others.next()) {
            (Some((key, value)), None) => (key, value),
            (Some((first, _)), Some((second, _))) if is_known(first) && is_known(second) => {
                let help = format!(
                    "write one `if` inside the other: `if: {{ {}: … }}`, and beside it `then: [ {{ if: {{ {}: … }}, then: […] }} ]`",
                    first.text, second.text
                );
                self.fail(node, Code::Condition, ONE_CONDITION, Some(help));
                return None;
            }
            (Some((first, _)), Some((second, _))) => {
                let (known, key) = if is_known(first) {
                    (Some(first), second)
                } else {
                    (None, first)
                };
                self.unknown_in_condition(key, known, entries);
                return None;
            }
            (None, _) => {
                let help = "write `{ visible: … }`, `{ not_visible: … }` or \"${…}\"";
                self.fail(node, Code::Condition, ONE_CONDITION, Some(help.to_owned()));
                return None;
            }
        };
        let condition = match key.text.as_str() {
            "visible" => Condition::Visible,
            "not_visible" => Condition::NotVisible,
            _ => {
                self.unknown_in_condition(key, None, entries);
                return None;
            }
        };
        if let NodeKind::Map(inside) = &value.kind
            && let Some((within, limit)) = inside
                .iter()
                .find(|(key, _)| foreign::modifier(&key.text) == Some("timeout"))
        {
            let limit = limit.scalar().map_or("…", |limit| limit.text.as_str());
            let message = format!("`{}` says nothing of an element", within.text);
            let help = format!("write it beside: `{{ {}: …, timeout: {limit} }}`", key.text);
            self.fail_at(within.span.clone(), Code::UnknownKey, message, Some(help));
            return None;
        }
        let selector = self.selector(value, &[]);
        let limit = keys::duration("How long it may take to hold.");
        let timeout = timeout
            .and_then(|(_, node)| self.literal(node, &limit))
            .and_then(|value| value.as_str()?.parse().ok());
        Some(condition(ElementCondition { selector, timeout }))
    }

    /// Reports as an error a key that no condition has. The help says that a name is compared in an expression, that
    /// a key of a selector belongs into the map of `visible` or of `not_visible`, which is `known` if it is there, or
    /// which key is near.
    fn unknown_in_condition(&mut self, key: &Key, known: Option<&Key>, entries: &[(Key, Node)]) {
        let vocabulary = self.project.vocabulary;
        let selector = vocabulary.properties(&vocabulary.selector);
        if self.names.has_value(&key.text) && !selector.contains(&key.text.as_str()) {
            let message = format!("`{}` is a name, and no part of a condition", key.text);
            let help = Some(format!("write \"${{{} == '…'}}\"", key.text));
            self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
            return;
        }
        if let Some(help) = self.selector_as_condition(entries) {
            let message = format!("`{}` is not known here", key.text);
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return;
        }
        if !selector.contains(&key.text.as_str()) {
            self.unknown_key(key, ["visible", "not_visible", "timeout"]);
            return;
        }
        let outer = known.map_or("visible", |known| known.text.as_str());
        let is_text = known
            .and_then(|known| find(entries, &known.text))
            .is_some_and(|(_, value)| value.scalar().is_some());
        if is_text && key.text == "text" {
            let message = format!("`{outer}` has its text already");
            let help = format!(
                "write one `if` inside the other, each with `{{ {outer}: … }}`, where both are to hold"
            );
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return;
        }
        let given = known.and_then(|known| find(entries, &known.text));
        let text = given
            .and_then(|(_, value)| value.scalar())
            .map(|text| format!("text: {}, ", foreign::yaml(&text.text)));
        let more = if given.is_some() && text.is_none() {
            "…, "
        } else {
            ""
        };
        let help = format!(
            "write `{outer}: {{ {}{more}{}: … }}`",
            text.unwrap_or_default(),
            key.text
        );
        let message = format!("`{}` is not known here", key.text);
        self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
    }

    /// Parses a text that is one expression with a boolean as its result, blanks around it aside, or a boolean. Returns
    /// it without `${}`, with its place. Other texts, kinds and a missing value are reported and return `None`; problems
    /// inside of the expression, also a result that is never a boolean, are reported, but it is returned.
    pub(crate) fn boolean_expression(&mut self, node: &Node) -> Option<Spanned<String>> {
        let Some(scalar) = node.scalar().filter(|_| !node.is_missing()) else {
            let help = match &node.kind {
                NodeKind::Sequence(_) => {
                    "write one `if` inside the other, or one expression: \"${… and …}\""
                }
                NodeKind::Map(_) => "write `assert visible: …` for an element, or \"${…}\"",
                NodeKind::Scalar(_) => "write \"${…}\"",
            };
            let message = format!("an expression is expected here, not {}", node.what());
            self.fail(node, Code::Condition, message, Some(help.to_owned()));
            return None;
        };
        if scalar.boolean().is_some() {
            return Some(Spanned {
                value: scalar.text.clone(),
                span: node.span.clone(),
            });
        }
        // A block of YAML (`>`) ends with a line feed.
        let written = scalar.text.trim();
        let text = Text {
            source: &self.source,
            span: node.span.clone(),
            text: written,
        };
        match expression::pieces(written).as_deref() {
            Ok([TemplatePart::Expression(range)]) => {
                let before = self.diagnostics.len();
                text.check(range, &self.names, &mut self.diagnostics);
                let wrong = text.non_boolean(range, &self.names);
                let place = text.place(range);
                if let Some((message, help)) =
                    wrong.filter(|_| !has_error(&self.diagnostics[before..]))
                {
                    self.fail(node, Code::Condition, message, Some(help));
                }
                Some(Spanned {
                    value: written[range.clone()].to_owned(),
                    span: place,
                })
            }
            Err(_) => {
                text.argument(&self.names, &mut self.diagnostics);
                None
            }
            Ok(_) => {
                let help = if scalar.text.contains("${") {
                    "put the whole condition inside one \"${…}\"".to_owned()
                } else {
                    self.expression_advice(&scalar.text)
                };
                self.fail(node, Code::Condition, NO_CONDITION, Some(help));
                None
            }
        }
    }
}
