//! Chooses among several forms of a schema that fit a node.

use serde_json::Value;

use super::Checker;
use crate::ast::Argument;
use crate::map_advice;
use crate::report::{SourceRange, error};
use crate::scalar;
use crate::value_advice;
use crate::yaml::{Node, NodeKind};
use runner_text::diagnostic::{Code, Diagnostic};

impl Checker<'_> {
    /// Reports a word that is none of the choices of all forms together, and returns null. Returns `None` without an
    /// error if it is one, if the node is no scalar, or if a form is no list of choices.
    pub(super) fn no_such_choice(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let text = &node.scalar()?.text;
        let mut choices: Vec<&str> = Vec::new();
        for form in forms {
            choices.extend(scalar::choices(form)?);
        }
        if choices.contains(&text.as_str()) {
            return None;
        }
        let message = format!("`{text}` is none of the values that are possible here");
        let help = value_advice::choice(text, &choices);
        self.fail(node, Code::UnknownValue, message, help);
        Some(Argument::Literal(Value::Null))
    }

    /// Checks a node against several forms, and takes the first without errors. If all have errors, it takes the only
    /// form that has all keys of the map, else that with the fewest errors, the first of equals, and reports only its
    /// errors. Before that, a key that no form has, and two patterns in one map, are reported and give null.
    pub(super) fn best(&mut self, node: &Node, forms: &[&Value]) -> Argument {
        let wrong = self.no_such_key(node, forms);
        if let Some(argument) = wrong.or_else(|| self.two_patterns(node, forms)) {
            return argument;
        }
        if let Some(meant) = self.form_by_keys(node, forms) {
            return self.form(node, meant);
        }
        let mut best: Option<(Argument, Vec<Diagnostic>)> = None;
        for form in forms {
            let outer = std::mem::take(&mut self.diagnostics);
            let argument = self.form(node, form);
            let found = std::mem::replace(&mut self.diagnostics, outer);
            if best
                .as_ref()
                .is_none_or(|(_, have)| found.len() < have.len())
            {
                let done = found.is_empty();
                best = Some((argument, found));
                if done {
                    break;
                }
            }
        }
        let (argument, found) = best.unwrap_or((Argument::Literal(Value::Null), Vec::new()));
        self.diagnostics.extend(found);
        argument
    }

    /// Finds the form that the keys of a map choose, such as that of `log` among the steps of an app: the only one
    /// that has all of them, where none takes other keys. `None` for an empty map and other nodes.
    fn form_by_keys<'s>(&self, node: &Node, forms: &[&'s Value]) -> Option<&'s Value> {
        let is_closed =
            |form: &&Value| form.get("additionalProperties") == Some(&Value::Bool(false));
        let entries = node.entries();
        if entries.is_empty() || !forms.iter().all(is_closed) {
            return None;
        }
        let has_all = |form: &&&Value| {
            let names = self.vocabulary.properties(form);
            entries
                .iter()
                .all(|(key, _)| names.contains(&key.text.as_str()))
        };
        let mut found = forms.iter().filter(has_all);
        let only = found.next()?;
        found.next().is_none().then_some(*only)
    }

    /// Reports the first key of a map that no form has, with a suggestion from the keys of all forms, and
    /// returns null. Returns `None` without an error if there is no such key, if any form accepts other keys,
    /// or if the node is no map.
    fn no_such_key(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let NodeKind::Map(entries) = &node.kind else {
            return None;
        };
        let closed = forms
            .iter()
            .all(|form| form.get("additionalProperties") == Some(&Value::Bool(false)));
        let mut names: Vec<&str> = Vec::new();
        for form in forms {
            for name in self.vocabulary.properties(form) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let (key, value) = entries
            .iter()
            .find(|(key, _)| closed && !names.contains(&key.text.as_str()))?;
        let mut diagnostic = error(
            &SourceRange::new(self.source, key.span.clone()),
            Code::UnknownKey,
            format!("`{}` is not known here", key.text),
        );
        let other = map_advice::other_key(&key.text, value, &names);
        diagnostic.help = other
            .filter(|_| self.names.is_some())
            .or_else(|| self.suggest_key(&key.text, names));
        self.diagnostics.push(diagnostic);
        Some(Argument::Literal(Value::Null))
    }

    /// Reports a pattern for words in two forms, such as `contains` beside `ignore_case`, and returns null.
    /// Returns `None` without an error for any other node and other forms.
    fn two_patterns(&mut self, node: &Node, forms: &[&Value]) -> Option<Argument> {
        let is_pattern = |form: &&Value| {
            let names = self.vocabulary.properties(form);
            matches!(names.as_slice(), ["contains" | "regex" | "ignore_case"])
        };
        if !forms.iter().all(is_pattern) {
            return None;
        }
        let [(first, _), (second, _), ..] = node.entries() else {
            return None;
        };
        let mut diagnostic = error(
            &SourceRange::new(self.source, second.span.clone()),
            Code::UnknownKey,
            format!(
                "`{}` does not go together with `{}`",
                second.text, first.text
            ),
        );
        diagnostic.help = Some(map_advice::one_pattern(node.entries()));
        self.diagnostics.push(diagnostic);
        Some(Argument::Literal(Value::Null))
    }
}
