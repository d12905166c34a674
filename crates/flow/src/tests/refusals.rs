//! Tests of values that fit their schema but that every run refuses: they are refused when the flow is read.

use camino::Utf8Path;

use super::Project;
use crate::reader::{ReadOptions, read_text};
use runner_text::diagnostic::{Code, Severity};

/// Returns the messages about a flow of one step.
fn messages(step: &str) -> Vec<String> {
    let text = format!("steps:\n  - {step}\n");
    let (_, found) = read_text(Utf8Path::new("a.yaml"), text, &ReadOptions::default());
    found.into_iter().map(|it| it.message).collect()
}

#[test]
fn what_every_run_refuses_is_refused_before() {
    for (step, why) in [
        ("assert: { id: a, count: '>=0' }", "always holds"),
        ("assert: { on: { id: a }, count: '< 0' }", "never holds"),
        (
            "snapshot: { name: a, redactions: [ { pattern: 'x*', alias: y } ] }",
            "matches the empty text",
        ),
        (
            "snapshot: { name: a, redactions: [ { pattern: '.+', alias: y } ] }",
            "replaces every text",
        ),
        (
            "snapshot: { name: a, redactions: [ { pattern: x, alias: \"y\\n\" } ] }",
            "control character",
        ),
        (
            "snapshot: { name: a, mask: [ { rect: [ 9, 9, 5, 5 ] } ] }",
            "left < right",
        ),
        (
            "{ assert visible: a, soft: true, optional: true }",
            "does not go together",
        ),
    ] {
        let said = messages(step);
        assert_eq!(said.len(), 1, "{step}: {said:?}");
        assert!(said[0].contains(why), "{step}: {said:?}");
    }
    for step in [
        "assert: { id: a, count: '>=1' }",
        "assert: { id: a, count: 0 }",
        "{ assert visible: a, soft: true, optional: false }",
        "snapshot: { name: a, redactions: [ { pattern: 'x+', alias: y } ] }",
        "snapshot: { name: a, redactions: [ { pattern: '.+', alias: y, columns: [res_id] } ] }",
        "snapshot: { name: a, mask: [ clock, { id: b }, { rect: [ 0, 0, 5, 5 ] } ] }",
    ] {
        assert_eq!(messages(step), [""; 0], "{step}");
    }
}

#[test]
fn a_warning_hides_no_error() {
    let errors = |step: &str| {
        let text = format!("app: com.a.b\nenv: {{ A: x }}\nsteps:\n  - {step}\n");
        let (_, found) = read_text(Utf8Path::new("a.yaml"), text, &ReadOptions::default());
        let errors = found.iter().filter(|it| it.severity == Severity::Error);
        let errors: Vec<String> = errors.map(|it| it.message.clone()).collect();
        (errors, found.len())
    };
    for step in [
        "http: { url: 'ftp://x', body: 'TEXT' }",
        "launch: { app: 'not a package', extras: { a: 'TEXT' } }",
        "click: { text: 'TEXT', any_of: [ a, b ] }",
        "click: { on: 'TEXT', id: b }",
        "click: { on: 'TEXT', id: b, desc: c }",
    ] {
        let plain = errors(&step.replace("TEXT", "b"));
        let doubtful = errors(&step.replace("TEXT", "{{A}}"));
        assert_eq!(plain.0.len(), 1, "{step}: {plain:?}");
        assert_eq!(doubtful.0, plain.0, "{step}");
        assert_eq!(doubtful.1, plain.1 + 1, "{step}: the warning is told too");
    }
    let (told, _) = errors("repeat: { times: '${A | int}}', steps: [ back ] }");
    assert_eq!(told.len(), 1, "{told:?}");
}

#[test]
fn a_warning_takes_no_rows_away() {
    let project = Project::new();
    project.file("rows.csv", "name,url\none,${os.A}}\ntwo,b\n");
    let list = "[ { name: one, url: 'see {{A}}' }, { name: two, url: b } ]";
    for each in ["rows.csv", list] {
        let text = format!("each: {each}\nsteps: [ type: '${{url}}' ]\n");
        let (flow, found) = project.file("flow.yaml", text).read("flow.yaml");
        let cases = flow.map(|flow| flow.cases.len());
        assert_eq!((cases, found.len()), (Some(2), 1), "{each}: {found:?}");
    }
}

#[test]
fn a_warning_in_env_hides_no_error_of_a_step() {
    let flow = "env: { A: x, B: 'is {{A}}' }\nsteps: [ type: '${A.x}' ]\n";
    let (_, found) = super::read(flow);
    let is_error: Vec<bool> = found
        .iter()
        .map(|it| it.severity == Severity::Error)
        .collect();
    assert_eq!(is_error, [false, true], "{found:?}");
}

#[test]
fn what_only_steps_keep_is_known_to_a_caller() {
    for lists in [
        "setup: [ set: { x: a } ]\nsteps: [ back ]\n",
        "steps: [ back ]\non_failure: [ set: { x: a } ]\n",
        "steps: [ back ]\nteardown: [ set: { x: a } ]\n",
    ] {
        let (_, found) = super::read(&format!("outputs: [ x ]\n{lists}"));
        let codes: Vec<Code> = found.iter().map(|it| it.code).collect();
        assert_eq!(codes, [Code::UndefinedName], "{lists}: {found:?}");
    }
    let (_, found) = super::read("outputs: [ x ]\nsteps: [ set: { x: a } ]\n");
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_setup_that_does_not_run_keeps_no_names() {
    let project = Project::new();
    project.file(
        "part.yaml",
        "setup: [ set: { x: a } ]\nsteps: [ type: \"${x}\" ]\n",
    );
    project.file("flow.yaml", "steps: [ run: part.yaml ]\n");
    let (alone, found) = project.read("part.yaml");
    assert!(alone.is_some() && found.is_empty(), "{found:?}");
    let (_, found) = project.read("flow.yaml");
    let codes: Vec<Code> = found.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::UndefinedName], "{found:?}");
    // No `outputs` could give it to the caller.
    project.file("part.yaml", "setup: [ set: { x: a } ]\nsteps: [ back ]\n");
    project.file("reads.yaml", "steps: [ run: part.yaml, type: \"${x}\" ]\n");
    let (_, found) = project.read("reads.yaml");
    let helps: Vec<&str> = found.iter().filter_map(|it| it.help.as_deref()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(helps.iter().all(|it| !it.contains("outputs")), "{helps:?}");
    // Its teardown does not run either.
    project.file(
        "part.yaml",
        "setup: [ set: { x: a } ]\nsteps: [ back ]\nteardown: [ type: \"${x}\" ]\n",
    );
    let (read, found) = project.read("flow.yaml");
    assert!(read.is_some() && found.is_empty(), "{found:?}");
}
