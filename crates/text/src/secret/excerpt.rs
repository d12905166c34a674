//! Shortens texts without showing the beginning of a secret.
//!
//! A text that is cut before its secrets are masked shows the beginning of one. So no other module cuts text
//! that may come from a flow, an app or a device. An [`Excerpt`] writes the whole text with marks where to
//! cut it, and [`Scrubber::scrub`](super::Scrubber::scrub), which stands before every output, masks first and
//! then cuts there. An output that misses the scrubber would show the marks, which are noncharacters.

use std::borrow::Cow;
use std::fmt::{Display, Formatter, Result, Write as _};
use std::ops::Range;

/// Start of a hidden part, which ends at [`CLOSE`]. A noncharacter, which Unicode leaves for a program's own
/// use.
pub(super) const OPEN: char = '\u{fdd0}';
/// End of a hidden part.
pub(super) const CLOSE: char = '\u{fdd1}';

/// Both marks, for callers that escape a text before it is scrubbed.
pub const MARKS: [char; 2] = [OPEN, CLOSE];

/// Text of which only the beginning will be shown.
#[derive(Debug, Clone, Copy)]
pub struct Excerpt<'a> {
    text: &'a str,
    /// Number of bytes that are shown.
    end: usize,
    ellipsis: &'a str,
    quoted: bool,
}

impl<'a> Excerpt<'a> {
    /// Shows the first `limit` characters of `text`, and `…` if there are more. The rest stays in the written text,
    /// between marks, until a scrubber cuts it.
    pub fn new(text: &'a str, limit: usize) -> Self {
        let end = text.char_indices().nth(limit).map_or(text.len(), |it| it.0);
        Self::until(text, end)
    }

    /// Shows `text` up to the byte offset `end`, and `…` if there is more. Writing it panics if `end` lies beyond
    /// the text or within a character. The hidden part stays in the written text, between marks, until a scrubber
    /// cuts it.
    pub fn until(text: &'a str, end: usize) -> Self {
        Self {
            text,
            end,
            ellipsis: "…",
            quoted: false,
        }
    }

    /// Sets what follows a shortened text, in place of `…`. Nothing follows a text that is shown whole.
    #[must_use]
    pub fn ending(self, ellipsis: &'a str) -> Self {
        Self { ellipsis, ..self }
    }

    /// Puts the text and its ellipsis in quotes. Quotes, backslashes and control characters in it are escaped.
    #[must_use]
    pub fn in_quotes(self) -> Self {
        Self {
            quoted: true,
            ..self
        }
    }

    /// Writes a part of the excerpt, escaped if it is quoted, without the marks of an inner excerpt.
    fn part(&self, part: &str, f: &mut Formatter<'_>) -> Result {
        for c in part.chars() {
            match c {
                // The marks of an inner excerpt are dropped: only the outer one cuts.
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
    /// Writes the text: its visible beginning, then its hidden end between marks, and the ellipsis. Without a hidden
    /// end there are no marks and no ellipsis. Quotes go around all of it, with escapes within. Marks within the text
    /// are dropped.
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

/// Decodes bytes from outside. Replaces invalid UTF-8, and marks, which only this module may write.
pub fn from_outside(bytes: &[u8]) -> Cow<'_, str> {
    unmarkable(String::from_utf8_lossy(bytes))
}

/// Replaces each mark of an excerpt in text from outside by U+FFFD, so that it cannot hide anything. Borrows a text
/// without marks.
pub fn unmarkable(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains([OPEN, CLOSE]) {
        return Cow::Owned(text.replace([OPEN, CLOSE], "\u{fffd}"));
    }
    text
}

/// Removes the marks around hidden parts. Also returns the ranges of these parts in the remaining text, in
/// order; their text is still there. A mark without its partner is removed, but hides nothing. A part reaches
/// from its first opening mark to the next closing one; marks do not nest.
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
