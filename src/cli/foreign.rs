//! Hints for words of other tools, and for common guesses, on the command line: each names what to write
//! here.

mod switches;

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use runner_text::suggest::nearest;
use switches::switch;

/// Tables with a line for each hint: what to write, a tab, and the words that people try instead. A subcommand
/// with code in it, and an option that begins with `there`, is a whole sentence.
const SUBCOMMANDS: &str = include_str!("foreign/subcommands.tsv");
const OPTIONS: &str = include_str!("foreign/options.tsv");

/// Replaces clap's suggestion with that of the tables. By its spelling alone, clap suggests `undo` for
/// `runner run`. If the tables know nothing, an unknown subcommand or option has no suggestion, and an
/// invalid value keeps clap's. Other errors stay as they are.
pub(super) fn explain(mut error: clap::Error, program: &Command, words: &[String]) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let (advice, suggested) = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            let word = text(ContextKind::InvalidSubcommand);
            let outer = words.get(1).and_then(|name| program.find_subcommand(name));
            let next = words.get(2).map_or("", String::as_str);
            let advice = match outer {
                Some(outer) => inner_subcommand(&word, outer),
                None => subcommand(&word, next, program),
            };
            (advice, ContextKind::SuggestedSubcommand)
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let option = text(ContextKind::InvalidArg);
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.as_slice(),
                _ => &[],
            };
            let advice = value(&option, &text(ContextKind::InvalidValue), known)
                .or_else(|| number(&option, &reason.unwrap_or_default()));
            if advice.is_none() {
                return error;
            }
            (advice, ContextKind::SuggestedValue)
        }
        ErrorKind::UnknownArgument => {
            let word = text(ContextKind::InvalidArg);
            (option(&word, program, words), ContextKind::SuggestedArg)
        }
        ErrorKind::MissingRequiredArgument => {
            (lonely(words).map(str::to_owned), ContextKind::SuggestedArg)
        }
        _ => return error,
    };
    let used = words.get(1).and_then(|name| program.find_subcommand(name));
    if let (Some(used), ErrorKind::UnknownArgument) = (used, error.kind()) {
        // clap's own names an option that it finds alike.
        let mut used = used.clone().bin_name(format!("runner {}", used.get_name()));
        let usage = ContextValue::StyledStr(used.render_usage());
        error.insert(ContextKind::Usage, usage);
    }
    error.remove(suggested);
    error.remove(ContextKind::Suggested);
    let advice = advice.map(StyledStr::from);
    if let Some(advice) = advice {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![advice]),
        );
    }
    error
}

