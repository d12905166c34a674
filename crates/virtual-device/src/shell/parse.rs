//! Parser of scripts: the POSIX shell grammar without job control. `word` parses words.

mod word;

use super::ast::{
    ChainOperator, List, ListItem, Node, Redirect, RedirectKind, SimpleCommand, Word, WordPart,
};

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

    /// Parses a compound command with its redirections, else a simple command or a function. Any other reserved word
    /// but `in` is an error.
    fn command(&mut self) -> Result<Node> {
        self.blanks();
        let node = self.deeper(|parser| {
            if parser.eat("(") {
                let list = parser.list(&[])?;
                if !parser.eat(")") {
                    return Err(parser.unexpected());
                }
                return Ok(Some(Node::Subshell(list)));
            }
            let word = parser.bare_word();
            let compound = match word.as_str() {
                "if" => parser.if_command()?,
                "while" | "until" => parser.while_command(word == "until")?,
                "for" => parser.for_command()?,
                "case" => parser.case_command()?,
                "{" => {
                    parser.at += 1;
                    let list = parser.list(&["}"])?;
                    parser.expect("}")?;
                    Node::Group(list)
                }
                // `in` means something only after `for NAME` and `case WORD`.
                word if RESERVED.contains(&word) && word != "in" => return Err(parser.unexpected()),
                _ => return Ok(None),
            };
            Ok(Some(compound))
        })?;
        let Some(node) = node else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(if redirects.is_empty() {
            node
        } else {
            Node::Redirected(Box::new(node), redirects)
        })
    }

    /// Parses an `if` that is next, with its `fi`.
    fn if_command(&mut self) -> Result<Node> {
        self.at += 2;
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        loop {
            let condition = self.list(&["then"])?;
            self.expect("then")?;
            let body = self.list(&["elif", "else", "fi"])?;
            branches.push((condition, body));
            if self.reserved("elif") {
                continue;
            }
            if self.reserved("else") {
                otherwise = self.list(&["fi"])?;
            }
            self.expect("fi")?;
            return Ok(Node::If {
                branches,
                otherwise,
            });
        }
    }

    /// Parses `do … done`.
    fn body(&mut self) -> Result<List> {
        self.expect("do")?;
        let body = self.list(&["done"])?;
        self.expect("done")?;
        Ok(body)
    }

    /// Parses a `while` or `until` that is next; both have five letters.
    fn while_command(&mut self, negated: bool) -> Result<Node> {
        self.at += 5;
        let condition = self.list(&["do"])?;
        let body = self.body()?;
        Ok(Node::While {
            condition,
            body,
            negated,
        })
    }

    /// Parses a `for` that is next, with its `done`. Without `in` its words are `None`, which stands for the script's
    /// arguments. Fails for a name with other characters than letters, digits and `_`.
    fn for_command(&mut self) -> Result<Node> {
        self.at += 3;
        self.blanks();
        let name = self.bare_word();
        if name.is_empty() || !name.chars().all(is_name) {
            return Err(self.unexpected());
        }
        self.at += name.chars().count();
        self.lines();
        let mut words = None;
        if self.reserved("in") {
            let mut list = Vec::new();
            self.blanks();
            while let Some(word) = self.word()? {
                list.push(word);
                self.blanks();
            }
            words = Some(list);
        }
        self.blanks();
        self.eat(";");
        let body = self.body()?;
        Ok(Node::For { name, words, body })
    }

    /// Parses a `case` that is next, with its `esac`. The last arm needs no `;;`.
    fn case_command(&mut self) -> Result<Node> {
        self.at += 4;
        self.blanks();
        let word = self.word()?.ok_or_else(|| self.unexpected())?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.lines();
            if self.reserved("esac") {
                return Ok(Node::Case { word, arms });
            }
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.blanks();
                patterns.push(self.word()?.ok_or_else(|| self.unexpected())?);
                self.blanks();
                if !self.eat("|") {
                    break;
                }
            }
            if !self.eat(")") {
                return Err(self.unexpected());
            }
            let body = self.list(&["esac"])?;
            arms.push((patterns, body));
            self.lines();
            self.eat(";;");
        }
    }

    /// Parses assignments, words and redirections in any order, the assignments only before the first word. A `(`
    /// behind a single word makes it a function. Fails if there is nothing.
    fn simple(&mut self) -> Result<Node> {
        let mut simple = SimpleCommand::default();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect()? {
                simple.redirects.push(redirect);
                continue;
            }
            if simple.words.is_empty()
                && let Some(name) = self.assignment_name()
            {
                let value = self.word()?.unwrap_or_default();
                simple.assignments.push((name, value));
                continue;
            }
            if simple.words.len() == 1 && self.looking_at("(") {
                return self.function(&simple);
            }
            match self.word()? {
                Some(word) => simple.words.push(word),
                None => break,
            }
        }
        if simple == SimpleCommand::default() {
            return Err(self.unexpected());
        }
        Ok(Node::Simple(simple))
    }

    /// Parses a function from its `(` on. The name must be one unquoted word; its redirections and assignments are
    /// dropped.
    fn function(&mut self, simple: &SimpleCommand) -> Result<Node> {
        let [word] = simple.words.as_slice() else {
            return Err(self.unexpected());
        };
        let [
            WordPart::Text {
                text,
                quoted: false,
            },
        ] = word.as_slice()
        else {
            return Err(self.unexpected());
        };
        let name = text.clone();
        self.at += 1;
        self.blanks();
        if !self.eat(")") {
            return Err(self.unexpected());
        }
        self.lines();
        let body = Box::new(self.command()?);
        Ok(Node::Function { name, body })
    }

    /// Parses and consumes `NAME=`. Returns `None`, and consumes nothing, if no assignment begins here. A
    /// name does not begin with a digit.
    fn assignment_name(&mut self) -> Option<String> {
        let name: String = self.text[self.at..]
            .iter()
            .take_while(|c| is_name(**c))
            .collect();
        let starts = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        if starts && self.text.get(self.at + name.len()) == Some(&'=') {
            self.at += name.len() + 1;
            return Some(name);
        }
        None
    }

    /// Parses a redirection. Returns `None`, and consumes nothing, if there is none. A here-document is read with it;
    /// `<<<` is refused. A descriptor has one digit; without it, 0 for input and 1 for output.
    fn redirect(&mut self) -> Result<Option<Redirect>> {
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
