//! Limits the length of texts that events quote from a flow, an app or a device. Runs after secrets are
//! masked: a text cut before that could end within a secret and show its beginning.

use crate::{EventKind, SourceLocation};
use runner_tools::Failure;

/// Limit for a source line, in characters. Chosen: longer lines are generated, and reports show one on one
/// line.
const MAX_LINE_CHARS: usize = 400;
/// Limit for a step's title, in characters. Chosen: less than for its source line, so that the line still
/// contains the title.
const MAX_TITLE_CHARS: usize = 200;
/// Limit for a message and for expected and actual values, in characters. Chosen: a screenful; much less
/// would cut a diff.
const MAX_MESSAGE_CHARS: usize = 2000;
/// Limit for all diagnostics of a file, in characters. Chosen: hundreds of diagnostics, yet one event stays
/// small.
const MAX_DIAGNOSTICS_CHARS: usize = 50_000;

/// Shortens the texts of an event in place: titles, places in files, messages, dialogs' rules and answers, and values
/// of failures, each to its own limit. Other texts and other events stay as they are. Secrets must be masked already.
pub fn shorten(kind: &mut EventKind) {
    match kind {
        EventKind::Unreadable { message, at, .. } => {
            cut(message, MAX_DIAGNOSTICS_CHARS);
            at.iter_mut().for_each(place);
        }
        EventKind::StepStarted { title, at, .. } => {
            cut(title, MAX_TITLE_CHARS);
            place(at);
        }
        EventKind::StepFinished {
            title, at, failure, ..
        } => {
            cut(title, MAX_TITLE_CHARS);
            place(at);
            failure.iter_mut().for_each(reason);
        }
        EventKind::FlowFinished {
            failure, failed_at, ..
        } => {
            failure.iter_mut().for_each(reason);
            failed_at.iter_mut().for_each(place);
        }
        EventKind::Dialog {
            at,
            when,
            answer,
            failure,
            ..
        } => {
            place(at);
            cut(when, MAX_MESSAGE_CHARS);
            cut(answer, MAX_MESSAGE_CHARS);
            if let Some(failure) = failure {
                cut(failure, MAX_MESSAGE_CHARS);
            }
        }
        EventKind::Log { message, .. } | EventKind::DeviceLost { message, .. } => {
            cut(message, MAX_MESSAGE_CHARS);
        }
        _ => {}
    }
}

/// Shortens a value shown beside others, such as a table cell, to `MAX_LINE_CHARS` and an `…`. Secrets must be masked
/// already.
pub fn shorten_value(text: &mut String) {
    cut(text, MAX_LINE_CHARS);
}

fn place(at: &mut SourceLocation) {
    cut(&mut at.text, MAX_LINE_CHARS);
}

/// Shortens a failure's texts, each to its own limit. Message and details become plain masked texts, in which the
/// program's own words are not marked any more.
fn reason(failure: &mut Failure) {
    let Failure {
        message,
        expected,
        actual,
        details,
        crash,
        ..
    } = failure;
    for words in std::iter::once(message).chain(details) {
        let mut text = words.masked_text().to_owned();
        cut(&mut text, MAX_MESSAGE_CHARS);
        *words = text.into();
    }
    for text in expected.iter_mut().chain(actual) {
        cut(text, MAX_MESSAGE_CHARS);
    }
    if let Some(crash) = crash {
        cut(&mut crash.process, MAX_TITLE_CHARS);
        cut(&mut crash.reason, MAX_MESSAGE_CHARS);
        for call in &mut crash.stack {
            cut(call, MAX_LINE_CHARS);
        }
    }
}

/// Keeps the first `max` characters and appends `…`, one character more, if there were more.
fn cut(text: &mut String, max: usize) {
    // Bytes first: a text with few bytes has few characters, so they need not be counted.
    if text.len() > max
        && let Some((end, _)) = text.char_indices().nth(max)
    {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_only_where_they_are_long() {
        for (text, expected) in [
            ("", ""),
            ("abc", "abc"),
            ("abcd", "abc…"),
            ("äöü", "äöü"),
            ("äöüß", "äöü…"),
        ] {
            let mut text = text.to_owned();
            cut(&mut text, 3);
            assert_eq!(text, expected);
        }
    }
}
