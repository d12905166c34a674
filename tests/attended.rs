//! Runs with a person at the terminal: `pause`, the review after a run, the review during a watch.

use crate::common::Project;
use crate::common::terminal::Terminal;

/// Starts `runner ARGUMENTS` in a terminal without CI's variables, which would keep the program from asking.
fn start(project: &Project, arguments: &str) -> Option<Terminal> {
    let script = format!(
        "trap : INT; cd '{}' && env -u CI -u GITHUB_ACTIONS '{}' {arguments}; echo \"ended $?\"; exec cat",
        project.path("").display(),
        env!("CARGO_BIN_EXE_runner"),
    );
    Terminal::with_script((120, 60), &script)
}

fn pausing() -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "waits",
        "steps:\n  - launch\n  - pause: plug in the card\n  - find: Username\n",
    );
    project
}

#[test]
fn pause_goes_on_when_enter_is_pressed() {
    let project = pausing();
    let Some(terminal) = start(&project, "test") else {
        return;
    };
    terminal.shows("plug in the card; press Enter to go on");
    assert!(!terminal.screen().contains("find: Username"));
    terminal
        .keys(&["Enter"])
        .shows("find: Username")
        .shows("ended 0");
}

#[test]
fn pause_ends_with_the_run_that_is_interrupted() {
    let project = pausing();
    let Some(terminal) = start(&project, "test") else {
        return;
    };
    terminal.shows("press Enter to go on");
    terminal.keys(&["C-c"]).shows("ended 130");
}

fn with_a_snapshot() -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "home",
        "steps: [ launch, { snapshot: { name: first, image: none } } ]\n",
    );
    project
}

/// Accepts the selected change, once the review shows it.
fn accept(terminal: &Terminal) {
    terminal.shows("0/1 done").shows("Forgot password?");
    terminal.keys(&["a"]).until("it is accepted", |screen| {
        if screen.contains("it is not shown yet") {
            terminal.keys(&["a"]);
        }
        screen.contains("accepted home/first")
    });
}

#[test]
fn the_review_opens_after_a_run() {
    let project = with_a_snapshot();
    let Some(terminal) = start(&project, "test --review") else {
        return;
    };
    accept(&terminal);
    terminal.keys(&["q"]).shows("ended");
    assert!(!project.files("snapshots").is_empty());
}

#[test]
fn the_review_opens_amid_a_watch_and_gives_the_terminal_back() {
    let project = with_a_snapshot();
    let Some(terminal) = start(&project, "test --watch") else {
        return;
    };
    terminal.shows("watching 1 flow");
    terminal.keys(&["u"]);
    accept(&terminal);
    terminal.keys(&["q"]).until("the watch is back", |screen| {
        screen.contains("watching 1 flow") && !screen.contains("1/1 done")
    });
    // Keys are the watch's again: the snapshot that was accepted passes now.
    terminal.keys(&["Enter"]).shows("1 passed");
    terminal.keys(&["q"]).shows("ended 0");
}

#[test]
fn a_key_behind_another_one_is_met_too() {
    let project = with_a_snapshot();
    let Some(terminal) = start(&project, "test --watch") else {
        return;
    };
    terminal.shows("watching 1 flow");
    // The run leaves a snapshot to review.
    terminal.keys(&["Enter", "u"]);
    accept(&terminal);
}
