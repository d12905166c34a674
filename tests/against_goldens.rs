//! `lint --against` in a clone without recordings: steps beside a snapshot are looked up on its golden.

use crate::against::{FLOWS, SIGN_IN};
use crate::common::Project;

/// Returns the flows of `against` with a snapshot behind each step, and the goldens of a run.
fn clone_with_goldens() -> Project {
    let project = Project::with_demo_app();
    project.flow("_in", SIGN_IN);
    for (name, text) in FLOWS {
        project.flow(name, &with_snapshots(text));
    }
    project.run(&["test", "--update", "all"]).expect(0);
    forget_runs(&project);
    project
}

fn forget_runs(project: &Project) {
    std::fs::remove_dir_all(project.path(".runner")).expect("a run left its history");
}

fn with_snapshots(flow: &str) -> String {
    let (head, steps) = flow.split_once("\nsteps:\n").expect("steps");
    let mut text = format!("{head}\nsteps:\n");
    for (number, line) in steps.lines().enumerate() {
        let is_nested = line.starts_with("   ");
        if !is_nested {
            text.push_str(&format!("  - snapshot: before-{number}\n"));
        }
        text.push_str(line);
        text.push('\n');
    }
    text + "  - snapshot: at-the-end\n"
}

#[test]
fn flows_that_passed_are_not_doubted() {
    let project = clone_with_goldens();
    let ran = project.run(&["lint", "--against"]).expect(0);
    assert!(!ran.stdout.contains("not-recorded"), "{}", ran.stdout);
    ran.says("6 flows without a recording: run them once (")
        .says("judged on goldens");
    // A flow without a recording is not judged as a whole.
    project.run(&["lint", "--against", "--strict"]).expect(1);
}

#[test]
fn a_selector_that_the_golden_beside_it_lacks_is_doubted() {
    let project = clone_with_goldens();
    let flow = project.read("flows/dialog.yaml");
    let mut told = 0;
    for (selector, wrong) in [
        ("click: Keep it", "click: Keep at"),
        ("click: { id: confirm_delete }", "click: { id: delete_it }"),
        ("text: Ideas for the garden }", "text: Ideas }"),
        ("visible: Delete this note?", "visible: Delete that note?"),
        ("click: Ideas for the garden", "click: Ideas for a garden"),
    ] {
        assert!(flow.contains(selector), "{selector}");
        project.write("flows/dialog.yaml", &flow.replacen(selector, wrong, 1));
        let ran = project.run(&["lint", "flows/dialog.yaml", "--against"]);
        // What an assertion expects of the element it locates is not looked up.
        if selector.starts_with("text") {
            ran.expect(0);
            continue;
        }
        ran.expect(0)
            .says("warning[not-recorded]")
            .says("matches nothing on the golden of the snapshot beside it")
            .says("golden snapshots/dialog/before-");
        told += 1;
    }
    assert_eq!(told, 4);
}

#[test]
fn words_under_a_mask_are_not_judged() {
    let project = Project::with_demo_app();
    let flow = |words: &str| {
        format!(
            "steps:\n  - launch: {{ clear: true }}\n  - snapshot: {{ name: home, mask: [ {{ text: Welcome to Notes }} ] }}\n  - assert visible: {words}\n"
        )
    };
    project.flow("home", &flow("Welcome to Notes"));
    project.run(&["test", "--update", "all"]).expect(0);
    forget_runs(&project);
    project.flow("home", &flow("Welcome to nowhere"));
    let ran = project.run(&["lint", "--against"]).expect(0);
    assert!(!ran.stdout.contains("not-recorded"), "{}", ran.stdout);
}

#[test]
fn what_holds_no_recordings_is_told() {
    let project = clone_with_goldens();
    for (path, says) in [
        ("nowhere", "nowhere is not there"),
        ("nowhere.zip", "nowhere.zip is not there"),
        ("flows/nowhere.yaml", "flows/nowhere.yaml is not there"),
        (
            "flows/dialog.yaml",
            "write `runner lint flows/dialog.yaml --against`",
        ),
        ("flows", "write `runner lint flows --against`"),
        ("./flows/", "write `runner lint ./flows/ --against`"),
    ] {
        let ran = project.run(&["lint", "--against", path]);
        ran.expect(2).says(says);
    }
    // A folder that has no recording yet is no mistake.
    std::fs::create_dir(project.path("recordings")).unwrap();
    for path in [".", "recordings"] {
        project.run(&["lint", "--against", path]).expect(0);
    }
}
