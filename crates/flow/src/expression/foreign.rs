//! Words of other languages in expressions, with what to write here: methods, filters, tests and operators.

use std::ops::Range;

use minijinja::machinery::{Span, Token};

use super::keywords::KEYWORDS;
use super::{EvalError, VOLATILE, filters};
use crate::foreign::lists;

/// Table of methods, functions and filters.
const WORDS: &str = include_str!("foreign.tsv");

/// Operators that are words in other languages, with their equivalents.
const OPERATORS: [(&str, &str); 9] = [
    ("contains includes include has contain", "'x' in …"),
    ("startswith beginswith", "… is startingwith 'x'"),
    ("endswith", "… is endingwith 'x'"),
    ("eq equals equal equalto", "… == …"),
    ("ne neq notequals", "… != …"),
    ("gt greater greaterthan more morethan", "… > …"),
    ("lt less lessthan fewer", "… < …"),
    ("gte ge", "… >= …"),
    ("lte le", "… <= …"),
];

/// Tests of other languages, with their equivalents.
const TESTS: [(&str, &str); 8] = [
    ("empty blank", "… == ''"),
    ("null nil nothing void", "… is none"),
    ("containing contains including", "'x' in …"),
    ("numeric digit numerical", "… | int(-1) >= 0"),
    ("truthy yes on", "… is true"),
    ("falsy no off", "… is false"),
    ("list array", "… is sequence"),
    ("text str", "… is string"),
];

/// Returns the letters and digits of a word in lower case.
fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns our own code or sentence for a word of another language; `None` for unknown words. Case and separators do
/// not count.
fn row(name: &str) -> Option<&'static str> {
    let word = plain(name);
    let mut rows = WORDS.lines().filter(|line| !line.starts_with('#'));
    rows.find_map(|line| {
        let (ours, words) = line.split_once('\t')?;
        lists(words, &word).then_some(ours)
    })
}

fn is_sentence(ours: &str) -> bool {
    ours.contains('`') || ours.starts_with("leave ") || ours.starts_with("there is none")
}

/// Returns the equivalent of a method or function of another language, with `…` in place of its subject. A
/// filter's own name is written as a filter. Returns `None` for unknown names, and where no code is equivalent.
pub(crate) fn method(name: &str) -> Option<String> {
    match row(name) {
        Some(ours) => Some(ours.to_owned()).filter(|ours| !is_sentence(ours)),
        None => filters::is_filter(name).then(|| format!("… | {name}")),
    }
}

/// Returns what a message says after `there is no …;` about a filter or a function of another language; `None`
/// for unknown names.
pub(super) fn instead(name: &str) -> Option<String> {
    match row(name).filter(|ours| is_sentence(ours)) {
        Some(sentence) => Some(sentence.to_owned()),
        None => method(name).map(|ours| format!("write `{ours}`")),
    }
}

/// Returns what a message says about a method: a field that is called (`text`, `json`, `status`, `desc`, `id`,
/// `bounds`), such as `total.text()` and `total.getText()`, or the equivalent of a method. Returns `None` for unknown
/// names.
pub(super) fn called_method(name: &str) -> Option<String> {
    const FIELDS: [&str; 6] = ["text", "json", "status", "desc", "id", "bounds"];
    let word = plain(name);
    let bare = word.strip_prefix("get").unwrap_or(&word);
    let mut fields = FIELDS.iter();
    match fields.find(|field| **field == bare) {
        Some(field) => Some(format!("write `….{field}`, without brackets")),
        None => instead(name),
    }
}

/// Returns what a message says about a test of another language, such as `… == ''` for `empty`; `None` for unknown
/// names.
pub(super) fn test(name: &str) -> Option<String> {
    let word = plain(name);
    let mut tests = TESTS.iter();
    match tests.find(|(words, _)| lists(words, &word)) {
        Some((_, ours)) => Some(format!("write `{ours}`")),
        None => row(name)
            .filter(|ours| is_sentence(ours))
            .map(str::to_owned),
    }
}

