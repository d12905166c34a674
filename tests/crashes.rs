//! Kills the program at every single file operation, and runs several of it at once.
//!
//! A debug build reads `RUNNER_TEST_DIES_AFTER` and ends after so many operations, without running any
//! destructor.
#![cfg(debug_assertions)]

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::needs::long;
use crate::common::{Project, Ran};

const CLASS: &str = "lab";

/// Contents of the files below `snapshots/` that a person sees, by name.
type Files = BTreeMap<String, Vec<u8>>;

fn files(project: &Project) -> Files {
    project
        .files("snapshots")
        .into_iter()
        // Names that begin with `+` are the program's own: nobody reads them.
        .filter(|name| !name.contains("/+"))
        .map(|name| {
            let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a file");
            (name, bytes)
        })
        .collect()
}

fn rows(version: u32) -> String {
    format!(
        "# schema=1\nid\tclass\ttext\tdesc\tres_id\thint\tflags\nn1\tButton\tPay {version}\t-\tpay\t-\t-\n"
    )
}

/// Makes a project with flows `a`, `b`, … and a changed golden each. No flow names the golden `gone`.
fn project(flows: &[&str]) -> Project {
    let project = Project::empty();
    project.write("runner.yaml", "devices: [virtual]\n");
    for flow in flows {
        project.write(
            &format!("flows/{flow}.yaml"),
            "app: com.example\nsteps:\n  - snapshot: home\n",
        );
        golden(&project, flow, 1);
        propose(&project, flow, 2);
    }
    golden(&project, "gone", 1);
    project
}

fn golden(project: &Project, flow: &str, version: u32) {
    for name in ["home", "home~lab"] {
        project.write(&format!("snapshots/{flow}/{name}.tsv"), &rows(version));
    }
}

/// Writes the pending files of a run that saw `version` where the golden is version 1.
fn propose(project: &Project, flow: &str, version: u32) {
    let golden = xxhash_rust::xxh3::xxh3_64(rows(1).as_bytes());
    for name in ["home", "home~lab"] {
        project.write(
            &format!("snapshots/{flow}/{name}.new.tsv"),
            &format!(
                "#pending against={golden:016x} by={CLASS}\n{}",
                rows(version)
            ),
        );
    }
}

fn copy_of(project: &Project) -> Project {
    let copy = Project::empty();
    for name in project.files("") {
        let to = copy.path(&name);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("folders");
        std::fs::copy(project.path(&name), to).expect("a copy");
    }
    copy
}

fn dying(project: &Project, arguments: &[&str], steps: usize) -> std::process::ExitStatus {
    project
        .command(arguments)
        .env("RUNNER_TEST_DIES_AFTER", steps.to_string())
        .output()
        .expect("the program starts")
        .status
}

/// Kills the command at every file operation, and asserts that each file is then old or new.
#[track_caller]
fn killed_everywhere(template: &Project, arguments: &[&str]) {
    let undo = if arguments[0] == "undo" {
        Undo::Never
    } else {
        Undo::TakesItBack
    };
    killed(template, arguments, 0, undo);
}

/// Effect of `undo` after a finished command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Undo {
    TakesItBack,
    Never,
}

/// Kills a command that ends with `code` at every file operation.
#[track_caller]
fn killed(template: &Project, arguments: &[&str], code: i32, undo: Undo) {
    let old = files(template);
    let done = copy_of(template);
    done.run(arguments).expect(code);
    let new = files(&done);
    assert_ne!(old, new, "{arguments:?} does something");
    for steps in (0..1000).step_by(long(3, 1)) {
        let when = format!("{arguments:?} killed after {steps} steps");
        let project = copy_of(template);
        let status = dying(&project, arguments, steps);
        let now = files(&project);
        for name in old.keys().chain(new.keys()).chain(now.keys()) {
            assert!(
                now.get(name) == old.get(name) || now.get(name) == new.get(name),
                "{name} is neither old nor new: {when}"
            );
        }
        if status.code().is_some() {
            assert_eq!(status.code(), Some(code), "{when}");
            assert!(steps > 8, "there are steps to stop at: {when}");
            assert_eq!(now, new, "{when}");
            return;
        }
        // Any next command brings it to its end.
        project.run(&["pending", "-q"]);
        let after = files(&project);
        assert!(after == old || after == new, "half done: {when}");
        if after == old {
            project.run(arguments).expect(code);
            assert_eq!(files(&project), new, "again: {when}");
        } else if undo == Undo::TakesItBack {
            project.run(&["undo"]).expect(0);
            assert_eq!(files(&project), old, "taken back: {when}");
        }
        assert!(
            project
                .files("snapshots")
                .iter()
                .all(|name| !name.contains('+')),
            "something is left: {when}"
        );
    }
    panic!("{arguments:?} has no end");
}

