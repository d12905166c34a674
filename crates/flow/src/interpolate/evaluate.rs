//! Evaluates one expression in a scope, and masks what it makes of secrets.

use std::ops::Range;

use serde_json::Value;

use super::{InterpolationError, Scope};
use crate::expression::{self, Budget, ExpressionError, Lookup};
use crate::secret_names::SecretReads;
use runner_text::secret::MASK;

/// Reason why a dotted path has no value.
#[derive(Debug, thiserror::Error)]
enum PathError {
    #[error("the environment variable `{0}` is not set; `os.{0}` needs it")]
    NoVariable(String),
    #[error(
        "`{0}` is not defined: no env value has this name and no step before kept a result under it"
    )]
    Undefined(String),
    #[error("`{of}` is empty, so it has no `{part}`")]
    Empty { of: String, part: String },
    #[error("`{of}` has no `{part}`; it has {}", listed(.has))]
    NoPart {
        of: String,
        part: String,
        has: Vec<String>,
    },
}

/// Joins the names of a map's keys for a message.
fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(", ")
}

impl Scope {
    /// Evaluates an expression like [`Self::evaluate`]; its errors are shown at `span`. The use of a property that
    /// the device did not report is an error with `unanswered`, and nothing is evaluated then.
    pub(super) fn evaluate_at(
        &self,
        expression: &str,
        meter: &Budget,
        span: &Range<usize>,
    ) -> Result<minijinja::Value, InterpolationError> {
        if let Some(why) = self.unanswered(expression) {
            return Err(InterpolationError {
                span: span.clone(),
                message: format!("`{}`: {why}", expression.trim()),
                stopped: false,
                unanswered: true,
            });
        }
        self.evaluate(expression, meter).map_err(wrong_at(span))
    }

    /// Evaluates an expression, and masks its result in the scrubber if a secret may be part of it. An error hides what
    /// may be values if the expression names a secret anywhere, also in a condition. An undefined result, a path without
    /// a value that is read in any case, and an exhausted `meter` are errors. Does not look for properties that the
    /// device did not report.
    pub(super) fn evaluate(
        &self,
        expression: &str,
        meter: &Budget,
    ) -> Result<minijinja::Value, ExpressionError> {
        let wrong = |message| ExpressionError {
            range: 0..expression.len(),
            message,
            stopped: false,
        };
        let tree = expression::parse(expression)?;
        for name in expression::certain(&tree) {
            self.check_path(&name)
                .map_err(|error| wrong(error.to_string()))?;
        }
        let secrets = self.secrets_read(&expression::sources(&tree));
        let value = expression::evaluate(&tree, self, meter).map_err(|wrong| {
            let mut wrong = wrong.within(expression);
            if self.secrets_read(&expression::reads(&tree)).is_some() {
                wrong.message = without_values(&wrong.message);
            }
            wrong
        })?;
        if value.is_undefined() {
            return Err(wrong(format!("`{}` has no value", expression.trim())));
        }
        if secrets.is_some()
            && let Ok(value) = serde_json::to_value(&value)
        {
            self.secrets.hide_computed(&value, &secrets);
        }
        Ok(value)
    }

    /// Returns the reason why the device did not report a property that an expression uses; of several the first by
    /// name. Returns `None` if it uses none of them, and for an expression that cannot be parsed. `device` as a whole
    /// counts as a use of all. A use counts even where it would not be evaluated.
    fn unanswered(&self, expression: &str) -> Option<&String> {
        if self.unanswered.is_empty() {
            return None;
        }
        let tree = expression::parse(expression).ok()?;
        expression::names(&tree).iter().find_map(|name| {
            let mut parts = name.split('.');
            if parts.next() != Some("device") {
                return None;
            }
            match parts.next() {
                Some(part) => self.unanswered.get(part),
                // The whole map is used, as in `device['sdk']`.
                None => self.unanswered.values().next(),
            }
        })
    }

