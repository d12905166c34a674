//! Lines of an error of the YAML parser, and the steps in them.

use runner_text::diagnostic::Diagnostic;

use crate::keys;
use crate::vocabulary::Vocabulary;

/// Returns the line with the start of the error, without its line end.
pub(super) fn line_of(diagnostic: &Diagnostic) -> &str {
    let start = line_start(diagnostic);
    let line = diagnostic.source.text[start..].lines().next();
    line.unwrap_or_default()
}

/// Returns the line above the one with the error, or `None` for an error in the first line.
pub(super) fn line_above(diagnostic: &Diagnostic) -> Option<&str> {
    let above = &diagnostic.source.text[..line_start(diagnostic)];
    above.lines().next_back()
}

/// Returns the offset at which the line with the start of the error begins. An error behind the end of the text
/// counts at its end.
pub(super) fn line_start(diagnostic: &Diagnostic) -> usize {
    let text = &diagnostic.source.text;
    let at = diagnostic.span.start.min(text.len());
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

/// Returns true if a step has exactly this name.
pub(super) fn is_step(word: &str, vocabulary: &Vocabulary) -> bool {
    keys::step_names(vocabulary).any(|name| name == word)
}
