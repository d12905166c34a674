//! Hides the rows of a table with a secret column from the diagnostics that quote it.

use std::sync::Arc;

use super::super::table::BYTE_ORDER_MARK;
use runner_text::diagnostic::{Diagnostic, Source};

/// Returns a table up to the end of its line of column names, with the empty lines before it. A line may end with `\r`
/// alone.
pub(super) fn head(text: &str) -> &str {
    const LINE_ENDS: [char; 2] = ['\r', '\n'];
    let names = text.trim_start_matches([BYTE_ORDER_MARK, '\r', '\n']);
    let begin = text.len() - names.len();
    let end = names.find(LINE_ENDS).map_or(text.len(), |at| begin + at);
    &text[..end]
}

/// Removes the rows' contents from the source that a diagnostic quotes, because a column is secret. The line
/// of column names stays, and the place moves to a `***` in the same line. An error in the line of names keeps
/// its place.
pub(super) fn without_rows(diagnostic: Diagnostic) -> Diagnostic {
    let text = &diagnostic.source.text;
    let head = head(text);
    if diagnostic.span.start <= head.len() {
        let source = Source {
            path: diagnostic.source.path.clone(),
            text: format!("{head}\n"),
        };
        return Diagnostic {
            source: Arc::new(source),
            ..diagnostic
        };
    }
    // Lines are counted by `\n`, and what is not in the head is below it.
    let line_of = |place: usize| runner_text::diagnostic::line_column(text, place).0;
    let below = line_of(diagnostic.span.start) - line_of(head.len());
    let blank = format!("{head}{}***", "\n".repeat(below.max(1)));
    let at = blank.len() - 3;
    let source = Source {
        path: diagnostic.source.path.clone(),
        text: blank,
    };
    Diagnostic {
        source: Arc::new(source),
        span: at..at + 3,
        ..diagnostic
    }
}
