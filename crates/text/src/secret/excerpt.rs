//! Texts that are shown in part.
//!
//! A text that is cut before its secrets are masked shows the beginning of one. So nothing else in the program cuts text
//! that may come from a flow, an app or a device: an [`Excerpt`] writes the whole text with marks where it is to be cut,
//! and [`Scrubber::scrub`](super::Scrubber::scrub), which stands before every output, masks first and then cuts there.
//! An output that forgot the scrubber would show the marks, which are not characters.

use std::borrow::Cow;
use std::fmt::{Display, Formatter, Result, Write as _};
use std::ops::Range;

/// From here on nothing is shown, up to [`CLOSE`]. Noncharacters are for a program's own use.
pub(super) const OPEN: char = '\u{fdd0}';
/// From here on all is shown again.
pub(super) const CLOSE: char = '\u{fdd1}';

/// The marks, for whoever escaped a text before it was scrubbed.
pub const MARKS: [char; 2] = [OPEN, CLOSE];

/// A text of which the beginning is shown.
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'a> {
    text: &'a str,
    /// Bytes that are shown.
    end: usize,
    ellipsis: &'a str,
    quoted: bool,
}

impl<'a> Excerpt<'a> {
    /// `limit` characters of `text`, and `…` where there are more.
    pub fn new(text: &'a str, limit: usize) -> Self {
        let end = text.char_indices().nth(limit).map_or(text.len(), |it| it.0);
        Self::until(text, end)
    }

    /// `text` up to the byte `end`, a boundary of characters, and `…` where there is more.
    pub fn until(text: &'a str, end: usize) -> Self {
        Self {
            text,
            end,
            ellipsis: "…",
            quoted: false,
        }
    }

    /// With another sign that there is more.
    #[must_use]
    pub fn ending(self, ellipsis: &'a str) -> Self {
        Self { ellipsis, ..self }
    }

    /// In quotes; quotes, backslashes and control characters inside are escaped.
    #[must_use]
    pub fn in_quotes(self) -> Self {
        Self {
            quoted: true,
            ..self
        }
    }

    fn part(&self, part: &str, f: &mut Formatter<'_>) -> Result {
        for c in part.chars() {
            match c {
                // An excerpt of an excerpt is one of the whole.
                OPEN | CLOSE => {}
                '"' | '\\' if self.quoted => write!(f, "\\{c}")?,
                c if self.quoted && c.is_control() => write!(f, "{}", c.escape_debug())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

impl Display for Excerpt<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (head, tail) = self.text.split_at(self.end);
        let quote = if self.quoted { "\"" } else { "" };
        f.write_str(quote)?;
        self.part(head, f)?;
        if !tail.is_empty() {
            f.write_char(OPEN)?;
            self.part(tail, f)?;
            write!(f, "{CLOSE}{}", self.ellipsis)?;
        }
        f.write_str(quote)
    }
}

/// Bytes from outside as text: what is not UTF-8 is replaced, and so are marks, which nobody else may write.
pub fn from_outside(bytes: &[u8]) -> Cow<'_, str> {
    unmarkable(String::from_utf8_lossy(bytes))
}

/// Text from outside in which nothing is a mark.
pub fn unmarkable(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains([OPEN, CLOSE]) {
        return Cow::Owned(text.replace([OPEN, CLOSE], "\u{fffd}"));
    }
    text
}

/// A text without its marks, and where in it what is not shown stands, in order. A mark without its other is not a mark.
pub(super) fn unmarked(text: &str) -> (Cow<'_, str>, Vec<Range<usize>>) {
    if !text.contains([OPEN, CLOSE]) {
        return (Cow::Borrowed(text), Vec::new());
    }
    let mut plain = String::with_capacity(text.len());
    let (mut hidden, mut begun) = (Vec::new(), None);
    for c in text.chars() {
        match c {
            OPEN => begun = begun.or(Some(plain.len())),
            CLOSE => hidden.extend(begun.take().map(|begin| begin..plain.len())),
            c => plain.push(c),
        }
    }
    (Cow::Owned(plain), hidden)
}
