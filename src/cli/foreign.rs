//! Hints for words of other tools, and for common guesses, on the command line: each names what to write
//! here.

mod options;
mod subcommands;
mod switches;
mod values;
mod words;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

pub(super) use options::wrong_dashes;
pub(super) use values::log_path;
pub(super) use words::option_for;

/// Table with a line for each hint: what to write, a tab, and the options that people try instead. After a
/// second tab stand the subcommands that it is for, else it is for all. Text that begins with one of
/// [`SENTENCES`] is a whole sentence.
const OPTIONS: &str = include_str!("foreign/options.tsv");

/// Beginnings of advice that does not follow `write`.
const SENTENCES: [&str; 2] = ["there ", "leave it out"];

/// Subcommand that was called.
struct Subcommand<'a> {
    command: &'a Command,
    /// Its name behind those around it, such as `driver install`.
    name: String,
}

impl<'a> Subcommand<'a> {
    /// Finds the innermost subcommand that the words behind the first name; `None` if the next one is none.
    fn find(program: &'a Command, words: &[String]) -> Option<Self> {
        let mut found: Option<Self> = None;
        for word in words.iter().skip(1) {
            let outer = found.as_ref().map_or(program, |called| called.command);
            let Some(command) = outer.find_subcommand(word) else {
                break;
            };
            let name = match &found {
                Some(called) => format!("{} {}", called.name, command.get_name()),
                None => command.get_name().to_owned(),
            };
            found = Some(Self { command, name });
        }
        found
    }
}

/// Replaces clap's suggestion with that of the tables. By its spelling alone, clap suggests `undo` for
/// `runner run`. If the tables know nothing, an unknown subcommand or option has no suggestion, and any other
/// error keeps clap's.
pub(super) fn explain(mut error: clap::Error, program: &Command, words: &[String]) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let called = Subcommand::find(program, words);
    let called = called.as_ref();
    let argument = text(ContextKind::InvalidArg);
    let (advice, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand);
            let advice = match called {
                Some(outer) => subcommands::inner(&word, outer),
                None => {
                    let behind = words.iter().skip_while(|it| **it != word);
                    let behind: Vec<&str> = behind.skip(1).map(String::as_str).collect();
                    subcommands::unknown(&word, &behind, program)
                }
            };
            (advice, ContextKind::SuggestedSubcommand)
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let wrong = values::InvalidValue {
                option: &argument,
                value: &text(ContextKind::InvalidValue),
                known: strings(&error, ContextKind::ValidValue),
                reason: &reason.unwrap_or_default(),
            };
            let advice = wrong.advice(words);
            // clap suggests any value that shares some letters.
            if advice.is_none() && !wrong.is_slip() {
                error.remove(ContextKind::SuggestedValue);
            }
            (advice, ContextKind::SuggestedValue)
        }
        ErrorKind::UnknownArgument => {
            let advice = options::unknown(&argument, program, called, words);
            (advice, ContextKind::SuggestedArg)
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = strings(&error, ContextKind::InvalidArg);
            let advice = values::required(missing, called, words);
            (advice, ContextKind::SuggestedArg)
        }
        ErrorKind::TooManyValues => {
            let value = text(ContextKind::InvalidValue);
            let advice = values::surplus(&argument, &value);
            (Some(advice), ContextKind::SuggestedArg)
        }
        ErrorKind::ArgumentConflict if !argument.is_empty() => {
            let other = text(ContextKind::PriorArg);
            let advice = (argument == other).then(|| values::twice(&argument));
            (advice, ContextKind::SuggestedArg)
        }
        _ => return error,
    };
    let is_unknown = matches!(
        error.kind(),
        ErrorKind::InvalidSubcommand | ErrorKind::UnknownArgument
    );
    if advice.is_none() && !is_unknown {
        return error;
    }
    if let (Some(called), ErrorKind::UnknownArgument) = (called, error.kind()) {
        // clap's own names an option that it finds alike.
        let mut used = called
            .command
            .clone()
            .bin_name(format!("runner {}", called.name));
        let usage = ContextValue::StyledStr(used.render_usage());
        error.insert(ContextKind::Usage, usage);
    }
    error.remove(suggested);
    error.remove(ContextKind::Suggested);
    if let Some(advice) = advice.map(StyledStr::from) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![advice]),
        );
    }
    error
}

/// Returns a list of an error's context; empty if there is none.
fn strings(error: &clap::Error, kind: ContextKind) -> &[String] {
    match error.get(kind) {
        Some(ContextValue::Strings(strings)) => strings,
        _ => &[],
    }
}

/// Row of a table.
struct Row {
    /// Text of the advice.
    ours: &'static str,
    /// Words that mean it, with spaces between them.
    words: &'static str,
    /// Subcommands that it is for, with spaces between them; empty if it is for all.
    only: &'static str,
}

fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (ours, rest) = line.split_once('\t')?;
        let (words, only) = rest.split_once('\t').unwrap_or((rest, ""));
        Some(Row { ours, words, only })
    })
}

/// Returns the letters and digits of a word in lower case.
fn plain(word: &str) -> String {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns true if a list with spaces between its words has the word.
fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|it| it == word)
}

/// Returns every row of the table for a word, whatever its case and punctuation, in the order of the table.
fn known(table: &'static str, word: &str) -> impl Iterator<Item = Row> {
    let plain = plain(word);
    rows(table).filter(move |row| lists(row.words, &plain))
}

/// Returns the first advice of the table for an option of a subcommand. Advice that begins with an option fits
/// only if that is one of `options`; advice of the subcommand itself does not fit. `None` if there is none.
fn known_option(word: &str, options: &[&str], subcommand: &str) -> Option<&'static str> {
    let fits = |row: &Row| {
        let long = row.ours.strip_prefix("`--");
        let long = long.and_then(|rest| rest.split([' ', '`', '=']).next());
        let is_itself = row
            .ours
            .starts_with(&format!("the subcommand `runner {subcommand}`"));
        let is_for = row.only.is_empty() || lists(row.only, subcommand);
        is_for && !is_itself && long.is_none_or(|long| options.contains(&long))
    };
    known(OPTIONS, word).find(fits).map(|row| row.ours)
}

/// Returns the long options of a subcommand, then the global ones, without `--`. Hidden ones are left out.
fn long_options<'a>(used: &'a Command, program: &'a Command) -> Vec<&'a str> {
    let of_all = program
        .get_arguments()
        .filter(|option| option.is_global_set());
    used.get_arguments()
        .chain(of_all)
        .filter(|option| !option.is_hide_set())
        .filter_map(Arg::get_long)
        .collect()
}

#[cfg(test)]
mod tests;
