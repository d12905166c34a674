//! Expressions `${…}` in texts: scans them, checks them and evaluates them.
//!
//! The scanner is the runner's own. Between the braces is minijinja's expression language, without templates.
//! Only minijinja's parser and those of its filters that cannot grow are used; `evaluate` explains why.

use std::ops::Range;

mod arguments;
mod arithmetic;
mod bounded_functions;
mod bounded_text;
mod check;
mod compare;
mod error;
mod evaluate;
mod evaluation;
mod filters;
mod foreign;
mod generator;
mod keywords;
mod kind;
mod kinds;
mod limits;
mod missing_part;
mod names;
mod operands;
mod operators;
mod parse;
mod predicates;
mod read;
mod slices;
mod tree;

pub(crate) use check::FUNCTIONS;
pub(crate) use error::{EvalError, ExpressionError};
pub(crate) use evaluate::evaluate;
pub(crate) use evaluation::Lookup;
pub(crate) use foreign::{method, undefined, unquoted};
pub use generator::Generator;
pub(crate) use generator::VOLATILE;
#[cfg(feature = "maestro")]
pub use generator::uuid;
pub(crate) use keywords::is_reserved;
pub(crate) use kind::Kind;
pub(crate) use limits::Size;
pub use limits::{Budget, Limits};
pub(crate) use names::{
    Constants, called, certain, constants, names, needed, reads, reads_environment, sources,
};
pub(crate) use parse::{check_kinds, kind, parse};

/// Maximum nesting of brackets in an expression. Chosen: below the recursion that the parser's stack allows,
/// and above what people write.
const MAX_BRACKETS: usize = 24;

/// Part of a text with expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    /// Text in which `$${` is already replaced by `${`.
    Text(String),
    /// Range of bytes between `${` and `}`.
    Expression(Range<usize>),
}

/// Returns true if the text has `${`. It may be an escaped one (`$${`).
pub(crate) fn mentions_expression(text: &str) -> bool {
    text.contains("${")
}

/// Splits a text at its expressions into plain parts, unescaped, and the ranges of expressions in `text`, without
/// `${` and `}`. `$${` is a plain `${`. Does not parse the expressions. Empty plain parts are left out, so an empty
/// text has none.
///
/// # Errors
/// An expression that is not closed, or with brackets that do not match.
pub(crate) fn pieces(text: &str) -> Result<Vec<TemplatePart>, ExpressionError> {
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
            pieces.push(TemplatePart::Text(std::mem::take(&mut plain)));
        }
        pieces.push(TemplatePart::Expression(open + 2..close));
        at = close + 1;
    }
    plain.push_str(&text[at..]);
    if !plain.is_empty() {
        pieces.push(TemplatePart::Text(plain));
    }
    Ok(pieces)
}

/// Returns the offset of the `}` that ends the expression at `start`. Skips strings with their escapes, and
/// pairs of brackets.
///
/// # Errors
/// No such `}`, a closing bracket without its opening one, or more than `MAX_BRACKETS` open ones.
fn closing(text: &str, start: usize) -> Result<usize, ExpressionError> {
    let mut open = Vec::new();
    let mut string: Option<(u8, usize)> = None;
    let mut escaped = false;
    // Bytes are enough: all characters that matter are ASCII, and UTF-8 has no such byte in others.
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
                if open.len() > MAX_BRACKETS {
                    return Err(ExpressionError {
                        range: at..at + 1,
                        message: format!("brackets nested deeper than {MAX_BRACKETS}"),
                        stopped: false,
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
                        stopped: false,
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
            stopped: false,
        },
        None => ExpressionError {
            range: start - 2..start,
            message: "`${` has no closing `}`; write `$${` for a plain `${`".to_owned(),
            stopped: false,
        },
    })
}

/// Returns the range of the first use of a name as a whole word, outside of strings and not behind a dot.
/// Returns `None` if there is none.
pub(crate) fn find_name(expression: &str, name: &str) -> Option<Range<usize>> {
    let word = |char: char| char.is_alphanumeric() || char == '_';
    let mut quote = None;
    let mut previous = ' ';
    let mut is_escaped = false;
    for (at, char) in expression.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if char == '\\' => is_escaped = true,
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

#[cfg(test)]
mod tests;
