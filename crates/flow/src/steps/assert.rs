//! Parses assertions, and the selectors of steps.

use serde_json::Value;

use crate::assertion_words::compared;
use crate::ast::{Argument, Assert, Spanned};
use crate::check_advice::is_poor;
use crate::map_parts;
use crate::reader::{Reader, find};
use crate::yaml::{Key, Node, NodeKind};
use crate::{foreign, keys};
use runner_text::diagnostic::Code;

impl Reader<'_> {
    /// Parses an assertion by its keys: `that`, else `on`, else `count`, or else a selector. Comparisons and
    /// assertions of other tools are reported, and may return `None`. Keys beside `that` are reported, and it is
    /// returned. A selector with errors is returned too.
    pub(super) fn assert(&mut self, node: &Node) -> Option<Assert> {
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, that)) = find(entries, "that")
        {
            for (key, _) in entries.iter().filter(|(key, _)| key.text != "that") {
                let message = format!("`{}` does not go together with `that`", key.text);
                let help = modifier_beside(&key.text);
                let help =
                    help.or_else(|| Some("`that` stands alone; use a second `assert`".to_owned()));
                self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
            }
            return self.boolean_expression(that).map(Assert::That);
        }
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, on)) = find(entries, "on")
        {
            return self.assert_on(entries, on);
        }
        if let NodeKind::Map(entries) = &node.kind
            && let Some((_, count)) = find(entries, "count")
        {
            return self.assert_count(node, entries, count);
        }
        if let NodeKind::Map(entries) = &node.kind {
            if let Some((value, help)) = map_parts::without_brackets(entries) {
                self.fail(value, Code::WrongType, map_parts::NO_LIST, Some(help));
                return None;
            }
            if self.foreign_assertion(entries) {
                return None;
            }
            if self.warn_of_comparison(entries) {
                return None;
            }
        }
        // The step stays: a warning must not take an assertion out of a flow.
        if let Some((message, help)) = node
            .scalar()
            .and_then(|text| compared(text, |name| self.names.has_value(name)))
        {
            self.fail(node, Code::Doubtful, message, Some(help));
        }
        Some(Assert::Element(
            self.selector(node, &["on", "that", "count"]),
        ))
    }

    /// Parses the long form of an assertion, with the selector under `on` and perhaps `count`. The first other key
    /// and a `count` that is no scalar are reported and return `None`. A wrong selector or number is reported, and it
    /// is returned.
    fn assert_on(&mut self, entries: &[(Key, Node)], on: &Node) -> Option<Assert> {
        if let Some((_, count)) = find(entries, "count")
            && self.count_is_no_scalar(count)
        {
            return None;
        }
        for (key, _) in entries {
            if !["on", "count"].contains(&key.text.as_str()) {
                let message = format!("`{}` does not stand beside `on`", key.text);
                let help = modifier_beside(&key.text);
                let help = help.or_else(|| Some(format!("write `on: {{ {}: … }}`", key.text)));
                self.fail_at(key.span.clone(), Code::UnknownKey, message, help);
                return None;
            }
        }
        let selector = self.selector(on, &[]);
        Some(match find(entries, "count") {
            Some((_, count)) => Assert::Count {
                selector,
                count: self.count_condition(count),
            },
            None => Assert::Element(selector),
        })
    }

    /// Parses the short form of a number of elements: `count` among the keys of the selector, which must have others.
    /// No other key, and a `count` that is no scalar, are reported and return `None`.
    fn assert_count(
        &mut self,
        node: &Node,
        entries: &[(Key, Node)],
        count: &Node,
    ) -> Option<Assert> {
        let others = entries.iter().filter(|(key, _)| key.text != "count");
        let others: Vec<_> = others.cloned().collect();
        if others.is_empty() {
            let help = Some("write `assert: { id: row, count: 3 }`".to_owned());
            self.fail(node, Code::MissingKey, "nothing says what is counted", help);
            return None;
        }
        if self.count_is_no_scalar(count) {
            return None;
        }
        let selector = Node {
            span: node.span.clone(),
            kind: NodeKind::Map(others),
        };
        Some(Assert::Count {
            selector: self.selector(&selector, &[]),
            count: self.count_condition(count),
        })
    }

    /// Parses a selector, and reports errors. `also` lists other keys that may have been meant; the first unknown key
    /// is then reported with them, and the result is null. An argument is returned in any case.
    pub(crate) fn selector(&mut self, node: &Node, also: &[&str]) -> Spanned<Argument> {
        let vocabulary = self.project.vocabulary;
        let mut keys = vocabulary.properties(&vocabulary.selector);
        if let Some((key, help)) = foreign::strategy(node.entries()) {
            let message = format!("`{}` is not known here", key.text);
            self.fail_at(key.span.clone(), Code::UnknownKey, message, Some(help));
            return Spanned {
                value: Argument::Literal(Value::Null),
                span: node.span.clone(),
            };
        }
        if let NodeKind::Map(entries) = &node.kind
            && !also.is_empty()
            && let Some((key, value)) = entries
                .iter()
                .find(|(key, _)| !keys.is_empty() && !keys.contains(&key.text.as_str()))
        {
            keys.extend(also);
            self.unknown_in_step(key, value, keys);
            let name = format!("assert {}", key.text);
            let is_step = keys::step_names(vocabulary).any(|step| step == name);
            let told = is_step.then(|| format!("write `{name}: …`"));
            let told = told.or_else(|| foreign::unreadable_fact(&name));
            if let (Some(told), Some(wrong)) = (told, self.diagnostics.last_mut())
                && is_poor(wrong.help.as_deref())
            {
                wrong.help = Some(told);
            }
            return Spanned {
                value: Argument::Literal(Value::Null),
                span: node.span.clone(),
            };
        }
        self.checked(node, &vocabulary.selector)
    }
}

/// Returns advice for a modifier in the map of a step: its place beside the step. Returns `None` for other keys.
fn modifier_beside(key: &str) -> Option<String> {
    keys::MODIFIERS
        .contains(&key)
        .then(|| keys::beside_step(key))
}
