//! Evaluates the expressions of arguments and conditions, and explains a condition that does not hold.

use std::ops::Range;

use minijinja::value::ValueKind;
use serde_json::Value;

use super::evaluate::wrong_at;
use super::{InterpolationError, Scope};
use crate::ast::{Argument, Spanned};
use crate::expression::{self, Budget, Size, TemplatePart};

/// Maximum bytes of a value that a message shows. Chosen: a longer one makes the message unreadable.
const MAX_DISPLAY_LENGTH: usize = 500;

/// Evaluates the expressions of an argument. One whole `${…}` keeps its type; a text around expressions makes a text.
/// Lists and maps are evaluated at any depth, their keys are not. A literal is returned as it is. The first error
/// ends it. Has a budget of its own.
pub fn resolve(argument: &Spanned<Argument>, scope: &Scope) -> Result<Value, InterpolationError> {
    resolve_within(argument, scope, &scope.meter())
}

/// Evaluates like [`resolve`], with a budget that is shared by several arguments. An exhausted budget is an error;
/// literals cost nothing.
pub fn resolve_within(
    argument: &Spanned<Argument>,
    scope: &Scope,
    meter: &Budget,
) -> Result<Value, InterpolationError> {
    let wrong = wrong_at(&argument.span);
    match &argument.value {
        Argument::Literal(value) => Ok(value.clone()),
        Argument::Expression(expression) => {
            let value = scope.evaluate_at(expression, meter, &argument.span)?;
            let count = Size::measure(&value).and_then(|size| meter.add(size));
            count.map_err(|error| wrong(error.within(expression)))?;
            serde_json::to_value(&value).map_err(|error| InterpolationError {
                span: argument.span.clone(),
                message: format!("`{expression}` evaluates to an unsupported value: {error}"),
                stopped: false,
                unanswered: false,
            })
        }
        Argument::Template(text) => template(text, scope, meter, &argument.span).map(Value::String),
        Argument::List(items) => items
            .iter()
            .map(|item| resolve_within(item, scope, meter))
            .collect::<Result<_, _>>()
            .map(Value::Array),
        Argument::Map(entries) => entries
            .iter()
            .map(|(key, value)| Ok((key.clone(), resolve_within(value, scope, meter)?)))
            .collect::<Result<_, _>>()
            .map(Value::Object),
    }
}

/// Evaluates to a text, as for variables: a text as it is, all else as JSON. An expression that comes to none is an
/// error. Otherwise like [`resolve_within`].
pub fn resolve_text(
    argument: &Spanned<Argument>,
    scope: &Scope,
    meter: &Budget,
) -> Result<String, InterpolationError> {
    Ok(
        match (resolve_within(argument, scope, meter)?, &argument.value) {
            (Value::String(text), _) => text,
            (Value::Null, Argument::Expression(expression)) => {
                return Err(no_text(expression, &argument.span));
            }
            (other, _) => other.to_string(),
        },
    )
}

/// Returns true if an argument has an expression at any depth. Does not look for `${` in literal texts or in keys of
/// maps.
pub fn has_expressions(argument: &Argument) -> bool {
    match argument {
        Argument::Literal(_) => false,
        Argument::Expression(_) | Argument::Template(_) => true,
        Argument::List(items) => items.iter().any(|item| has_expressions(&item.value)),
        Argument::Map(entries) => entries.values().any(|value| has_expressions(&value.value)),
    }
}

/// Builds the error of an expression that comes to none where a text is made of it.
fn no_text(expression: &str, span: &Range<usize>) -> InterpolationError {
    let expression = expression.trim();
    let is_path =
        |character: char| character.is_ascii_alphanumeric() || "_.[]'".contains(character);
    let subject = if expression.chars().all(is_path) {
        expression.to_owned()
    } else {
        format!("({expression})")
    };
    InterpolationError {
        span: span.clone(),
        message: format!(
            "`{expression}` is none, which is no text; write what stands for it: `{subject} | default('', true)`"
        ),
        stopped: false,
        unanswered: false,
    }
}

