//! Packages: made by `packaging/build` from the program that the tests built, installed from their files into
//! empty prefixes, and tried there without a home and with nothing else in the path.
//!
//! `.ci/run-long` names the published program in `RUNNER_PACKED`, and the same is done with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Project, Ran, needs};

mod installer;
mod installs;
mod launcher;
mod made;
mod words;
mod workflows;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Returns a command that runs in the project's folder.
fn here(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output();
    Ran::from(output.unwrap_or_else(|error| panic!("{command:?}: {error}")))
}

/// Returns a tool of the packages, which CI installs into its own folder.
fn tool(name: &str) -> Option<Command> {
    let mut command = needs::client_program(&format!("packaging/bin/{name}"))?;
    command.current_dir(ROOT).stdin(Stdio::null());
    Some(command)
}

/// Returns a function that runs an installed program with nothing but a path in its environment.
fn alone<'a>(program: &'a Path, path: &'a str) -> impl Fn(&Path, &[&str]) -> Ran + 'a {
    move |folder, arguments| {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", path)
            .current_dir(folder)
            .args(arguments)
            .stdin(Stdio::null());
        ran(&mut command)
    }
}

/// Runs a newcomer's first commands and the demo flows, far from the sources.
#[track_caller]
fn works(run: impl Fn(&Path, &[&str]) -> Ran) {
    let project = Project::empty();
    let folder = project.path("");
    run(&folder, &["init"]).expect(0);
    run(&folder, &["test"]).expect(0).says("1 passed");

    let demo = Project::empty();
    for folder in ["flows", "snapshots", "examples/demo"] {
        demo.copy(folder);
    }
    let settings = std::fs::read_to_string(Path::new(ROOT).join("runner.yaml"));
    demo.write("runner.yaml", &settings.expect("the settings"));
    run(&demo.path(""), &["test", "--update", "none", "flows/"])
        .expect(0)
        .says("5 passed");
}

/// Makes a folder whose only programs are the named ones, and returns the path to it.
#[expect(
    clippy::disallowed_methods,
    reason = "tests are not part of the program"
)]
fn only(folder: &Path, programs: &[&str]) -> String {
    let bin = folder.join("only");
    std::fs::create_dir_all(&bin).expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    for program in programs {
        let found: Option<PathBuf> = std::env::split_paths(&path)
            .map(|folder| folder.join(program))
            .find(|file| file.is_file());
        let found = found.unwrap_or_else(|| panic!("no {program} in the path"));
        std::os::unix::fs::symlink(found, bin.join(program)).expect("a link");
    }
    bin.to_str().expect("a plain path").to_owned()
}
