//! npm launcher: it behaves as the program itself, and says what to do if that is missing.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use super::installs::installed_with_npm;
use super::made::shown;
use super::{alone, only};
use crate::common::Project;

#[test]
fn signals_reach_the_program_and_its_exit_code_comes_back() {
    let Some(folder) = installed_with_npm(&[]) else {
        return;
    };
    let path = only(folder.path(), &["node"]);
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let project = Project::with_demo_app();
        project.flows_of_a_killed_run();
        let program = folder.path().join("node_modules/.bin/runner");
        // Whoever runs the tests may ignore a signal, as `nohup` does.
        let mut child = Command::new("/usr/bin/env");
        let mut child = child
            .arg("--default-signal")
            .arg(program)
            .args(["test", "--json", "-", "flows/b.yaml"])
            .env_clear()
            .env("PATH", &path)
            .current_dir(project.path(""))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("env starts");
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let begun = lines.by_ref().map(Result::unwrap);
        begun
            .take_while(|line| !line.contains("\"step_finished\""))
            .for_each(drop);
        kill_process(Pid::from_child(&child), signal).expect("a signal");
        let rest: Vec<String> = lines.map(Result::unwrap).collect();
        let code = child.wait().expect("its end").code();
        assert_eq!(code, Some(130), "{signal:?}");
        // The program itself ended in order, and wrote its last event.
        assert!(
            rest.last()
                .is_some_and(|line| line.contains("\"exit_code\":130")),
            "{rest:?}"
        );
    }
}

#[test]
fn a_missing_program_is_told_with_what_to_do() {
    let Some(folder) = installed_with_npm(&["--omit=optional"]) else {
        return;
    };
    let path = only(folder.path(), &["node"]);
    let name = shown("name");
    let program = folder.path().join("node_modules/.bin/runner");
    let run = alone(&program, &path);
    run(folder.path(), &["test"])
        .expect(127)
        .says(&format!("the package {name}-linux-x64 is not installed"))
        .says(&format!(
            "next: npm install --include=optional {name}@{}",
            shown("version")
        ));

    let as_if = |script: &str| {
        let file = folder.path().join("as-if.js");
        std::fs::write(&file, script).expect("written");
        let node = Path::new(&path).join("node");
        let run = alone(&node, "");
        let launcher = folder
            .path()
            .join("node_modules")
            .join(&name)
            .join("bin/runner.js");
        let words = [
            "--require",
            file.to_str().unwrap(),
            launcher.to_str().unwrap(),
        ];
        run(folder.path(), &words).expect(127)
    };
    as_if("Object.defineProperty(process, 'arch', { value: 'riscv64' });")
        .says("there is none for linux-riscv64, only for linux-x64, linux-arm64, darwin-x64");
    as_if("process.report.getReport = () => ({ header: {} });").says("it needs glibc");
}
