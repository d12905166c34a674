//! Setup and teardown steps of `runner.yaml` around each flow, and `pause`.

use crate::common::Project;

fn project(file: &str) -> Project {
    let project = Project::with_demo_app();
    let before = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{before}{file}"));
    project.flow(
        "one",
        "setup: [ screenshot: own-setup ]\nsteps: [ assert visible: Welcome to Notes ]\nteardown: [ \
         screenshot: own-teardown ]\n",
    );
    project
}

#[test]
fn steps_of_the_project_surround_each_flow() {
    let project = project(
        "setup:\n  - launch: com.example.notes\n    label: begin\nteardown:\n  - stop: com.example.notes\n    label: end\n",
    );
    let ran = project
        .run(&["test", "flows/one.yaml", "--verbose"])
        .expect(0);
    let places = ["begin", "own-setup", "Welcome", "own-teardown", "end"].map(|step| {
        ran.stdout
            .find(step)
            .unwrap_or_else(|| panic!("{step}: {}", ran.stdout))
    });
    assert!(places.is_sorted(), "{}", ran.stdout);
}

#[test]
fn a_failure_stands_in_runner_yaml_and_teardown_runs_all_the_same() {
    let project = project(
        "setup:\n  - { click: Nowhere, timeout: 100ms }\nteardown:\n  - screenshot: last\n",
    );
    project
        .run(&["test", "flows/one.yaml", "--verbose"])
        .expect(1)
        .says("error in setup: no element matches Nowhere")
        .says("runner.yaml:")
        .says("screenshot: last");
}

#[test]
fn broken_surroundings_run_nothing() {
    for (file, message) in [
        ("setup:\n  - clik: A\n", "did you mean `click`?"),
        ("teardown:\n  - snapshot: a\n", "take no snapshots"),
        ("setup: launch\n", "setup"),
    ] {
        let project = project(file);
        project
            .run(&["test", "flows/one.yaml"])
            .expect(2)
            .says(message)
            .never_says("PASS");
    }
}

#[test]
fn pause_without_a_terminal_is_passed_over_with_a_warning() {
    let project = Project::with_demo_app();
    project.flow(
        "waits",
        "steps:\n  - launch: com.example.notes\n  - pause\n  - pause: plug in the card\n  - pause: \"${40 + 2}\"\n  - assert visible: Welcome to Notes\n",
    );
    project
        .run(&["test", "flows/waits.yaml"])
        .expect(0)
        .says("`pause` was passed over")
        .says("plug in the card")
        .says("(42)");
}
