//! What words must be like: one of Java's regular expressions, or the words themselves.

use std::sync::Arc;

use super::java::{self, Translation};
use runner_text::secret::Excerpt;

/// So many characters are shown.
const MAX_DISPLAYED: usize = 200;
/// Longer expressions are refused.
const MAX_LENGTH: usize = 10_000;

/// What words must be like. Letter case never counts, `.` matches a line's end too, and `^` and `$` match at each line.
#[derive(Debug, Clone)]
pub struct Expression {
    source: String,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// Just these words. Only ASCII.
    Words,
    /// Shared: what is copied is not compiled again.
    Regex(Arc<fancy_regex::Regex>),
}

/// An expression that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// Maestro takes it, this program does not.
    #[error(
        "the regular expression {source_text} has {what}, which `runner` does not know; write it another way"
    )]
    Unsupported {
        /// The expression, in quotes.
        source_text: String,
        /// What it has.
        what: String,
    },
    /// It takes too long.
    #[error(
        "the regular expression {source_text} takes too many steps; write it with fewer `*` and `+`"
    )]
    TooManySteps {
        /// The expression, in quotes.
        source_text: String,
    },
}

impl Expression {
    /// Reads an expression. What is not a regular expression of Java's stands for itself.
    pub fn new(source: &str) -> Result<Self, ExpressionError> {
        let unsupported = |what: String| ExpressionError::Unsupported {
            source_text: excerpt(source),
            what,
        };
        if source.len() > MAX_LENGTH {
            return Err(unsupported(format!("more than {MAX_LENGTH} bytes")));
        }
        let is_plain = |c: char| c.is_ascii() && !r"\^$.|?*+()[]{}".contains(c);
        let matcher = if source.chars().all(is_plain) {
            Matcher::Words
        } else {
            let inner = match java::translate(source) {
                Ok(inner) => inner,
                Err(Translation::Invalid) => fancy_regex::escape(source).into_owned(),
                Err(Translation::Unsupported(what)) => return Err(unsupported(what)),
            };
            match java::whole_text("(?ims)", &inner).build() {
                Ok(regex) => Matcher::Regex(Arc::new(regex)),
                Err(error) => return Err(unsupported(format!("something unknown ({error})"))),
            }
        };
        Ok(Self {
            source: source.to_owned(),
            matcher,
        })
    }

    /// As it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether all of `value` is like it.
    pub(super) fn matches(&self, value: &str) -> Result<bool, ExpressionError> {
        match &self.matcher {
            Matcher::Words => Ok(self.source.eq_ignore_ascii_case(value)),
            Matcher::Regex(regex) => {
                regex
                    .is_match(value)
                    .map_err(|_| ExpressionError::TooManySteps {
                        source_text: excerpt(&self.source),
                    })
            }
        }
    }

    /// Whether these words are like it, or just it; a line's end counts as a space too.
    pub(super) fn matches_words(&self, words: &str) -> Result<bool, ExpressionError> {
        if self.source == words || self.matches(words)? {
            return Ok(true);
        }
        if !words.contains('\n') {
            return Ok(false);
        }
        let line = words.replace('\n', " ");
        Ok(self.source == line || self.matches(&line)?)
    }
}

/// An expression as an error shows it.
fn excerpt(source: &str) -> String {
    Excerpt::new(source, MAX_DISPLAYED).in_quotes().to_string()
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}
