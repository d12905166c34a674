//! Hints for words of other tools, and for common guesses, on the command line: each names what to write
//! here.

use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use runner_text::suggest::nearest;

/// Tables with a line for each hint: what to write, a tab, and the words that people try instead.
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
            let advice = match outer {
                Some(outer) => inner_subcommand(&word, outer),
                None => subcommand(&word, program),
            };
            (advice, ContextKind::SuggestedSubcommand)
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let option = text(ContextKind::InvalidArg);
            let advice = value(&option, &text(ContextKind::InvalidValue));
            if advice.is_none() {
                return error;
            }
            (advice, ContextKind::SuggestedValue)
        }
        ErrorKind::UnknownArgument => {
            let word = text(ContextKind::InvalidArg);
            (option(&word, program, words), ContextKind::SuggestedArg)
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

fn subcommand(word: &str, program: &Command) -> Option<String> {
    if word.contains(['/', '.', '*']) {
        return Some(format!("write `runner test {word}`"));
    }
    if ["upgrade", "update", "self-update", "selfupdate"].contains(&word) {
        return Some("install it again for a newer one: docs/guide/install.md says how".to_owned());
    }
    if let Some(ours) = known(SUBCOMMANDS, word).next() {
        return Some(format!("write `{ours}`"));
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
/// behind `-s`. `None` for all others.
fn value(option: &str, value: &str) -> Option<String> {
    let option = option.split([' ', '=']).next().unwrap_or_default();
    match (option, value) {
        // Maestro's `-s`; most tools have it for the device.
        ("--shard-split" | "--shard-all", _) if value.parse::<f64>().is_err() => {
            Some(format!("write `--device {value}` for a device"))
        }
        ("--format", "xml" | "XML") => Some("write `--format junit`".to_owned()),
        _ => None,
    }
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
    // `-DX=1` defines a value in Gradle, Maven and others; `-d` is a device.
    if word.starts_with("-D") {
        return Some("write `--env KEY=VALUE`".to_owned());
    }
    if let Some(ours) = known_option(name, &options) {
        return Some(format!("write {ours}"));
    }
    let near = nearest(name, options.iter().copied());
    if let Some(near) = near.filter(|_| word.starts_with("--")) {
        return Some(format!("write `--{near}`"));
    }
    let test = program.find_subcommand("test");
    let of_test = test.into_iter().flat_map(Command::get_arguments);
    let is_of_test = of_test.filter_map(clap::Arg::get_long).any(|it| it == name);
    (is_of_test && word.starts_with("--")).then(|| {
        let used = used.map(|used| format!("`runner {}` has none; ", used.get_name()));
        let used = used.unwrap_or_default();
        format!("{used}`--{name}` is an option of `runner test`")
    })
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
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::super::{Arguments, read};
    use super::*;

    /// Mistaken command lines, each with a part of the message that it must get.
    const MISTAKES: &[(&str, &str)] = &[
        ("run", "`runner test`"),
        ("run flows/a.yaml", "`runner test`"),
        ("flows/a.yaml", "`runner test flows/a.yaml`"),
        ("record", "`runner studio`"),
        ("ui", "`runner studio`"),
        ("codegen", "`runner studio`"),
        ("open", "`runner studio`"),
        ("show-report", "`runner report`"),
        ("approve", "`runner accept`"),
        ("update-snapshots", "`runner test --update`"),
        ("list", "`runner test --list`"),
        ("hierarchy", "`runner inspect`"),
        ("validate", "`runner lint`"),
        ("check", "`runner lint`"),
        ("new", "`runner init`"),
        ("emulator", "`runner virtual`"),
        ("virtual start", "`runner virtual`"),
        ("import appium", "`runner import maestro`"),
        ("mcp --port 8020", "`--http PORT`"),
        ("test -DX=1", "`--env KEY=VALUE`"),
        ("test -s emulator-5554", "`--device emulator-5554`"),
        ("test --format xml", "`--format junit`"),
        ("test --package com.a.b", "`app: PACKAGE`"),
        ("tset", "`runner test`"),
        ("devcies", "`runner devices`"),
        ("version", "`runner --version`"),
        ("test --ui", "`runner studio`"),
        ("test --headed", "`runner studio`"),
        ("test -k login", "`runner test login`"),
        ("test --filter login", "`runner test login`"),
        ("test --workers 4", "`--spread`"),
        ("test -j 4", "`--spread`"),
        ("test -x", "`--fail-fast`"),
        ("test --bail", "`--fail-fast`"),
        ("test -u", "`--update`"),
        ("test --update-snapshots", "`--update`"),
        ("test --reporter html", "`--html DIR`"),
        ("test --junitxml out.xml", "`--junit FILE`"),
        ("test --lf", "`--last-failed`"),
        ("test --dry-run", "`--list`"),
        ("test --serial abc", "`--device SERIAL`"),
        ("test --timeout 5", "`step_timeout: 10s`"),
        ("test --repeat 5", "`--repeat-each N`"),
        ("test --random", "`--shuffle`"),
        ("test -m smoke", "`--tag TAG`"),
        ("test --reruns 2", "`--retries N`"),
        ("test --apk a.apk", "`--app APK`"),
        ("test --tga smoke", "`--tag`"),
        ("lint --junit a.xml", "option of `runner test`"),
        ("lint --format json", "`runner lint` has none"),
        ("lint --fix", "yourself"),
        ("devices --json", "`--format json`"),
        ("devices -l", "`--format json`"),
        ("inspect --xml", "`--format FORMAT`"),
        ("compare --threshold 0.1 a.png b.png", "`--specks N`"),
        ("compare --fuzz 5 a.png b.png", "`--cluster N`"),
        ("prune --dry-run", "`--check`"),
        ("review --ci", "`runner pending`"),
        ("test --ci", "`CI=1`"),
        ("doctor --fix", "yourself"),
        ("init --template login", "docs/guide/cookbook.md"),
        ("config get retries", "in runner.yaml"),
        ("config set retries 2", "in runner.yaml"),
        ("doctor now", "no further word"),
        ("cloud app.apk flows", "`runner test --app APK`"),
        ("upgrade", "install it again"),
        ("self-update", "install it again"),
        ("test --project=x", "`--device SERIAL`"),
        ("test --output-dir out", "`--artifacts DIR`"),
        ("test --configuration android.emu.debug", "`--app APK`"),
        ("test --trace always flows/a.yaml", "possible values: on"),
        ("test --video yes", "possible values: on"),
        ("test --update true", "possible values: pending"),
        ("test --app com.example.hello", "`app: com.example.hello`"),
        ("test --tags (smoke", "has no `)`"),
        ("test --suite smoke", "Usage: runner test [OPTIONS] [PATH]"),
    ];

    #[test]
    fn words_of_others_name_what_is_written_here() {
        let program = Arguments::command();
        for (given, wanted) in MISTAKES {
            let words = format!("runner {given}");
            let error = read(words.split(' ').map(Into::into)).unwrap_err();
            let text = error.render().to_string();
            assert!(text.contains(wanted), "{given}:\n{text}");
        }
        for nothing_like_it in ["frobnicate", "runaway", "test --frobnicate"] {
            let words = format!("runner {nothing_like_it}");
            let error = read(words.split(' ').map(Into::into)).unwrap_err();
            let text = error.render().to_string();
            assert!(!text.contains("tip:"), "{text}");
        }
        let mut seen = BTreeSet::new();
        for (ours, words) in rows(SUBCOMMANDS) {
            let name = ours.split(' ').nth(1).unwrap();
            assert!(
                name == "--version" || program.find_subcommand(name).is_some(),
                "{ours}"
            );
            for word in words.split(' ') {
                assert!(program.find_subcommand(word).is_none(), "{word} is one");
                assert!(seen.insert(format!("sub {word}")), "{word} stands twice");
            }
        }
        let all = program.get_subcommands();
        let all: BTreeSet<&str> = all.flat_map(|used| long_options(used, &program)).collect();
        for (ours, words) in rows(OPTIONS) {
            let named = ours.split('`').filter_map(|part| part.strip_prefix("--"));
            let named: Vec<&str> = named.filter_map(|name| name.split(' ').next()).collect();
            assert!(named.iter().all(|name| all.contains(name)), "{ours}");
            for word in words.split(' ') {
                let mut all = program.get_subcommands();
                let is_said = all.any(|used| {
                    let used = long_options(used, &program);
                    known_option(word, &used) == Some(ours)
                });
                assert!(is_said, "nothing says `{ours}` for {word}");
            }
        }
    }
}
