use serde_json::{Value, json};

use camino::Utf8PathBuf;

use super::{Project, fixture, read};
use crate::ast::{Argument, Assert, Condition, Control, Flow, Spanned, StepAction};
use crate::check::literal;
use crate::final_value::check_with;
use crate::{ReadOptions, read_flow, read_text};
use runner_tools::Catalogue;
use runner_tools::registry::entries;

fn good(text: &str) -> Flow {
    let (flow, diagnostics) = read(text);
    assert_eq!(
        runner_text::diagnostic::render(&diagnostics, false, 120),
        "",
        "{text}"
    );
    flow.unwrap()
}

fn step(text: &str) -> crate::ast::Step {
    good(&format!("steps:\n  {}\n", text.replace('\n', "\n  ")))
        .steps
        .remove(0)
}

fn arguments(text: &str) -> Value {
    match step(text).action {
        StepAction::Call { entry, arguments } => {
            let arguments = literal(&arguments.value).unwrap();
            // The run gets them unevaluated.
            let checked = check_with(entry, &arguments, fixture::vocabulary());
            assert_eq!(checked.as_ref(), Ok(&arguments), "{text}");
            arguments
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_time_alone_limits_the_wait_for_rest() {
    let text = "steps:\n  - wait_for_idle: 5s\n".to_owned();
    let options = crate::ReadOptions::default();
    let (flow, found) = crate::read_text("a.yaml".into(), text, &options);
    assert!(found.is_empty(), "{found:?}");
    let limit = flow.unwrap().steps[0].modifiers.timeout.map(|it| it.0);
    assert_eq!(limit, Some(std::time::Duration::from_secs(5)));
}

#[test]
fn a_whole_flow_reads() {
    let flow = good(
        r#"# yaml-language-server: $schema=../runner.schema.json
name: Sign in with a valid account
app: com.example.notes
tags: [smoke, login]
env: { USER_NAME: ada, PIN: 0042 }
secrets: [NOTES_PASSWORD]
timeout: 2m
step_timeout: 10s
retries: 1
skip: { if: "${device.sdk < 29}", because: needs scoped storage }
setup: [ launch ]
steps:
  - click: Sign in
  - type: { into: { id: username }, text: "${USER_NAME}" }
  - type: { into: { id: password }, text: "${os.NOTES_PASSWORD}", secret: true }
  - wait_for_idle
  - assert visible: "Welcome, *"
  - assert: { id: inbox_count, text: "3", enabled: true }
  - find: { id: total }
    as: total
  - assert: { that: "${total.text == '42'}" }
  - snapshot: home
  - snapshot: { name: card, of: { id: card }, mask: [ { id: clock }, { rect: [0, 0, 10, 10] } ] }
  - swipe: { x1: 500, y1: 1500 }
    label: reveal the footer
  - click: Allow
    when: { id: x }
    optional: true
teardown: [ back ]
"#
        .replace("when: { id: x }", "when: { visible: Allow }")
        .as_str(),
    );
    assert_eq!(flow.name, "Sign in with a valid account");
    assert_eq!(flow.key, "flow");
    assert_eq!(flow.tags, ["smoke", "login"]);
    assert_eq!(flow.retries, Some(1));
    assert_eq!(flow.timeout.unwrap().0.as_secs(), 120);
    assert_eq!(flow.env["PIN"].value, Argument::Literal(json!("0042")));
    let (condition, because) = flow.skip.clone().unwrap();
    assert_eq!(condition.value, "device.sdk < 29");
    assert_eq!(&flow.source.text[condition.span], "device.sdk < 29");
    assert_eq!(because.as_deref(), Some("needs scoped storage"));
    assert_eq!(
        (flow.setup.len(), flow.steps.len(), flow.teardown.len()),
        (1, 12, 1)
    );
    assert!(flow.steps[2].modifiers.secret);
    assert_eq!(flow.steps[6].modifiers.keep_as.as_deref(), Some("total"));
    assert!(flow.steps[11].modifiers.optional);
    assert!(matches!(
        flow.steps[11].modifiers.when,
        Some(Condition::Visible(_))
    ));
    let StepAction::Snapshot(card) = &flow.steps[9].action else {
        panic!()
    };
    let Argument::Map(options) = &card.options.value else {
        panic!()
    };
    let Some(Argument::List(masks)) = options.get("mask").map(|mask| &mask.value) else {
        panic!()
    };
    assert_eq!(
        (card.name.as_str(), masks.len(), options.contains_key("of")),
        ("card", 2, true)
    );
}

#[test]
fn steps_are_written_as_their_tool_says() {
    for (text, expected) in [
        ("- click: Sign in", json!({ "on": "Sign in" })),
        ("- click: { id: x }", json!({ "on": { "id": "x" } })),
        (
            "- click:\n    id: x\n    index: -1",
            json!({ "on": { "id": "x", "index": -1 } }),
        ),
        (
            "- long_click: { id: x, duration: 2s }",
            json!({ "on": { "id": "x" }, "duration": "2s" }),
        ),
        (
            "- long_click: { on: { id: x }, duration: 2s }",
            json!({ "on": { "id": "x" }, "duration": "2s" }),
        ),
        (
            "- long_click: { on: Hold me, duration: 500ms }",
            json!({ "on": "Hold me", "duration": "500ms" }),
        ),
        ("- type: hello", json!({ "text": "hello" })),
        (
            "- type: { into: Name, text: x, secret: true }",
            json!({ "into": "Name", "text": "x", "secret": true }),
        ),
        ("- launch", json!({})),
        ("- launch:", json!({})),
        ("- launch: com.example", json!({ "app": "com.example" })),
        ("- launch: { clear: true }", json!({ "clear": true })),
        ("- shell: [ls, -l, 5]", json!({ "argv": ["ls", "-l", "5"] })),
        (
            "- swipe: { x1: 0, y1: 1.5, duration: 300, direction: up }",
            json!({ "x1": 0, "y1": 1.5, "duration": 300, "direction": "up" }),
        ),
        (
            "- click: { text: { contains: ab } }",
            json!({ "on": { "text": { "contains": "ab" } } }),
        ),
        (
            "- click: { id: x, inside: { text: { regex: '^a+$' } } }",
            json!({ "on": { "id": "x", "inside": { "text": { "regex": "^a+$" } } } }),
        ),
    ] {
        assert_eq!(arguments(text), expected, "{text}");
    }
}

#[test]
fn text_positions_take_the_source_text() {
    for (written, text) in [
        ("007", "007"),
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("no", "no"),
        ("true", "true"),
        ("'null'", "null"),
        ("!!str ~", "~"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("1e3", "1e3"),
        (".nan", ".nan"),
        (".5", ".5"),
        ("+1", "+1"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("=", "="),
        ("<<", "<<"),
        ("a#b", "a#b"),
        ("a:b", "a:b"),
        ("'it''s'", "it's"),
        ("\"a\\tb\"", "a\tb"),
        ("\"\\u00e9\"", "é"),
        ("'{name}'", "{name}"),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("$5", "$5"),
        ("$${x}", "${x}"),
        ("|\n      two\n      lines", "two\nlines\n"),
        (">-\n      one\n      line", "one line"),
        ("日本 🎉", "日本 🎉"),
    ] {
        assert_eq!(
            arguments(&format!("- type: {written}")),
            json!({ "text": text }),
            "{written}"
        );
    }
    // If text and number are valid, a plain number is a number.
    assert_eq!(
        arguments("- click: { window: 3 }"),
        json!({ "on": { "window": 3 } })
    );
    assert_eq!(
        arguments("- click: { window: '3' }"),
        json!({ "on": { "window": "3" } })
    );
}

#[test]
fn expressions_may_stand_in_typed_fields() {
    let step = step("- swipe: { x1: '${device.width}', y1: 1, duration: '${BASE_URL | int}' }");
    let StepAction::Call { arguments, .. } = step.action else {
        panic!()
    };
    let Argument::Map(map) = arguments.value else {
        panic!()
    };
    assert_eq!(map["x1"].value, Argument::Expression("device.width".into()));
    assert_eq!(
        map["duration"].value,
        Argument::Expression("BASE_URL | int".into())
    );
}

#[test]
fn control_steps_read() {
    let flow = good(
        r#"
steps:
  - set: { n: 3, who: ada, list: [1, two], on: true }
  - repeat:
      times: "${n}"
      steps:
        - click: More
        - snapshot: { name: page, each: true }
  - repeat: { while: { visible: Next }, max: 5, steps: [ click: Next ] }
  - retry: { times: 2, steps: [ back ] }
  - if: "${device.virtual}"
    then: [ back ]
    else:
      - click: Light
    label: by theme
  - group: [ back, { click: x } ]
    timeout: 3s
  - click: y
    retry: 2
  - assert: OK
"#,
    );
    let controls: Vec<&Control> = flow
        .steps
        .iter()
        .filter_map(|step| match &step.action {
            StepAction::Control(control) => Some(control.as_ref()),
            _ => None,
        })
        .collect();
    let Control::Set { values } = controls[0] else {
        panic!()
    };
    assert_eq!(values["n"].value, Argument::Literal(json!(3)));
    assert_eq!(literal(&values["list"].value), Some(json!([1, "two"])));
    let Control::Repeat {
        times:
            Some(Spanned {
                value: Argument::Expression(times),
                ..
            }),
        steps,
        ..
    } = controls[1]
    else {
        panic!()
    };
    assert_eq!((times.as_str(), steps.len()), ("n", 2));
    assert!(matches!(
        controls[2],
        Control::Repeat {
            times: None,
            condition: Some(Condition::Visible(_)),
            max: 5,
            ..
        }
    ));
    assert!(matches!(controls[3], Control::Retry { times: 2, .. }));
    let Control::If {
        then, otherwise, ..
    } = controls[4]
    else {
        panic!()
    };
    assert_eq!((then.len(), otherwise.len()), (1, 1));
    assert!(matches!(controls[5], Control::Group { steps } if steps.len() == 2));
    assert_eq!(flow.steps[6].modifiers.retry, 2);
    assert!(
        matches!(&flow.steps[7].action, StepAction::Assert(assert) if matches!(**assert, Assert::Element(_)))
    );
}

#[test]
fn titles_are_one_line_and_hide_secrets() {
    for (text, title) in [
        ("- click: Sign in", "click: Sign in"),
        ("- launch", "launch"),
        (
            "- type: { into: { id: p, text: x }, text: hunter2, secret: true }",
            "type: { into: { id: p, text: x }, text: ***, secret: true }",
        ),
        (
            "- type: { text: \"${os.P}\", secret: true }",
            "type: { text: ${os.P}, secret: true }",
        ),
        (
            "- type: { text: \"${'hunter2' ~ os.P}\", secret: true }",
            "type: { text: ***, secret: true }",
        ),
        ("- type: |\n    a\n    b", "type: a b "),
    ] {
        assert_eq!(step(text).title, title);
    }
}

#[test]
fn sub_flows_are_read_in_place() {
    let project = Project::new();
    project
        .file(
            "flows/main.yaml",
            "env: { USER: ada }\nsteps:\n  - run: { flow: ../shared/_login.yaml, env: { PIN: '1' } }\n  - assert: { that: \"${total.text == '1'}\" }\n",
        )
        .file(
            "shared/_login.yaml",
            "outputs: [total]\nsteps:\n  - type: \"${USER}${PIN}\"\n  - find: Total\n    as: total\n  - run: _more.yaml\n",
        )
        .file("shared/_more.yaml", "steps: [ back ]\n");
    let (flow, diagnostics) = project.read("flows/main.yaml");
    assert_eq!(
        runner_text::diagnostic::render(&diagnostics, false, 120),
        ""
    );
    let flow = flow.unwrap();
    assert_eq!(flow.key, "flows/main");
    let StepAction::Control(control) = &flow.steps[0].action else {
        panic!()
    };
    let Control::Run { flow: login, env } = control.as_ref() else {
        panic!()
    };
    assert_eq!(
        (login.key.as_str(), login.steps.len(), env.len()),
        ("shared/_login", 3, 1)
    );
}

#[test]
fn anchors_and_merge_keys_are_resolved() {
    let flow = good(
        "steps:\n  - swipe: &s { x1: 1, y1: 2 }\n  - swipe: { <<: *s, y1: 3 }\n  - swipe: *s\n",
    );
    let values: Vec<Value> = flow
        .steps
        .iter()
        .map(|step| match &step.action {
            StepAction::Call { arguments, .. } => literal(&arguments.value).unwrap(),
            _ => panic!(),
        })
        .collect();
    assert_eq!(
        values,
        [
            json!({ "x1": 1, "y1": 2 }),
            json!({ "y1": 3, "x1": 1 }),
            json!({ "x1": 1, "y1": 2 })
        ]
    );
}

#[test]
fn byte_order_marks_and_carriage_returns_change_nothing() {
    let flow = good("\u{feff}name: Grüße\r\nsteps:\r\n  - click: Weiter\r\n  - type: 'é'\r\n");
    assert_eq!(flow.name, "Grüße");
    let StepAction::Call { arguments, .. } = &flow.steps[0].action else {
        panic!()
    };
    assert_eq!(&flow.source.text[arguments.span.clone()], "Weiter");
}

#[test]
fn spans_cover_what_was_written() {
    let flow = good(
        "steps:\n  - click: { id: ä, index: 1 }\n    label: x\n  - type: [1\n      ]\n"
            .replace("  - type: [1\n      ]\n", "")
            .as_str(),
    );
    let step = &flow.steps[0];
    assert_eq!(
        &flow.source.text[step.span.clone()],
        "click: { id: ä, index: 1 }\n    label: x"
    );
    let StepAction::Call { arguments, .. } = &step.action else {
        panic!()
    };
    assert_eq!(
        &flow.source.text[arguments.span.clone()],
        "{ id: ä, index: 1 }"
    );
    let Argument::Map(map) = &arguments.value else {
        panic!()
    };
    let Argument::Map(on) = &map["on"].value else {
        panic!()
    };
    assert_eq!(&flow.source.text[on["index"].span.clone()], "1");
}

/// Checks that the demo's flows have no warnings.
#[test]
fn the_demo_flows_read() {
    let root = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let options = ReadOptions {
        root: root.clone(),
        ..ReadOptions::default()
    };
    for name in ["sign-in", "inbox-scroll", "form", "settings", "dialog"] {
        let path = root.join(format!("flows/{name}.yaml"));
        let (flow, diagnostics) = read_flow(&path, &options);
        assert!(diagnostics.is_empty(), "{diagnostics:#?}");
        assert!(flow.is_some(), "{name}");
    }
}

// Each everyday step has an example, and all examples are valid.
#[test]
fn the_examples_of_the_steps_are_flows() {
    let mut text = String::from("app: com.example.notes\nsteps:\n");
    let everyday = entries()
        .iter()
        .filter(|entry| entry.catalogue == Catalogue::Everyday);
    for entry in everyday {
        let begins = format!("- {}", entry.name);
        assert!(entry.example.starts_with(&begins), "{}", entry.name);
        for line in entry.example.lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    let options = ReadOptions {
        allow_shell: true,
        ..Default::default()
    };
    let (flow, found) = read_text("x.yaml".into(), text, &options);
    assert!(flow.is_some() && found.is_empty(), "{found:#?}");
}
