//! Selection of flows by their tags: `smoke and not slow`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// Maximum nesting of brackets and `not`. Chosen: the parser recurses.
const MAX_DEPTH: usize = 64;

/// Condition on the tags of a flow. `not` binds closest, then `and`, then `or`. A tag with spaces or the name
/// of an operator is in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TagExpression {
    Tag(String),
    Not(Box<TagExpression>),
    And(Vec<TagExpression>),
    Or(Vec<TagExpression>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagExpressionError {
    #[error("{0:?} ends where a tag is expected")]
    Unfinished(String),
    #[error(
        "`{word}` is not expected in {text:?}; join tags by `and`, `or` and `not`, and put a tag with spaces into quotes"
    )]
    Unexpected {
        word: String,
        /// Whole text.
        text: String,
    },
    #[error("a `(` in {0:?} has no `)`")]
    Bracket(String),
    #[error("a quote in {0:?} has no end")]
    Quote(String),
    #[error("{0:?} is nested deeper than {MAX_DEPTH} levels")]
    Depth(String),
}

impl TagExpression {
    /// Evaluates the expression for a flow with these tags, which may be none. Names of tags are compared as they
    /// are, case included.
    pub fn holds(&self, tags: &[String]) -> bool {
        match self {
            Self::Tag(tag) => tags.contains(tag),
            Self::Not(inner) => !inner.holds(tags),
            Self::And(all) => all.iter().all(|one| one.holds(tags)),
            Self::Or(all) => all.iter().any(|one| one.holds(tags)),
        }
    }

    /// Returns all tags in the expression, sorted, those behind `not` included.
    pub fn tags(&self) -> BTreeSet<&str> {
        match self {
            Self::Tag(tag) => BTreeSet::from([tag.as_str()]),
            Self::Not(inner) => inner.tags(),
            Self::And(all) | Self::Or(all) => all.iter().flat_map(Self::tags).collect(),
        }
    }
}

impl FromStr for TagExpression {
    type Err = TagExpressionError;

    /// Parses a whole expression. An empty text and words behind its end are errors: two tags need `and` or `or`
    /// between them. Any other word is a tag; whether a flow has it is not checked.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = words(text)?;
        let mut parser = Parser {
            text,
            words: &words,
            depth: 0,
        };
        let expression = parser.or()?;
        match parser.words.first() {
            None => Ok(expression),
            Some(word) => Err(parser.unexpected(word)),
        }
    }
}

impl fmt::Display for TagExpression {
    /// Formats the expression so that it parses to the same again. Each part of `and`, `or` and `not` is in
    /// brackets, needed or not; a tag that is no plain word is in quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) if is_plain(tag) => f.write_str(tag),
            Self::Tag(tag) if tag.contains('"') => write!(f, "'{tag}'"),
            Self::Tag(tag) => write!(f, "\"{tag}\""),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::And(all) => f.write_str(&joined(all, " and ")),
            Self::Or(all) => f.write_str(&joined(all, " or ")),
        }
    }
}

fn joined(all: &[TagExpression], word: &str) -> String {
    let all: Vec<String> = all.iter().map(|one| format!("({one})")).collect();
    all.join(word)
}

fn is_plain(tag: &str) -> bool {
    words(tag).is_ok_and(|words| words == [Word::Tag(tag.to_owned())])
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Tag(String),
    Not,
    And,
    Or,
    Open,
    Close,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tag(tag) => tag,
            Self::Not => "not",
            Self::And => "and",
            Self::Or => "or",
            Self::Open => "(",
            Self::Close => ")",
        })
    }
}

/// Splits a text into words and brackets; none for an empty text. `and`, `or` and `not` count in any case, but in
/// quotes they are tags. A quote in the middle of a word is a part of it. A quote without an end is the only error.
fn words(text: &str) -> Result<Vec<Word>, TagExpressionError> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '(' | ')' => {
                words.push(if first == '(' {
                    Word::Open
                } else {
                    Word::Close
                });
                1
            }
            '"' | '\'' => {
                let end = rest[1..]
                    .find(first)
                    .ok_or_else(|| TagExpressionError::Quote(text.to_owned()))?;
                words.push(Word::Tag(rest[1..=end].to_owned()));
                end + 2
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
                let length = rest.find(ends).unwrap_or(rest.len());
                words.push(match rest[..length].to_ascii_lowercase().as_str() {
                    "and" => Word::And,
                    "or" => Word::Or,
                    "not" => Word::Not,
                    _ => Word::Tag(rest[..length].to_owned()),
                });
                length
            }
        };
        rest = rest[length..].trim_start();
    }
    Ok(words)
}

