//! Patterns of Maestro's selectors: a Java regular expression, or literal words.

use std::sync::Arc;

use super::java::{self, Translation};
use runner_text::secret::Excerpt;

/// Number of characters of an expression that an error shows. Chosen: the fault is in sight, and the message
/// stays on a few lines.
const MAX_DISPLAYED_CHARS: usize = 200;
/// Largest length of an expression in bytes. Chosen: no flow has longer ones, and
/// compiling them takes long.
const MAX_BYTES: usize = 10_000;

/// Pattern for words. Letter case never counts, `.` matches line ends too, and `^` and `$` match at each
/// line.
#[derive(Debug, Clone)]
pub struct Expression {
    source: String,
    matcher: Matcher,
}

#[derive(Debug, Clone)]
enum Matcher {
    /// Literal words, which are ASCII only.
    Words,
    /// Compiled expression. It is shared, so that clones are not compiled again.
    Regex(Arc<fancy_regex::Regex>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// Maestro accepts it, this program does not.
    #[error(
        "the regular expression {source_text} has {what}, which `runner` does not know; write it another way"
    )]
    Unsupported {
        /// Expression in quotes.
        source_text: String,
        /// Part of the expression that is not supported.
        what: String,
    },
    /// Matching took more steps than allowed.
    #[error(
        "the regular expression {source_text} takes too many steps; write it with fewer `*` and `+`"
    )]
    TooManySteps {
        /// Expression in quotes.
        source_text: String,
    },
}

impl Expression {
    /// Parses an expression, which ignores letter case. Text that is not a valid Java regular expression
    /// stands for itself.
    ///
    /// # Errors
    /// [`ExpressionError::Unsupported`] for what Java knows and this program does not, or cannot compile, and for
    /// an expression of more than 10,000 bytes.
    pub fn new(source: &str) -> Result<Self, ExpressionError> {
        let unsupported = |what: String| ExpressionError::Unsupported {
            source_text: excerpt(source),
            what,
        };
        if source.len() > MAX_BYTES {
            return Err(unsupported(format!("more than {MAX_BYTES} bytes")));
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

    /// Returns the expression as written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns true if all of `value` matches, letter case aside. In an ASCII expression without special characters
    /// only the letters A-Z have a case.
    ///
    /// # Errors
    /// [`ExpressionError::TooManySteps`] if matching takes too long.
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

    /// Returns true if the words match as a whole, or equal the source letter by letter. Line ends also count
    /// as spaces. The errors are those of [`Self::matches`].
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

/// Puts an expression in quotes for an error message, and marks it to be cut after `MAX_DISPLAYED_CHARS`.
fn excerpt(source: &str) -> String {
    Excerpt::new(source, MAX_DISPLAYED_CHARS)
        .in_quotes()
        .to_string()
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}
