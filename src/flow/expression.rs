//! `${…}` in text: where each begins and ends, what it says, and what it comes to.
//!
//! The scanner is our own; what stands between the braces is minijinja's expression language, without templates.

use std::collections::BTreeSet;
use std::ops::Range;

use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};

/// Longest expression, in bytes; its parser is recursive.
const LONGEST: usize = 2_000;
/// Deepest brackets in one expression.
const DEEPEST: usize = 24;
/// Steps that one evaluation may take.
const FUEL: u64 = 50_000;

/// A part of a text with expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Plain text, `$${` already turned into `${`.
    Text(String),
    /// Byte range of what stands between `${` and `}`.
    Expression(Range<usize>),
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    /// Byte range in the text that was scanned, or in the expression.
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
}

/// Whether the text has to be scanned at all.
pub(crate) fn mentions_expression(text: &str) -> bool {
    text.contains("${")
}

/// Splits a text at its expressions.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, ExpressionError> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find("${") {
        let open = at + found;
        if text[at..open].ends_with('$') {
            plain.push_str(&text[at..open]);
            plain.push('{');
            at = open + 2;
            continue;
        }
        plain.push_str(&text[at..open]);
        let close = closing(text, open + 2)?;
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Expression(open + 2..close));
        at = close + 1;
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// The `}` that ends the expression which begins at `start`, past strings and brackets.
fn closing(text: &str, start: usize) -> Result<usize, ExpressionError> {
    let mut open = Vec::new();
    let mut string: Option<(u8, usize)> = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        if let Some((quote, _)) = string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                _ if byte == quote => string = None,
                _ => {}
            }
            continue;
        }
        match byte {
            b'\'' | b'"' => string = Some((byte, at)),
            b'(' | b'[' | b'{' => {
                open.push(byte);
                if open.len() > DEEPEST {
                    return Err(ExpressionError {
                        range: at..at + 1,
                        message: format!("brackets nested deeper than {DEEPEST}"),
                    });
                }
            }
            b'}' if open.is_empty() => return Ok(at),
            b')' | b']' | b'}' => {
                let expected = match byte {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                if open.pop() != Some(expected) {
                    return Err(ExpressionError {
                        range: at..at + 1,
                        message: format!("`{}` closes nothing here", char::from(byte)),
                    });
                }
            }
            _ => {}
        }
    }
    Err(match string {
        Some((_, at)) => ExpressionError {
            range: at..at + 1,
            message: "this text in the expression has no closing quote".to_owned(),
        },
        None => ExpressionError {
            range: start - 2..start,
            message: "`${` has no closing `}`; write `$${` for a plain `${`".to_owned(),
        },
    })
}

/// Checks an expression's syntax and gives the names it needs: dotted paths such as `total.text`.
pub(crate) fn names(expression: &str) -> Result<BTreeSet<String>, ExpressionError> {
    guard(expression)?;
    let environment = environment();
    let compiled = environment
        .compile_expression(expression)
        .map_err(|error| describe(&error, expression))?;
    let globals: BTreeSet<&str> = environment.globals().map(|(name, _)| name).collect();
    // Paths are wanted, but `a.b` inside a comprehension or a call may hide `a`; take both.
    let mut names: BTreeSet<String> = compiled.undeclared_variables(true).into_iter().collect();
    for root in compiled.undeclared_variables(false) {
        let dotted = format!("{root}.");
        if !names
            .iter()
            .any(|name| *name == root || name.starts_with(&dotted))
        {
            names.insert(root);
        }
    }
    names.retain(|name| !globals.contains(name.split('.').next().unwrap_or_default()));
    Ok(names)
}

/// Where a name stands in an expression, as a byte range; outside strings.
pub(crate) fn find_name(expression: &str, name: &str) -> Option<Range<usize>> {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    let mut quote = None;
    let mut previous = ' ';
    for (at, char) in expression.char_indices() {
        match quote {
            Some(open) if char == open => quote = None,
            Some(_) => {}
            None if char == '\'' || char == '"' => quote = Some(char),
            None => {
                let rest = &expression[at..];
                if !word(previous)
                    && previous != '.'
                    && rest.starts_with(name)
                    && !rest[name.len()..].chars().next().is_some_and(word)
                {
                    return Some(at..at + name.len());
                }
            }
        }
        previous = char;
    }
    None
}

/// Evaluates an expression.
pub(crate) fn evaluate(expression: &str, context: Value) -> Result<Value, ExpressionError> {
    guard(expression)?;
    let environment = environment();
    let value = environment
        .compile_expression(expression)
        .and_then(|compiled| compiled.eval(context))
        .map_err(|error| describe(&error, expression))?;
    if value.is_undefined() {
        return Err(ExpressionError {
            range: 0..expression.len(),
            message: format!("`{}` has no value", expression.trim()),
        });
    }
    Ok(value)
}

fn guard(expression: &str) -> Result<(), ExpressionError> {
    let whole = 0..expression.len();
    if expression.trim().is_empty() {
        return Err(ExpressionError {
            range: whole,
            message: "the expression is empty".to_owned(),
        });
    }
    if expression.len() > LONGEST {
        return Err(ExpressionError {
            range: whole,
            message: format!("the expression is longer than {LONGEST} characters"),
        });
    }
    Ok(())
}

fn environment<'a>() -> Environment<'a> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment.set_debug(true);
    environment
}

fn describe(error: &minijinja::Error, expression: &str) -> ExpressionError {
    let detail = error.detail().unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::SyntaxError => format!("the expression does not read: {detail}"),
        ErrorKind::OutOfFuel => "the expression takes too long".to_owned(),
        ErrorKind::UndefinedError => "the expression uses a value that does not exist".to_owned(),
        kind if detail.is_empty() => format!("{kind}"),
        kind => format!("{kind}: {detail}"),
    };
    let mut range = error
        .range()
        .filter(|range| range.start <= range.end && range.end <= expression.len())
        .unwrap_or(0..expression.len());
    if range.is_empty() {
        range.end = (range.end + 1).min(expression.len());
    }
    if !expression.is_char_boundary(range.start) || !expression.is_char_boundary(range.end) {
        range = 0..expression.len();
    }
    ExpressionError { range, message }
}