/// Takes the only item out of a list; returns `None`, and takes nothing, if there are others.
fn take_only(all: &mut Vec<TagExpression>) -> Option<TagExpression> {
    if all.len() == 1 { all.pop() } else { None }
}

struct Parser<'a> {
    text: &'a str,
    words: &'a [Word],
    depth: usize,
}

impl Parser<'_> {
    /// Takes the next word and returns true if it is this one; else takes nothing, also at the end.
    fn next_is(&mut self, word: &Word) -> bool {
        let is = self.words.first() == Some(word);
        if is {
            self.words = &self.words[1..];
        }
        is
    }

    /// Parses one or more conditions joined by `or`, which binds less than `and`. Stops before the first other word.
    /// One alone is returned as it is.
    fn or(&mut self) -> Result<TagExpression, TagExpressionError> {
        let mut all = vec![self.and()?];
        while self.next_is(&Word::Or) {
            all.push(self.and()?);
        }
        Ok(take_only(&mut all).unwrap_or(TagExpression::Or(all)))
    }

    /// Parses one or more conditions joined by `and`. Stops before the first other word. One alone is returned as it
    /// is.
    fn and(&mut self) -> Result<TagExpression, TagExpressionError> {
        let mut all = vec![self.not()?];
        while self.next_is(&Word::And) {
            all.push(self.not()?);
        }
        Ok(take_only(&mut all).unwrap_or(TagExpression::And(all)))
    }

    /// Parses `not`, a tag or brackets. Fails deeper than [`MAX_DEPTH`] levels.
    fn not(&mut self) -> Result<TagExpression, TagExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TagExpressionError::Depth(self.text.to_owned()));
        }
        let found = if self.next_is(&Word::Not) {
            TagExpression::Not(Box::new(self.not()?))
        } else {
            self.one()?
        };
        self.depth -= 1;
        Ok(found)
    }

    /// Parses a tag, or an expression in brackets, which must be closed. The end and other words are an error.
    fn one(&mut self) -> Result<TagExpression, TagExpressionError> {
        let Some((word, rest)) = self.words.split_first() else {
            return Err(TagExpressionError::Unfinished(self.text.to_owned()));
        };
        match word {
            Word::Tag(tag) => {
                self.words = rest;
                Ok(TagExpression::Tag(tag.clone()))
            }
            Word::Open => {
                self.words = rest;
                let inner = self.or()?;
                match self.words.first() {
                    Some(Word::Close) => {
                        self.words = &self.words[1..];
                        Ok(inner)
                    }
                    Some(other) => Err(self.unexpected(other)),
                    None => Err(TagExpressionError::Bracket(self.text.to_owned())),
                }
            }
            other => Err(self.unexpected(other)),
        }
    }

    /// Returns the error that `word` cannot stand in this text.
    fn unexpected(&self, word: &Word) -> TagExpressionError {
        TagExpressionError::Unexpected {
            word: word.to_string(),
            text: self.text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holds(expression: &str, tags: &[&str]) -> bool {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        expression.parse::<TagExpression>().unwrap().holds(&tags)
    }

    #[test]
    fn operators_bind_as_people_read_them() {
        for (expression, tags, expected) in [
            ("smoke", &["smoke"][..], true),
            ("smoke", &["smoke-test"], false),
            ("smoke and not slow", &["smoke"], true),
            ("smoke AND NOT slow", &["smoke", "slow"], false),
            ("a or b and c", &["a"], true),
            ("(a or b) and c", &["a"], false),
            ("not a or b", &["b", "a"], true),
            ("not (a or b)", &["b"], false),
            ("not not a", &["a"], true),
            ("\"my tag\" and 'not'", &["my tag", "not"], true),
            ("@fast and x:y", &["@fast", "x:y"], true),
        ] {
            assert_eq!(holds(expression, tags), expected, "{expression} {tags:?}");
        }
    }

    #[test]
    fn what_is_no_expression_says_why() {
        for (text, why) in [
            ("", "ends where"),
            ("smoke and", "ends where"),
            ("(smoke", "has no `)`"),
            ("smoke slow", "`slow` is not expected"),
            ("and", "`and` is not expected"),
            ("smoke)", "`)` is not expected"),
            ("'smoke", "no end"),
        ] {
            let error = text.parse::<TagExpression>().unwrap_err().to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
        assert!("(".repeat(100_000).parse::<TagExpression>().is_err());
        assert!("not ".repeat(100_000).parse::<TagExpression>().is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[ab()\"' \u{e4}notrd]{0,40}") {
            if let Ok(read) = text.parse::<TagExpression>() {
                prop_assert_eq!(read.to_string().parse::<TagExpression>(), Ok(read));
            }
        }
    }
}
