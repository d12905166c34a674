//! Options whose value may be left out: `--update`, `--update MODE` and `--update PATH`. Only a value that the option knows
//! belongs to it.
//!
//! clap would take whatever follows such an option, so `runner test --update flows/` would read the folder as a mode. The
//! words are made unmistakable before clap sees them.

use std::ffi::OsString;

use clap::{Arg, Command};

/// The words with each option that may stand alone as `--option=value`, where a value of its own follows.
pub fn explicit(words: impl IntoIterator<Item = OsString>, program: &Command) -> Vec<OsString> {
    let test = program.find_subcommand("test");
    let options: Vec<&Arg> = test
        .into_iter()
        .flat_map(Command::get_arguments)
        .filter(|arg| arg.is_require_equals_set())
        .collect();
    let mut words = words.into_iter().peekable();
    let mut explicit = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            explicit.push(word);
            break;
        }
        let option = option(&word, &options);
        let value = option.and_then(|option| words.next_if(|next| is_value(option, next)));
        match value.as_ref().and_then(|value| value.to_str()) {
            Some(value) => explicit.push(format!("{}={value}", word.to_string_lossy()).into()),
            None => explicit.push(word),
        }
    }
    explicit.extend(words);
    explicit
}

fn option<'a>(word: &OsString, options: &[&'a Arg]) -> Option<&'a Arg> {
    let name = word.to_str()?.strip_prefix("--")?;
    let mut options = options.iter().copied();
    options.find(|option| option.get_long() == Some(name))
}

/// Whether a word is a value of the option: one that it lists, or a number for one that lists none.
fn is_value(option: &Arg, word: &OsString) -> bool {
    let Some(word) = word.to_str() else {
        return false;
    };
    let known = option.get_possible_values();
    if known.is_empty() {
        return !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    }
    let is_meant = MEANT_AS_VALUES.contains(&word) && !std::path::Path::new(word).exists();
    is_meant || known.iter().any(|value| value.matches(word, false))
}

/// Values that other tools have for such options: taken as one, so that clap names those of the option.
const MEANT_AS_VALUES: [&str; 10] = [
    "always",
    "never",
    "yes",
    "no",
    "true",
    "false",
    "1",
    "0",
    "on-failure",
    "on-all-retries",
];

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::Arguments;
    use super::*;

    #[test]
    fn only_a_value_of_its_own_belongs_to_an_option() {
        let program = Arguments::command();
        for (given, expected) in [
            ("test --update", "test --update"),
            ("test --update flows/", "test --update flows/"),
            ("test --update new flows/", "test --update=new flows/"),
            (
                "test flows/ --update changed -v",
                "test flows/ --update=changed -v",
            ),
            ("test --update=none", "test --update=none"),
            ("test -- --update new", "test -- --update new"),
            ("test --trace on", "test --trace=on"),
            ("test --trace on.yaml", "test --trace on.yaml"),
            (
                "test --video retain-on-failure --trace off",
                "test --video=retain-on-failure --trace=off",
            ),
            ("test --shuffle 5 a.yaml", "test --shuffle=5 a.yaml"),
            ("test --shuffle flows", "test --shuffle flows"),
            ("test --spread false", "test --spread=false"),
            ("test --last-failed or-all", "test --last-failed=or-all"),
        ] {
            let words = explicit(given.split(' ').map(OsString::from), &program);
            let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(words, expected);
        }
    }
}
