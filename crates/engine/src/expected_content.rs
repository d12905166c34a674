//! Content that a field should have after text was typed.

use std::time::Duration;

/// Time for a field to show a sent text. Chosen: frameworks draw it some frames later; slow phones need more
/// than a second.
pub(super) const SHOW_LIMIT: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, Copy)]
pub(super) struct ExpectedContent<'a> {
    /// The text that was sent.
    pub(super) text: &'a str,
    /// The whole expected content.
    pub(super) whole: &'a str,
    /// Number of dots of a password field in addition to those of `text`, if known.
    pub(super) dots: Option<usize>,
    /// Keeps texts out of errors.
    pub(super) secret: bool,
    /// Timeout of the step.
    pub(super) timeout: Duration,
}

impl ExpectedContent<'_> {
    /// Compares the number of dots that a password field shows now with the expected one plus the text, whose
    /// length may be counted in characters or UTF-16 units. `before` is the number before typing. If either
    /// number is unknown: `Some(false)` if text was typed and the number of dots did not change, else `None`.
    pub(super) fn shows_in_dots(&self, before: Option<usize>, now: Option<usize>) -> Option<bool> {
        let (Some(expected), Some(now)) = (self.dots, now) else {
            // Either the field showed its hint before and does not any more, or it shows no dots at all.
            let is_unmoved = !self.text.is_empty() && before.is_some() && before == now;
            return is_unmoved.then_some(false);
        };
        // Frameworks count UTF-16 units, or characters.
        let lengths = [self.text.chars().count(), self.text.encode_utf16().count()];
        Some(lengths.iter().any(|length| expected + length == now))
    }
}

/// Returns true if the field shows a mark for every character, except perhaps the last: a password field that does not
/// declare itself as one. The number of characters must be equal, and at least one must be masked. Marks are `•`, `●`,
/// `∗` and `*`. False if both texts are equal.
pub(super) fn is_masked(whole: &str, content: &str) -> bool {
    const MARKS: [char; 4] = ['•', '●', '∗', '*'];
    let (mut wanted, mut displayed) = (whole.chars(), content.chars());
    let mut marks = 0;
    loop {
        match (wanted.next(), displayed.next()) {
            (None, None) => return marks > 0 && content != whole,
            (Some(_), Some(mark)) if MARKS.contains(&mark) => marks += 1,
            (Some(last), Some(same)) if last == same && wanted.as_str().is_empty() => {}
            _ => return false,
        }
    }
}
