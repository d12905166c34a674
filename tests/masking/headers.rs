//! Secrets in the headers of flows: no output shows them.

use super::texts;
use crate::common::{Project, Ran};

/// A header may take its app from a value.
#[test]
fn an_app_that_is_secret_stands_in_no_output() {
    const APP: &str = "com.example.notes";
    for (header, variable) in [
        ("app: \"${os.PW}\"\nsecrets: [ PW ]\n", Some(APP)),
        (
            "app: \"${PW}\"\nsecrets: [ PW ]\nenv: { PW: com.example.notes }\n",
            None,
        ),
        (
            "app: \"${K}\"\nsecrets: [ K ]\nenv: { K: \"${os.PW}\" }\n",
            Some(APP),
        ),
        (
            "app: \"${K}\"\nsecrets: [ K ]\neach: [ { name: one, K: com.example.notes } ]\n",
            None,
        ),
    ] {
        let project = Project::with_demo_app();
        let steps = "steps:\n  - launch\n  - assert visible: nowhere\n    timeout: 10ms\n";
        project.write("flows/a.yaml", &format!("{header}{steps}"));
        let reports = [
            "--junit",
            "out/a.xml",
            "--json",
            "out/a.ndjson",
            "--html",
            "out/html",
            "--allure",
            "out/allure",
            "--artifacts",
            "out/art",
        ];
        let mut command = project.command(&[&["test", "-v"][..], &reports].concat());
        if let Some(value) = variable {
            command.env("PW", value);
        }
        let ran = Ran::from(command.output().expect("the program starts")).expect(1);
        let mut outputs = texts(&project);
        assert!(outputs.len() > 4, "{}", outputs.len());
        outputs.push(("stdout".to_owned(), ran.stdout));
        outputs.push((
            "last run".to_owned(),
            project.read(".runner/last-run.ndjson"),
        ));
        // A script of the report has this package in a comment.
        outputs.retain(|(name, _)| !name.ends_with(".js"));
        for (name, text) in outputs {
            assert!(!text.contains(APP), "{header}: {name}: {text}");
        }
    }
}

/// Warnings quote whole lines of flows and of `runner.yaml`.
#[test]
fn a_line_that_a_warning_quotes_shows_no_secret() {
    const SECRET: &str = "hunter2-swordfish";
    let project = Project::with_demo_app();
    let typed = format!("text: {SECRET}, secret: true");
    let flow =
        |id: &str| format!("steps:\n  - launch\n  - type: {{ into: {{ id: {id} }}, {typed} }}\n");
    project.flow("typed", &flow("username"));
    project.run(&["test"]).expect(0);
    // Another id than that of the recorded screen.
    project.flow("typed", &flow("user_name"));
    let header = format!("headers: {{ Authorization: Bearer {SECRET} }}");
    let request = format!("http: {{ url: 'https://a.example.com/', {header} }}");
    project.flow("request", &format!("steps:\n  - {request}\n"));
    let install = format!("install: {{ path: none.apk }} # PASSWORD: {SECRET}");
    project.flow("install", &format!("steps:\n  - {install}\n"));
    let devices = format!("devices: [ virtual, {{ webdriver: a, user: b, key: {SECRET} }} ]");
    let settings = format!("{devices}\napps: [ none.apk ] # TOKEN: {SECRET}\n");
    let impact = format!("impact: {{ a.kt: {{ tags: none }} }} # TOKEN: {SECRET}\n");
    project.write("runner.yaml", &format!("{settings}{impact}"));
    let lint = project.run(&["lint"]).expect(0);
    let against = project.run(&["lint", "--against"]).expect(1);
    for said in [
        "is not allowed",
        "there is no such file yet",
        "no address of a server",
        "no flow has a tag",
        "`apps` names `none.apk`",
    ] {
        assert!(lint.stdout.contains(said), "{said}: {}", lint.stdout);
    }
    assert!(against.stdout.contains("breaks-on-recording"));
    for ran in [lint, against] {
        assert!(ran.stdout.contains("****"), "{}", ran.stdout);
        ran.never_says(SECRET);
    }
}
