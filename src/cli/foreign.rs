//! Hints for words of other tools, and for common guesses, on the command line: each names what to write
//! here.

mod invalid_value;
mod log_path;
mod options;
mod refused;
mod subcommand;
mod subcommands;
mod switches;
mod table;
mod values;
mod words;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use invalid_value::InvalidValue;
use subcommand::Subcommand;

pub(super) use log_path::log_path;
pub(super) use options::wrong_dashes;
pub(super) use words::option_for;

/// Replaces the suggestion in an error of clap's with that of the tables, and hides a value that may be a secret.
/// `words` is the command line, of which the first is the program. By its spelling alone, clap suggests `undo` for
/// `runner run`. If the tables know nothing, an unknown subcommand or option has no suggestion, and any other error
/// keeps clap's. Kind and exit code of the error stay.
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
            let wrong = InvalidValue {
                option: &argument,
                value: &text(ContextKind::InvalidValue),
                known: strings(&error, ContextKind::ValidValue),
                reason: &reason.unwrap_or_default(),
            };
            let advice = wrong.advice(words);
            let shown = wrong.shown_pair();
            // clap suggests any value that shares some letters.
            if advice.is_none() && !wrong.is_slip() {
                error.remove(ContextKind::SuggestedValue);
            }
            if let Some(shown) = shown {
                error.insert(ContextKind::InvalidValue, ContextValue::String(shown));
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

/// Returns a list of texts in an error's context; empty if there is none of this kind, or it is no list.
fn strings(error: &clap::Error, kind: ContextKind) -> &[String] {
    match error.get(kind) {
        Some(ContextValue::Strings(strings)) => strings,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
