//! Holds what a device or a server said, for messages about it.

use std::fmt::{Debug, Formatter, Result};

use super::{Excerpt, unmarkable};

/// Text from a device or a server, which may hold a secret. It is searched and compared, and shown as an
/// [`Excerpt`] only, which is cut after it is masked. So it is no `str` and has no `Display`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OutsideText(String);

impl OutsideText {
    /// Takes a text. Marks of excerpts in it are replaced, as only this module may write them.
    pub fn new(text: &str) -> Self {
        Self(unmarkable(text.into()).into_owned())
    }

    /// Returns true if there are only blanks and line ends.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }

    pub fn contains(&self, part: &str) -> bool {
        self.0.contains(part)
    }

    /// Returns true if a line, without its end, is as asked.
    pub fn has_line(&self, is: impl Fn(&str) -> bool) -> bool {
        self.0.lines().any(is)
    }

    /// Returns the first `max` lines that are as asked, joined by line ends. No line is cut, and each line of
    /// a secret is masked by itself.
    #[must_use]
    pub fn lines(&self, max: usize, is: impl Fn(&str) -> bool) -> Self {
        let lines = self.0.lines().filter(|line| is(line)).take(max);
        Self(lines.map(str::trim_end).collect::<Vec<_>>().join("\n"))
    }

    /// Returns the first `max` lines, each by itself.
    pub fn first_lines(&self, max: usize) -> impl Iterator<Item = Self> {
        self.0.lines().take(max).map(|line| Self(line.to_owned()))
    }

    /// Shows the first `limit` characters, and `…` if there are more.
    pub fn excerpt(&self, limit: usize) -> Excerpt<'_> {
        Excerpt::new(&self.0, limit)
    }
}

/// Prints the length, never the text.
impl Debug for OutsideText {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "OutsideText({} bytes)", self.0.len())
    }
}
