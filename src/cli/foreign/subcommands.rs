//! Advice for words that are no subcommand.

use std::path::Path;

use clap::Command;

use runner_text::suggest::{nearest, snake_case};

use super::subcommand::{Subcommand, long_options};
use super::table::{known, lists, plain};
use super::words::with_option;

/// Table with a line for each hint: what to write, a tab, and the words that people try instead. Text with
/// code in it is a whole sentence.
pub(super) const SUBCOMMANDS: &str = include_str!("subcommands.tsv");

/// Other programs, and verbs, that stand before the word that counts: `insta review`, `get devices`.
const BEFORE: &str = "insta nextest cargo playwright maestro pytest appium adb npx jest gradle runner get show describe print view open list";

/// Ends of the names of pictures.
const PICTURES: [&str; 4] = [".png", ".jpg", ".jpeg", ".webp"];

/// Words for a recording, as Maestro's `record`, which films a flow.
const RECORD: &str =
    "record recorder recording film video recordvideo enregistrer aufnehmen grabar";

/// Words for the subcommands of a subcommand.
const INNER: [(&str, &str); 4] = [
    ("list", "ls show status installed info available"),
    (
        "install",
        "add get setup update upgrade download fetch init enable",
    ),
    ("remove", "uninstall rm delete del clean purge disable"),
    (
        "config",
        "setup install init add configure settings client connect register",
    ),
];
/// Words that start what the outer subcommand starts by itself, and words that end it.
const START: &str = "start run up boot open serve server launch create new";
const STOP: &str = "stop kill down quit exit end shutdown close";

/// Returns advice for an unknown subcommand. `behind` are the words behind it, of which the first may decide, as in
/// `snapshot update`. A path or a glob counts as a flow, an APK as an app, two pictures behind any word as `compare`, and
/// a path that is there behind `record` as a flow to film. Then come the table, names of steps, near names, and parts
/// of the word. Returns `None` if nothing is near.
pub(super) fn unknown(word: &str, behind: &[&str], program: &Command) -> Option<String> {
    let next = behind.first().copied().unwrap_or_default();
    if word.contains('?') || word == "-h" {
        return Some("write `runner --help`".to_owned());
    }
    if Path::new(word)
        .extension()
        .is_some_and(|extension| extension == "apk")
    {
        return Some(format!("write `runner test --app {word}`"));
    }
    if word.contains(['/', '.', '*']) {
        return Some(format!("write `runner test {word}`"));
    }
    if ["upgrade", "update", "self-update", "selfupdate"].contains(&word) {
        return Some("install it again for a newer one: docs/guide/install.md says how".to_owned());
    }
    let is_picture = |word: &&str| PICTURES.iter().any(|end| word.ends_with(*end));
    if let [expected, actual] = behind
        && is_picture(expected)
        && is_picture(actual)
    {
        return Some(format!("write `runner compare {expected} {actual}`"));
    }
    if lists(RECORD, &plain(word)) && Path::new(next).exists() {
        return Some(format!(
            "write `runner test --video {next}` for a video, or `runner studio {next}` to record more steps"
        ));
    }
    let both = format!("{word}{next}");
    if let Some(row) = known(SUBCOMMANDS, &both).next() {
        return Some(sentence(row.ours));
    }
    if lists(BEFORE, word) && !next.is_empty() {
        if let Some(meant) = program.find_subcommand(next) {
            return Some(format!("write `runner {}`", meant.get_name()));
        }
        if let Some(row) = known(SUBCOMMANDS, next).next() {
            return Some(sentence(row.ours));
        }
    }
    if let Some(row) = known(SUBCOMMANDS, word).next() {
        return Some(sentence(row.ours));
    }
    if let Some(advice) = step(word) {
        return Some(advice);
    }
    let names = program.get_subcommands().map(Command::get_name);
    if let Some(name) = nearest(word, names) {
        return Some(format!("write `runner {name}`"));
    }
    part(word, program)
}

/// Returns the first column of a row as advice: as it is if it has code, else as a command to write.
fn sentence(ours: &str) -> String {
    if ours.contains('`') {
        ours.to_owned()
    } else {
        format!("write `{ours}`")
    }
}

/// Returns advice for the name of a step or of an agent's tool, in any spelling of its words: that it stands in a
/// flow. `None` for other words.
fn step(word: &str) -> Option<String> {
    let name = snake_case(word);
    let entry = crate::tools::registry::find(&name);
    if entry.is_none() && !["assert", "set", "repeat", "if", "group"].contains(&name.as_str()) {
        return None;
    }
    Some(format!(
        "`{name}` is a step: it stands in a flow, which `runner test` runs; `runner studio` does one at once"
    ))
}

/// Returns advice for a word of several parts, such as `print-hierarchy`, of which one, the first, is a subcommand,
/// or of which the first that is no word such as `print` is in the table; `None` for others.
fn part(word: &str, program: &Command) -> Option<String> {
    let name = snake_case(word);
    let parts: Vec<&str> = name.split('_').collect();
    if parts.len() < 2 {
        return None;
    }
    let mut named = parts
        .iter()
        .filter_map(|part| program.find_subcommand(part));
    if let Some(meant) = named.next() {
        return Some(format!("write `runner {}`", meant.get_name()));
    }
    let meant = parts.iter().find(|part| !lists(BEFORE, part))?;
    let row = known(SUBCOMMANDS, meant).next()?;
    Some(sentence(row.ours))
}

/// Returns advice for an unknown word behind a subcommand, such as `runner virtual start` or `runner import
/// appium`: a subcommand of it by another word, how a subcommand that can stand alone starts or ends, the option
/// that the word's shape belongs to, the nearest name, else all names. Of these the first that fits is taken.
/// `None` if the subcommand has no subcommands and none of this applies.
pub(super) fn inner(word: &str, called: &Subcommand<'_>) -> Option<String> {
    let outer = &called.name;
    let names: Vec<&str> = called
        .command
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| *name != "help")
        .collect();
    let by_word = INNER
        .iter()
        .find(|(ours, words)| names.contains(ours) && lists(words, word));
    if let Some((ours, _)) = by_word {
        return Some(format!("write `runner {outer} {ours}`"));
    }
    let is_alone = !called.command.is_subcommand_required_set();
    if is_alone && lists(START, word) {
        return Some(format!("write `runner {outer}`"));
    }
    if is_alone && lists(STOP, word) {
        return Some(format!("Ctrl-C ends `runner {outer}`"));
    }
    let options = long_options(called.command, called.command);
    if let Some(option) = with_option(word, &options) {
        return Some(format!("write `runner {outer} {option}`"));
    }
    if let Some(near) = nearest(word, names.iter().copied()) {
        return Some(format!("write `runner {outer} {near}`"));
    }
    match names.as_slice() {
        [] => None,
        [only] if Path::new(word).exists() && !is_alone => {
            Some(format!("write `runner {outer} {only} {word}`"))
        }
        [only] if is_alone => Some(format!(
            "there are `runner {outer}` and `runner {outer} {only}`"
        )),
        [only] => Some(format!("there is `runner {outer} {only}` alone")),
        _ => {
            let whole = names.iter().map(|name| format!("`runner {outer} {name}`"));
            Some(format!(
                "there are {}",
                whole.collect::<Vec<_>>().join(", ")
            ))
        }
    }
}
