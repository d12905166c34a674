//! Expected numbers of elements, such as `3` or `">=2"`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Failure, Fix, Outcome, Words};
use runner_engine::{ElementCount, Session};
use runner_screen::{Node, Selector};

/// Limit for an expected number. Chosen: no screen has more elements.
const MAX_COUNT: usize = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    /// Comparisons by their signs. Longer signs come first, so that `>=` is not read as `>`.
    const ALL: [(&'static str, Self); 7] = [
        ("==", Self::Equal),
        ("!=", Self::Unequal),
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Less),
        (">", Self::More),
        ("=", Self::Equal),
    ];
}

/// Condition for the number of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Value")]
pub struct CountCondition {
    comparison: Comparison,
    number: usize,
}

/// Error of a value that is not a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// Neither a number nor a comparison.
    #[error(
        "`count` is a whole number from 0 to {MAX_COUNT}, or one behind `<`, `<=`, `>`, `>=` or `!=` such as \">=2\", but is {0}"
    )]
    Malformed(Value),
    /// The condition holds, or fails, for every number.
    #[error("`count: \"{0}\"` {1} holds, whatever is on the screen; compare with another number")]
    Constant(CountCondition, &'static str),
}

impl CountCondition {
    /// Returns the JSON Schema of the condition: a whole number, or a text with a comparison such as `>=2`.
    pub fn schema() -> Value {
        json!({
            "description": "How many elements there are: a number, or a comparison such as \">=2\".",
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": MAX_COUNT },
                { "type": "string", "description": "A number, or a comparison such as `>=2`.", "pattern": r"^\s*(==?|!=|<=?|>=?)?\s*\d{1,6}\s*$" },
            ],
        })
    }

    /// Returns true if the condition holds for every number above one for which it holds.
    fn is_at_least(self) -> bool {
        matches!(self.comparison, Comparison::More | Comparison::AtLeast)
    }

    /// Returns true if the condition may hold for a larger number than this one, for which it does not.
    fn wants_more_than(self, count: usize) -> bool {
        let has_more = matches!(
            self.comparison,
            Comparison::Equal | Comparison::More | Comparison::AtLeast
        );
        has_more && !self.holds(count) && count <= self.number
    }

    /// Returns true if the condition holds for the number.
    pub fn holds(self, count: usize) -> bool {
        match self.comparison {
            Comparison::Equal => count == self.number,
            Comparison::Unequal => count != self.number,
            Comparison::Less => count < self.number,
            Comparison::AtMost => count <= self.number,
            Comparison::More => count > self.number,
            Comparison::AtLeast => count >= self.number,
        }
    }
}

impl JsonSchema for CountCondition {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Self::schema().try_into().unwrap_or_default()
    }
}

impl FromStr for CountCondition {
    type Err = CountError;

    /// Parses a comparison such as `>=2`, or a number alone, which stands for `==`. Spaces around the sign and the
    /// number are ignored. Numbers above [`MAX_COUNT`], and conditions that always or never hold, are errors.
    fn from_str(text: &str) -> Result<Self, CountError> {
        let text = text.trim();
        let signed = Comparison::ALL.into_iter().find_map(|(sign, comparison)| {
            let rest = text.strip_prefix(sign)?;
            Some((comparison, rest.trim_start()))
        });
        let (comparison, digits) = signed.unwrap_or((Comparison::Equal, text));
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits
            .parse()
            .ok()
            .filter(|number| *number <= MAX_COUNT && is_number);
        let number = number.ok_or_else(|| CountError::Malformed(text.into()))?;
        let count = Self { comparison, number };
        match (comparison, number) {
            (Comparison::AtLeast, 0) => Err(CountError::Constant(count, "always")),
            (Comparison::Less, 0) => Err(CountError::Constant(count, "never")),
            _ => Ok(count),
        }
    }
}

impl TryFrom<Value> for CountCondition {
    type Error = CountError;

