//! Checks a value of the tree against a JSON Schema. Returns an argument, and reports errors with their
//! places.
//!
//! Knows the part of JSON Schema that the tools' arguments use. It never guesses a type: `007` stays a text
//! where a text is expected.

mod accepts;
mod forms;
mod map;
mod selector;

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::Value;

use super::ast::{Argument, Spanned};
use super::check_advice::is_list;
use super::choice_advice::switch;
use super::expression;
use super::foreign_text::{self, ForeignText};
use super::map_parts;
use super::names::{Names, Text};
use super::reader::has_error;
use super::report::{SourceRange, error};
use super::scalar;
use super::vocabulary::Vocabulary;
use super::yaml::{Key, Node, NodeKind, Scalar};
use runner_text::diagnostic::{Code, Diagnostic, Source};

pub(crate) use accepts::types;
pub use selector::{STAR_HELP, STAR_IN_ID};

/// Checker for the values of one source.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) vocabulary: &'a Vocabulary,
    /// Names for expressions. `None`: values are final, and `${` is ordinary text.
    pub(crate) names: Option<&'a Names>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// Reports a problem at a node. Its code decides whether it is an error or a warning.
    pub(crate) fn fail(
        &mut self,
        node: &Node,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        let mut diagnostic = error(
            &SourceRange::new(self.source, node.span.clone()),
            code,
            message,
        );
        diagnostic.help = help;
        self.diagnostics.push(diagnostic);
    }

    /// Checks `node` against `schema`, reports errors in `diagnostics`, and converts it to an argument, also
    /// after errors. A text with `${…}` becomes an expression or template if names are known; else it is an
    /// ordinary text. A literal selector gets its further checks if the schema found no error, and is doubted if there
    /// was no warning either.
    pub(crate) fn value(&mut self, node: &Node, schema: &Value) -> Spanned<Argument> {
        let schema = self.vocabulary.resolve(schema);
        let before = self.diagnostics.len();
        let value = match self.expression(node, schema) {
            Some(argument) => argument,
            None => self.check_plain(node, schema),
        };
        // Without names the file is read before the run, so an expression is the mistake. Final values have no file.
        let mentions = node.scalar().is_some_and(|it| it.text.contains("${"));
        if mentions && self.names.is_none() && !self.source.text.is_empty() {
            for wrong in &mut self.diagnostics[before..] {
                let help = "no expression is possible here: this is read before anything runs";
                wrong.help = Some(help.to_owned());
            }
        }
        let found = &self.diagnostics[before..];
        let (is_plain, is_valid) = (found.is_empty(), !has_error(found));
        if self.names.is_some() && is_valid && self.takes_selector(schema) {
            self.selector(node, &value, is_plain);
        }
        Spanned {
            value,
            span: node.span.clone(),
        }
    }

    /// Reports a text of another tool's syntax as a warning; does nothing for `None`.
    fn warn(&mut self, node: &Node, found: Option<ForeignText>) {
        if let Some(found) = found {
            self.fail(node, Code::Doubtful, found.message, Some(found.help));
        }
    }

    /// Converts a text with `${…}` to an argument; returns `None` for any other node, and if no names are known. A text
    /// with only escaped expressions (`$${`) is checked as the text that it means. Errors are text around an expression
    /// where the schema accepts none, blanks aside, and an expression that is known to give a list or a map where it
    /// accepts neither. The kind of other expressions is checked in the run.
    fn expression(&mut self, node: &Node, schema: &Value) -> Option<Argument> {
        let names = self.names?;
        let scalar = node.scalar()?;
        if !expression::mentions_expression(&scalar.text) {
            return None;
        }
        // A block of YAML (`>`) ends with a line feed, which belongs to a text alone.
        let is_text = self.takes(schema, "string");
        let text = Text {
            source: self.source,
            span: node.span.clone(),
            text: if is_text {
                scalar.text.as_str()
            } else {
                scalar.text.trim()
            },
        };
        let before = self.diagnostics.len();
        let argument = text.argument(names, &mut self.diagnostics);
        match &argument {
            Argument::Literal(Value::String(unescaped)) => {
                let node = Node {
                    span: node.span.clone(),
                    kind: NodeKind::Scalar(Scalar {
                        text: unescaped.clone(),
                        plain: false,
                    }),
                };
                return Some(self.check_plain(&node, schema));
            }
            Argument::Expression(inner)
                if !has_error(&self.diagnostics[before..]) && !self.takes(schema, "array") =>
            {
                let kind = names.kind_of(inner);
                let fits = self.takes(schema, "object")
                    && (names.without_field(inner).is_none() || !self.takes_own_keys_only(schema));
                let kind = kind.filter(|_| !fits);
                if let Some(kind @ (expression::Kind::List | expression::Kind::Map)) = kind {
                    // A map with other keys would fit.
                    let wanted = if self.takes(schema, "object") {
                        "text".to_owned()
                    } else {
                        self.expected(schema)
                    };
                    let message = format!("{wanted} is expected here, not {kind}");
                    let help = names.without_field(inner).map(|help| {
                        if self.takes_selector(schema) {
                            format!("{help}; or write what names the element, as the step that kept it does")
                        } else {
                            help
                        }
                    });
                    self.fail(node, Code::WrongType, message, help);
                }
            }
            Argument::Template(_) if !is_text && !has_error(&self.diagnostics[before..]) => {
                let wanted = self.expected(schema);
                self.fail(
                    node,
                    Code::WrongType,
                    format!("{wanted} is expected here, but text around an expression makes text"),
                    Some("let the value be one `${…}` alone; it keeps its type".to_owned()),
                );
            }
            _ => {}
        }
        Some(argument)
    }

    /// Checks a node without an expression against the forms that its kind fits. Errors are reported, and what
    /// cannot be read becomes null.
    fn check_plain(&mut self, node: &Node, schema: &Value) -> Argument {
        let vocabulary = self.vocabulary;
        let alternatives = vocabulary.alternatives(schema);
        if node.is_missing() {
            return self.null(node, schema);
        }
        let fitting: Vec<&Value> = alternatives
            .iter()
            .copied()
            .filter(|form| Self::fits(node, form))
            .collect();
        match fitting.as_slice() {
            [] => {
                self.wrong_type(node, schema);
                Argument::Literal(Value::Null)
            }
            [only] => {
                let before = self.diagnostics.len();
                let argument = self.form(node, only);
                if let Some(wrong) = self.diagnostics[before..].last_mut()
                    && wrong.code == Code::UnknownValue
                    && is_list(wrong.help.as_deref())
                    && let Some(help) = switch(node, &alternatives)
                {
                    wrong.help = Some(help);
                }
                argument
            }
            several => match self.no_such_choice(node, several) {
                Some(argument) => argument,
                None => self.best(node, several),
            },
        }
    }

    /// Checks a null and returns it, also after an error. A written `null` is only valid where the schema
    /// accepts any value and no text, as in the body of a request; an empty value never is. A final null is
    /// valid also where the schema names the type. An optional key must be left out instead.
    fn null(&mut self, node: &Node, schema: &Value) -> Argument {
        let alternatives = self.vocabulary.alternatives(schema);
        let names = |name: &str| {
            let mut forms = alternatives.iter();
            forms.any(|form| types(form).is_some_and(|types| types.contains(&name)))
        };
        let is_written = node.scalar().is_some_and(|scalar| !scalar.text.is_empty());
        let takes_any = alternatives.iter().any(|form| types(form).is_none());
        // A final value is not in a file, so it is called null there.
        let is_final = self.names.is_none() && self.source.text.is_empty();
        if names("string") || !(is_written && takes_any || is_final && names("null")) {
            self.wrong_type(node, schema);
        }
        Argument::Literal(Value::Null)
    }

    /// Checks a node against one form of a schema, with all that is in it. A wrong scalar is reported and becomes null.
    /// Where names are known, a text in another tool's syntax, or with a line that is a step, gets a warning.
    fn form(&mut self, node: &Node, schema: &Value) -> Argument {
        match &node.kind {
            NodeKind::Scalar(scalar) => match scalar::check(scalar, schema) {
                Ok(value) => {
                    if let (Some(names), Some(text)) = (self.names, value.as_str()) {
                        self.warn(node, foreign_text::text(text, names));
                        self.warn(node, self.step_in_text(node));
                    }
                    Argument::Literal(value)
                }
                Err(wrong) => {
                    let help = wrong.help.or_else(|| self.instead_of_nothing(node, schema));
                    self.fail(node, wrong.code, wrong.message, help);
                    Argument::Literal(Value::Null)
                }
            },
            NodeKind::Sequence(items) => self.sequence(node, items, schema),
            NodeKind::Map(entries) => {
                let mut result = IndexMap::new();
                let has_list = ["any_of", "mask"]
                    .into_iter()
                    .any(|name| schema["properties"].get(name).is_some());
                match map_parts::without_brackets(entries).filter(|_| has_list) {
                    Some((value, help)) => {
                        self.fail(value, Code::WrongType, map_parts::NO_LIST, Some(help));
                    }
                    None => self.map(node, entries, schema, &mut result),
                }
                Argument::Map(result)
            }
        }
    }

    /// Checks the number of items, and each item against its schema. Items beyond a list of schemas may be anything.
    /// Wrong ones are reported and stay in the list, a wrong scalar as null.
    fn sequence(&mut self, node: &Node, items: &[Node], schema: &Value) -> Argument {
        let any = Value::Bool(true);
        let limit = |key: &str| schema.get(key).and_then(Value::as_u64);
        let count = items.len() as u64;
        if limit("minItems").is_some_and(|least| count < least) {
            let least = limit("minItems").unwrap_or_default();
            self.fail(
                node,
                Code::OutOfRange,
                format!("at least {least} value(s) are expected, {count} given"),
                None,
            );
        }
        if limit("maxItems").is_some_and(|most| count > most) {
            let most = limit("maxItems").unwrap_or_default();
            self.fail(
                node,
                Code::OutOfRange,
                format!("at most {most} value(s) are expected, {count} given"),
                None,
            );
        }
        Argument::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| {
                    let schema = match schema.get("items") {
                        Some(Value::Array(each)) => each.get(index).unwrap_or(&any),
                        Some(schema) => schema,
                        None => &any,
                    };
                    self.value(item, schema)
                })
                .collect(),
        )
    }
}

