//! Arguments by which `runner test` runs some of the flows, or some again.

use clap::Args;
use clap::builder::TypedValueParser;
use regex::{Regex, RegexBuilder};

use super::error::CliError;
use super::output;
use super::values::one_of;
use crate::config::Config;
use crate::history::{History, HistoryWarning, LastFailed};
use crate::run::{Choice, WantedFailures};

/// The most turns of a flow.
const MOST_TURNS: i64 = 1000;
/// The largest program of a pattern, in bytes.
const MOST_PATTERN: usize = 1024 * 1024;

/// More warnings are counted.
const MOST_WARNINGS: usize = 5;

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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_TURNS))]
    pub repeat_each: Option<u32>,
    /// Run the flows in a random order; the same seed gives the same order
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true)]
    #[expect(
        clippy::option_option,
        reason = "how clap has a flag whose value may be left out"
    )]
    pub shuffle: Option<Option<u64>>,
}

/// What `--last-failed` runs where the history says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastFailures {
    /// Nothing: that is an error.
    Only,
    /// Everything.
    OrAll,
}

impl LastFailures {
    const ALL: [Self; 2] = [Self::Only, Self::OrAll];

    fn name(self) -> &'static str {
        match self {
            Self::Only => "only",
            Self::OrAll => "or-all",
        }
    }
}

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
    /// With patterns read. A seed that was not given is drawn here.
    ///
    /// # Errors
    /// A pattern that does not read.
    pub fn choice(&self) -> Result<Choice, CliError> {
        let pattern = |flag: &str, text: &Option<String>| {
            text.as_deref().map(|text| pattern(flag, text)).transpose()
        };
        Ok(Choice {
            last_failed: None,
            grep: pattern("--grep", &self.grep)?,
            grep_invert: pattern("--grep-invert", &self.grep_invert)?,
            repeat_each: self.repeat_each,
            // Short enough to be typed again, and a number that JavaScript holds.
            shuffle: self
                .shuffle
                .map(|seed| seed.unwrap_or_else(|| fastrand::u64(..1 << 32))),
        })
    }
}

/// Returns the pattern that finds any of these words, in any case of letters.
pub fn any_word(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    format!("(?i){}", words.join("|"))
}

/// A pattern of the command line or of a key; the error shows where it is wrong.
///
/// # Errors
/// A pattern that does not read.
pub fn pattern(flag: &str, text: &str) -> Result<Regex, CliError> {
    RegexBuilder::new(text)
        .size_limit(MOST_PATTERN)
        .build()
        .map_err(|error| CliError::Usage(format!("{flag}: the pattern does not read\n{error}")))
}

/// What did not pass when it last ran, by the history.
pub fn last_failed(config: &Config, wanted: LastFailures) -> WantedFailures {
    let history = History::read(&config.history.value);
    print_warnings(&history.warnings);
    WantedFailures {
        failures: LastFailed::from_history(&history),
        history: config.history.value.clone(),
        or_all: wanted == LastFailures::OrAll,
        root: config.root.clone(),
    }
}

/// Says what is wrong with files of the history.
pub fn print_warnings(warnings: &[HistoryWarning]) {
    for warning in warnings.iter().take(MOST_WARNINGS) {
        output::note(&format!("warning: {warning}"));
    }
    if let Some(more) = warnings
        .len()
        .checked_sub(MOST_WARNINGS)
        .filter(|it| *it > 0)
    {
        output::note(&format!("warning: history: and {more} more such files"));
    }
}
