//! Advice for values that are none of an option's and near to none: a switch, a number, a path, or the name of a
//! program.

use camino::Utf8Path;

use super::invalid_value::InvalidValue;
use super::table::{OFF, ON, lists, plain};

/// Advice for a path as the value of an option that takes none.
const PATHS: [(&str, &str); 3] = [
    (
        "--trace",
        "write `--trace` alone, and `--html DIR` for the report that walks through it",
    ),
    (
        "--video",
        "write `--video` alone, and `--html DIR` for the report that plays it",
    ),
    (
        "--update",
        "write a space in place of `=`: the path stands behind `--update`",
    ),
];

/// Options with advice for any other value.
const ANY: [(&str, &str); 3] = [
    (
        "--ci",
        "leave it out: `runner test` runs in every CI, and docs/guide/ci.md says how",
    ),
    (
        "--driver",
        "leave it out: `auto`, the default, takes what the device has; a device of a server is one with `webdriver: URL` in runner.yaml",
    ),
    (
        "<CLIENT>",
        "write `other`, which prints what any client needs",
    ),
];

/// Programs that talk to agents, and tools for browsers, which people take for a dialect.
const PROGRAMS: &str = "claude claudecode claudedesktop anthropic cursor vscode copilot windsurf zed codex gemini cline goose chatgpt openai gpt agent agents llm default auto playwright selenium puppeteer detox flutter ios";

/// Returns advice for the value of an option that has none like it; `None` for a slip, and where the error says
/// enough. Of several, that for a switch comes first, then for a path, a number, a program, and any value of the
/// option.
pub(super) fn advice(wrong: &InvalidValue<'_>) -> Option<String> {
    if wrong.is_slip() {
        return None;
    }
    alone(wrong)
        .or_else(|| path(wrong).map(str::to_owned))
        .or_else(|| number(wrong))
        .or_else(|| program(wrong))
        .or_else(|| listed(&ANY, wrong).map(str::to_owned))
}

/// Returns the longest known value that the refused one begins with, with a sign that is no letter or digit behind
/// it, in any case: `claude-desktop` of `claude-desktop-app`. Values of one or two letters do not count, as they
/// begin too many words. `None` if there is none.
pub(super) fn beginning<'a>(wrong: &InvalidValue<'a>) -> Option<&'a str> {
    let value = wrong.value.to_lowercase();
    let is_beginning = |known: &&String| {
        let rest = value.strip_prefix(known.as_str());
        let is_whole = rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()));
        known.len() > 2 && is_whole
    };
    let found = wrong.known.iter().filter(is_beginning);
    found.max_by_key(|known| known.len()).map(String::as_str)
}

/// Returns the advice of a table for the option.
fn listed(table: &[(&str, &'static str)], wrong: &InvalidValue<'_>) -> Option<&'static str> {
    let mut rows = table.iter();
    let found = rows.find(|(option, _)| *option == wrong.name());
    found.map(|(_, advice)| *advice)
}

/// Returns advice for a word that switches an option on or off whose value may be left out. `None` for other
/// options and words.
fn alone(wrong: &InvalidValue<'_>) -> Option<String> {
    if !wrong.option.contains("[=") {
        return None;
    }
    let name = wrong.name();
    let word = plain(wrong.value);
    if lists(ON, &word) {
        Some(format!("write `{name}` alone"))
    } else {
        lists(OFF, &word).then(|| format!("leave `{name}` out"))
    }
}

fn path(wrong: &InvalidValue<'_>) -> Option<&'static str> {
    let is_path = wrong.value.contains('/') || Utf8Path::new(wrong.value).extension().is_some();
    listed(&PATHS, wrong).filter(|_| is_path)
}

/// Returns advice for a whole number as the value of an option that has `true`: it stands alone. `None` for all
/// others.
fn number(wrong: &InvalidValue<'_>) -> Option<String> {
    let is_number = !wrong.value.is_empty() && wrong.value.bytes().all(|it| it.is_ascii_digit());
    if !is_number || !wrong.has("true") {
        return None;
    }
    let name = wrong.name();
    let more = if name == "--spread" {
        ", and `--device` stands once for each device"
    } else {
        ""
    };
    Some(format!("write `{name}` alone: it takes no number{more}"))
}

/// Returns advice for a program's name as the value of `--dialect`. `None` for all others.
fn program(wrong: &InvalidValue<'_>) -> Option<String> {
    let is_program = wrong.name() == "--dialect" && lists(PROGRAMS, &plain(wrong.value));
    is_program.then(|| {
        "leave it out: it is the set of tools that an agent sees, whatever client it has; `runner mcp config CLIENT` is for clients"
            .to_owned()
    })
}
