//! Tests the messages about each broken flow. `cargo insta review` shows changes as a person would read them.

use super::{Project, read};
use runner_text::diagnostic::{Severity, render, render_line};

/// Names and texts of broken flows.
const BROKEN: &[(&str, &str)] = &[
    ("colon in text", "steps:\n  - click: Save: now\n"),
    ("at sign", "steps:\n  - click: @home\n"),
    ("star", "steps:\n  - assert visible: *\n"),
    ("star word", "steps:\n  - assert visible: *done\n"),
    ("hash", "steps:\n  - click: #1\n"),
    ("ampersand", "steps:\n  - click: &more\n"),
    ("exclamation mark", "steps:\n  - click: !important\n"),
    ("brace", "steps:\n  - click: {name}\n"),
    ("brace and text", "steps:\n  - click: {name} here\n"),
    (
        "expression in a flow map",
        "steps:\n  - type: { text: ${USER} }\n",
    ),
    ("percent", "steps:\n  - click: %d\n"),
    ("open quote", "steps:\n  - click: \"Sign in\n  - back\n"),
    ("text after quote", "steps:\n  - click: 'it's here'\n"),
    ("tab", "steps:\n\t- back\n"),
    ("indentation", "steps:\n  - click: a\n - back\n"),
    ("open bracket", "steps: [ back, { click: x ]\n"),
    ("two documents", "steps: [ back ]\n---\nsteps: [ back ]\n"),
    ("empty", "# nothing\n"),
    ("list", "- back\n- click: x\n"),
    ("no steps", "name: x\n"),
    ("empty steps", "steps:\n"),
    ("unknown header key", "step: [ back ]\nsteps: [ back ]\n"),
    ("step in the header", "click: x\nsteps: [ back ]\n"),
    (
        "wrong header types",
        "tags: smoke\nretries: many\ntimeout: 10\napp: [a]\nsteps: [ back ]\n",
    ),
    ("retries out of range", "retries: 11\nsteps: [ back ]\n"),
    (
        "duplicate header key",
        "name: a\nsteps: [ back ]\nname: b\n",
    ),
    (
        "duplicate key in a step",
        "steps:\n  - swipe: { x1: 1, y1: 2, x1: 3 }\n",
    ),
    ("unknown step", "steps:\n  - clik: x\n"),
    ("unknown step, nothing near", "steps:\n  - frobnicate: x\n"),
    ("unknown bare word", "steps:\n  - bakc\n"),
    ("missing colon", "steps:\n  - click Sign in\n"),
    ("missing space", "steps:\n  - click:Sign in\n"),
    ("bare word that needs a value", "steps:\n  - click\n"),
    ("no value", "steps:\n  - click:\n  - type:\n"),
    ("two steps in one", "steps:\n  - click: x\n    back:\n"),
    ("modifiers only", "steps:\n  - label: x\n"),
    (
        "unknown modifier",
        "steps:\n  - click: x\n    optinal: true\n",
    ),
    ("key not indented", "steps:\n  - click:\n    id: x\n"),
    ("steps as a map", "steps:\n  click: x\n"),
    ("step as a list", "steps:\n  - [ back ]\n"),
    ("unknown selector key", "steps:\n  - click: { txt: x }\n"),
    (
        "unknown option",
        "steps:\n  - long_click: { id: x, duraton: 2s }\n",
    ),
    (
        "unknown key of a pattern",
        "steps:\n  - click: { text: { contain: x } }\n",
    ),
    (
        "wrong boolean",
        "steps:\n  - assert: { id: x, enabled: yes }\n",
    ),
    (
        "wrong number",
        "steps:\n  - swipe: { x1: '500', y1: abc, duration: 1.5 }\n",
    ),
    (
        "out of range",
        "steps:\n  - swipe: { x1: -1, y1: 0, duration: 60001 }\n",
    ),
    ("missing arguments", "steps:\n  - swipe: { x1: 1 }\n"),
    ("text instead of a map", "steps:\n  - swipe: up\n"),
    (
        "unknown choice",
        "steps:\n  - swipe: { x1: 1, y1: 1, direction: upp }\n",
    ),
    (
        "duration without a unit",
        "steps:\n  - long_click: { id: x, duration: 2 }\n    timeout: 5 seconds\n",
    ),
    (
        "empty text",
        "steps:\n  - click: ''\n  - click: { id: '' }\n  - click: {}\n",
    ),
    (
        "bad regex",
        "steps:\n  - click: { text: { regex: 'a(' } }\n",
    ),
    (
        "list instead of text",
        "steps:\n  - type: [a, b]\n  - click: { id: [x] }\n",
    ),
    (
        "scalar instead of a list",
        "steps:\n  - shell: ls -l\n  - shell: []\n",
    ),
    ("open expression", "steps:\n  - type: 'Hello ${USER'\n"),
    ("expression syntax", "steps:\n  - type: '${1 +}'\n"),
    (
        "undefined name",
        "env: { USER_NAME: a }\nsteps:\n  - type: 'Hi ${USER_NAM} and ${os.X}'\n",
    ),
    (
        "result used too early",
        "steps:\n  - type: '${total.text}'\n  - find: x\n    as: total\n",
    ),
    (
        "text around an expression in a number",
        "steps:\n  - swipe: { x1: '${device.width}px', y1: 1 }\n",
    ),
    (
        "built-in name",
        "env: { device: x }\nsteps:\n  - find: x\n    as: run\n  - set: { a-b: 1 }\n",
    ),
    (
        "condition without braces",
        "steps:\n  - back\n    \n  - click: x\n    when: device.sdk > 3\n",
    ),
    (
        "unknown condition",
        "steps:\n  - click: x\n    when: { visibel: y }\n",
    ),
    (
        "condition around",
        "steps:\n  - if: \"${device.virtual} == true\"\n    then: [ back ]\n",
    ),
    (
        "if without then",
        "steps:\n  - if: \"${true}\"\n    else: [ back ]\n",
    ),
    (
        "repeat",
        "steps:\n  - repeat: { steps: [ back ] }\n  - repeat: 3\n  - repeat: { times: 2, while: '${true}', stps: [] }\n",
    ),
    (
        "retry",
        "steps:\n  - retry: 3\n  - retry: { times: 0, steps: [ back ] }\n",
    ),
    (
        "that with more",
        "steps:\n  - assert: { that: '${true}', id: x }\n",
    ),
    (
        "snapshot names",
        "steps:\n  - snapshot: Home\n  - snapshot: home\n  - snapshot: a b\n  - snapshot: 'x${n}'\n  - snapshot:\n",
    ),
    (
        "snapshot in repeat",
        "steps:\n  - repeat: { times: 2, steps: [ snapshot: page ] }\n",
    ),
    (
        "snapshot options",
        "steps:\n  - snapshot: { name: a, tolerence: 1 }\n  - snapshot: { name: b, tolerance: -1, mask: [ { idd: x } ] }\n",
    ),
    (
        "run",
        "steps:\n  - run: _missing.yaml\n  - run: ../../etc/passwd\n  - run: { file: x }\n  - run: '${X}.yaml'\n",
    ),
    (
        "outputs",
        "outputs: [totl]\nsteps:\n  - find: x\n    as: total\n",
    ),
    ("skip", "skip: { because: x }\nsteps: [ back ]\n"),
    (
        "several at once",
        "nam: x\nsteps:\n  - clik: x\n  - click: { idd: x }\n    timeout: x\n  - type: '${A}'\nteardown:\n  - bak\n",
    ),
];

