//! Parser of words: quotations, expansions, substitutions.

use super::super::ast::{Change, Word, WordPart};
use super::{ParseError, Parser, Result, ends_word, is_name, parse_at};

impl Parser {
    /// Parses a word up to a blank or an operator. Returns `None` if none begins here. Fails if a quote or an
    /// expansion is not closed.
    pub(super) fn word(&mut self) -> Result<Option<Word>> {
        let start = self.at;
        let mut parts = Vec::new();
        while let Some(c) = self.peek() {
            if ends_word(c) {
                break;
            }
            self.part(c, &mut parts)?;
        }
        Ok((self.at > start).then_some(parts))
    }

    /// Parses the part of a word that begins with `c`: quotes, an escape, an expansion, or the character itself.
    fn part(&mut self, c: char, parts: &mut Word) -> Result<()> {
        match c {
            '\'' => {
                self.at += 1;
                let rest = &self.text[self.at..];
                let length = rest
                    .iter()
                    .position(|c| *c == '\'')
                    .ok_or(ParseError::Quote)?;
                let text = rest[..length].iter().collect();
                self.at += length + 1;
                parts.push(WordPart::Text { text, quoted: true });
            }
            '"' => {
                self.at += 1;
                // An empty string is a word too.
                push_text(parts, "", true);
                self.double_quoted(parts, Some('"'))?;
            }
            '\\' => {
                self.at += 1;
                match self.peek() {
                    Some('\n') => self.at += 1,
                    Some(c) => {
                        self.at += 1;
                        push_text(parts, c.encode_utf8(&mut [0; 4]), true);
                    }
                    None => push_text(parts, "\\", true),
                }
            }
            '$' | '`' => self.expansion(parts, false)?,
            _ => {
                self.at += 1;
                push_text(parts, c.encode_utf8(&mut [0; 4]), false);
            }
        }
        Ok(())
    }

