//! Sets of characters in Java's expressions: `[a-z&&[^aeiou]]`.

use super::escape::Escape;
use super::reader::{MAX_DEPTH, Reader, Result, Translation};

impl Reader<'_> {
    /// Reads a set after its `[`, up to and with its `]`, and writes its translation. Sets may lie in each
    /// other up to [`MAX_DEPTH`] levels. `&&` beside nothing is not supported.
    pub(super) fn set(&mut self, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Translation::Unsupported(format!(
                "more than {MAX_DEPTH} sets in each other"
            )));
        }
        self.out.push('[');
        if self.take('^') {
            self.out.push('^');
        }
        let mut is_empty = true;
        while let Some(c) = self.rest.next() {
            match c {
                ']' if !is_empty => {
                    self.out.push(']');
                    return Ok(());
                }
                '[' => self.set(depth + 1)?,
                '&' if self.take('&') => {
                    // `&&` with an empty side is an error here; in Java it is legal but has little meaning.
                    if is_empty || self.rest.peek() == Some(&']') {
                        return Err(Translation::Unsupported("`&&` beside nothing".to_owned()));
                    }
                    self.out.push_str("&&");
                }
                '\\' => self.escaped_in_set()?,
                other => self.range(other)?,
            }
            is_empty = false;
        }
        Err(Translation::Invalid)
    }

    /// Reads an escape in a set behind its backslash. Those that are neither characters nor classes, such as `\b` and
    /// `\1`, are invalid.
    fn escaped_in_set(&mut self) -> Result<()> {
        if self.rest.peek().is_some_and(|c| ('1'..='9').contains(c)) {
            return Err(Translation::Invalid);
        }
        match self.escape()? {
            Escape::Char(c) => self.range(c)?,
            Escape::Set(holds, false) => self.out.push_str(holds),
            Escape::Set(holds, true) => self.out.push_str(&format!("[^{holds}]")),
            Escape::Property(property) => self.out.push_str(&property),
            Escape::Quote => {
                for c in self.quoted() {
                    self.set_literal(c);
                }
            }
            Escape::Other(_) => return Err(Translation::Invalid),
        }
        Ok(())
    }

    /// Adds the character to the set, or the range that begins with it. A `-` before `]` or `[` makes no range: the
    /// character is added alone, and the `-` is left to be read next. A range that ends before it begins, or in a
    /// class such as `\d`, is invalid.
    fn range(&mut self, first: char) -> Result<()> {
        let mut ahead = self.rest.clone();
        let is_range =
            ahead.next() == Some('-') && ahead.peek().is_some_and(|c| !matches!(c, ']' | '['));
        if !is_range {
            self.set_literal(first);
            return Ok(());
        }
        self.rest.next();
        let last = match self.rest.next().ok_or(Translation::Invalid)? {
            '\\' => match self.escape()? {
                Escape::Char(c) => c,
                _ => return Err(Translation::Invalid),
            },
            c => c,
        };
        if last < first {
            return Err(Translation::Invalid);
        }
        self.set_literal(first);
        self.out.push('-');
        self.set_literal(last);
        Ok(())
    }

    /// Writes a character of a set. All ASCII punctuation but `_`, `<` and `>` is escaped.
    fn set_literal(&mut self, c: char) {
        if c.is_ascii_punctuation() && c != '_' && c != '<' && c != '>' {
            self.out.push('\\');
        }
        self.out.push(c);
    }
}