/// Converts a final value to a tree, to check it like one that was read. A text is treated as quoted, so that
/// `"5"` stays a text. All nodes have the empty range `0..0`.
pub(crate) fn from_value(value: &Value) -> Node {
    let scalar = |text: String, plain| NodeKind::Scalar(Scalar { text, plain });
    let kind = match value {
        Value::Null => scalar("null".to_owned(), true),
        Value::Bool(_) | Value::Number(_) => scalar(value.to_string(), true),
        // As in quotes, so that a text that looks like a number stays a text.
        Value::String(text) => scalar(text.clone(), false),
        Value::Array(items) => NodeKind::Sequence(items.iter().map(from_value).collect()),
        Value::Object(entries) => NodeKind::Map(
            entries
                .iter()
                .map(|(key, value)| {
                    let key = Key {
                        text: key.clone(),
                        span: 0..0,
                    };
                    (key, from_value(value))
                })
                .collect(),
        ),
    };
    Node { span: 0..0, kind }
}

/// Returns the value of an argument, also of lists and maps; `None` if an expression is anywhere in it.
pub(crate) fn literal(argument: &Argument) -> Option<Value> {
    match argument {
        Argument::Literal(value) => Some(value.clone()),
        Argument::Expression(_) | Argument::Template(_) => None,
        Argument::List(items) => items
            .iter()
            .map(|item| literal(&item.value))
            .collect::<Option<_>>()
            .map(Value::Array),
        Argument::Map(entries) => entries
            .iter()
            .map(|(key, value)| Some((key.clone(), literal(&value.value)?)))
            .collect::<Option<_>>()
            .map(Value::Object),
    }
}
