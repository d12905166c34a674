//! Expressions `${…}` in texts: scans them, checks them and evaluates them.
//!
//! The scanner is the runner's own. Between the braces is minijinja's expression language, without templates.
//! Only minijinja's parser and those of its filters that cannot grow are used; `evaluate` explains why.

use std::ops::Range;

use minijinja::machinery::Span;
use minijinja::{ErrorKind, Value};

mod arguments;
mod bounded_functions;
mod compare;
mod evaluate;
mod filters;
mod foreign;
mod generator;
mod kinds;
mod limits;
mod operators;
mod predicates;
mod read;
mod tree;

pub(crate) use compare::Kind;
pub(crate) use evaluate::{Lookup, evaluate};
pub(crate) use foreign::{method, undefined};
pub use generator::Generator;
pub(crate) use generator::VOLATILE;
#[cfg(feature = "maestro")]
pub use generator::uuid;
pub(crate) use limits::Size;
pub use limits::{Budget, Limits};
pub(crate) use read::is_reserved;
pub(crate) use tree::{
    FUNCTIONS, called, certain, check_kinds, kind, names, needed, parse, reads_environment, sources,
};

/// Maximum nesting of brackets in an expression. Chosen: below the recursion that the parser's stack allows,
/// and above what people write.
const MAX_BRACKETS: usize = 24;
/// Number of names that a message lists. Chosen: more would hide the message.
const MAX_NAMED: usize = 20;
/// Maximum bytes of an error's detail that is shown. Chosen: a longer one quotes values, which say nothing at
/// that length.
const MAX_DETAIL_BYTES: usize = 300;

/// Part of a text with expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    /// Text in which `$${` is already replaced by `${`.
    Text(String),
    /// Range of bytes between `${` and `}`.
    Expression(Range<usize>),
}

/// Error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    /// Range of bytes in the scanned text, or in the expression.
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
    /// True if the expression is not to blame: the flow's time was over, or the run was stopped.
    pub(crate) stopped: bool,
}

/// Returns true if the text has `${`. It may be an escaped one (`$${`).
pub(crate) fn mentions_expression(text: &str) -> bool {
    text.contains("${")
}

/// Splits a text at its expressions into plain parts, unescaped, and the ranges of expressions in `text`,
/// without `${` and `}`. `$${` is a plain `${`. Does not parse the expressions.
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

/// Error of an evaluation, perhaps with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvalError {
    message: String,
    range: Option<Range<usize>>,
    stopped: bool,
}

impl EvalError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            range: None,
            stopped: false,
        }
    }

    /// Creates an error that is no fault of the expression: its step or run is over.
    fn stopped(message: &str) -> Self {
        Self {
            stopped: true,
            ..Self::new(message)
        }
    }

    /// Creates an error about a value that does not exist.
    pub(crate) fn missing(name: &str) -> Self {
        Self::new(format!("{name} does not exist"))
    }

    /// Adds context to an error about a missing `part` of the value `known`, whose path is `of`: the first 20
    /// keys of a map, the length of a list, or for others an equivalent of a method or the kind. Leaves the
    /// error as it is for an undefined value.
    fn with_context(mut self, of: &str, known: &Value, part: Option<&str>) -> Self {
        let more = match compare::Kind::from_value(known) {
            Some(compare::Kind::Map) => {
                let keys = known.try_iter().into_iter().flatten().take(MAX_NAMED);
                let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
                format!("`{of}` has: {}", keys.join(", "))
            }
            Some(compare::Kind::List) => {
                format!("`{of}` has {} items", known.len().unwrap_or_default())
            }
            Some(kind) => match part.and_then(foreign::method) {
                Some(ours) => format!("write `{}`", ours.replace('…', of)),
                None => format!("`{of}` is {kind}"),
            },
            None => return self,
        };
        self.message = format!("{}; {more}", self.message);
        self
    }

    /// Sets the range, unless an inner node has already set one: the innermost wins.
    fn at(mut self, span: Span) -> Self {
        self.range
            .get_or_insert(span.start_offset as usize..span.end_offset as usize);
        self
    }

    /// Converts to an error in this expression. Its range has at least one character; without a valid range
    /// it is the whole expression.
    pub(crate) fn within(self, expression: &str) -> ExpressionError {
        let whole = 0..expression.len();
        let range = self
            .range
            // An error at the very end would have an empty, invisible range.
            .map(|range| range.start..range.end.max(range.start + 1).min(expression.len()))
            .filter(|range| {
                expression
                    .get(range.clone())
                    .is_some_and(|it| !it.is_empty())
            });
        ExpressionError {
            range: range.unwrap_or(whole),
            message: self.message,
            stopped: self.stopped,
        }
    }
}

impl From<minijinja::Error> for EvalError {
    fn from(error: minijinja::Error) -> Self {
        // A detail may quote a value. A long one is left out, because a secret in a cut value would not be found.
        let detail = error
            .detail()
            .filter(|detail| detail.len() <= MAX_DETAIL_BYTES);
        let detail = detail.unwrap_or_default();
        let message = match error.kind() {
            ErrorKind::SyntaxError => format!("the expression does not read: {detail}"),
            ErrorKind::UndefinedError => {
                "a value that the expression uses does not exist".to_owned()
            }
            kind if detail.is_empty() => format!("{kind}"),
            kind => format!("{kind}: {detail}"),
        };
        Self {
            range: error.range(),
            ..Self::new(message)
        }
    }
}

#[cfg(test)]
mod tests;
