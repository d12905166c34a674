//! Steps of `runner.yaml` that run once on a device, before its first flow and after its last; and the place
//! of a device.

use crate::common::Project;

const READY: &str = "/sdcard/Download/ready";

/// Makes two flows that pass only on a prepared device, and steps that prepare it.
fn project(on_device: &str) -> Project {
    let project = Project::with_demo_app();
    let before = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!("{before}allow_shell: true\non_device:\n{on_device}"),
    );
    for name in ["a", "b"] {
        project.flow(
            name,
            &format!("steps:\n  - shell: [ ls, {READY} ]\n  - launch\n"),
        );
    }
    project
}

fn usual() -> String {
    // Made twice, or removed twice, it would fail.
    format!(
        "  setup:\n    - shell: [ mkdir, {READY} ]\n  teardown:\n    - shell: [ rmdir, {READY} ]\n"
    )
}

fn count(text: &str, part: &str) -> usize {
    text.matches(part).count()
}

/// The file is told whole where one of its steps fails, before those behind it have run.
#[test]
fn a_secret_behind_a_step_that_fails_is_told_nowhere() {
    for text in ["hunter-of-nine", "\"hunter\\u002dof-nine\""] {
        let steps = format!(
            "  setup:\n    - {{ assert visible: Nonsense, timeout: 100ms }}\n    - {{ type: {{ text: {text}, secret: true }} }}\n"
        );
        project(&steps)
            .run(&["test", "--json", "-"])
            .expect(3)
            .says("runner.yaml")
            .never_says("hunter")
            .never_says("of-nine");
    }
}

/// Neither is the line of the step itself, however it is written.
#[test]
fn a_secret_in_the_line_of_a_step_is_told_nowhere() {
    let project = project(&usual());
    project.flow(
        "c",
        "steps:\n  - launch\n  - { type: { into: Nowhere, text: \"hunter\\u002dof-nine\", secret: true }, timeout: 100ms }\n",
    );
    project
        .run(&["test", "flows/c.yaml", "--json", "-"])
        .expect(1)
        .says("flows/c.yaml")
        .never_says("hunter")
        .never_says("of-nine");
}

#[test]
fn a_device_is_set_up_once_for_all_its_flows() {
    let ran = project(&usual()).run(&["test"]).expect(0);
    let ran = ran.says("2 passed").never_says("FAIL");
    for part in [
        "setup of the device of 'virtual'",
        "teardown of the device of 'virtual'",
    ] {
        assert_eq!(count(&ran.stdout, part), 1, "{}", ran.stdout);
    }
}

#[test]
fn each_device_that_takes_work_is_set_up_and_torn_down() {
    let project = project(&usual());
    project.replace(
        "runner.yaml",
        "devices: [virtual]",
        "devices: [virtual, virtual]",
    );
    let ran = project.run(&["test"]).expect(0).says("4 passed");
    for label in ["virtual", "virtual-2"] {
        for side in ["setup", "teardown"] {
            let message = format!("{side} of the device of '{label}'");
            assert!(ran.stdout.contains(&message), "{}", ran.stdout);
        }
    }
    // One of the two may find no work left.
    let ran = project
        .run(&["test", "--spread"])
        .expect(0)
        .says("2 passed");
    let torn_down = count(&ran.stdout, "teardown of the device of");
    assert!((1..=2).contains(&torn_down), "{}", ran.stdout);
}

#[test]
fn a_setup_that_fails_leaves_the_device_out_and_says_where() {
    let project = project(
        "  setup:\n    - launch: com.example.notes\n    - { find: Nowhere, timeout: 100ms }\n  teardown:\n    - shell: [ \"true\" ]\n",
    );
    let ran = project.run(&["test", "--json", "run.ndjson", "--junit", "junit.xml"]);
    ran.expect(3)
        .says("error in setup: no element matches Nowhere")
        .says("device 'virtual' could not be set up: runner.yaml:7: no element matches Nowhere")
        .says("teardown of the device of 'virtual'");
    let junit = project.well_formed("junit.xml");
    assert!(junit.contains("device-setup"), "{junit}");
    assert!(project.read("run.ndjson").ends_with("\"exit_code\":3}\n"));
}

#[test]
fn a_teardown_that_fails_fails_the_run() {
    let project = project(&usual().replace("rmdir, ", "rmdir, /sdcard/no"));
    project
        .run(&["test"])
        .expect(1)
        .says("2 passed")
        .says("error in teardown:")
        .says("runner.yaml:");
}

#[test]
fn what_setup_sets_stays_for_the_flows() {
    let project = project(
        "  setup:\n    - set_device: { dark: true }\n    - shell: [ mkdir, /sdcard/Download/ready ]\n",
    );
    project.flow(
        "a",
        "steps:\n  - shell: [ cmd, uimode, night ]\n    as: mode\n  - assert: { that: \"${'yes' in mode.stdout}\" }\n",
    );
    project.run(&["test"]).expect(0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_tears_its_devices_down() {
    use std::io::{BufRead as _, Read as _};
    let project = project(&usual());
    project.flow(
        "a",
        "steps:\n  - launch\n  - wait_for: Never\n    timeout: 1m\n",
    );
    let mut child = project
        .command(&["test", "--json", "-", "flows/a.yaml"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut stream = String::new();
    while !stream.contains("\"title\":\"wait_for: Never\"") {
        assert_ne!(lines.read_line(&mut stream).unwrap(), 0, "{stream}");
    }
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    lines.read_to_string(&mut stream).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{stream}");
    assert!(
        stream.contains("teardown of the device of 'virtual'"),
        "{stream}"
    );
}

#[test]
fn broken_steps_run_nothing() {
    for (file, message) in [
        ("  setup:\n    - clik: A\n", "did you mean `click`?"),
        ("  teardown:\n    - snapshot: a\n", "take no snapshots"),
        ("  steps: []\n", "steps"),
    ] {
        project(file)
            .run(&["test"])
            .expect(2)
            .says(message)
            .never_says("PASS");
    }
}

#[test]
fn a_place_is_set_and_put_back() {
    let project = Project::with_demo_app();
    project.replace("runner.yaml", "apps:", "allow_shell: true\napps:");
    let asks = "  - shell: [ dumpsys, location ]\n    as: told\n";
    project.flow(
        "a",
        &format!(
            "steps:\n  - set_device: {{ location: false }}\n  - set_device: {{ location: {{ lat: 52.52, lon: -13.405 }} }}\n{asks}  - assert: {{ that: \"${{'gps 52.520000,-13.405000' in told.stdout and 'fused 52.5' in told.stdout}}\" }}\n"
        ),
    );
    project.flow(
        "b",
        &format!("steps:\n{asks}  - assert: {{ that: \"${{'mock' not in told.stdout}}\" }}\n"),
    );
    project.run(&["test"]).expect(0).says("2 passed");
    project.flow(
        "b",
        "steps:\n  - set_device: { location: { lat: \"${90 + 1}\", lon: 0 } }\n",
    );
    project
        .run(&["test", "flows/b.yaml"])
        .expect(1)
        .says("91 is out of range: -90 to 90 is possible");
}