/// Returns the rows of a table: what to write, and the words for it.
fn rows(table: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

/// Returns every advice of the table for a word, whatever its case and punctuation, in the order of the
/// table.
fn known(table: &'static str, word: &str) -> impl Iterator<Item = &'static str> {
    let letters = word.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    let means = move |(_, words): &(&str, &str)| words.split(' ').any(|it| it == plain);
    rows(table).filter(means).map(|(ours, _)| ours)
}

/// Returns advice for an unknown subcommand. `next` is the word behind it, which may decide, as in `snapshot
/// update`. Returns `None` if nothing is near.
fn subcommand(word: &str, next: &str, program: &Command) -> Option<String> {
    if word.contains(['/', '.', '*']) {
        return Some(format!("write `runner test {word}`"));
    }
    if ["upgrade", "update", "self-update", "selfupdate"].contains(&word) {
        return Some("install it again for a newer one: docs/guide/install.md says how".to_owned());
    }
    let both = format!("{word}{next}");
    let mut ours = known(SUBCOMMANDS, &both).chain(known(SUBCOMMANDS, word));
    if let Some(ours) = ours.next() {
        return Some(if ours.contains('`') {
            ours.to_owned()
        } else {
            format!("write `{ours}`")
        });
    }
    let names = program.get_subcommands().map(Command::get_name);
    nearest(word, names).map(|name| format!("write `runner {name}`"))
}

/// Returns advice for an unknown word behind a subcommand, such as `runner virtual start` or `runner import
/// appium`: the nearest name, else the command alone for words that start something, else all names. `None`
/// if the subcommand has no subcommands and none of this applies.
fn inner_subcommand(word: &str, outer: &Command) -> Option<String> {
    let names: Vec<&str> = outer.get_subcommands().map(Command::get_name).collect();
    let outer = outer.get_name();
    if let Some(near) = nearest(word, names.iter().copied()) {
        return Some(format!("write `runner {outer} {near}`"));
    }
    if ["start", "run", "up", "boot", "open"].contains(&word) {
        return Some(format!("write `runner {outer}`"));
    }
    match names.as_slice() {
        [] => None,
        [only] | [only, "help"] => Some(format!("there is `runner {outer} {only}` alone")),
        _ => Some(format!(
            "there are `runner {outer}` and {}",
            names.join(", ")
        )),
    }
}

/// Returns advice for an invalid value of an option, if the value shows what was meant, such as a device
/// behind `-s`. `known` are the values that the option has. `None` for all others.
fn value(option: &str, value: &str, known: &[String]) -> Option<String> {
    let option = option.split([' ', '=']).next().unwrap_or_default();
    let has = |name: &str| known.iter().any(|it| it == name);
    match option {
        // Maestro's `-s`; most tools have it for the device.
        "--shard-split" | "--shard-all" if value.parse::<f64>().is_err() => {
            Some(format!("write `--device {value}` for a device"))
        }
        "--format" => {
            // The formats of `runner test` are of a list or a report, so only one of them is sure.
            let wanted: &[&str] = match value.to_lowercase().as_str() {
                "xml" | "junitxml" if has("junit") => &["junit"],
                _ if has("noop") => &[],
                "xml" | "yaml" | "yml" | "jsonl" | "ndjson" => &["json"],
                "csv" | "table" => &["tsv", "text", "list"],
                "txt" | "text" | "plain" | "pretty" | "human" => &["text", "list"],
                _ => &[],
            };
            let ours = wanted.iter().find(|name| has(name))?;
            Some(format!("write `--format {ours}`"))
        }
        _ => None,
    }
}

/// Returns advice for an option whose value is no number, by the reason that its parser gives; `None` for any
/// other reason.
fn number(option: &str, reason: &str) -> Option<String> {
    let is_no_number = ["invalid digit", "integer from empty"]
        .iter()
        .any(|part| reason.contains(part));
    let name = option.split([' ', '=', '[']).next().unwrap_or_default();
    if !is_no_number || !name.starts_with("--") {
        return None;
    }
    let sign = if option.contains("[=") { '=' } else { ' ' };
    let example = if option.contains("PORT") { 8080 } else { 3 };
    Some(format!(
        "write a whole number, as in `{name}{sign}{example}`, or leave `{name}` out"
    ))
}

/// Returns advice for an option that was given without the one that it belongs to; `None` if the error names
/// all that is needed.
fn lonely(words: &[String]) -> Option<&'static str> {
    let is = |index: usize, wanted: &str| words.get(index).is_some_and(|word| word == wanted);
    let is_strict = is(1, "lint") && words.iter().any(|word| word == "--strict");
    is_strict.then_some(
        "`--strict` is for `--against`, which judges recordings; no option lets warnings fail `runner lint`",
    )
}

fn option(word: &str, program: &Command, words: &[String]) -> Option<String> {
    let name = word.trim_start_matches('-');
    let name = name.split('=').next().unwrap_or(name);
    let used = words.get(1).and_then(|name| program.find_subcommand(name));
    let options: Vec<&str> = used.map_or_else(Vec::new, |used| long_options(used, program));
    if let (false, Some(used)) = (word.starts_with('-'), used) {
        let name = used.get_name();
        return Some(match name {
            "config" => "`runner config` prints all settings; each is changed in runner.yaml, or by its option".to_owned(),
            _ => format!("`runner {name}` takes no further word"),
        });
    }
    if matches!(word, "--version" | "-V") {
        return Some("write `runner --version`".to_owned());
    }
    // `-DX=1` defines a value in Gradle, Maven and others; `-d` is a device.
    if word.starts_with("-D") {
        return Some("write `--env KEY=VALUE`".to_owned());
    }
    if let Some(ours) = known_option(name, &options) {
        return Some(if ours.starts_with("there ") {
            ours.to_owned()
        } else {
            format!("write {ours}")
        });
    }
    if let (Some(used), true) = (used, word.starts_with("--"))
        && let Some(advice) = switch(name, used, &options)
    {
        return Some(advice);
    }
    let near = nearest(name, options.iter().copied());
    if let Some(near) = near.filter(|_| word.starts_with("--")) {
        return Some(format!("write `--{near}`"));
    }
    advice_for_test(word, name, program, used, &options)
}

/// Returns advice for an option of `runner test`, long or short, behind another subcommand; `None` if it is
/// none. If the subcommand has the same option by its long name alone, the advice is that name.
fn advice_for_test(
    word: &str,
    name: &str,
    program: &Command,
    used: Option<&Command>,
    options: &[&str],
) -> Option<String> {
    let test = program.find_subcommand("test")?;
    let short = name.chars().next();
    let is_long = word.starts_with("--");
    let is_meant = |option: &&clap::Arg| {
        if is_long {
            option.get_long() == Some(name)
        } else {
            short.is_some() && option.get_short() == short
        }
    };
    let meant = test.get_arguments().find(is_meant)?;
    if let Some(long) = meant.get_long().filter(|long| options.contains(long)) {
        return Some(format!("write `--{long}`"));
    }
    let used = used.map(|used| format!("`runner {}` has none; ", used.get_name()));
    let used = used.unwrap_or_default();
    let dashes = if is_long { "--" } else { "-" };
    Some(format!(
        "{used}`{dashes}{name}` is an option of `runner test`"
    ))
}

/// Returns the first advice of the table for a word whose option the subcommand has; advice that names no
/// option always fits. `None` if there is none.
fn known_option(word: &str, options: &[&str]) -> Option<&'static str> {
    let is_there = |ours: &&str| {
        let long = ours.strip_prefix("`--");
        let long = long.and_then(|rest| rest.split([' ', '`']).next());
        long.is_none_or(|long| options.contains(&long))
    };
    known(OPTIONS, word).find(is_there)
}

/// Returns the long options of a subcommand, then the global ones, without `--`. Hidden ones are left out.
fn long_options<'a>(used: &'a Command, program: &'a Command) -> Vec<&'a str> {
    let of_all = program
        .get_arguments()
        .filter(|option| option.is_global_set());
    used.get_arguments()
        .chain(of_all)
        .filter(|option| !option.is_hide_set())
        .filter_map(clap::Arg::get_long)
        .collect()
}

#[cfg(test)]
mod tests;