    /// Returns the secrets in the values at these paths: whether one is that of a secret name that has a value, and the
    /// known secrets in values of other names. Empty if no name is secret.
    fn secrets_read(&self, paths: &[Vec<String>]) -> SecretReads {
        let mut read = SecretReads::default();
        if self.secrets.iter().next().is_none() {
            return read;
        }
        for path in paths {
            let parts: Vec<&str> = path.iter().map(String::as_str).collect();
            let value = self.value(&parts);
            let value = value.filter(|value| !value.is_undefined() && !value.is_none());
            let Some(value) = value.and_then(|value| serde_json::to_value(value).ok()) else {
                continue;
            };
            match parts.as_slice() {
                ["os", name, ..] | [name, ..] if self.secrets.has(name) => read.has_name = true,
                _ => self.secrets.collect_from(&value, &mut read),
            }
        }
        read
    }

    /// Checks that a dotted path has a value, for a better error than the evaluation's own. A missing key of a map, a
    /// part of `null`, a variable that the environment does not have and an unknown first name are errors. Parts of a
    /// variable, a text, a number or a list are not checked. A result goes before a variable of its name.
    fn check_path(&self, path: &str) -> Result<(), PathError> {
        let mut parts = path.split('.');
        let root = parts.next().unwrap_or_default();
        if root == "os" {
            return match parts.next() {
                Some(name) if !self.os.contains_key(name) => {
                    Err(PathError::NoVariable(name.to_owned()))
                }
                _ => Ok(()),
            };
        }
        if !self.results.contains_key(root) && self.env.contains_key(root) {
            return Ok(());
        }
        let mut value = match root {
            "device" => &self.device,
            "flow" => &self.flow,
            "run" => &self.run,
            _ => self
                .result(root)
                .ok_or_else(|| PathError::Undefined(root.to_owned()))?,
        };
        let mut walked = root.to_owned();
        for part in parts {
            // A name after a dot may also be a method, so only a map can lack it.
            let Value::Object(map) = value else {
                return match value {
                    Value::Null => Err(PathError::Empty {
                        of: walked,
                        part: part.to_owned(),
                    }),
                    _ => Ok(()),
                };
            };
            value = map.get(part).ok_or_else(|| {
                let mut has: Vec<String> = map.keys().cloned().collect();
                has.sort_unstable();
                PathError::NoPart {
                    of: walked.clone(),
                    part: part.to_owned(),
                    has,
                }
            })?;
            walked.push('.');
            walked.push_str(part);
        }
        Ok(())
    }
}

/// Words of messages of expressions with quotes that hold no value.
const OWN_QUOTES: [&str; 6] = [
    "default('', true)",
    "select('ne', '')",
    "== '…'",
    "== 'true'",
    "!= ''",
    "booleans, 'true', 'false', 1 and 0",
];

/// Masks all between the first single quote of a message and the last one, which may be values. The first is none of
/// [`OWN_QUOTES`]. A message without two quotes, or with those only, is returned as it is.
fn without_values(message: &str) -> String {
    let is_own = |at: usize| {
        let mut found = OWN_QUOTES.iter().flat_map(|own| message.match_indices(own));
        found.any(|(start, own)| (start..start + own.len()).contains(&at))
    };
    let mut quotes = message.match_indices('\'').map(|(at, _)| at);
    // The last may be of any: a value may end as one of them does.
    match (quotes.find(|at| !is_own(*at)), message.rfind('\'')) {
        (Some(start), Some(end)) if start < end => {
            format!("{}{MASK}{}", &message[..=start], &message[end..])
        }
        _ => message.to_owned(),
    }
}

/// Returns a function that converts errors of expressions to errors at this place, with the same message. They are
/// never `unanswered`.
pub(super) fn wrong_at(span: &Range<usize>) -> impl Fn(ExpressionError) -> InterpolationError {
    let span = span.clone();
    move |error| InterpolationError {
        span: span.clone(),
        message: error.message,
        stopped: error.stopped,
        unanswered: false,
    }
}
