//! Parser of simple commands, with their assignments, and of functions.

use super::super::ast::{Node, SimpleCommand, WordPart};
use super::{Parser, Result, is_name};

impl Parser {
    /// Parses assignments, words and redirections in any order, the assignments only before the first word. A `(`
    /// behind a single word makes it a function. Fails if there is nothing.
    pub(super) fn simple(&mut self) -> Result<Node> {
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
}