#[test]
fn accept_killed_anywhere_is_done_or_not() {
    killed_everywhere(&project(&["a", "b"]), &["accept", "--all"]);
}

#[test]
fn reject_killed_anywhere_is_done_or_not() {
    killed_everywhere(&project(&["a", "b"]), &["reject", "--all"]);
}

#[test]
fn prune_killed_anywhere_is_done_or_not() {
    killed_everywhere(&project(&["a"]), &["prune", "--apply"]);
}

#[test]
fn undo_killed_anywhere_is_done_or_not() {
    let project = project(&["a", "b"]);
    project.run(&["accept", "a/*"]).expect(0);
    project.run(&["reject", "b/*"]).expect(0);
    killed_everywhere(&project, &["undo"]);
    project.run(&["undo"]).expect(0).says("not rejected");
    killed_everywhere(&project, &["undo"]);
}

/// Kills the acceptance of CI's proposals at every file operation. They differ from what is pending for `a`,
/// in rows for all devices and in rows of its class.
#[test]
fn taking_what_ci_rendered_killed_anywhere_is_done_or_not() {
    let template = project(&["a"]);
    let ci = project(&[]);
    propose(&ci, "a", 3);
    for name in ["home", "home~lab"] {
        let text = ci.read(&format!("snapshots/a/{name}.new.tsv"));
        template.write(
            &format!("out/proposed-goldens/virtual/a/{name}.new.tsv"),
            &text,
        );
    }
    let arguments = ["review", "--from", "out"];
    killed(&template, &arguments, 1, Undo::Never);
}

/// The screen is another than the golden, and than what waits.
#[test]
fn an_update_killed_anywhere_is_done_or_not() {
    let template = Project::empty();
    let app = "package: com.example\nlabel: Shop\nversion: '1'\nactivities:\n  .Main: { surface: main.yaml, launchable: true }\n";
    template.write("apps/shop/app.yaml", app);
    template.write(
        "runner.yaml",
        "devices: [ { serial: virtual, render_class: lab } ]\napps: [apps/shop]\n",
    );
    template.write(
        "flows/a.yaml",
        "app: com.example\nsteps:\n  - launch\n  - snapshot: { name: home, image: none }\n",
    );
    let screen = |text: &str| {
        template.write("apps/shop/main.yaml", &SCREEN.replace("TEXT", text));
    };
    screen("Pay");
    template.run(&["test", "--update"]).expect(0);
    screen("Buy");
    template.run(&["test"]).expect(1);
    screen("Order");
    let arguments = ["test", "--update", "changed", "--quiet"];
    killed(&template, &arguments, 0, Undo::Never);
}

