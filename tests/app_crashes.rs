//! Apps that crash or hang: the failure says so, at the step during which it happened, with the calls.

use std::fmt::Write as _;

use crate::common::Project;

/// Returns the demo app with this behaviour of the button for a forgotten password.
fn project(instead: &str) -> Project {
    let project = Project::with_demo_app();
    project.replace(
        "apps/demo/app.yaml",
        "- toast: Ask the administrator for a new password",
        instead,
    );
    project
}

const CRASH: &str = "- crash: \"java.lang.IllegalStateException: no administrator\"";
const FORGOT: &str = "  - click: Forgot password?\n";

fn events(project: &Project) -> Vec<serde_json::Value> {
    let stream = project.read("run.ndjson");
    let lines = stream.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the text of all files below a folder.
fn all_text(project: &Project, folder: &str) -> String {
    let files = project.files(folder).into_iter();
    files
        .map(|file| std::fs::read(project.path(folder).join(file)).unwrap())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

/// Path, kind and message of each step that failed.
fn failed_steps(project: &Project) -> String {
    let mut text = String::new();
    for event in events(project) {
        if event["event"] == "step_finished" && event["status"] == "failed" {
            let failure = &event["failure"];
            writeln!(
                text,
                "{} {} {}",
                event["step"], failure["kind"], failure["message"]
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn a_crash_fails_the_step_that_it_comes_of_in_every_report() {
    let project = project(CRASH);
    project.flow(
        "crash",
        &format!("steps:\n  - launch: {{ clear: true }}\n{FORGOT}  - find: Username\n"),
    );
    let ran = project.run(&[
        "test",
        "--json",
        "run.ndjson",
        "--junit",
        "junit.xml",
        "--html",
        "report",
    ]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(
        failed_steps(&project),
        "[1] \"crash\" \"com.example.notes crashed: java.lang.IllegalStateException: no administrator\"\n"
    );
    let call = "at com.example.notes.SignIn.onEvent(SignIn.kt:12)";
    let terminal = &ran.stdout;
    assert!(
        terminal.contains("com.example.notes crashed: java.lang.IllegalStateException"),
        "{terminal}"
    );
    assert!(
        terminal.contains("process com.example.notes (pid"),
        "{terminal}"
    );
    assert!(terminal.contains(call), "{terminal}");
    let junit = project.read("junit.xml");
    assert!(junit.contains("type=\"crash\""), "{junit}");
    assert!(junit.contains(call), "{junit}");
    let html = all_text(&project, "report");
    assert!(html.contains(call), "the HTML report has no stack");
    // The lines of the process that is gone are kept.
    let log = all_text(&project, ".runner/artifacts");
    assert!(log.contains("FATAL EXCEPTION"), "{log}");
}

#[test]
fn a_crash_in_the_first_the_last_and_a_teardown_step_is_told_there() {
    let project = project(CRASH);
    // The app crashes as soon as it begins.
    project.replace(
        "apps/demo/app.yaml",
        "  .Form: { surface: form.yaml, title: New note }",
        "  .Form: { surface: form.yaml, title: New note, on_start: forgot }",
    );
    project.flow(
        "first",
        "steps:\n  - launch: { activity: .Form }\n  - find: Username\n",
    );
    project.flow(
        "last",
        &format!("steps:\n  - launch: {{ clear: true }}\n{FORGOT}"),
    );
    project.flow(
        "nested",
        &format!(
            "steps:\n  - launch: {{ clear: true }}\n  - group:\n    {FORGOT}        optional: true\n        retry: 2\n"
        ),
    );
    project.flow(
        "setup",
        &format!("setup:\n  - launch: {{ clear: true }}\n{FORGOT}steps:\n  - home\n"),
    );
    project.flow(
        "teardown",
        &format!("steps:\n  - launch: {{ clear: true }}\nteardown:\n{FORGOT}  - home\n"),
    );
    // An error of setup or teardown stays one.
    project.run(&["test", "--json", "run.ndjson"]).expect(1);
    let crash = "\"crash\" \"com.example.notes crashed: java.lang.IllegalStateException: no administrator\"\n";
    assert_eq!(
        failed_steps(&project),
        format!(
            "[0] {crash}[1] {crash}[1,\"group\",0] {crash}[1] {crash}[\"setup\",1] {crash}[\"teardown\",0] {crash}"
        )
    );
}

#[test]
fn a_native_crash_is_told_with_its_signal() {
    let project = project("- native_crash: \"out of paper\"");
    project.flow(
        "native",
        &format!("steps:\n  - launch: {{ clear: true }}\n{FORGOT}"),
    );
    project.run(&["test", "--json", "run.ndjson"]).expect(1);
    let text = failed_steps(&project);
    assert!(
        text.starts_with(
            "[1] \"native_crash\" \"com.example.notes crashed in native code: signal 6 (SIGABRT)"
        ),
        "{text}"
    );
    assert!(text.contains("Abort message: 'out of paper'"), "{text}");
    let stream = project.read("run.ndjson");
    assert!(stream.contains("#00 pc 0000000000075b7c"), "{stream}");
}

#[test]
fn an_app_that_hangs_is_told_instead_of_an_element_that_is_not_found() {
    let project = project("- anr: \"java.io.FileInputStream.read(Native method)\"");
    project.flow(
        "anr",
        &format!("steps:\n  - launch: {{ clear: true }}\n{FORGOT}  - click: Never\n"),
    );
    let ran = project.run(&["test", "--json", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let message = failed_steps(&project);
    assert!(
        message.starts_with(
            "[2] \"anr\" \"com.example.notes does not respond: Input dispatching timed out"
        ),
        "{message}"
    );
    let terminal = &ran.stdout;
    assert!(
        terminal.contains("at java.io.FileInputStream.read(Native method)"),
        "{terminal}"
    );
    assert!(
        terminal.contains("the step itself: no element matches Never"),
        "{terminal}"
    );
}

#[test]
fn secrets_do_not_stand_in_a_stack() {
    let project = project("- crash: \"java.lang.Error: lovelace is no password\"");
    project.flow(
        "secret",
        &format!(
            "env: {{ WORD: lovelace }}\nsecrets: [WORD]\nsteps:\n  - launch: {{ clear: true }}\n{FORGOT}"
        ),
    );
    let ran = project.run(&["test", "--json", "run.ndjson"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let stream = project.read("run.ndjson");
    assert!(
        stream.contains("java.lang.Error: *** is no password"),
        "{stream}"
    );
    assert!(!stream.contains("lovelace"), "{stream}");
    assert!(!ran.stdout.contains("lovelace"), "{}", ran.stdout);
}

#[test]
fn another_apps_crash_is_a_note() {
    let project = project(CRASH);
    project.copy("examples/demo");
    let other = "examples/demo/app.yaml";
    project.replace(
        other,
        "package: com.example.notes",
        "package: com.example.other",
    );
    project.replace(
        other,
        "- toast: Ask the administrator for a new password",
        CRASH,
    );
    project.replace("runner.yaml", "[apps/demo]", "[apps/demo, examples/demo]");
    project.flow(
        "other",
        "steps:\n  - launch\n  - launch: com.example.other\n  - click: Forgot password?\n  - launch\n  - find: Username\n",
    );
    project.run(&["test", "--json", "run.ndjson"]).expect(0);
    let stream = project.read("run.ndjson");
    assert!(
        stream.contains("another app than com.example.notes: com.example.other crashed"),
        "{stream}"
    );
}

#[test]
fn the_app_that_a_flow_without_a_header_launches_is_its_app() {
    let project = project(CRASH);
    project.write(
        "flows/no-header.yaml",
        "steps:\n  - launch: { app: com.example.notes, clear: true }\n  - click: Forgot password?\n  - assert not visible: Nope\n",
    );
    project.run(&["test", "--json", "run.ndjson"]).expect(1);
    let failed = failed_steps(&project);
    assert!(failed.contains("com.example.notes crashed"), "{failed}");
}
