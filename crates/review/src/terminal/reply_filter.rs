//! Drops answers of the terminal that come too late. The library that reads keys does not know them and takes
//! each of their letters for a key.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

/// Longest pause between two letters of an answer. Chosen: an answer arrives at once, and nobody types as
/// fast for long.
const MAX_LETTER_GAP: Duration = Duration::from_millis(50);

/// Tells the letters of late answers from keys.
#[derive(Debug, Default)]
pub struct ReplyFilter {
    /// Time of the last letter of an answer that has not ended.
    last: Option<Instant>,
}

impl ReplyFilter {
    /// Returns true if an event is part of a late answer of the terminal, from its beginning (`ESC _` or `ESC P`,
    /// read as a letter with Alt) to its end (`ESC \`), and remembers that for the next event. Such events are to be
    /// ignored. Only keys of letters are ever a part. A letter that comes `MAX_LETTER_GAP` or more after the one
    /// before is typed by a person and ends the answer.
    pub fn is_part(&mut self, event: &Event, now: Instant) -> bool {
        let Event::Key(KeyEvent {
            code: KeyCode::Char(letter),
            modifiers,
            ..
        }) = event
        else {
            return false;
        };
        let is_alt = modifiers.contains(KeyModifiers::ALT);
        if is_alt && matches!(letter, '_' | 'P') {
            self.last = Some(now);
            return true;
        }
        let is_open = self
            .last
            .take()
            .is_some_and(|last| now.saturating_duration_since(last) < MAX_LETTER_GAP);
        let is_end = is_alt && *letter == '\\';
        self.last = (is_open && !is_end).then_some(now);
        is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(letters: &str, modifiers: KeyModifiers) -> impl Iterator<Item = Event> {
        letters
            .chars()
            .map(move |letter| Event::Key(KeyEvent::new(KeyCode::Char(letter), modifiers)))
    }

    #[test]
    fn late_answers_are_no_keys_and_keys_after_them_are() {
        for (start, letters) in [("_", "Gi=31;EINVAL:Any"), ("P", ">|Alacritty(0.15)")] {
            let mut late = ReplyFilter::default();
            let now = Instant::now();
            let answer = keys(start, KeyModifiers::ALT | KeyModifiers::SHIFT)
                .chain(keys(letters, KeyModifiers::NONE))
                .chain(keys("\\", KeyModifiers::ALT));
            for event in answer {
                assert!(late.is_part(&event, now), "{event:?}");
            }
            for event in keys("ary", KeyModifiers::NONE) {
                assert!(!late.is_part(&event, now), "{event:?}");
            }
        }
    }

    #[test]
    fn who_presses_what_an_answer_begins_with_loses_no_key() {
        let mut late = ReplyFilter::default();
        let now = Instant::now();
        for event in keys("P", KeyModifiers::ALT) {
            late.is_part(&event, now);
        }
        for event in keys("ary", KeyModifiers::NONE) {
            assert!(!late.is_part(&event, now + MAX_LETTER_GAP), "{event:?}");
        }
    }
}