/// Returns what to write for a name that has no value because it is a function of ours without its brackets, or a
/// word of another language, such as `true` for `yes`; `None` for other names.
pub(crate) fn undefined(name: &str) -> Option<String> {
    let word = plain(name);
    if let Some(function) = VOLATILE.iter().find(|function| **function == name) {
        let given = if name == "random_int" { "1, 6" } else { "" };
        return Some(format!(
            "a function has brackets: write `{function}({given})`, in `env` or in a `set` before"
        ));
    }
    // `today` and `timestamp` are values that a function makes.
    let made = row(name).filter(|ours| {
        let mut functions = VOLATILE.iter();
        functions.any(|function| {
            let rest = ours.strip_prefix(function);
            rest.is_some_and(|rest| rest.starts_with('('))
        })
    });
    if let Some(made) = made {
        return Some(format!(
            "write `set: {{ {name}: \"${{{made}}}\" }}` as a step before"
        ));
    }
    let ours = match word.as_str() {
        "yes" | "on" => "write `true`",
        "no" | "off" => "write `false`",
        "row" | "each" | "item" | "data" | "example" | "examples" => {
            "a column of `each` stands alone: `${COLUMN}`"
        }
        "case" | "testcase" => "write `flow.case`",
        "dark" | "darkmode" | "fontscale" => {
            "no name has this setting: `flow.case` is the name of the combination, such as `de-dark-fs200`"
        }
        "test" | "testname" | "scenario" => "write `flow.name`",
        "screen" | "display" | "viewport" | "resolution" | "screensize" => {
            "write `device.width` and `device.height` for the size of the screen"
        }
        "loop" => {
            "no name counts the rounds: write `set: { round: 0 }` before `repeat`, and `set: { round: \"${round + 1}\" }` as its first step"
        }
        "env" | "environ" | "environment" | "process" => {
            "write `${NAME}` for a name in `env`, and `${os.NAME}` for a variable of the environment"
        }
        _ => return None,
    };
    Some(ours.to_owned())
}

/// Returns what to write for a name without a value behind `==` or `!=`, which was probably meant as a text: `A == x`.
/// `place` is its range in the expression. Returns `None` for names elsewhere.
pub(crate) fn unquoted(expression: &str, place: &Range<usize>) -> Option<String> {
    let before = expression.get(..place.start)?.trim_end();
    let after = expression.get(place.end..)?;
    let name = expression.get(place.clone())?;
    let is_compared = before.ends_with("==") || before.ends_with("!=");
    let is_alone = !after.starts_with(['.', '(', '[']);
    (is_compared && is_alone)
        .then(|| format!("a text stands in quotes: write `'{name}'`; a name needs a value in `env`, `set` or `as`"))
}

/// State of a walk over the tokens of an expression.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says what stands before the token, and several may hold at once"
)]
pub(super) struct Neighbours {
    /// The last token, if a value can end with it.
    value: Option<LastValue>,
    /// The sign that compares, behind `is` and `is not`.
    compares: Option<&'static str>,
    /// True behind the name of a filter.
    is_filter: bool,
    is_after_pipe: bool,
    is_after_dot: bool,
    /// True behind a filter and what it is given.
    has_filtered: bool,
    open: usize,
    /// The brackets around each filter that is being given something.
    filters: Vec<usize>,
}

/// Last token of a value.
enum LastValue {
    Word(String),
    Other,
}

