//! Errors of expressions, with their places.

use std::ops::Range;

use minijinja::ErrorKind;
use minijinja::machinery::Span;

/// Maximum bytes of an error's detail that is shown. Chosen: a longer one quotes values, which say nothing at
/// that length.
const MAX_DETAIL_BYTES: usize = 300;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExpressionError {
    /// Range of bytes in the scanned text, or in the expression.
    pub(crate) range: Range<usize>,
    pub(crate) message: String,
    /// True if the expression is not to blame: the flow's time was over, or the run was stopped.
    pub(crate) stopped: bool,
}

/// Error of an evaluation, perhaps with its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EvalError {
    pub(super) message: String,
    range: Option<Range<usize>>,
    stopped: bool,
}

impl EvalError {
    /// Creates an error that is not at a place yet.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            range: None,
            stopped: false,
        }
    }

    /// Creates an error that is no fault of the expression: its step or run is over.
    pub(super) fn stopped(message: &str) -> Self {
        Self {
            stopped: true,
            ..Self::new(message)
        }
    }

    /// Creates an error about a value that does not exist.
    pub(crate) fn missing(name: &str) -> Self {
        Self::new(format!("{name} does not exist"))
    }

    /// Sets the range, unless an inner node has already set one: the innermost wins.
    pub(super) fn at(self, span: Span) -> Self {
        self.in_range(span.start_offset as usize..span.end_offset as usize)
    }

    /// Same as [`Self::at`], for a range of bytes in the expression.
    pub(super) fn in_range(mut self, range: Range<usize>) -> Self {
        self.range.get_or_insert(range);
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
    /// Converts an error of minijinja with its range. A detail that is long is left out of the message, since it may
    /// quote a value; an undefined value has a message of its own without any.
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
