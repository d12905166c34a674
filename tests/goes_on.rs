//! Checks that a flow goes on after a snapshot that differs from its golden, so that one run reports all of
//! them.

use crate::common::{Project, Ran};

/// Three snapshots, one of them in a group, between other steps.
const THREE: &str = "steps:\n  - launch\n  - snapshot: first\n  - group:\n      - snapshot: second\n      - press: BACK\n  - \
                     launch: { activity: .Settings }\n  - snapshot: third\n";

fn pending(project: &Project) -> Vec<String> {
    let listed = project.run(&["pending", "-q"]).stdout;
    let name = |line: &str| line.split('~').next().map(str::to_owned);
    listed.lines().filter_map(name).collect()
}

#[test]
fn one_run_tells_of_all_snapshots_and_one_accept_makes_it_pass() {
    let project = Project::with_demo_app();
    project.flow("three", THREE);
    let ran = project.run(&["test", "--verbose"]).expect(1);
    let ran = ran
        .says("error: snapshot three/first is new")
        .says("flows/three.yaml:4:5")
        .says("snapshot three/second: ")
        .says("snapshot three/third: ")
        .says("1 failed");
    assert!(
        ran.stdout.matches("FAIL    snapshot: second").count() == 1
            && ran.stdout.contains("FAIL  group"),
        "the step around it fails too: {}",
        ran.stdout
    );
    assert_eq!(
        pending(&project),
        ["three/first", "three/second", "three/third"]
    );
    project.run(&["accept", "--all"]).expect(0);
    project.run(&["test"]).expect(0);
}

#[test]
fn what_ends_the_flow_later_is_its_error_and_the_snapshots_are_told_too() {
    let project = Project::with_demo_app();
    project.flow(
        "ends",
        "steps:\n  - launch\n  - snapshot: first\n  - { click: Nowhere, timeout: 100ms }\n  - snapshot: never\n",
    );
    let ran = project
        .run(&["test", "--retries", "2", "--junit", "junit.xml"])
        .expect(1);
    ran.says("error: no element matches Nowhere")
        .says("flows/ends.yaml:5:")
        .says("1 snapshot without a golden: ends/first")
        .never_says("never")
        .never_says("attempt 2");
    assert_eq!(pending(&project), ["ends/first"]);
    let junit = project.read("junit.xml");
    assert!(
        junit.contains("flows/ends.yaml:5: no element matches Nowhere"),
        "{junit}"
    );
}

#[test]
fn fail_fast_optional_and_retried_steps_end_at_the_first() {
    let project = Project::with_demo_app();
    project.flow("three", THREE);
    project.run(&["test", "--fail-fast"]).expect(1);
    assert_eq!(pending(&project), ["three/first"]);
    project.run(&["reject", "--all"]).expect(0);

    project.flow(
        "three",
        "steps:\n  - launch\n  - group: [ { snapshot: a }, { snapshot: b } ]\n    optional: true\n  - retry: { times: 1, \
         steps: [ { snapshot: c }, { snapshot: d } ] }\n  - snapshot: e\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("3 snapshots without a golden: three/a, three/c, three/e");
    assert_eq!(
        pending(&project),
        ["three/a", "three/c", "three/e"],
        "inside of what may fail or is tried again the first ends it, and the flow goes on"
    );
    project.run(&["accept", "three/e*"]).expect(0);
    project.flow(
        "three",
        "steps:\n  - launch\n  - group: [ { snapshot: a }, { snapshot: b } ]\n    optional: true\n",
    );
    project.run(&["test"]).expect(0).says("1 passed");

    project.flow(
        "three",
        "setup: [ launch, { snapshot: a } ]\nsteps: [ { snapshot: b } ]\n",
    );
    project
        .run(&["test"])
        .expect(1)
        .says("1 snapshot without a golden: three/a")
        .never_says("three/b");
}

#[test]
fn sub_flows_that_take_snapshots_of_one_name_keep_their_files_apart() {
    let project = Project::with_demo_app();
    project.flow("_part", "steps:\n  - snapshot: screen\n");
    project.flow(
        "parts",
        "steps:\n  - launch\n  - { run: _part.yaml, label: One }\n  - launch: { activity: .Settings }\n  - { run: \
         _part.yaml, label: Two }\n",
    );
    project.run(&["test"]).expect(1);
    let files = project.files(".runner/artifacts/flows/parts/virtual-1");
    let pictures: Vec<&String> = files
        .iter()
        .filter(|name| name.ends_with("screen.actual.png"))
        .collect();
    let [one, two] = &pictures[..] else {
        panic!("{files:?}")
    };
    let bytes = |name: &str| {
        let folder = project.path(".runner/artifacts/flows/parts/virtual-1");
        std::fs::read(folder.join(name)).expect("a picture")
    };
    assert_ne!(bytes(one), bytes(two));
}

#[test]
fn each_reason_is_annotated_where_its_snapshot_is_taken() {
    let project = Project::with_demo_app();
    project.flow("three", THREE);
    project.run(&["test", "--update"]).expect(0);
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", "Good morning");
    project.replace("apps/demo/settings.yaml", "Allow notifications", "Ask me");
    let mut command = project.command(&["test"]);
    command.env("GITHUB_ACTIONS", "true").env("CI", "true");
    let ran = Ran::from(command.output().expect("the program starts")).expect(1);
    let lines: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("::error"))
        .collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("flows/three.yaml,line=4,"), "{lines:?}");
    assert!(lines[1].contains("flows/three.yaml,line=9,"), "{lines:?}");
}
