//! Arguments with which `runner test` runs only some flows, or flows several times.

use clap::Args;
use clap::builder::TypedValueParser;
use regex::{Regex, RegexBuilder};

use super::error::CliError;
use super::output;
use super::values::one_of;
use crate::config::Config;
use crate::history::{History, HistoryWarning, LastFailed};
use crate::run::{Choice, LastFailedFilter};
use runner_text::shell::quote_to_copy;

/// Limit of `--repeat-each`. Chosen: enough to find a failure in a thousand; more is likely a typing error.
const MAX_REPEATS: i64 = 1000;
/// Limit for a compiled pattern, in bytes. Chosen: any pattern typed by hand fits; repetitions in repetitions
/// would take all memory.
const MAX_PATTERN_BYTES: usize = 1024 * 1024;

/// Warnings printed in full; the rest is only counted. Chosen: more would hide the run's results.
const MAX_WARNINGS: usize = 5;

/// Which flows of those found, and how often.
#[derive(Debug, Clone, Default, Args)]
pub struct ChosenFlows {
    /// Only flows that did not pass when they last ran; `=or-all`: all flows where the history says nothing of them
    #[arg(long, value_name = "or-all", num_args = 0..=1, require_equals = true, default_missing_value = "only", hide_possible_values = true, value_parser = failures())]
    pub last_failed: Option<LastFailures>,
    /// Only flows that files concern which changed since HEAD left this commit or branch
    #[arg(long, value_name = "REF", conflicts_with = "watch")]
    pub changed_since: Option<String>,
    /// Only flows where this regular expression finds something in `PATH › NAME › CASE`
    #[arg(long, short = 'g', value_name = "PATTERN")]
    pub grep: Option<String>,
    /// No flows where this regular expression finds something
    #[arg(long, value_name = "PATTERN")]
    pub grep_invert: Option<String>,
    /// Run each flow N times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MAX_REPEATS))]
    pub repeat_each: Option<u32>,
    /// Run the flows in a random order; the same seed gives the same order
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "clap needs both: the outer for the flag, the inner for its value, which may be left out"
    )]
    pub shuffle: Option<Option<u64>>,
}

/// Flows that `--last-failed` runs if the history says nothing of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastFailures {
    /// None of them; without any result in the history it is an error.
    Only,
    /// All of them.
    OrAll,
}

impl LastFailures {
    const ALL: [Self; 2] = [Self::Only, Self::OrAll];

    /// Returns the value's name on the command line.
    fn name(self) -> &'static str {
        match self {
            Self::Only => "only",
            Self::OrAll => "or-all",
        }
    }
}

/// Returns the parser of the values, each with its help.
fn failures() -> impl TypedValueParser<Value = LastFailures> {
    one_of(
        &LastFailures::ALL,
        LastFailures::name,
        |value| match value {
            LastFailures::Only => "an error where the history says nothing of the flows",
            LastFailures::OrAll => "all flows where the history says nothing of them",
        },
    )
}

impl ChosenFlows {
    /// Returns the choice with its patterns compiled, without that of the last failures. Draws a seed of 32 bits if
    /// `--shuffle` was given without one; without `--shuffle` there is none. What is not given is `None`.
    ///
    /// # Errors
    /// Returns an error for an invalid pattern.
    pub fn choice(&self) -> Result<Choice, CliError> {
        let pattern = |flag: &str, text: &Option<String>| {
            text.as_deref().map(|text| pattern(flag, text)).transpose()
        };
        Ok(Choice {
            last_failed: None,
            grep: pattern("--grep", &self.grep)?,
            grep_invert: pattern("--grep-invert", &self.grep_invert)?,
            repeat_each: self.repeat_each,
            // 32 bits: short enough to type again, and exact as a number in JavaScript.
            shuffle: self
                .shuffle
                .map(|seed| seed.unwrap_or_else(|| fastrand::u64(..1 << 32))),
        })
    }
}

/// Returns a pattern that matches any of these words as a part of a text, ignoring case. Without words it matches every
/// text.
pub fn any_word(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    format!("(?i){}", words.join("|"))
}