    /// Parses a text as [`str::parse`] does, and a JSON number that is whole. All other values are errors.
    fn try_from(value: Value) -> Result<Self, CountError> {
        match &value {
            Value::String(text) => text.parse(),
            Value::Number(number) => number.to_string().parse(),
            _ => Err(CountError::Malformed(value)),
        }
    }
}

impl fmt::Display for CountCondition {
    /// Writes the condition as it is parsed; equality is the number alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut signs = Comparison::ALL.into_iter();
        match signs.find(|(_, comparison)| *comparison == self.comparison) {
            Some((sign, comparison)) if comparison != Comparison::Equal => {
                write!(f, "{sign}{}", self.number)
            }
            _ => write!(f, "{}", self.number),
        }
    }
}

/// Waits until the number of elements satisfies the condition, and returns that number as `count`. No match counts as
/// 0, but only while the elements that the selector refers to are there. If time is up, the failed assertion shows the
/// last number, and offers it as a fix of `count`.
pub async fn expect_count(
    session: &Session,
    selector: &Selector,
    expected: CountCondition,
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let ElementCount {
        count,
        is_as_expected,
        unseen,
    } = session
        .wait_count(selector, timeout, expected.is_at_least(), |count| {
            expected.holds(count)
        })
        .await?;
    if is_as_expected {
        let value = json!({ "count": count });
        return Ok(Outcome::value(
            Words::format("{} as expected", &[&count]),
            value,
        ));
    }
    let noun = if count == 1 {
        "element matches"
    } else {
        "elements match"
    };
    let cut = expected.wants_more_than(count) && is_in_scroller(session, selector);
    let cut = cut.then_some(
        "only elements on the screen count, and what holds these scrolls: scroll to the last one and assert that instead",
    );
    let fixes = vec![Fix::Value {
        key: "count",
        write: count.into(),
    }];
    Err(Failure {
        fixes,
        ..Failure::assertion(Words::format("{} {} {}", &[&count, &noun, &selector]))
    }
    .comparing(expected.to_string(), count.to_string())
    .with_details(unseen)
    .with_details(cut))
}

/// Returns true if an element that matches on the last look is inside of a container that scrolls.
fn is_in_scroller(session: &Session, selector: &Selector) -> bool {
    session.last_screen().is_some_and(|screen| {
        let found = selector.find(&screen);
        let mut nodes = found.iter().map(|index| screen.node(*index));
        nodes.any(|node| node.ancestors().any(Node::scrolls))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_count_that_is_too_small_wants_more() {
        for (text, count, wants) in [
            ("3", 2, true),
            ("3", 4, false),
            ("3", 3, false),
            (">=3", 2, true),
            (">3", 3, true),
            ("<3", 3, false),
            ("!=3", 3, false),
        ] {
            let condition: CountCondition = text.parse().unwrap();
            assert_eq!(condition.wants_more_than(count), wants, "{text} {count}");
        }
    }

    #[test]
    fn a_count_is_a_number_or_a_comparison() {
        for (text, fits, fails) in [
            ("3", &[3][..], &[2, 4][..]),
            ("== 3", &[3], &[2]),
            ("=3", &[3], &[0]),
            ("!=3", &[0, 4], &[3]),
            ("< 3", &[0, 2], &[3]),
            ("<=3", &[3], &[4]),
            (">3", &[4], &[3]),
            (" >= 2 ", &[2, 100], &[1]),
            ("0", &[0], &[1]),
        ] {
            let count: CountCondition = text.parse().unwrap();
            assert!(fits.iter().all(|number| count.holds(*number)), "{text}");
            assert!(!fails.iter().any(|number| count.holds(*number)), "{text}");
            assert_eq!(count.to_string().parse::<CountCondition>().unwrap(), count);
        }
        for text in [
            "",
            "three",
            "-1",
            "=>2",
            "3.5",
            ">=",
            ">=0",
            "<0",
            "100001",
            "+3",
            "99999999999999999999",
        ] {
            assert!(text.parse::<CountCondition>().is_err(), "{text}");
        }
    }
}