impl Neighbours {
    /// Takes the next token of an expression, in order, and remembers it. Fails for what a parser would explain
    /// badly: a word that is an operator in another language, `NOT a`, `f'…'`, a `.` before a text, a part taken
    /// behind a filter (`a | first[0]`), and a filter with a colon (`a | default: b`). All else is left to the
    /// parser.
    pub(super) fn accept(&mut self, token: &Token<'_>, span: Span) -> Result<(), EvalError> {
        if let Some(message) = self.refusal(token) {
            return Err(EvalError::new(message).at(span));
        }
        self.compares = match token {
            Token::Ident("is") => Some("=="),
            Token::Ident("not") if self.compares.is_some() => Some("!="),
            _ => None,
        };
        let is_given = self.is_filter && matches!(token, Token::ParenOpen);
        self.is_filter = self.is_after_pipe && matches!(token, Token::Ident(_));
        self.is_after_pipe = matches!(token, Token::Pipe);
        self.is_after_dot = matches!(token, Token::Dot);
        self.value = match token {
            Token::Ident(word) if KEYWORDS.contains(word) => None,
            Token::Ident(word) => Some(LastValue::Word((*word).to_owned())),
            Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Int128(_)
            | Token::Float(_)
            | Token::BracketClose
            | Token::ParenClose
            | Token::BraceClose => Some(LastValue::Other),
            _ => None,
        };
        self.has_filtered = self.is_filter;
        match token {
            Token::BracketOpen | Token::ParenOpen | Token::BraceOpen => {
                if is_given {
                    self.filters.push(self.open);
                }
                self.open += 1;
            }
            Token::BracketClose | Token::ParenClose | Token::BraceClose => {
                self.open = self.open.saturating_sub(1);
                if self.filters.last() == Some(&self.open) {
                    self.filters.pop();
                    self.has_filtered = true;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns a message if the token cannot follow those before; `None` if the parser decides.
    fn refusal(&self, token: &Token<'_>) -> Option<String> {
        let before = match &self.value {
            Some(LastValue::Word(word)) => Some(word),
            _ => None,
        };
        if let Some(sign) = self.compares
            && matches!(
                token,
                Token::Str(_) | Token::String(_) | Token::Int(_) | Token::Float(_)
            )
        {
            return Some(format!(
                "`is` asks what a value is, as in `is none`; to compare two write `… {sign} …`"
            ));
        }
        match token {
            Token::Ident(word) if self.value.is_some() && !KEYWORDS.contains(word) => {
                let denied = before.filter(|before| plain(before) == "not");
                match (operator(word), denied) {
                    (Some(ours), _) => Some(format!("there is no operator `{word}`; {ours}")),
                    (None, Some(denied)) => Some(format!("there is no `{denied}`; write `not`")),
                    // `is equal to 'x'`, `is greater than 3`.
                    (None, None) => before
                        .filter(|_| ["to", "than"].contains(word))
                        .and_then(|before| {
                            let ours = operator(before)?;
                            Some(format!("there is no operator `{before} {word}`; {ours}"))
                        }),
                }
            }
            Token::Str(_) | Token::String(_) if self.is_after_dot => {
                Some("there is no `.` before a text; `~` joins texts and values".to_owned())
            }
            Token::Str(_) | Token::String(_) => {
                let letter = before.filter(|before| before.len() == 1)?;
                Some(format!(
                    "there is no `{letter}'…'`; `~` joins texts and values"
                ))
            }
            Token::BracketOpen | Token::Dot if self.has_filtered => Some(
                "a part of what a filter makes needs brackets around both; write `(… | split(','))[0]`, or `… | split(',') | first`"
                    .to_owned(),
            ),
            Token::Colon if self.is_filter && self.open == 0 => {
                Some("what a filter is given stands in brackets; write `| default('x')`".to_owned())
            }
            _ => None,
        }
    }
}

/// Returns what to write for a word that is an operator in another language, such as `'x' in …` for `contains`;
/// `None` for other words.
fn operator(word: &str) -> Option<String> {
    let letters = plain(word);
    let known = OPERATORS.iter().find(|(words, _)| lists(words, &letters));
    if let Some((_, ours)) = known {
        return Some(format!("write `{ours}`"));
    }
    Some(match letters.as_str() {
        "and" | "or" | "not" | "in" | "is" => format!("write `{letters}`"),
        "then" => "write `a if condition else b`".to_owned(),
        "between" => "write `1 <= … and … <= 3`".to_owned(),
        "xor" => "write `a != b`".to_owned(),
        "mod" => "write `… % …`".to_owned(),
        "matches" | "match" | "like" | "regex" | "matching" => row("match")?.to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_another_language_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for line in WORDS.lines().filter(|line| !line.starts_with('#')) {
            let (ours, words) = line.split_once('\t').expect(line);
            assert!(!ours.is_empty());
            for word in words.split(' ') {
                assert!(seen.insert(word), "{word} stands twice");
            }
        }
    }
}
