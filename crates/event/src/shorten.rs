//! What events quote of a flow, an app or a device, at most. Called once all secrets are masked: a text that is cut
//! before shows the beginning of one.

use crate::{EventKind, SourceLocation};
use runner_tools::Failure;

/// Characters of a source line.
const LINE: usize = 400;
/// Characters of a step's title: fewer than of its line, so that the line still holds it.
const TITLE: usize = 200;
/// Characters of a message, of what was expected and of what was there.
const MESSAGE: usize = 2000;
/// Characters of all that is wrong with a file.
const DIAGNOSTICS: usize = 50_000;

/// Shortens the texts of an event, their secrets masked already.
pub fn shorten(kind: &mut EventKind) {
    match kind {
        EventKind::Unreadable { message, at, .. } => {
            cut(message, DIAGNOSTICS);
            at.iter_mut().for_each(place);
        }
        EventKind::StepStarted { title, at, .. } => {
            cut(title, TITLE);
            place(at);
        }
        EventKind::StepFinished {
            title, at, failure, ..
        } => {
            cut(title, TITLE);
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
            cut(when, MESSAGE);
            cut(answer, MESSAGE);
            if let Some(failure) = failure {
                cut(failure, MESSAGE);
            }
        }
        EventKind::Log { message, .. } | EventKind::DeviceLost { message, .. } => {
            cut(message, MESSAGE);
        }
        _ => {}
    }
}

/// Shortens a value that a person reads beside others, its secrets masked already.
pub fn shorten_value(text: &mut String) {
    cut(text, LINE);
}

fn place(at: &mut SourceLocation) {
    cut(&mut at.text, LINE);
}

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
        let mut text = words.to_text();
        cut(&mut text, MESSAGE);
        *words = text.into();
    }
    for text in expected.iter_mut().chain(actual) {
        cut(text, MESSAGE);
    }
    if let Some(crash) = crash {
        cut(&mut crash.process, TITLE);
        cut(&mut crash.reason, MESSAGE);
        for call in &mut crash.stack {
            cut(call, LINE);
        }
    }
}

/// Keeps the first `most` characters, and a sign that there were more.
fn cut(text: &mut String, most: usize) {
    // Bytes first: a text with few bytes has few characters, and needs no walk through it.
    if text.len() > most
        && let Some((end, _)) = text.char_indices().nth(most)
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
