//! Strategy `-android uiautomator`: parses Java-like expressions into selectors.
//!
//! `UiSelector` has all its methods but `className(Class)`; `UiScrollable` has those that scroll.

use crate::other_clients::selector::{Criterion, Flag, Relation, TextKind, TextMatch, UiSelector};
use crate::uia2::error::{ErrorKind, WireError};

/// Limit for an expression, in bytes. Chosen: expressions are a line.
const MAX_CHARS: usize = 16 * 1024;
/// Limit for nested selectors. Chosen: bounds recursion.
const MAX_DEPTH: usize = 16;

/// A selector, possibly with scrolling before it.
#[derive(Debug)]
pub(super) enum Statement {
    Selector(UiSelector),
    Scrollable(Scrollable),
}

/// `new UiScrollable(SELECTOR)` with its calls.
#[derive(Debug)]
pub(super) struct Scrollable {
    pub(super) container: UiSelector,
    pub(super) orders: Vec<ScrollOrder>,
}

/// A call on a `UiScrollable`.
#[derive(Debug)]
pub(super) enum ScrollOrder {
    Vertical(bool),
    MaxSwipes(usize),
    IntoView(UiSelector),
    Forward,
    Backward,
    ToBeginning(usize),
    ToEnd(usize),
}

/// Parses statements that semicolons separate. An error for an empty text, one over `MAX_CHARS`, and any that does
/// not parse.
pub(super) fn parse(text: &str) -> Result<Vec<Statement>, WireError> {
    if text.is_empty() {
        return Err(error(
            text,
            "Tried to parse an empty string. Expected to see a string consisting of text to be interpreted as UiAutomator java code.",
        ));
    }
    if text.len() > MAX_CHARS {
        return Err(error("", "the expression is too long"));
    }
    let mut statements = Vec::new();
    let mut parser = Parser {
        text,
        rest: text.trim().trim_end_matches(';').trim_end(),
        depth: 0,
    };
    while !parser.rest.is_empty() {
        statements.push(parser.statement()?);
        parser.skip();
        if !parser.rest.is_empty() && !parser.takes(";") {
            return Err(parser.error("Expected \".\""));
        }
        parser.skip();
    }
    if statements.is_empty() {
        return Err(error(text, "there is no selector"));
    }
    Ok(statements)
}

/// Returns the error with the expression it is about.
fn error(expression: &str, message: &str) -> WireError {
    WireError::new(
        ErrorKind::INVALID_SELECTOR,
        format!("Could not parse selector expression `{expression}`: {message}"),
    )
}

struct Parser<'a> {
    text: &'a str,
    rest: &'a str,
    depth: usize,
}

/// Argument of a method.
enum Argument {
    Text(String),
    Number(i64),
    Truth(bool),
    Selector(UiSelector),
}

