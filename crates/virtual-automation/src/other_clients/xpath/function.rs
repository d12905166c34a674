//! Functions of `XPath`, over values.

use super::error::XPathError;
use super::value::Value;
use crate::other_clients::selector::TextMatch;

/// Limit for the length of a computed text, in bytes. Chosen: far above any attribute's.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Boolean,
    Ceiling,
    Concat,
    Contains,
    Count,
    EndsWith,
    False,
    Floor,
    Last,
    LowerCase,
    Matches,
    Name,
    NormalizeSpace,
    Not,
    Number,
    Position,
    Round,
    StartsWith,
    String,
    StringLength,
    Substring,
    SubstringAfter,
    SubstringBefore,
    Sum,
    Translate,
    True,
    UpperCase,
}

/// Functions with their minimum and maximum number of arguments.
const FUNCTIONS: [(&str, Function, usize, usize); 28] = [
    ("boolean", Function::Boolean, 1, 1),
    ("ceiling", Function::Ceiling, 1, 1),
    ("concat", Function::Concat, 2, 100),
    ("contains", Function::Contains, 2, 2),
    ("count", Function::Count, 1, 1),
    ("ends-with", Function::EndsWith, 2, 2),
    ("false", Function::False, 0, 0),
    ("floor", Function::Floor, 1, 1),
    ("last", Function::Last, 0, 0),
    ("local-name", Function::Name, 0, 1),
    ("lower-case", Function::LowerCase, 1, 1),
    ("matches", Function::Matches, 2, 3),
    ("name", Function::Name, 0, 1),
    ("normalize-space", Function::NormalizeSpace, 0, 1),
    ("not", Function::Not, 1, 1),
    ("number", Function::Number, 0, 1),
    ("position", Function::Position, 0, 0),
    ("round", Function::Round, 1, 1),
    ("starts-with", Function::StartsWith, 2, 2),
    ("string", Function::String, 0, 1),
    ("string-length", Function::StringLength, 0, 1),
    ("substring", Function::Substring, 2, 3),
    ("substring-after", Function::SubstringAfter, 2, 2),
    ("substring-before", Function::SubstringBefore, 2, 2),
    ("sum", Function::Sum, 1, 1),
    ("translate", Function::Translate, 3, 3),
    ("true", Function::True, 0, 0),
    ("upper-case", Function::UpperCase, 1, 1),
];

impl Function {
    /// Finds a function by name, with or without the prefix `fn:`, and checks the number of arguments. Both
    /// faults are syntax errors.
    pub(super) fn find(name: &str, arguments: usize) -> Result<Self, XPathError> {
        let name = name.strip_prefix("fn:").unwrap_or(name);
        let known = FUNCTIONS.iter().find(|(known, ..)| *known == name);
        let Some((_, function, fewest, most)) = known else {
            return Err(XPathError::Syntax(format!("there is no function `{name}`")));
        };
        if (*fewest..=*most).contains(&arguments) {
            Ok(*function)
        } else {
            Err(XPathError::Syntax(format!(
                "`{name}` does not take {arguments} arguments"
            )))
        }
    }

    /// Applies a function of texts, numbers and booleans. Functions that need the context are handled by the
    /// evaluator. A missing argument counts as an empty text, or as `NaN`. Fails for a wrong pattern, or a
    /// text that grows longer than 1 MiB.
    pub(super) fn apply(self, arguments: &[Value]) -> Result<Value, XPathError> {
        let text = |index: usize| arguments.get(index).map(Value::text).unwrap_or_default();
        let number = |index: usize| arguments.get(index).map_or(f64::NAN, Value::number);
        Ok(match self {
            Self::Boolean => Value::Truth(arguments.first().is_some_and(Value::truth)),
            Self::Not => Value::Truth(!arguments.first().is_some_and(Value::truth)),
            Self::True => Value::Truth(true),
            Self::False => Value::Truth(false),
            Self::Contains => Value::Truth(text(0).contains(&text(1))),
            Self::StartsWith => Value::Truth(text(0).starts_with(&text(1))),
            Self::EndsWith => Value::Truth(text(0).ends_with(&text(1))),
            Self::Matches => Value::Truth(matches(&text(0), &text(1), &text(2))?),
            Self::Ceiling => Value::Number(number(0).ceil()),
            Self::Floor => Value::Number(number(0).floor()),
            Self::Round => Value::Number((number(0) + 0.5).floor()),
            Self::Number => Value::Number(number(0)),
            Self::StringLength => Value::Number(text(0).chars().count() as f64),
            Self::String | Self::Name => Value::Text(text(0)),
            Self::LowerCase => Value::Text(text(0).to_lowercase()),
            Self::UpperCase => Value::Text(text(0).to_uppercase()),
            Self::NormalizeSpace => {
                Value::Text(text(0).split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Self::Concat => {
                let text: String = arguments.iter().map(Value::text).collect();
                if text.len() > MAX_TEXT_BYTES {
                    return Err(XPathError::Evaluation("a text grows too long".to_owned()));
                }
                Value::Text(text)
            }
            Self::Substring => Value::Text(substring(
                &text(0),
                number(1),
                arguments.get(2).map(Value::number),
            )),
            Self::SubstringBefore => Value::Text(
                text(0)
                    .split_once(&text(1))
                    .map(|(before, _)| before.to_owned())
                    .unwrap_or_default(),
            ),
            Self::SubstringAfter => Value::Text(
                text(0)
                    .split_once(&text(1))
                    .map(|(_, after)| after.to_owned())
                    .unwrap_or_default(),
            ),
            Self::Translate => {
                let (from, to) = (text(1), text(2));
                let to: Vec<char> = to.chars().collect();
                let changed = text(0)
                    .chars()
                    .filter_map(|letter| match from.chars().position(|one| one == letter) {
                        None => Some(letter),
                        Some(index) => to.get(index).copied(),
                    })
                    .collect();
                Value::Text(changed)
            }
            Self::Count | Self::Sum | Self::Last | Self::Position => {
                return Err(XPathError::Evaluation(
                    "a function got what is not a set of nodes".to_owned(),
                ));
            }
        })
    }
}

/// Returns true if a part of the text fits the pattern. Unknown flags are ignored; a bad pattern is an error.
fn matches(text: &str, pattern: &str, flags: &str) -> Result<bool, XPathError> {
    let flags: String = flags
        .chars()
        .filter(|flag| "ismx".contains(*flag))
        .collect();
    let flags = if flags.is_empty() {
        String::new()
    } else {
        format!("(?{flags})")
    };
    // Unlike Android's selectors, a part that fits is enough.
    let pattern = format!("{flags}[\\s\\S]*?(?:{pattern})[\\s\\S]*");
    match TextMatch::regex(&pattern) {
        Ok(TextMatch::Matches(pattern)) => Ok(pattern.matches(text)),
        Ok(_) => Ok(false),
        Err(error) => Err(XPathError::Evaluation(error.to_string())),
    }
}

/// Returns a substring of characters. Positions count from 1 and are rounded, as `XPath` demands; they may
/// lie outside of the text. Without a length it goes to the end.
fn substring(text: &str, start: f64, length: Option<f64>) -> String {
    let round = |number: f64| (number + 0.5).floor();
    let first = round(start);
    let end = length.map_or(f64::INFINITY, |length| first + round(length));
    text.chars()
        .enumerate()
        .filter(|(index, _)| {
            let position = *index as f64 + 1.0;
            position >= first && position < end
        })
        .map(|(_, letter)| letter)
        .collect()
}
