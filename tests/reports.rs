//! Reports for machines: JUnit XML and the event stream.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::common::Project;
use serde_json::{Value, json};

/// Schema of the JUnit files that Jenkins takes.
const STRICT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/junit-strict.xsd"
);

fn every_ending() -> Project {
    let project = Project::with_demo_app();
    project.flow(
        "passes",
        "name: It passes\ntags: [smoke]\nsteps: [ launch ]\n",
    );
    project.flow(
        "login/fails",
        "name: It fails <&>\nsteps:\n  - launch\n  - assert: { id: sign_in, enabled: true }\n    timeout: 500ms\n",
    );
    project.flow(
        "login/flaky",
        "retries: 1\nsteps: [ { assert: { that: \"${flow.attempt == 2}\" } } ]\n",
    );
    project.flow(
        "skipped",
        "skip: { if: \"${true}\", because: not today }\nsteps: [ launch ]\n",
    );
    project.flow(
        "setup",
        "setup: [ { click: Never, timeout: 500ms } ]\nsteps: [ launch ]\n",
    );
    project.write("flows/bad.yaml", "steps: [ clik: x ]\n");
    project
}

fn events(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Asserts that the stream is complete: numbered without a gap, with a beginning and an end, and with an end
/// for each thing that began.
fn is_complete(events: &[Value]) {
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], index, "{event}");
    }
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| event["event"].as_str().unwrap_or("?"))
        .collect();
    assert_eq!(
        (kinds.first(), kinds.last()),
        (Some(&"start"), Some(&"finish")),
        "{kinds:?}"
    );
    let count = |kind: &str| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!(count("step_started"), count("step_finished"));
    assert!(count("flow_finished") >= count("flow_started"));
    assert_eq!((count("start"), count("plan"), count("finish")), (1, 1, 1));
}

#[test]
fn junit_has_a_case_a_flow_and_suites_by_folder() {
    let project = every_ending();
    project.run(&["test", "--junit", "out/junit.xml"]).expect(2);
    let junit = project.well_formed("out/junit.xml");
    let count = |text: &str| junit.matches(text).count();
    assert_eq!(count("<testcase"), 6, "{junit}");
    assert_eq!(count("<failure"), 1, "{junit}");
    assert_eq!(count("<error"), 2, "{junit}");
    assert_eq!(count("<skipped"), 1, "{junit}");
    assert_eq!(count("<flakyFailure"), 1, "{junit}");
    for text in [
        "It fails &lt;&amp;&gt;",
        "flows/login/fails.yaml:5: ",
        "not today",
        "classname=\"flows.passes\"",
        "file=\"flows/passes.yaml\"",
        "[[ATTACHMENT|",
    ] {
        assert!(junit.contains(text), "{text} is not in\n{junit}");
    }
    let attachment = junit
        .split("[[ATTACHMENT|")
        .nth(1)
        .unwrap()
        .split("]]")
        .next()
        .unwrap();
    assert!(std::path::Path::new(attachment).is_file(), "{attachment}");
}

#[test]
fn a_strict_report_is_well_formed_too() {
    let project = every_ending();
    project
        .run(&["test", "--junit", "junit.xml", "--junit-strict"])
        .expect(2);
    let junit = project.well_formed("junit.xml");
    assert!(!junit.contains("file=\""), "{junit}");
    project.valid("junit.xml", STRICT);
}

#[test]
fn the_stream_is_complete_and_standard_output_holds_nothing_else() {
    let project = every_ending();
    let ran = project
        .run(&["test", "--json", "-"])
        .expect(2)
        .says("6 flows in");
    assert!(ran.stderr.contains("6 flows in") && !ran.stdout.contains("6 flows in\n"));
    let reported = events(&ran.stdout);
    is_complete(&reported);
    assert_eq!(reported.last().unwrap()["exit_code"], 2);
    assert_eq!(reported.last().unwrap()["totals"]["errors"], 2);
    let text = &ran.stdout;
    assert!(!text.contains('\u{1b}'), "{text}");

    project.run(&["test", "--json", "out/run.ndjson"]).expect(2);
    is_complete(&events(&project.read("out/run.ndjson")));
}

