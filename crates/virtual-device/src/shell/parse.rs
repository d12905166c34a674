//! Parser of scripts: the POSIX shell grammar without job control. `compound` and `simple` parse commands, `redirect`
//! their redirections, `word` words.

mod compound;
mod redirect;
mod simple;
mod word;

use super::ast::{ChainOperator, List, ListItem, Node};

/// Deepest nesting of compound commands and substitutions. Chosen: people nest a few, and recursion must end.
const MAX_DEPTH: usize = 64;

/// Syntax error, in the words of Android's shell.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ParseError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    #[error("syntax error: unexpected end of file")]
    End,
    #[error("no closing quote")]
    Quote,
    #[error("syntax error: nested too deeply")]
    Depth,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a whole script.
pub(super) fn parse(text: &str) -> Result<List> {
    parse_at(text, 0)
}

/// Parses a text that is nested `depth` levels in another one. The whole text must be commands.
fn parse_at(text: &str, depth: usize) -> Result<List> {
    let mut parser = Parser {
        text: text.chars().collect(),
        at: 0,
        depth,
    };
    let list = parser.list(&[])?;
    if parser.at < parser.text.len() {
        return Err(parser.unexpected());
    }
    Ok(list)
}

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

/// Words that begin or end compound commands.
pub(super) const RESERVED: [&str; 16] = [
    "if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "case", "esac",
    "in", "{", "}", "!",
];

fn ends_word(c: char) -> bool {
    c.is_whitespace() || ";&|<>()".contains(c)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars()
            .enumerate()
            .all(|(i, c)| self.text.get(self.at + i) == Some(&c))
    }

    /// Consumes a text if it is next, and tells if it was.
    fn eat(&mut self, text: &str) -> bool {
        let found = self.looking_at(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    /// Returns the error for what is next: an operator, a word, a line end, or the end of the text.
    fn unexpected(&self) -> ParseError {
        match self.peek() {
            None => ParseError::End,
            Some('\n') => ParseError::Unexpected("newline".to_owned()),
            Some(c) if ";&|<>()".contains(c) => {
                let text: String = [";;", "&&", "||"]
                    .iter()
                    .find(|two| self.looking_at(two))
                    .map_or_else(|| c.to_string(), ToString::to_string);
                ParseError::Unexpected(text)
            }
            Some(_) => ParseError::Unexpected(self.bare_word()),
        }
    }

    /// Returns the characters up to the word's end, without consuming them. Quotes and expansions have no meaning to
    /// it.
    fn bare_word(&self) -> String {
        self.text[self.at..]
            .iter()
            .take_while(|c| !ends_word(**c))
            .collect()
    }

    /// Skips blanks, escaped line ends, and a comment up to its line's end.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.text.get(self.at + 1) == Some(&'\n') => self.at += 2,
                Some('#') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments as blanks do, and line ends.
    fn lines(&mut self) {
        loop {
            self.blanks();
            if self.peek() != Some('\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// Skips blanks, then consumes a word if it is next as a whole, and tells if it was. Blanks stay skipped in any
    /// case.
    fn reserved(&mut self, word: &str) -> bool {
        self.blanks();
        let found = self.bare_word() == word;
        if found {
            self.at += word.chars().count();
        }
        found
    }

    /// Skips blanks and lines, then consumes a word. Fails if another one is next.
    fn expect(&mut self, word: &str) -> Result<()> {
        self.lines();
        if self.reserved(word) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    /// Parses one level deeper. Fails below [`MAX_DEPTH`].
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ParseError::Depth);
        }
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Parses commands up to one of the words in `ends`, a closing parenthesis, `;;`, or the end of the text. None of
    /// these is consumed. The list may be empty. An `&` behind a command marks it as a background job.
    fn list(&mut self, ends: &[&str]) -> Result<List> {
        let mut items = Vec::new();
        loop {
            self.lines();
            let word = self.bare_word();
            let done = match self.peek() {
                None | Some(')') => true,
                Some(_) => self.looking_at(";;") || ends.contains(&word.as_str()),
            };
            if done {
                return Ok(items);
            }
            let node = self.and_or()?;
            self.blanks();
            let mut background = false;
            if self.looking_at(";;") {
                // Ends an arm of `case`.
            } else if self.eat("&") {
                background = true;
            } else if !self.eat(";") {
                match self.peek() {
                    None | Some('\n' | ')') => {}
                    Some(_) => return Err(self.unexpected()),
                }
            }
            items.push(ListItem { node, background });
        }
    }

    /// Parses pipelines joined by `&&` and `||`, which may continue on the next line. A single pipeline is returned
    /// as itself.
    fn and_or(&mut self) -> Result<Node> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let joint = if self.eat("&&") {
                ChainOperator::And
            } else if self.eat("||") {
                ChainOperator::Or
            } else {
                break;
            };
            self.lines();
            rest.push((joint, self.pipeline()?));
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Node::AndOr {
            first: Box::new(first),
            rest,
        })
    }

    /// Parses commands joined by `|`, or a `!` that negates all of them. A single command is returned as itself.
    fn pipeline(&mut self) -> Result<Node> {
        if self.reserved("!") {
            return self.deeper(|parser| Ok(Node::Not(Box::new(parser.pipeline()?))));
        }
        let mut stages = vec![self.command()?];
        loop {
            self.blanks();
            if self.looking_at("||") || !self.eat("|") {
                break;
            }
            self.lines();
            stages.push(self.command()?);
        }
        if stages.len() == 1
            && let Some(only) = stages.pop()
        {
            return Ok(only);
        }
        Ok(Node::Pipeline(stages))
    }
}
