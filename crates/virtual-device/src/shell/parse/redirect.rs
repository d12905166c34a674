//! Parser of redirections and here-documents.

use super::super::ast::{Redirect, RedirectKind, Word, WordPart};
use super::{ParseError, Parser, Result};

impl Parser {
    /// Parses a redirection. Returns `None`, and consumes nothing, if there is none. A here-document is read with it;
    /// `<<<` is refused. A descriptor has one digit; without it, 0 for input and 1 for output.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        self.blanks();
        let start = self.at;
        let mut descriptor = None;
        if let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            descriptor = Some(digit as u8);
        }
        let (kind, default) = if self.looking_at("<<<") {
            return Err(self.unexpected());
        } else if self.eat("<<-") || self.eat("<<") {
            (RedirectKind::Here, 0)
        } else if self.eat("<&") {
            (RedirectKind::Duplicate, 0)
        } else if self.eat("<") {
            (RedirectKind::Read, 0)
        } else if self.eat(">>") {
            (RedirectKind::Append, 1)
        } else if self.eat(">&") {
            (RedirectKind::Duplicate, 1)
        } else if self.eat(">|") || self.eat(">") {
            (RedirectKind::Write, 1)
        } else {
            self.at = start;
            return Ok(None);
        };
        self.blanks();
        let mut target = self.word()?.ok_or_else(|| self.unexpected())?;
        if kind == RedirectKind::Here {
            target = self.here_document(&target)?;
        }
        Ok(Some(Redirect {
            descriptor: descriptor.unwrap_or(default),
            kind,
            target,
        }))
    }

    /// Takes the text of a here-document out of the script's next lines, up to a line that is `end`, with or
    /// without tabs before it. Tabs in the text stay, for `<<-` too. The text is expanded later, unless a part of
    /// `end` is quoted. Fails if the last line is missing, or `end` has an expansion.
    fn here_document(&mut self, end: &Word) -> Result<Word> {
        let mut name = String::new();
        let mut literal = false;
        for part in end {
            let WordPart::Text { text, quoted } = part else {
                return Err(self.unexpected());
            };
            name.push_str(text);
            literal |= quoted;
        }
        let rest = self.text[self.at..].iter().position(|c| *c == '\n');
        let start = self.at + rest.ok_or(ParseError::End)? + 1;
        let mut at = start;
        loop {
            let line: String = self.text[at..].iter().take_while(|c| **c != '\n').collect();
            let length = line.chars().count();
            if line.trim_start_matches('\t') == name {
                let text: String = self.text[start..at].iter().collect();
                let last = (at + length).min(self.text.len());
                // Cut out, as the rest of the line it began on is still to be read.
                self.text.drain(start - 1..last);
                if literal {
                    return Ok(vec![WordPart::Text { text, quoted: true }]);
                }
                let mut inner = Parser {
                    text: text.chars().collect(),
                    at: 0,
                    depth: self.depth,
                };
                let mut parts = Vec::new();
                inner.double_quoted(&mut parts, None)?;
                return Ok(parts);
            }
            at += length + 1;
            if at >= self.text.len() {
                return Err(ParseError::End);
            }
        }
    }
}