const SCREEN: &str = "- version: v0.9
  createSurface: { surfaceId: main, catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json' }
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - { id: root, component: Column, children: [pay] }
      - { id: pay, component: Text, text: TEXT }
";

/// Kills also the recovery at every file operation.
#[test]
fn recovery_killed_anywhere_is_recovered() {
    let template = project(&["a", "b"]);
    let old = files(&template);
    let done = copy_of(&template);
    done.run(&["accept", "--all"]).expect(0);
    let new = files(&done);
    // The first kill that leaves a promise.
    let promised = (0..1000)
        .find(|steps| {
            let project = copy_of(&template);
            dying(&project, &["accept", "--all"], *steps);
            project.path(".runner/goldens.journal").exists()
        })
        .expect("some kill leaves a journal");
    let half = copy_of(&template);
    dying(&half, &["accept", "--all"], promised);
    for steps in (0..1000).step_by(long(3, 1)) {
        let project = copy_of(&half);
        let status = dying(&project, &["pending", "-q"], steps);
        let now = files(&project);
        for name in old.keys().chain(new.keys()) {
            assert!(now.get(name) == old.get(name) || now.get(name) == new.get(name));
        }
        project.run(&["pending", "-q"]);
        assert_eq!(files(&project), new, "after {steps} steps of the recovery");
        if status.code().is_some() {
            return;
        }
    }
    panic!("the recovery has no end");
}

/// A file no larger than a few hundred bytes may be written: as on a full disk, in the middle.
#[cfg(unix)]
#[test]
fn a_write_that_fails_changes_nothing_and_says_so() {
    let project = project(&["a"]);
    let large = "x".repeat(8192);
    let text = project.read("snapshots/a/home~lab.new.tsv");
    project.write(
        "snapshots/a/home~lab.new.tsv",
        &text.replace("Pay 2", &large),
    );
    let before = files(&project);
    let program = env!("CARGO_BIN_EXE_runner");
    let ran: Ran = std::process::Command::new("sh")
        .args([
            "-c",
            &format!("trap '' XFSZ; ulimit -f 8; exec {program} accept --all"),
        ])
        .current_dir(project.path(""))
        .output()
        .map(Ran::from)
        .expect("a shell");
    ran.expect(1).says("snapshots/a/+home~lab.tsv.new.tsv");
    assert_eq!(files(&project), before);
    assert!(!project.path(".runner/goldens.journal").exists());
    assert!(
        project
            .files("snapshots")
            .iter()
            .all(|name| !name.contains('+')),
        "nothing is left beside"
    );
    project.run(&["accept", "--all"]).expect(0);
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_changes_nothing_and_says_so() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    const NOBODY: u32 = 65534;
    let project = project(&["a"]);
    let before = files(&project);
    let folder = project.path("snapshots/a");
    let set = |mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder, mode).expect("permissions");
    };
    set(0o555);
    let mut command = project.command(&["accept", "--all"]);
    // Root may write everywhere: then the program runs as somebody else.
    if std::fs::write(folder.join("probe"), "").is_ok() {
        std::fs::remove_file(folder.join("probe")).expect("removed");
        for entry in walkdir::WalkDir::new(project.path("")) {
            let path = entry.expect("an entry").into_path();
            chown(path, Some(NOBODY), Some(NOBODY)).expect("another owner");
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output();
    set(0o755);
    let ran = Ran::from(output.expect("the program starts"));
    ran.expect(1).says("ermission denied");
    assert_eq!(files(&project), before);
    assert!(!project.path(".runner/goldens.journal").exists());
}

#[cfg(unix)]
#[test]
fn links_never_lead_out_of_the_project() {
    let project = project(&["a"]);
    let outside = tempfile::tempdir().expect("a folder");
    let target = outside.path().join("a");
    std::fs::rename(project.path("snapshots/a"), &target).expect("moved");
    std::os::unix::fs::symlink(&target, project.path("snapshots/a")).expect("a link");
    let names = |folder: &Path| -> Vec<_> {
        let entries = std::fs::read_dir(folder).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        names
    };
    let before = names(&target);
    // The whole folder of goldens as a link is read, and not written through.
    std::fs::remove_file(project.path("snapshots/a")).expect("removed");
    std::fs::remove_dir_all(project.path("snapshots")).expect("removed");
    std::os::unix::fs::symlink(outside.path(), project.path("snapshots")).expect("a link");
    for command in ["accept", "reject"] {
        project
            .run(&[command, "--all"])
            .expect(1)
            .says("leads out of the project");
    }
    assert_eq!(names(&target), before);
}

/// Reviewers and undoers of the same goldens, all at once.
#[test]
fn several_programs_at_once_tear_nothing() {
    let flows = ["a", "b", "c", "d", "e", "f"];
    let project = project(&flows);
    let old = files(&project);
    let outcomes: Vec<Ran> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| {
                let project = &project;
                scope.spawn(move || {
                    let mut outcomes = Vec::new();
                    for turn in 0..6 {
                        let key = format!("{}/home", flows[(turn + worker / 2) % flows.len()]);
                        let arguments: &[&str] = match (worker + turn) % 4 {
                            0 | 1 => &["accept", &key],
                            2 => &["reject", &key],
                            _ => &["undo"],
                        };
                        outcomes.push(project.run(arguments));
                    }
                    outcomes
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().expect("a worker"))
            .collect()
    });
    for ran in &outcomes {
        let lost = matches!(ran.code, 1 | 2)
            && (ran.stderr.contains("no pending golden matches")
                || ran.stderr.contains("does not wait any more")
                || ran.stderr.contains("nothing to take back"));
        assert!(ran.code == 0 || lost, "{}{}", ran.stdout, ran.stderr);
    }
    // Each key is undecided, accepted or rejected, with all of its files.
    let now = files(&project);
    for flow in flows {
        for name in ["home", "home~lab"] {
            let golden = &now[&format!("{flow}/{name}.tsv")];
            let pending = now.get(&format!("{flow}/{name}.new.tsv"));
            let is = (golden == rows(1).as_bytes(), golden == rows(2).as_bytes());
            assert!(is.0 || is.1, "{flow}/{name} is torn");
            assert!(
                pending.is_none() || is.0,
                "{flow}/{name} was accepted and waits"
            );
            let original = &old[&format!("{flow}/{name}.new.tsv")];
            assert!(pending.is_none_or(|pending| pending == original));
        }
        let of = |ending: &str| {
            ["home", "home~lab"].map(|name| now.get(&format!("{flow}/{name}{ending}")))
        };
        let [shared, class] = of(".tsv");
        assert_eq!(shared, class, "{flow} is half accepted");
        let [shared, class] = of(".new.tsv");
        assert_eq!(shared.is_some(), class.is_some(), "{flow} is half decided");
    }
    // Taking everything back leads to where it began.
    while project.run(&["undo"]).code == 0 {}
    assert_eq!(files(&project), old);
}
