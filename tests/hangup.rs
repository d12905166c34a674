//! Ends of the program when its terminal or connection goes away, and what stays after a kill.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::common::Project;

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

/// Starts a program, and waits for a line of its output that holds `says`. The output stays open.
fn started(command: &mut Command, says: &str) -> (Child, BufReader<ChildStdout>) {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    while !line.contains(says) {
        line.clear();
        assert!(lines.read_line(&mut line).expect("a line") > 0, "no {says}");
    }
    (child, lines)
}

/// Wraps the command so that it gets the signal as from a terminal, even if the tests ignore it, as under
/// `nohup`.
fn heard(command: &Command) -> Command {
    let mut heard = Command::new("env");
    heard
        .env_clear()
        .arg("--default-signal=HUP")
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        heard.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heard.env(name, value),
            None => heard.env_remove(name),
        };
    }
    heard
}

const LONG: &str = "steps:
  - launch
  - repeat: { times: 10000, steps: [ find: Username ] }
teardown: [ stop ]
";

#[test]
fn v17_a_run_whose_terminal_goes_away_ends_in_order() {
    let project = Project::with_demo_app();
    project.flow("a", LONG);
    let arguments = ["test", "--json", "-", "--junit", "out.xml", "--html", "out"];
    let (mut child, lines) = started(
        &mut heard(&project.command(&arguments)),
        "\"step_finished\"",
    );
    // Nobody reads any more. The system and the shell both send the signal.
    drop(lines);
    send(&child, Signal::HUP);
    send(&child, Signal::HUP);
    std::thread::sleep(std::time::Duration::from_millis(50));
    send(&child, Signal::HUP);
    assert_eq!(child.wait().expect("its end").code(), Some(130));
    let report = project.read("out.xml");
    assert!(report.contains("</testsuites>"), "{report}");
    assert!(project.path("out/index.html").is_file());
    let events = project.read(".runner/last-run.ndjson");
    let torn_down = events
        .lines()
        .any(|line| line.contains("\"step_finished\"") && line.contains("teardown"));
    assert!(torn_down, "{events}");
}

#[test]
fn v17_every_server_ends_in_order_at_a_hangup() {
    let project = Project::with_demo_app();
    let initialize = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"tests\",\"version\":\"1\"}}}\n";
    for (arguments, says) in [
        (&["virtual", "--port", "0"][..], "virtual device at"),
        (&["studio", "--no-open", "--port", "0"], "Studio at"),
        (&["mcp"], "\"id\":1"),
    ] {
        let mut command = heard(&project.command(arguments));
        let (ours, theirs) = std::io::pipe().expect("a pipe");
        (&theirs).write_all(initialize.as_bytes()).expect("room");
        let (mut child, _lines) = started(command.stdin(ours), says);
        send(&child, Signal::HUP);
        let ended = child.wait().expect("its end");
        assert!(ended.success(), "{arguments:?}: {ended}");
        drop(theirs);
    }
}

/// A program that `nohup` started goes on when the terminal goes.
#[test]
fn v17_a_program_that_is_to_outlive_its_terminal_does() {
    let project = Project::with_demo_app();
    let device = project.command(&["virtual", "--port", "0"]);
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(device.get_program())
        .args(device.get_args())
        .current_dir(project.path(""));
    let (mut child, _lines) = started(&mut command, "virtual device at");
    send(&child, Signal::HUP);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().expect("its state").is_none());
    send(&child, Signal::TERM);
    assert!(child.wait().expect("its end").success());
}

/// The files of the virtual device, which are for one run.
#[test]
fn v17_what_a_killed_run_left_goes_with_the_next() {
    let project = Project::with_demo_app();
    project.flow("a", LONG).flow("b", "steps: [ launch ]\n");
    std::fs::create_dir(project.path("tmp")).expect("a folder");
    let left = || {
        std::fs::read_dir(project.path("tmp"))
            .expect("a folder")
            .count()
    };
    let command = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command.env("TMPDIR", project.path("tmp"));
        command
    };
    let arguments = ["test", "flows/a.yaml", "--json", "-"];
    let (mut killed, _killed) = started(&mut command(&arguments), "find: Username");
    let (mut living, _living) = started(
        &mut command(&["virtual", "--port", "0"]),
        "virtual device at",
    );
    assert_eq!(left(), 2);
    killed.kill().expect("a kill");
    killed.wait().expect("its end");
    assert_eq!(left(), 2);
    let ran = command(&["test", "flows/b.yaml"])
        .output()
        .expect("the program starts");
    assert!(ran.status.success(), "{ran:?}");
    // What a living process has stays.
    assert_eq!(left(), 1);
    send(&living, Signal::TERM);
    living.wait().expect("its end");
    assert_eq!(left(), 0);
}
