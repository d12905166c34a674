//! Generates docs/reference/maestro-commands.md, the table of all commands.

use std::fmt::Write as _;

use super::super::foreign;
use super::vocabulary::{COMMANDS, CommandEntry, CommandState, SELECTOR, TAP};

/// Returns the text of the page about Maestro's commands: a table with one line for each command, in the
/// parser's order, and the options of selectors and taps below it.
fn docs() -> String {
    let mut text = String::from(
        "# Maestro's commands\n\n\
         Made from the table that the parser reads; do not edit. [Coming from Maestro](../guide/maestro.md) says what they mean \
         here.\n\n\
         Every command takes `label` and `optional` too. *alone*: it may stand without a value (`- back`). *short*: the \
         option that a value which is not a map stands for (`- tapOn: Sign in` is `text`).\n\n\
         | command | alone | short | options | state | our own step |\n\
         |---|---|---|---|---|---|\n",
    );
    for command in COMMANDS {
        let state = match command.state {
            CommandState::Runs => "runs".to_owned(),
            CommandState::NoEffect => "reads; does nothing on Android, as with Maestro".to_owned(),
            CommandState::Unsupported(why) => format!("not supported: it {why}"),
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {state} | {} |",
            command.name,
            if command.value_optional { "yes" } else { "" },
            command
                .short
                .map(|it| format!("`{it}`"))
                .unwrap_or_default(),
            options(command),
            foreign::instead_of_maestro(command.name)
                .unwrap_or_default()
                .replace('|', "\\|"),
        );
    }
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
    };
    let _ = write!(
        text,
        "\n*selector*: {}. `css` is not supported: it finds elements of web pages.\n\n\
         *tap*: {}.\n",
        names(SELECTOR).join(", "),
        names(TAP).join(", "),
    );
    text
}

/// Returns the options for a cell of the table, empty if there are none. A command with a selector has `*selector*`,
/// a tap also `*tap*`, in place of all its options.
fn options(command: &CommandEntry) -> String {
    if !command.takes_selector() {
        let names = command.options.iter().map(|name| format!("`{name}`"));
        return names.collect::<Vec<_>>().join(", ");
    }
    let taps = command.name.ends_with("apOn") || command.name == "longPressOn";
    if taps {
        "*selector*, *tap*"
    } else {
        "*selector*"
    }
    .to_owned()
}

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/reference/maestro-commands.md"
);

#[test]
fn the_document_is_current() {
    let stored = fs_err::read_to_string(FILE).unwrap_or_default();
    assert!(
        stored.replace("\r\n", "\n") == docs(),
        "docs/reference/maestro-commands.md is out of date; make it again with \
         `cargo test -p runner-flow --lib maestro::docs::write_the_document -- --ignored`"
    );
}

#[test]
#[ignore = "writes docs/reference/maestro-commands.md"]
fn write_the_document() {
    fs_err::write(FILE, docs()).unwrap();
}