/// Compiles a pattern of the option or key `flag`. Case counts unless the pattern says otherwise.
///
/// # Errors
/// Returns an error for an invalid or too large pattern; the message shows the place, and how to write the text
/// itself. A pattern of JavaScript's with letters, such as `/login/i`, is an error too.
pub fn pattern(flag: &str, text: &str) -> Result<Regex, CliError> {
    if let Some((inner, flags)) = javascript_pattern(text) {
        let prefix = if flags.contains('i') { "(?i)" } else { "" };
        let written = quote_to_copy(&format!("{prefix}{inner}"));
        return Err(CliError::Usage(format!(
            "{flag}: `/` stands around no pattern here: write {written}"
        )));
    }
    RegexBuilder::new(text)
        .size_limit(MAX_PATTERN_BYTES)
        .build()
        .map_err(|error| {
            let advice = literal(text).map(|advice| format!("\n{advice}"));
            let advice = advice.unwrap_or_default();
            CliError::Usage(format!(
                "{flag}: the pattern does not read\n{error}{advice}"
            ))
        })
}

/// Returns the parts of a pattern as JavaScript writes it, such as `/login/i`: what is between the slashes, and the
/// letters behind them. `None` without letters, as it may be a part of a path.
fn javascript_pattern(text: &str) -> Option<(&str, &str)> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let is_flags = !flags.is_empty() && flags.chars().all(|flag| "gimsuy".contains(flag));
    (is_flags && !inner.is_empty()).then_some((inner, flags))
}

/// Returns advice for a text that is assumed to be no regular expression: how to write it so that it stands for
/// itself, or, if it begins with `*` or `?`, as a pattern for names of files would, with `.*`. Returns `None` if
/// neither reads.
fn literal(text: &str) -> Option<String> {
    let escaped = regex::escape(text);
    let is_glob = text.starts_with(['*', '?']);
    let written = if is_glob {
        escaped.replace(r"\*", ".*").replace(r"\?", ".")
    } else {
        escaped
    };
    RegexBuilder::new(&written)
        .size_limit(MAX_PATTERN_BYTES)
        .build()
        .ok()?;
    let written = quote_to_copy(&written);
    Some(if is_glob {
        format!("`.*` stands for any text: write {written}")
    } else {
        format!("for this text itself write {written}")
    })
}

/// Reads from the history which flows did not pass when they last ran on some device; interrupted flows, and those that
/// a killed run did not come to, did not. A missing history has none, which is no error here. With `OrAll`, all flows
/// are wanted if there are none. Prints warnings about unreadable files.
pub fn last_failed(config: &Config, wanted: LastFailures) -> LastFailedFilter {
    let history = History::read(&config.history.value);
    print_warnings(&history.warnings);
    LastFailedFilter {
        failures: LastFailed::from_history(&history),
        history: config.history.value.clone(),
        or_all: wanted == LastFailures::OrAll,
        root: config.root.clone(),
    }
}

/// Prints the warnings about files of the history, at most `MAX_WARNINGS`; counts the rest. They go to standard
/// error. Prints nothing for none.
pub fn print_warnings(warnings: &[HistoryWarning]) {
    for warning in warnings.iter().take(MAX_WARNINGS) {
        output::note(&format!("warning: {warning}"));
    }
    if let Some(more) = warnings
        .len()
        .checked_sub(MAX_WARNINGS)
        .filter(|it| *it > 0)
    {
        output::note(&format!("warning: history: and {more} more such files"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_pattern_is_told_as_one() {
        for (text, says) in [
            ("Sign in(", r"for this text itself write 'Sign in\('"),
            ("a[b", r"write 'a\[b'"),
            ("*login*", "`.*` stands for any text: write \".*login.*\""),
            ("*.yaml", r"write '.*\.yaml'"),
            ("/login/i", "write \"(?i)login\""),
            ("/login/g", "write login"),
        ] {
            let wrong = pattern("--grep", text).unwrap_err().to_string();
            assert!(wrong.contains(says), "{wrong}");
        }
        for text in ["Sign in", "/login/", "flows/shop/", "/flows/shop"] {
            assert!(pattern("--grep", text).is_ok(), "{text}");
        }
    }
}
