//! Options whose value may be left out: `--update`, `--update MODE` and `--update PATH`. Only a word that the
//! option knows is taken as its value.
//!
//! clap would take any word behind such an option, so `runner test --update flows/` would read the folder as
//! a mode. This module joins option and value by `=` before clap sees them.

use std::ffi::OsString;

use clap::{Arg, Command};

/// Returns the words with `--option value` joined to `--option=value`, for options of `test` with an optional value
/// and words that such a value can be. Words after `--` stay, and words that are no value. Words of other
/// subcommands are joined too, if `test` has the option.
pub fn join_values(words: impl IntoIterator<Item = OsString>, program: &Command) -> Vec<OsString> {
    let options = options(program);
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

/// Word behind an option with an optional value that is none of its values, so that it may be one that was
/// misspelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowingWord {
    /// The word itself. It counts as a path or a part of a flow's name.
    pub word: String,
    /// The option with its `--`.
    pub option: String,
    /// Values that the option has; empty if it takes any number.
    pub values: Vec<String>,
}

/// Returns the first word without a dash directly behind an option of `test` with an optional value, in words that
/// [`join_values`] has joined, so it is none of its values; `None` if there is none before `--`.
pub fn word_behind(words: &[OsString], program: &Command) -> Option<FollowingWord> {
    let options = options(program);
    let mut pairs = words.windows(2).take_while(|pair| pair[0] != "--");
    pairs.find_map(|pair| {
        let option = option(&pair[0], &options)?;
        let known = option.get_possible_values();
        let word = pair[1].to_str().filter(|word| !word.starts_with('-'))?;
        Some(FollowingWord {
            word: word.to_owned(),
            option: pair[0].to_string_lossy().into_owned(),
            values: known.iter().map(|it| it.get_name().to_owned()).collect(),
        })
    })
}

/// Returns the options of `test` whose value may be left out.
fn options(program: &Command) -> Vec<&Arg> {
    let test = program.find_subcommand("test");
    let options = test.into_iter().flat_map(Command::get_arguments);
    options.filter(|arg| arg.is_require_equals_set()).collect()
}

fn option<'a>(word: &OsString, options: &[&'a Arg]) -> Option<&'a Arg> {
    let name = word.to_str()?.strip_prefix("--")?;
    let mut options = options.iter().copied();
    options.find(|option| option.get_long() == Some(name))
}

/// Returns true if the word can be the option's value: one of those listed in the same case, or digits if none is
/// listed. A value of other tools' spelling counts unless a file has that name.
fn is_value(option: &Arg, word: &OsString) -> bool {
    let Some(word) = word.to_str() else {
        return false;
    };
    let known = option.get_possible_values();
    if known.is_empty() {
        return !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    }
    let is_meant = FOREIGN_VALUES.contains(&word) && !std::path::Path::new(word).exists();
    is_meant || known.iter().any(|value| value.matches(word, false))
}

/// Values that other tools have for such options. They count as a value so that clap's error names the right
/// ones.
const FOREIGN_VALUES: [&str; 10] = [
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
            let words = join_values(given.split(' ').map(OsString::from), &program);
            let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn a_word_behind_an_option_may_be_a_value_that_was_misspelt() {
        let program = Arguments::command();
        for (given, expected) in [
            ("test --trace bogus", Some(("bogus", "--trace"))),
            ("test --update bogus -v", Some(("bogus", "--update"))),
            ("test bogus --update", None),
            ("test --update new bogus", None),
            ("test --update -v bogus", None),
            ("test --shuffle bogus", Some(("bogus", "--shuffle"))),
            ("test -- --update bogus", None),
        ] {
            let words = join_values(given.split(' ').map(OsString::from), &program);
            let found = word_behind(&words, &program);
            let found = found.as_ref();
            let found = found.map(|it| (it.word.as_str(), it.option.as_str()));
            assert_eq!(found, expected, "{given}");
        }
        let words = ["test", "--trace", "bogus"].map(OsString::from);
        let values = word_behind(&words, &program).unwrap().values;
        assert!(values.contains(&"on-first-retry".to_owned()), "{values:?}");
    }
}
