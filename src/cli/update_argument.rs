//! `--update`, `--update MODE` and `--update PATH`: only the mode belongs to the option.
//!
//! clap takes whatever follows an option with an optional value, so `runner test --update flows/` would read the folder
//! as a mode. The words are made unmistakable before clap sees them.

use std::ffi::OsString;

use crate::snapshot::UpdateMode;

const OPTION: &str = "--update";

/// The words with each `--update` as `--update=MODE`.
pub fn explicit(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.into_iter().peekable();
    let mut explicit = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            explicit.push(word);
            break;
        }
        if word != OPTION {
            explicit.push(word);
            continue;
        }
        let mode = words.next_if(is_mode);
        let mode = mode
            .as_ref()
            .and_then(|mode| mode.to_str())
            .unwrap_or("all");
        explicit.push(format!("{OPTION}={mode}").into());
    }
    explicit.extend(words);
    explicit
}

fn is_mode(word: &OsString) -> bool {
    UpdateMode::ALL.iter().any(|mode| word == mode.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_mode_belongs_to_the_option() {
        for (given, expected) in [
            ("test --update", "test --update=all"),
            ("test --update flows/", "test --update=all flows/"),
            ("test --update new flows/", "test --update=new flows/"),
            (
                "test flows/ --update changed -v",
                "test flows/ --update=changed -v",
            ),
            ("test --update=none", "test --update=none"),
            ("test -- --update", "test -- --update"),
        ] {
            let words = explicit(given.split(' ').map(OsString::from));
            let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
            assert_eq!(words, expected);
        }
    }
}
