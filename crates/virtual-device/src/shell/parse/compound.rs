//! Parser of compound commands: subshells, groups, conditions, loops and cases.

use super::super::ast::{List, Node};
use super::{Parser, RESERVED, Result, is_name};

impl Parser {
    /// Parses a compound command with its redirections, else a simple command or a function. Any other reserved word
    /// but `in` is an error.
    pub(super) fn command(&mut self) -> Result<Node> {
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
}
