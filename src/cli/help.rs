//! Arranges `--help`: options in groups, subcommands by purpose, and only everyday options in `-h`.

use std::fmt::Write as _;

use clap::Command;

/// Groups of the options of `test`, by their long names. All others stand under "Other options".
const TEST: [(&str, &[&str]); 5] = [
    (
        "What to run",
        &[
            "tag",
            "exclude-tag",
            "tags",
            "last-failed",
            "grep",
            "grep-invert",
            "changed-since",
            "repeat-each",
            "shuffle",
            "shard",
            "env",
            "env-file",
            "seed",
            "no-flows",
            "list",
            "format",
            "watch",
        ],
    ),
    (
        "Devices",
        &[
            "device",
            "driver",
            "adb-host",
            "adb-port",
            "spread",
            "device-wait",
            "allow-unfit",
        ],
    ),
    ("Goldens", &["update", "strict-pixels", "review"]),
    (
        "Outputs",
        &[
            "junit",
            "junit-strict",
            "html",
            "allure",
            "json",
            "artifacts",
            "history",
            "trace",
            "video",
            "verbose",
            "quiet",
        ],
    ),
    (
        "When a flow fails",
        &[
            "retries",
            "retry-last",
            "max-failures",
            "fail-fast",
            "fail-on-flaky",
        ],
    ),
];

/// Options of `test` that `-h` shows.
const EVERYDAY: [&str; 10] = [
    "device",
    "tag",
    "tags",
    "last-failed",
    "update",
    "review",
    "html",
    "junit",
    "watch",
    "verbose",
];

/// Groups of subcommands by purpose. One that is in no group is listed in the last.
const SUBCOMMANDS: [(&str, &[&str]); 5] = [
    ("Write flows", &["init", "studio", "lint", "import"]),
    ("Run them", &["test", "report", "history"]),
    (
        "Decide about changed screens",
        &[
            "review", "pending", "accept", "reject", "undo", "prune", "compare",
        ],
    ),
    (
        "Devices and agents",
        &["devices", "inspect", "doctor", "driver", "virtual", "mcp"],
    ),
    ("This program", &[]),
];

const TEST_EXAMPLES: &str = "\
Examples:
  runner test                              all flows, on the only device
  runner test flows/login.yaml -v          one flow, each step
  runner test --device virtual --watch     again whenever a file is saved
  runner test --last-failed                what failed last
  runner test --tags \"smoke and not slow\" --junit out/junit.xml --html out/report

Exit codes: 0 passed, 1 a flow failed, 2 wrong usage or a flow does not read, 3 the device failed, 130 interrupted";

const MORE: &str = "`runner COMMAND --help` says more.

Exit codes: 0 passed, 1 failed or something waits for review, 2 wrong usage, 3 the device failed, 130 interrupted";

/// Returns the program with only its help changed: subcommands in groups, options of `test` under headings,
/// examples, and exit codes.
pub fn arrange(program: Command) -> Command {
    let list = subcommands(&program);
    program
        .help_template(format!(
            "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\nOptions:\n{{options}}\n\n{MORE}\n"
        ))
        .mut_subcommand("test", test)
}

/// Divides the options of `test` into groups and hides those from the short help that are not for every day. An
/// option in no group is under its own heading, else under `Other options`. Arguments without a long name stay as
/// they are.
fn test(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let Some(name) = arg.get_long().map(str::to_owned) else {
            return arg;
        };
        let arg = arg.hide_short_help(!EVERYDAY.contains(&name.as_str()));
        let group = TEST
            .iter()
            .find(|(_, names)| names.contains(&name.as_str()));
        match (group, arg.get_help_heading()) {
            (Some((heading, _)), _) => arg.help_heading(*heading),
            // Maestro's spellings have a group of their own.
            (None, Some(_)) => arg,
            (None, None) => arg.help_heading("Other options"),
        }
    });
    command
        .after_help(format!(
            "{TEST_EXAMPLES}\n\n`runner test --help` lists all options."
        ))
        .after_long_help(TEST_EXAMPLES)
}

/// Returns the list of subcommands by group, each with the first line of its help. Hidden ones are left out; those
/// in no group are in the group without names. In a group they are in its order.
fn subcommands(program: &Command) -> String {
    let shown: Vec<&Command> = program
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .collect();
    let width = shown.iter().map(|command| command.get_name().len()).max();
    let width = width.unwrap_or_default();
    let in_a_group = |name: &str| SUBCOMMANDS.iter().any(|(_, names)| names.contains(&name));
    let mut list = String::new();
    for (heading, names) in SUBCOMMANDS {
        let _ = writeln!(list, "{heading}:");
        let ordered: Vec<&&Command> = if names.is_empty() {
            let others = shown
                .iter()
                .filter(|command| !in_a_group(command.get_name()));
            others.collect()
        } else {
            let named = names
                .iter()
                .filter_map(|name| shown.iter().find(|command| command.get_name() == *name));
            named.collect()
        };
        for command in ordered {
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(list, "  {:width$}  {about}", command.get_name());
        }
        list.push('\n');
    }
    list.trim_end_matches('\n').to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::super::Arguments;
    use super::*;

    /// Checks that each name in a group exists: an unknown one would arrange nothing. Some exist only with a
    /// feature.
    #[test]
    fn every_name_of_a_group_is_one() {
        let program = Arguments::command();
        let test = program.find_subcommand("test").unwrap();
        let options: Vec<&str> = test
            .get_arguments()
            .filter_map(|arg| arg.get_long())
            .collect();
        let named = TEST.iter().flat_map(|(_, names)| *names).chain(&EVERYDAY);
        for name in named.filter(|name| **name != "review") {
            assert!(options.contains(name), "--{name}");
        }
        let has = |name: &str| program.find_subcommand(name).is_some();
        let optional = ["review", "studio", "mcp"];
        for name in SUBCOMMANDS.iter().flat_map(|(_, names)| *names) {
            assert!(has(name) || optional.contains(name), "{name}");
        }
    }
}