/// Replaces the expressions in a text by their values, in the form of [`display`]. The first error ends it: of a text
/// that cannot be split, of an expression, of one that comes to none, of a property that the device did not report, or
/// of the budget. Its place is `span`.
fn template(
    text: &str,
    scope: &Scope,
    meter: &Budget,
    span: &Range<usize>,
) -> Result<String, InterpolationError> {
    let wrong = wrong_at(span);
    let mut result = String::new();
    for piece in expression::pieces(text).map_err(&wrong)? {
        match piece {
            TemplatePart::Text(plain) => result.push_str(&plain),
            TemplatePart::Expression(range) => {
                let expression = &text[range];
                let value = scope.evaluate_at(expression, meter, span)?;
                if value.is_none() {
                    return Err(no_text(expression, span));
                }
                let written = display(&value);
                let size = Size {
                    bytes: written.len(),
                    items: 0,
                };
                let count = meter.add(size);
                count.map_err(|error| wrong(error.within(expression)))?;
                result.push_str(&written);
            }
        }
    }
    Ok(result)
}

/// Formats a value for a text: strings as they are, all else as JSON. minijinja's own form of a boolean is `True`,
/// which would not be read again; it is used only for values that JSON does not have.
fn display(value: &minijinja::Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(value).unwrap_or_else(|_| value.to_string()),
    }
}

/// Evaluates a condition, the text inside of `${…}`, with a budget of its own. Any result but a boolean is an error
/// that quotes the value and advises a comparison: also `true` as a text, 0 and null. An undefined name is an error
/// too.
pub fn condition(expression: &Spanned<String>, scope: &Scope) -> Result<bool, InterpolationError> {
    let value = scope.evaluate_at(&expression.value, &scope.meter(), &expression.span)?;
    if value.kind() == ValueKind::Bool {
        return Ok(value.is_true());
    }
    let message = format!(
        "`{}` comes to {}, which is neither true nor false; compare it, such as `{} == '…'`",
        expression.value.trim(),
        display_value(&value),
        expression.value.trim(),
    );
    Err(InterpolationError {
        span: expression.span.clone(),
        message,
        stopped: false,
        unanswered: false,
    })
}

/// Returns a line for each name in an expression with its value, such as `total.text is '5'`, to explain why a
/// condition does not hold. The lines are sorted by name; of `total` and `total.text` only the longer is listed, and of
/// a value above `MAX_DISPLAY_LENGTH` bytes only its length.
/// Skips names without a value, and the environment, whose values may be undeclared secrets. An expression that
/// cannot be parsed has no lines. The caller masks secrets.
pub fn explain(expression: &str, scope: &Scope) -> Vec<String> {
    let Ok(tree) = expression::parse(expression) else {
        return Vec::new();
    };
    let meter = scope.meter();
    let names = expression::names(&tree);
    // If `total.text` is listed, `total` is not.
    let is_prefix = |name: &String| {
        names
            .iter()
            .any(|other| other.starts_with(&format!("{name}.")))
    };
    names
        .iter()
        .filter(|name| !is_prefix(name) && !expression::reads_environment(name))
        .filter_map(|name| {
            let value = scope.evaluate(name, &meter).ok()?;
            Some(format!("{name} is {}", display_value(&value)))
        })
        .collect()
}

/// Formats a value for a message: texts in single quotes, all else as JSON. Above `MAX_DISPLAY_LENGTH` bytes it gives
/// only kind and length, because a secret in a part of a long value would not be found. Masks nothing.
fn display_value(value: &minijinja::Value) -> String {
    let written = match value.as_str() {
        Some(text) => format!("'{text}'"),
        None => display(value),
    };
    if written.len() <= MAX_DISPLAY_LENGTH {
        return written;
    }
    match value.len() {
        Some(length) if value.as_str().is_some() => format!("a text of {length} characters"),
        Some(length) => format!("a value with {length} items"),
        None => "a long value".to_owned(),
    }
}
