//! The packages: made by `packaging/build` of the program that the tests built, installed from their files into empty
//! prefixes, and tried there without a home and with nothing in the path that is not theirs.
//!
//! `.ci/run-long` names the program that is handed out in `RUNNER_PACKED`, and the same is done with it.

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

/// A command that is started in the project's folder.
fn here(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(ROOT).stdin(Stdio::null());
    command
}

fn ran(command: &mut Command) -> Ran {
    let output = command.output();
    Ran::from(output.unwrap_or_else(|error| panic!("{command:?}: {error}")))
}

/// A tool of the packages, which CI installs into a folder of its own.
fn tool(name: &str) -> Option<Command> {
    let mut command = needs::client_program(&format!("packaging/bin/{name}"))?;
    command.current_dir(ROOT).stdin(Stdio::null());
    Some(command)
}

/// An installed program, started with nothing but a path.
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

/// What a newcomer does, and the demo flows, far from the sources.
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

/// A folder whose only program is the named one, found in the path.
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
