//! `${…}` in text: where each begins and ends, what it says, and what it comes to.
//!
//! The scanner is our own; what stands between the braces is minijinja's expression language, without templates. Only its
//! parser and such filters as cannot grow are used: `evaluate` says why.

use std::ops::Range;

use minijinja::machinery::Span;
use minijinja::{ErrorKind, Value};

mod arguments;
mod compare;
mod evaluate;
mod filters;
mod kinds;
mod limits;
mod made;
mod operators;
mod own;
mod predicates;
mod read;
mod tree;

pub(crate) use compare::Kind;
pub(crate) use evaluate::{Lookup, evaluate};
pub(crate) use limits::Size;
pub use limits::{Budget, Limits};
pub use made::Generator;
pub(crate) use made::MADE;
#[cfg(feature = "maestro")]
pub use made::uuid;
pub(crate) use read::{is_reserved, method};
pub(crate) use tree::{
    FUNCTIONS, called, certain, check_kinds, kind, names, needed, parse, reads_environment, sources,
};

/// Deepest brackets in one expression.
const DEEPEST: usize = 24;
/// Most names that a message lists.
const MAX_NAMED: usize = 20;
/// Longest detail of an error that is shown.
const LONGEST_DETAIL: usize = 300;

/// A part of a text with expressions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TemplatePart {
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
    /// Nothing is wrong with it: the flow's time was up, or the run is to end.
    pub(crate) stopped: bool,
}

/// Whether the text has to be scanned at all.
pub(crate) fn mentions_expression(text: &str) -> bool {
    text.contains("${")
}

/// Splits a text at its expressions.
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

/// The `}` that ends the expression which begins at `start`, past strings and brackets.
fn closing(text: &str, start: usize) -> Result<usize, ExpressionError> {
    let mut open = Vec::new();
    let mut string: Option<(u8, usize)> = None;
    let mut escaped = false;
    // Bytes do: what counts here is ASCII, and no other character has such a byte in it.
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

/// What went wrong in an expression, perhaps with its place.
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

    /// Nothing is wrong with the expression: what it belongs to is over.
    fn stopped(message: &str) -> Self {
        Self {
            stopped: true,
            ..Self::new(message)
        }
    }

    /// A value is not there; `name` says which.
    pub(crate) fn missing(name: &str) -> Self {
        Self::new(format!("{name} does not exist"))
    }

    /// Adds what there is where a part of `of`, which is `known`, is missing.
    fn with_context(mut self, of: &str, known: &Value, part: Option<&str>) -> Self {
        let more = match compare::Kind::of(known) {
            Some(compare::Kind::Map) => {
                let keys = known.try_iter().into_iter().flatten().take(MAX_NAMED);
                let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
                format!("`{of}` has: {}", keys.join(", "))
            }
            Some(compare::Kind::List) => {
                format!("`{of}` has {} items", known.len().unwrap_or_default())
            }
            Some(kind) => match part.and_then(read::method) {
                Some(ours) => format!("write `{}`", ours.replace('…', of)),
                None => format!("`{of}` is {kind}"),
            },
            None => return self,
        };
        self.message = format!("{}; {more}", self.message);
        self
    }

    /// With its place, unless a node inside has given a closer one.
    fn at(mut self, span: Span) -> Self {
        self.range
            .get_or_insert(span.start_offset as usize..span.end_offset as usize);
        self
    }

    /// As an error of this expression.
    pub(crate) fn within(self, expression: &str) -> ExpressionError {
        let whole = 0..expression.len();
        let range = self
            .range
            // An error at the very end has an empty range, which nobody would see.
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
        // A detail may repeat a value; a long one is left out whole, since what is secret in it is known only whole.
        let detail = error
            .detail()
            .filter(|detail| detail.len() <= LONGEST_DETAIL);
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