    /// Parses the inside of double quotes up to `end`, which it consumes, or with `None` a here-document up to the
    /// end of the text. Words in it are expanded and never split.
    pub(super) fn double_quoted(&mut self, parts: &mut Word, end: Option<char>) -> Result<()> {
        loop {
            let Some(c) = self.peek() else {
                return if end.is_none() {
                    Ok(())
                } else {
                    Err(ParseError::Quote)
                };
            };
            if Some(c) == end {
                self.at += 1;
                return Ok(());
            }
            match c {
                '\\' => {
                    let next = self.text.get(self.at + 1).copied();
                    self.at += 2;
                    match next {
                        Some('\n') => {}
                        // A here-document has no sign that ends it: in it, `\"` keeps its backslash.
                        Some(next) if "$`\\".contains(next) || Some(next) == end => {
                            push_text(parts, next.encode_utf8(&mut [0; 4]), true);
                        }
                        Some(next) => {
                            push_text(parts, "\\", true);
                            push_text(parts, next.encode_utf8(&mut [0; 4]), true);
                        }
                        None if end.is_none() => {
                            push_text(parts, "\\", true);
                            return Ok(());
                        }
                        None => return Err(ParseError::Quote),
                    }
                }
                '$' | '`' => self.expansion(parts, true)?,
                _ => {
                    self.at += 1;
                    push_text(parts, c.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
    }

    /// Parses an expansion from its `$` or backquote. A `$` before nothing that can be expanded is itself. A number
    /// has one digit: `$12` is `$1` and a 2.
    fn expansion(&mut self, parts: &mut Word, quoted: bool) -> Result<()> {
        if self.eat("`") {
            let mut inner = String::new();
            loop {
                let c = self.peek().ok_or(ParseError::Quote)?;
                self.at += 1;
                match c {
                    '`' => break,
                    '\\' => {
                        let next = self.peek().ok_or(ParseError::Quote)?;
                        self.at += 1;
                        if !"$`\\".contains(next) {
                            inner.push('\\');
                        }
                        inner.push(next);
                    }
                    _ => inner.push(c),
                }
            }
            let list = self.deeper(|parser| parse_at(&inner, parser.depth))?;
            parts.push(WordPart::Command { list, quoted });
            return Ok(());
        }
        self.at += 1;
        if self.eat("((") {
            return self.arithmetic(parts, quoted);
        }
        if self.eat("(") {
            let list = self.deeper(|parser| parser.list(&[]))?;
            if !self.eat(")") {
                return Err(self.unexpected());
            }
            parts.push(WordPart::Command { list, quoted });
            return Ok(());
        }
        if self.eat("{") {
            return self.braced(parts, quoted);
        }
        let name = match self.peek() {
            Some(c) if "?$!#@*-".contains(c) || c.is_ascii_digit() => c.to_string(),
            Some(c) if is_name(c) => self.text[self.at..]
                .iter()
                .take_while(|c| is_name(**c))
                .collect(),
            _ => {
                push_text(parts, "$", quoted);
                return Ok(());
            }
        };
        self.at += name.chars().count();
        parts.push(WordPart::Variable {
            name,
            change: Change::None,
            quoted,
        });
        Ok(())
    }

    /// Parses an expansion behind `$((`, with its `))`. It is evaluated when it is expanded.
    fn arithmetic(&mut self, parts: &mut Word, quoted: bool) -> Result<()> {
        let mut text = Vec::new();
        let mut open = 0;
        loop {
            match self.peek().ok_or(ParseError::End)? {
                ')' if open == 0 => {
                    if !self.eat("))") {
                        return Err(self.unexpected());
                    }
                    parts.push(WordPart::Arithmetic { text, quoted });
                    return Ok(());
                }
                '$' | '`' => self.deeper(|parser| parser.expansion(&mut text, true))?,
                c => {
                    open += i32::from(c == '(') - i32::from(c == ')');
                    self.at += 1;
                    push_text(&mut text, c.encode_utf8(&mut [0; 4]), true);
                }
            }
        }
    }

    /// Parses the rest of an expansion after `${`, with its `}`: a name with a change of its value, or `#` and a name
    /// for its length. Adds it to `parts`. Fails without a name, and if the `}` is not next.
    fn braced(&mut self, parts: &mut Word, quoted: bool) -> Result<()> {
        let length = self.looking_at("#") && !self.looking_at("#}");
        if length {
            self.at += 1;
        }
        let name: String = match self.peek() {
            Some(c) if "?$!#@*-".contains(c) => c.to_string(),
            _ => self.text[self.at..]
                .iter()
                .take_while(|c| is_name(**c))
                .collect(),
        };
        if name.is_empty() {
            return Err(ParseError::Unexpected("${".to_owned()));
        }
        self.at += name.chars().count();
        let change = if length {
            Change::Length
        } else {
            self.change(quoted)?
        };
        if !self.eat("}") {
            return Err(self.unexpected());
        }
        parts.push(WordPart::Variable {
            name,
            change,
            quoted,
        });
        Ok(())
    }

    /// Parses the operator of `${NAME…}` with its word, up to the `}`. Returns [`Change::None`], and consumes at
    /// most a colon, for an operator that it does not know.
    fn change(&mut self, quoted: bool) -> Result<Change> {
        for (text, end, longest) in [
            ("##", false, true),
            ("#", false, false),
            ("%%", true, true),
            ("%", true, false),
        ] {
            if self.eat(text) {
                let pattern = self.until_brace(false)?;
                return Ok(Change::Trim {
                    pattern,
                    end,
                    longest,
                });
            }
        }
        let empty_too = self.eat(":");
        for sign in ["-", "=", "+"] {
            if self.eat(sign) {
                let word = self.until_brace(quoted)?;
                return Ok(match sign {
                    "-" => Change::Default { word, empty_too },
                    "=" => Change::Assign { word, empty_too },
                    _ => Change::Alternative { word, empty_too },
                });
            }
        }
        Ok(Change::None)
    }

    /// Parses a word up to a `}`, which stays. Blanks belong to it. Fails at the end of the text.
    fn until_brace(&mut self, quoted: bool) -> Result<Word> {
        self.deeper(|parser| {
            let mut parts = Vec::new();
            loop {
                match parser.peek().ok_or(ParseError::End)? {
                    '}' => return Ok(parts),
                    // Inside double quotes a single quote is a plain character, in `${…}` too.
                    '\'' if quoted => {
                        parser.at += 1;
                        push_text(&mut parts, "'", true);
                    }
                    c => parser.part(c, &mut parts)?,
                }
            }
        })
    }
}

/// Adds text to a word, joined with its last part if both are quoted alike.
fn push_text(parts: &mut Word, more: &str, is_quoted: bool) {
    if let Some(WordPart::Text { text, quoted }) = parts.last_mut()
        && *quoted == is_quoted
    {
        text.push_str(more);
        return;
    }
    parts.push(WordPart::Text {
        text: more.to_owned(),
        quoted: is_quoted,
    });
}