impl<'a> Parser<'a> {
    fn error(&self, message: &str) -> WireError {
        let at = self.text.len() - self.rest.len();
        error(self.text, &format!("{message} at position {at}"))
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes the sign after spaces and returns true, or stays behind the spaces and returns false.
    fn takes(&mut self, sign: &str) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Takes the sign; an error if it is not there.
    fn expect(&mut self, sign: &str) -> Result<(), WireError> {
        if self.takes(sign) {
            return Ok(());
        }
        Err(self.error(&format!("Expected \"{sign}\"")))
    }

    /// Takes a word of letters, digits and `_` after spaces; empty if there is none.
    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self
            .rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    /// Consumes `new NAME` or `NAME`, if it comes next and `(` follows, which stays. Otherwise consumes
    /// nothing and returns false.
    fn takes_class(&mut self, name: &str) -> bool {
        let before = self.rest;
        let _ = self.takes("new ");
        if self.takes(name) && self.rest.trim_start().starts_with('(') {
            return true;
        }
        self.rest = before;
        false
    }

    /// Parses a scrollable, or else a selector.
    fn statement(&mut self) -> Result<Statement, WireError> {
        if self.takes_class("UiScrollable") {
            return self.scrollable().map(Statement::Scrollable);
        }
        self.selector().map(Statement::Selector)
    }

    /// Parses a selector, with or without `new UiSelector()` at its begin. An error beyond `MAX_DEPTH`.
    fn selector(&mut self) -> Result<UiSelector, WireError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("too many selectors in selectors"));
        }
        let mut selector = UiSelector::default();
        let mut first = true;
        if self.takes_class("UiSelector") {
            self.expect("(")?;
            self.expect(")")?;
            first = false;
        }
        loop {
            self.skip();
            let goes_on = self.takes(".") || first;
            if !goes_on {
                break;
            }
            first = false;
            let (name, arguments) = self.method()?;
            self.apply(&mut selector, name, arguments)?;
        }
        self.depth -= 1;
        Ok(selector)
    }

    /// Parses a method's name and arguments.
    fn method(&mut self) -> Result<(&'a str, Vec<Argument>), WireError> {
        let name = self.word();
        if name.is_empty() {
            return Err(self.error("Missing method name"));
        }
        if !self.takes("(") {
            return Err(self.error("No opening parenthesis after method name"));
        }
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.argument()?);
                if self.takes(")") {
                    break;
                }
                if !self.takes(",") {
                    return Err(self.error("Unclosed paren in expression"));
                }
            }
        }
        Ok((name, arguments))
    }

    /// Parses an argument: text, whole number, `true` or `false`, or else a selector. In a text a backslash escapes a
    /// quote only; any other one stays.
    fn argument(&mut self) -> Result<Argument, WireError> {
        self.skip();
        let Some(rest) = self.rest.strip_prefix('"') else {
            if self
                .rest
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
            {
                let end = self.rest[1..]
                    .find(|c: char| !c.is_ascii_digit())
                    .map_or(self.rest.len(), |end| end + 1);
                let (number, rest) = self.rest.split_at(end);
                self.rest = rest;
                return number
                    .parse()
                    .map(Argument::Number)
                    .map_err(|_| self.error(&format!("{number} is not a integer")));
            }
            for (word, truth) in [("true", true), ("false", false)] {
                if self.takes(word) {
                    return Ok(Argument::Truth(truth));
                }
            }
            return self.selector().map(Argument::Selector);
        };
        // As the server has it: a quote after a backslash does not end the text, and only that is unescaped.
        let mut text = String::new();
        let mut letters = rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = &rest[at + 1..];
                    return Ok(Argument::Text(text));
                }
                '\\' if rest[at + 1..].starts_with('"') => {
                    letters.next();
                    text.push('"');
                }
                letter => text.push(letter),
            }
        }
        Err(self.error("a text has no end"))
    }

    /// Adds what the method asks for to the selector. An error for an unknown method, and for any but one argument
    /// of its type.
    fn apply(
        &self,
        selector: &mut UiSelector,
        name: &str,
        arguments: Vec<Argument>,
    ) -> Result<(), WireError> {
        use TextKind::{ClassName, Description, PackageName, ResourceId, Text};
        let mut arguments = arguments.into_iter();
        let (argument, None) = (arguments.next(), arguments.next()) else {
            return Err(self.error("Invalid arguments count"));
        };
        let Some(argument) = argument else {
            return Err(self.error("Invalid arguments count. Actual: 0. Expected: 1."));
        };
        let flag = match name {
            "checkable" => Some(Flag::Checkable),
            "checked" => Some(Flag::Checked),
            "clickable" => Some(Flag::Clickable),
            "longClickable" => Some(Flag::LongClickable),
            "scrollable" => Some(Flag::Scrollable),
            "enabled" => Some(Flag::Enabled),
            "focusable" => Some(Flag::Focusable),
            "focused" => Some(Flag::Focused),
            "selected" => Some(Flag::Selected),
            _ => None,
        };
        let criterion = match (name, argument) {
            (_, Argument::Truth(value)) if flag.is_some() => {
                flag.map(|flag| Criterion::Flag(flag, value))
            }
            ("text", Argument::Text(text)) => Some(Criterion::equals(Text, &text)),
            ("textContains", Argument::Text(text)) => {
                Some(Criterion::Text(Text, TextMatch::Contains(text)))
            }
            ("textStartsWith", Argument::Text(text)) => {
                Some(Criterion::Text(Text, TextMatch::StartsWith(text)))
            }
            ("textMatches", Argument::Text(text)) => Some(self.regex(Text, &text)?),
            ("description", Argument::Text(text)) => Some(Criterion::equals(Description, &text)),
            ("descriptionContains", Argument::Text(text)) => {
                Some(Criterion::Text(Description, TextMatch::Contains(text)))
            }
            ("descriptionStartsWith", Argument::Text(text)) => {
                Some(Criterion::Text(Description, TextMatch::StartsWith(text)))
            }
            ("descriptionMatches", Argument::Text(text)) => Some(self.regex(Description, &text)?),
            ("className", Argument::Text(text)) => Some(Criterion::equals(ClassName, &text)),
            ("classNameMatches", Argument::Text(text)) => Some(self.regex(ClassName, &text)?),
            ("packageName", Argument::Text(text)) => Some(Criterion::equals(PackageName, &text)),
            ("packageNameMatches", Argument::Text(text)) => Some(self.regex(PackageName, &text)?),
            ("resourceId", Argument::Text(text)) => Some(Criterion::equals(ResourceId, &text)),
            ("resourceIdMatches", Argument::Text(text)) => Some(self.regex(ResourceId, &text)?),
            ("index", Argument::Number(number)) => Some(Criterion::Index(
                usize::try_from(number).unwrap_or(usize::MAX),
            )),
            ("instance", Argument::Number(number)) => {
                selector.instance = Some(usize::try_from(number).unwrap_or(usize::MAX));
                None
            }
            ("childSelector", Argument::Selector(part)) => {
                selector.append(Relation::Child, part);
                None
            }
            ("fromParent", Argument::Selector(part)) => {
                selector.append(Relation::FromParent, part);
                None
            }
            _ => {
                return Err(self.error(&format!(
                    "`UiSelector` doesn't have suitable method `{name}` with these arguments"
                )));
            }
        };
        selector.criteria.extend(criterion);
        Ok(())
    }

    fn regex(&self, kind: TextKind, pattern: &str) -> Result<Criterion, WireError> {
        TextMatch::regex(pattern)
            .map(|matching| Criterion::Text(kind, matching))
            .map_err(|error| self.error(&error.to_string()))
    }

    /// Parses what follows `UiScrollable`: its container and its methods in order.
    fn scrollable(&mut self) -> Result<Scrollable, WireError> {
        self.expect("(")?;
        let container = self.selector()?;
        self.expect(")")?;
        let mut orders = Vec::new();
        while self.takes(".") {
            let (name, arguments) = self.method()?;
            orders.push(self.order(name, arguments)?);
        }
        Ok(Scrollable { container, orders })
    }

    /// Converts a method of a scrollable; an error if it is unknown or has other arguments. `scrollForward` and
    /// `scrollBackward` ignore their arguments. Flings are as scrolls, and a negative count is 0.
    fn order(&self, name: &str, arguments: Vec<Argument>) -> Result<ScrollOrder, WireError> {
        let mut arguments = arguments.into_iter();
        let argument = arguments.next();
        let count = match &argument {
            Some(Argument::Number(number)) => Some(usize::try_from(*number).unwrap_or(0)),
            _ => None,
        };
        Ok(match (name, argument) {
            ("setAsVerticalList", None) => ScrollOrder::Vertical(true),
            ("setAsHorizontalList", None) => ScrollOrder::Vertical(false),
            ("setMaxSearchSwipes", Some(_)) if count.is_some() => {
                ScrollOrder::MaxSwipes(count.unwrap_or(0))
            }
            ("scrollIntoView", Some(Argument::Selector(selector))) => {
                ScrollOrder::IntoView(selector)
            }
            ("scrollTextIntoView", Some(Argument::Text(text))) => ScrollOrder::IntoView(
                UiSelector::from_criterion(Criterion::equals(TextKind::Text, &text)),
            ),
            ("scrollDescriptionIntoView", Some(Argument::Text(text))) => ScrollOrder::IntoView(
                UiSelector::from_criterion(Criterion::equals(TextKind::Description, &text)),
            ),
            ("scrollForward" | "flingForward", _) => ScrollOrder::Forward,
            ("scrollBackward" | "flingBackward", _) => ScrollOrder::Backward,
            ("scrollToBeginning" | "flingToBeginning", Some(_)) if count.is_some() => {
                ScrollOrder::ToBeginning(count.unwrap_or(0))
            }
            ("scrollToEnd" | "flingToEnd", Some(_)) if count.is_some() => {
                ScrollOrder::ToEnd(count.unwrap_or(0))
            }
            _ => {
                return Err(self.error(&format!("UiScrollable has no `{name}` method like this")));
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_read() {
        for text in [
            "new UiSelector().text(\"a\").instance(0)",
            "UiSelector().text(\"a \\\" b\");",
            ".text(\"a\")",
            "text(\"a\")",
            " new UiSelector() .className(\"c\") . clickable( true )",
            "new UiSelector().className(\"c\").childSelector(new UiSelector().text(\"x\").fromParent(text(\"y\")))",
            "text(\"a;b\"); text(\"b\")",
            "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().text(\"a\"))",
            "new UiScrollable(new UiSelector().scrollable(true).instance(0)).setMaxSearchSwipes(5).scrollTextIntoView(\"a\");",
        ] {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
        for wrong in [
            "",
            ";",
            "new UiSelector()text(\"a\")",
            "new UiSelector().text(a)",
            "new UiSelector().text(\"a\"",
            "new UiSelector().nothing(\"a\")",
            "new UiSelector().clickable(\"a\")",
            "new UiSelector().text(\"a\", \"b\")",
            "new UiSelector().textMatches(\"(\")",
            "text(\"a",
            "new UiScrollable().scrollForward()",
            "öü(",
        ] {
            let error = parse(wrong).map(|_| ()).unwrap_err();
            assert_eq!(error.kind, ErrorKind::INVALID_SELECTOR, "{wrong}");
        }
        let deep = "childSelector(".repeat(1000);
        assert!(parse(&deep).is_err());
    }
}
