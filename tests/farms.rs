//! Devices of a server: Appium, a Selenium Grid before it, and a stand-in of a device cloud.
//!
//! Appium, Selenium Grid and adb are the real ones that `.ci/run` installs, before virtual devices; where one
//! of them is missing, the tests that need it say so, and in CI fail.

mod canned;
mod cloud;
mod clouds;
mod grid;
mod http;
mod through_grid;

use std::process::{Child, Command, Stdio};

use crate::common::{Project, Ran};

/// Makes a project with the demo app's flows and goldens, and these devices.
fn demo(devices: &str) -> Project {
    let project = Project::empty();
    for folder in ["flows", "snapshots", "examples/demo"] {
        project.copy(folder);
    }
    project.write(
        "runner.yaml",
        &format!("flows: flows\nallow_shell: true\ndevices:\n{devices}"),
    );
    project
}

/// Makes a project with other flows for the demo app, and these devices.
fn project(devices: &str) -> Project {
    let project = Project::empty();
    project.write("runner.yaml", &format!("devices:\n{devices}"));
    project
}

/// Flow that looks for minutes.
const LONG: &str = "steps:\n  - launch: { clear: true }\n  - repeat: { times: 10000, steps: [ find: Username ] }\n";
/// Flow that ends soon.
const SHORT: &str = "steps:\n  - launch: { clear: true }\n  - assert visible: Username\n";

/// A run in the background.
struct Running(Child);

impl Running {
    fn start(project: &Project, arguments: &[&str]) -> Self {
        Self::from_command(project.command(arguments))
    }

    fn from_command(mut command: Command) -> Self {
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        Self(child.expect("the program starts"))
    }

    /// Sends the signal of Ctrl-C.
    fn interrupt(&self) {
        let id = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(id, rustix::process::Signal::INT).expect("a signal");
    }

    fn end(self) -> Ran {
        Ran::from(self.0.wait_with_output().expect("it ends"))
    }
}

/// Calls `ask` until it returns something, for as long as a loaded machine may need.
#[track_caller]
fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let began = std::time::Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(
            began.elapsed().as_secs() < 120,
            "it does not come to {what}"
        );
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Returns `Some` once a step with this title has ended in the events.
fn has_passed(project: &Project, events: &str, title: &str) -> Option<()> {
    let text = std::fs::read_to_string(project.path(events)).ok()?;
    let ended = |line: &str| line.contains("\"step_finished\"") && line.contains(title);
    text.lines().any(ended).then_some(())
}

/// The recipes of the document are settings that the program takes.
#[test]
fn the_recipes_read() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/guide/farms.md"));
    let page = page.expect("the document");
    let blocks: Vec<&str> = page
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() > 5, "{blocks:?}");
    for block in blocks {
        let project = Project::empty();
        project.write("runner.yaml", block);
        project.run(&["config"]).expect(0);
    }
}
