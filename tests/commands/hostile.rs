//! Names of files and flows, and texts of a screen, that would steer a terminal or give commands to a CI system.

use crate::common::{Project, Ran};

/// Hostile names: terminal sequences, also in one byte; a title; right-to-left marks; line ends.
const EVIL: [&str; 6] = [
    "a\u{1b}[2Jb",
    "c\u{1b}]0;t\u{7}d",
    "e\u{9b}31m\u{9d}0;t\u{9c}f",
    "g\u{202e}h\u{2066}i\u{200f}j",
    "k\n::error::l",
    "m ##[error]n",
];

fn hostile() -> Project {
    let project = Project::with_demo_app();
    for (at, evil) in EVIL.iter().enumerate() {
        let quoted = serde_json::to_string(evil).expect("text is JSON");
        project.flow(
            evil,
            &format!(
                "name: {quoted}\ntags: [ {quoted} ]\nsteps:\n  - launch\n  - snapshot: s{at}\n"
            ),
        );
        project.flow(
            &format!("{evil}.broken"),
            &format!("name: {quoted}\nsteps:\n  - {quoted}: {quoted} # {evil}\n")
                .replace("# k\n", "# "),
        );
    }
    project.flow(
        "x\n::error::pwned",
        "steps:\n  - click: { id: \"q\\n::error::r\" }\n    timeout: 100ms\n    optional: true\n",
    );
    let texts: String = EVIL
        .iter()
        .map(|evil| {
            let text: String = evil.chars().map(|c| format!("&#{};", c as u32)).collect();
            format!("<node index=\"0\" text=\"{text}\" resource-id=\"a:id/b\" class=\"android.widget.TextView\" package=\"p\" content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"false\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" selected=\"false\" bounds=\"[0,0][9,9]\" />")
        })
        .collect();
    project.write(
        "dump.xml",
        &format!(
            "<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\">{texts}</hierarchy>"
        ),
    );
    project
}

fn run(project: &Project, arguments: &[&str]) -> Ran {
    let mut command = project.command(arguments);
    command.env("GITHUB_ACTIONS", "true");
    Ran::from(command.output().expect("the program starts"))
}

#[track_caller]
fn is_harmless(arguments: &[&str], ran: &Ran, commands_are_stopped: bool) {
    for text in [&ran.stdout, &ran.stderr] {
        let steers = |c: char| {
            (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!text.contains(steers), "{arguments:?} says {text:?}");
        let is_command = |line: &&str| line.trim_start().starts_with("::") || line.contains("##[");
        let own = |line: &&str| {
            [
                "::stop-commands::",
                "::error file=",
                "::error title=",
                "::warning",
                "::notice",
            ]
            .iter()
            .any(|own| line.starts_with(own))
                || (line.starts_with("::") && line.len() == 36 && line.ends_with("::"))
        };
        if let Some(line) = text
            .lines()
            .find(|line| is_command(line) && !(commands_are_stopped && own(line)))
        {
            panic!("{arguments:?} gives the command {line:?}\n{text}");
        }
    }
}

#[cfg(unix)]
#[test]
fn no_command_prints_what_steers_a_terminal_or_a_ci_system() {
    let project = hostile();
    for arguments in [
        &["test"][..],
        &["test", "-v"],
        &["test", "-v", "--", "flows/x\n::error::pwned.yaml"],
        &["test", "-q"],
        &["test", "--json", "-"],
    ] {
        is_harmless(arguments, &run(&project, arguments), true);
    }
    let pending = run(&project, &["pending"]);
    assert!(pending.stdout.contains("/s0"), "{}", pending.stdout);
    for arguments in [
        &["pending"][..],
        &["pending", "-v"],
        &["pending", "-q"],
        &["review"],
        &["test", "--list"],
        &["lint"],
        &["report"],
        &["report", "-v"],
        &["report", "--json", "-"],
        &["reject", "--all"],
        &["undo"],
        &["accept", "--all"],
        &["undo"],
        &["accept", "no\u{1b}such\n::error::key"],
        &["prune", "--check"],
        &["inspect", "--dump", "dump.xml", "--format", "json"],
        &["inspect", "--dump", "dump.xml", "--format", "list"],
        &["inspect", "--dump", "no\u{9b}such\n::error::x"],
        &["test", "no\u{9b}such\n::error::x"],
        &["report", "no\u{9b}such\n::error::x"],
        &["test", "--no\u{9b}such"],
        &["test", "--x\n::error::pwned"],
        &["--x\n::error::pwned"],
    ] {
        is_harmless(arguments, &run(&project, arguments), false);
    }
    // Rows in a pipe are data, as they are; but no line of them is a command.
    for profile in ["reference", "golden"] {
        let arguments = ["inspect", "--dump", "dump.xml", "--profile", profile];
        let rows = run(&project, &arguments).expect(0).stdout;
        assert!(rows.contains('\u{9b}'), "{rows:?}");
        let is_command = |line: &str| line.trim_start().starts_with("::") || line.contains("##[");
        assert!(!rows.lines().any(is_command), "{rows:?}");
    }
    let json = run(
        &project,
        &["inspect", "--dump", "dump.xml", "--format", "json"],
    );
    let read: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    for text in ["\u{9b}", "##[error]"] {
        assert!(
            read.to_string().contains(text),
            "the texts are the screen's"
        );
    }
}

#[cfg(unix)]
#[test]
fn colours_are_all_that_is_left_of_a_diagnostic() {
    let project = hostile();
    let mut command = project.command(&["lint"]);
    command.env("CLICOLOR_FORCE", "1");
    command.env("GITHUB_ACTIONS", "true");
    let ran = Ran::from(command.output().expect("the program starts"));
    let colours = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert!(colours.is_match(&ran.stdout));
    let plain = Ran {
        stdout: colours.replace_all(&ran.stdout, "").into_owned(),
        ..ran
    };
    is_harmless(&["lint"], &plain, false);
}
