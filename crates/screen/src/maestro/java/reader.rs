//! Place in a Java expression that is read, what was written of it so far, and the reason why it cannot be.

use std::iter::Peekable;
use std::str::Chars;

/// Largest depth of nested groups and sets. Chosen: the parser is recursive, and no flow nests so deep.
pub(super) const MAX_DEPTH: usize = 64;

/// Reason why an expression has no translation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Translation {
    /// Java refuses the expression.
    Invalid,
    /// Java accepts it, but `fancy-regex` has no equal; the text names the part.
    Unsupported(String),
}

pub(super) type Result<T> = std::result::Result<T, Translation>;

pub(super) struct Reader<'a> {
    pub(super) rest: Peekable<Chars<'a>>,
    pub(super) out: String,
    /// Number of capturing groups so far.
    pub(super) groups: usize,
    /// Number of capturing groups in the whole expression.
    pub(super) all_groups: usize,
    pub(super) open: usize,
    /// True if a quantifier may follow.
    pub(super) quantifies: bool,
    /// True after `(?U)`: `\w` and its like include characters beyond ASCII.
    pub(super) wide: bool,
}

impl<'a> Reader<'a> {
    /// Creates a reader at the beginning. `all_groups` is the number of groups of the whole pattern, or
    /// `usize::MAX` in the pass that counts them.
    pub(super) fn new(pattern: &'a str, all_groups: usize) -> Self {
        Self {
            rest: pattern.chars().peekable(),
            out: String::new(),
            groups: 0,
            all_groups,
            open: 0,
            quantifies: false,
            wide: false,
        }
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// Reads a group's name up to and with `>`: ASCII letters, and digits after the first. The first letter
    /// may have been read already.
    pub(super) fn name(&mut self, first: Option<char>) -> Result<String> {
        let mut name = String::new();
        let mut next = first.or_else(|| self.rest.next());
        while let Some(c) = next {
            match c {
                '>' if !name.is_empty() => return Ok(name),
                c if c.is_ascii_alphabetic() || !name.is_empty() && c.is_ascii_digit() => {
                    name.push(c);
                }
                _ => break,
            }
            next = self.rest.next();
        }
        Err(Translation::Invalid)
    }
}