#[test]
fn every_broken_flow_is_explained() {
    let mut display = String::new();
    for (name, text) in BROKEN {
        let (flow, diagnostics) = read(text);
        assert!(flow.is_none(), "{name} reads");
        assert!(
            diagnostics
                .iter()
                .all(|diagnostic| diagnostic.severity == Severity::Error),
            "{name}"
        );
        display.push_str(&format!(
            "=== {name}\n{}\n",
            render(&diagnostics, false, 100)
        ));
    }
    insta::assert_snapshot!(display);
}

#[test]
fn sub_flows_are_checked_where_they_are() {
    let project = Project::new();
    project
        .file("a.yaml", "steps:\n  - run: sub/_b.yaml\n")
        .file(
            "sub/_b.yaml",
            "steps:\n  - run: _c.yaml\n  - run: _c.yaml\n  - run: _d.yaml\n",
        )
        .file("sub/_c.yaml", "steps:\n  - run: ../a.yaml\n")
        .file("sub/_d.yaml", "steps:\n  - clik: x\n  - run: c.yaml\n");
    let (flow, diagnostics) = project.read("a.yaml");
    assert!(flow.is_none());
    let lines: Vec<String> = diagnostics.iter().map(render_line).collect();
    assert_eq!(
        lines,
        [
            "sub/_d.yaml:2:5: error[unknown-step]: there is no step `clik`",
            "sub/_c.yaml:2:10: error[sub-flow-cycle]: sub-flows run in a circle: a.yaml -> sub/_b.yaml -> sub/_c.yaml -> a.yaml",
            "sub/_d.yaml:3:10: error[sub-flow]: `c.yaml`: there is no such file",
        ]
    );
    assert_eq!(
        diagnostics[2].help.as_deref(),
        Some("did you mean `_c.yaml`?")
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_a_folder_of_the_project_does_not_lead_out_of_it() {
    let project = Project::new();
    project
        .file("shared/_a.yaml", "steps: [ back ]\n")
        .file("a.yaml", "steps:\n  - run: link.yaml\n");
    let link = project.root().join("link.yaml");
    std::os::unix::fs::symlink(project.root().join("shared"), link).unwrap();
    let lines: Vec<String> = project.read("a.yaml").1.iter().map(render_line).collect();
    assert_eq!(
        lines,
        [
            "a.yaml:2:10: error[sub-flow]: `link.yaml`: this link leads to a folder, not to a file; the flows in it are not run",
        ]
    );
}

#[test]
fn results_of_a_caller_are_not_seen_below() {
    let project = Project::new();
    project
        .file(
            "a.yaml",
            "env: { USER: x }\nsteps:\n  - find: x\n    as: total\n  - run: _b.yaml\n  - type: '${inner.text}'\n",
        )
        .file(
            "_b.yaml",
            "steps:\n  - type: '${USER}${total.text}'\n  - find: x\n    as: inner\n",
        );
    let lines: Vec<String> = project.read("a.yaml").1.iter().map(render_line).collect();
    assert_eq!(
        lines,
        [
            "_b.yaml:2:21: error[undefined-name]: `total` is not defined here",
            "a.yaml:6:14: error[undefined-name]: `inner` is not defined here",
        ]
    );
}

#[test]
fn a_name_of_a_sub_flow_may_come_from_the_step_that_runs_it() {
    for (file, is_told) in [("_log-in.yaml", true), ("log-in.yaml", false)] {
        let project = Project::new();
        project
            .file("a.yaml", format!("steps:\n  - run: {file}\n"))
            .file(file, "steps:\n  - type: '${USER_NAME}'\n");
        let found = project.read("a.yaml").1;
        let told = found[0].help.as_deref().unwrap_or_default();
        let given = "`run: { flow: _log-in.yaml, env: { USER_NAME: … } }`";
        assert_eq!(told.contains(given), is_told, "{told}");
        assert!(told.contains("define it in `env`"), "{told}");
    }
    let project = Project::new();
    project
        .file(
            "a.yaml",
            "steps:\n  - run: { flow: _log-in.yaml, env: { USER_NAME: ada } }\n",
        )
        .file("_log-in.yaml", "steps:\n  - type: '${USER_NAME}'\n");
    assert!(project.read("a.yaml").1.is_empty());
}

/// Returns the messages about a step of the runner's real vocabulary.
fn messages(step: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let root = camino::Utf8Path::from_path(folder.path()).unwrap();
    fs_err::write(root.join("a.yaml"), format!("steps:\n  - {step}\n")).unwrap();
    let options = crate::ReadOptions {
        root: root.to_owned(),
        ..Default::default()
    };
    let (_, diagnostics) = crate::read_flow(camino::Utf8Path::new("a.yaml"), &options);
    let parsed = diagnostics.iter().map(|found| {
        format!(
            "{}; {}",
            found.message,
            found.help.clone().unwrap_or_default()
        )
    });
    parsed.collect::<Vec<_>>().join("\n")
}

#[test]
fn names_that_become_no_file_are_refused_when_read() {
    for name in [
        "..",
        ".",
        "CON",
        "nul.txt",
        "x.new",
        "x.annotated",
        "lpt1",
        "a/b",
        "\"\"",
    ] {
        for step in [
            format!("snapshot: {name}"),
            format!("snapshot: {{ name: {name} }}"),
        ] {
            assert!(
                messages(&step).contains("snapshot"),
                "{step}: {}",
                messages(&step)
            );
        }
    }
    for name in ["home", "a.b", "x.newer", "console", "1"] {
        assert_eq!(messages(&format!("snapshot: {name}")), "", "{name}");
    }
}

#[test]
fn steps_of_others_and_misspelt_keys_are_told_what_to_write() {
    for (step, part) in [
        ("press: ENTR", "did you mean `ENTER`?"),
        ("press: CTRL_LEFT+KEYCODE_AA", "there is no key `AA`"),
        ("tapOn: Save", "Maestro's `tapOn` is `click` here"),
        ("assertVisible: Save", "`assert visible`"),
        (
            "assert visible: { regex: \"^a\" }",
            "write `text: { regex: … }`",
        ),
        ("click: { contains: a }", "write `text: { contains: … }`"),
        (
            "click: { inside: { ignore_case: a } }",
            "write `text: { ignore_case: … }`",
        ),
        ("assert: { regex: a }", "write `text: { regex: … }`"),
    ] {
        assert!(messages(step).contains(part), "{step}: {}", messages(step));
    }
    for step in [
        "press: enter",
        "press: KEYCODE_F5",
        "press: \"300\"",
        "press: CTRL_LEFT+A",
        "press: NUMPAD_7",
    ] {
        assert_eq!(messages(step), "", "{step}");
    }
}

#[test]
fn a_wrong_key_for_a_required_one_is_told_once() {
    for (step, meant) in [
        (
            "snapshot: { name: a, redactions: [ { regex: \"(\", alias: N } ] }",
            "pattern",
        ),
        (
            "snapshot: { name: a, redactions: [ { pattern: \"[0-9]\", replace: N } ] }",
            "alias",
        ),
        ("type: { txt: hello }", "text"),
        ("press: { button: BACK }", "key"),
        ("record: { start: demo }", "action"),
    ] {
        let said = messages(step);
        assert_eq!(said.lines().count(), 1, "{step}: {said}");
        assert!(said.contains(&format!("`{meant}")), "{step}: {said}");
    }
    // Two are missing, and the wrong key is one of them.
    let said = messages("swipe: { x1: 1, Y: 3 }");
    assert!(said.contains("did you mean `y1`?"), "{said}");
    assert!(!said.contains("`y1` is missing"), "{said}");
    assert!(said.contains("`x2` is missing"), "{said}");
}

/// Checks that a limit of several steps must not be zero. For one step, 0 means to look once.
#[test]
fn v13_a_limit_of_several_steps_is_not_nothing() {
    for (header, step) in [
        ("timeout: 0s", "back"),
        ("teardown_timeout: ' 0.0 ms'", "back"),
        ("name: x", "{ group: [ back ], timeout: 0ms }"),
        (
            "name: x",
            "{ repeat: { times: 2, steps: [ back ] }, timeout: 0h }",
        ),
        (
            "name: x",
            "{ if: \"${1 == 1}\", then: [ back ], timeout: 0s }",
        ),
    ] {
        let (_, found) = read(&format!("{header}\nsteps: [ {step} ]\n"));
        let messages: Vec<_> = found.iter().map(|one| one.message.as_str()).collect();
        let parsed = matches!(&messages[..], [one] if one.contains("leaves no time for any step"));
        assert!(parsed, "{header}, {step}: {messages:?}");
        assert!(found[0].help.as_deref().unwrap_or_default().contains("30s"));
    }
    for (header, step) in [
        ("step_timeout: 0s", "{ assert visible: X, timeout: 0s }"),
        (
            "timeout: 1ms",
            "{ click: X, when: { visible: X, timeout: 0s } }",
        ),
    ] {
        let (_, found) = read(&format!("{header}\nsteps: [ {step} ]\n"));
        assert!(found.is_empty(), "{header}, {step}: {found:?}");
    }
}