#[test]
fn the_version_of_the_app_is_told_and_asked_again_after_an_install() {
    let project = Project::with_demo_app();
    project.copy("examples/demo");
    project.replace(
        "examples/demo/app.yaml",
        "version: \"1.4.2\"",
        "version: 2.0 beta\nversion_code: 7",
    );
    project.flow("a", "steps: [ launch, snapshot: home ]\n");
    project.flow("b", "steps: [ install: examples/demo, launch ]\n");
    project.flow("c", "steps: [ launch ]\n");
    project.flow("d", "steps: [ uninstall ]\n");
    project.write("flows/e.yaml", "steps: [ press_home ]\n");
    let arguments = ["test", "--update=new", "--json", "run.ndjson"];
    let reports = ["--junit", "junit.xml", "--junit-strict"];
    project
        .run(&[&arguments[..], &reports[..]].concat())
        .expect(0);
    let versions: Vec<Value> = events(&project.read("run.ndjson"))
        .into_iter()
        .filter(|event| event["event"] == "flow_finished")
        .map(|event| event["app_version"].clone())
        .collect();
    let first = json!({ "name": "1.4.2", "code": 1 });
    let next = json!({ "name": "2.0 beta", "code": 7 });
    let unknown = Value::Null;
    assert_eq!(
        versions,
        [first, next.clone(), next, unknown.clone(), unknown]
    );
    let junit = project.well_formed("junit.xml");
    for version in ["1.4.2 (1)", "2.0 beta (7)"] {
        let property = format!("<property name=\"app.com.example.notes\" value=\"{version}\"/>");
        assert_eq!(junit.matches(&property).count(), 1, "{junit}");
    }
    project.valid("junit.xml", STRICT);
    let golden = project.read("snapshots/a/home.tsv");
    assert!(
        golden.starts_with("# app=com.example.notes app_version=1.4.2 "),
        "{golden}"
    );
}

#[test]
fn reports_of_runner_yaml_and_of_variables_are_written() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nreports: { junit: file.xml, json: file.ndjson }\n",
    );
    let mut command = project.command(&["test"]);
    assert!(
        command
            .env("RUNNER_JUNIT", "variable.xml")
            .output()
            .unwrap()
            .status
            .success()
    );
    project.well_formed("variable.xml");
    is_complete(&events(&project.read("file.ndjson")));
    assert!(!project.path("file.xml").exists());
}

#[test]
fn a_name_of_the_wrong_kind_is_refused() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    for (option, name, says) in [
        (
            "--junit",
            "out/",
            "out/ names a folder, and --junit is a file",
        ),
        ("--json", "out/", "such as out/events.ndjson"),
        ("--html", "report.xml", "`--junit report.xml`"),
        ("--html", "run.json", "`--json run.json`"),
        ("--html", "report.htm", "report.html"),
        ("--allure", "report.html", "`--html report.html`"),
    ] {
        let ran = project.run(&["test", option, name]).expect(2);
        ran.says(says).never_says("PASS");
        assert!(!project.path(name).exists(), "{option} {name}");
    }
    project
        .run(&["test", "--html", "report.xml/", "flows/a.yaml"])
        .expect(0);
}

#[test]
fn a_report_that_cannot_be_written_is_said() {
    let project = Project::with_demo_app();
    project.flow("a", "steps: [ launch ]\n");
    project.write("file", "");
    let ran = project
        .run(&["test", "--junit", "file/junit.xml"])
        .expect(2);
    ran.says("file/junit.xml");
    assert!(!project.path(".runner/last-run.ndjson").exists(), "it ran");
    // What takes no bytes is known only once some are written.
    let ran = project.run(&["test", "--junit", "/dev/full"]).expect(1);
    ran.says("/dev/full").says("1 passed");
    // That no device was there says more.
    let device = ["--device", "127.0.0.1:1"];
    let ran = project.run(&[&["test", "--junit", "/dev/full"][..], &device].concat());
    ran.expect(3).says("/dev/full");
}

#[test]
fn a_killed_run_leaves_a_valid_report() {
    let project = Project::with_demo_app();
    project.flows_of_a_killed_run();
    let mut child = project
        .command(&["test", "--junit", "junit.xml", "--json", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    // The report is written a few times a second, not at once.
    let begun = || {
        let junit = project.read("junit.xml");
        // The first flow is reported as over: on a slow machine it stands there as not finished for a while.
        junit.contains("not finished") && junit.matches("<error").count() == 2
    };
    while !text.contains("find: Username") || !begun() {
        assert_ne!(
            lines.read_line(&mut text).unwrap(),
            0,
            "it ended early:\n{text}"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let junit = project.well_formed("junit.xml");
    assert_eq!(junit.matches("<testcase").count(), 3, "{junit}");
    assert_eq!(junit.matches("<error").count(), 2, "{junit}");
    assert!(
        junit.contains("not finished: the run was interrupted"),
        "{junit}"
    );
    assert!(
        junit.contains("not run: the run was interrupted"),
        "{junit}"
    );
    events(&text);
}
