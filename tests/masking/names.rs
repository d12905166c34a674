//! Ways in which a flow gets the value of a secret name: no output shows it.

use std::fmt::Write as _;

use serde_json::json;

use super::sessions::{secrets, stand_in_none};
use super::texts;
use crate::common::mcp::Client;
use crate::common::needs::long;
use crate::common::{Project, Ran};
use crate::http_step::server;

/// Way in which names get their values: the secrets are `S0`, `S1` and so on, their values come from
/// elsewhere.
struct Way {
    name: &'static str,
    /// Returns the header of the flow, and its first steps.
    begin: fn(&[Given]) -> (String, String),
}

/// Name of a secret, the environment variable with its value, and the value.
struct Given {
    name: String,
    variable: String,
    value: String,
}

impl Given {
    fn quoted(&self) -> String {
        // What is no expression.
        json!(self.value.replace("${", "$${")).to_string()
    }
}

fn each_line(given: &[Given], line: impl Fn(&Given) -> String) -> String {
    given.iter().map(line).collect()
}

const WAYS: [Way; 8] = [
    Way {
        name: "header",
        begin: |given| {
            let env = each_line(given, |it| format!("  {}: {}\n", it.name, it.quoted()));
            (format!("env:\n{env}"), String::new())
        },
    },
    Way {
        name: "header_of_os",
        begin: |given| {
            let env = each_line(given, |it| {
                format!("  {}: \"${{os.{}}}\"\n", it.name, it.variable)
            });
            (format!("env:\n{env}"), String::new())
        },
    },
    Way {
        name: "set",
        begin: |given| {
            let set = each_line(given, |it| {
                format!("  - set: {{ {}: \"${{os.{}}}\" }}\n", it.name, it.variable)
            });
            (String::new(), set)
        },
    },
    Way {
        name: "set_of_list",
        begin: |given| {
            let set = each_line(given, |it| {
                let value = format!("[ 1, {{ a: \"${{os.{}}}\" }} ]", it.variable);
                format!(
                    "  - set: {{ {0}: {value} }}\n  - set: {{ Y{0}: \"${{{0}[1].a}}\" }}\n",
                    it.name
                )
            });
            (String::new(), set)
        },
    },
    Way {
        name: "each",
        begin: |given| {
            let row = given
                .iter()
                .map(|it| format!("{}: {}", it.name, it.quoted()));
            let row: Vec<String> = row.collect();
            (
                format!("each: [ {{ title: one, {} }} ]\n", row.join(", ")),
                String::new(),
            )
        },
    },
    Way {
        name: "each_of_os",
        begin: |given| {
            let row = given
                .iter()
                .map(|it| format!("{}: \"${{os.{}}}\"", it.name, it.variable));
            let row: Vec<String> = row.collect();
            (
                format!("each: [ {{ title: one, {} }} ]\n", row.join(", ")),
                String::new(),
            )
        },
    },
    Way {
        name: "sub_flow",
        begin: |given| {
            let run = each_line(given, |it| {
                let env = format!("{{ {}: \"${{os.{}}}\" }}", it.name, it.variable);
                format!("  - run: {{ flow: _one.yaml, env: {env} }}\n")
            });
            (String::new(), run)
        },
    },
    Way {
        name: "answer",
        begin: |given| {
            let http = each_line(given, |it| {
                format!(
                    "  - http: {{ url: \"${{HOST}}/{}\" }}\n    as: {}\n",
                    it.variable, it.name
                )
            });
            (String::new(), http)
        },
    },
];

/// Returns steps that use a secret, in one of seven ways.
fn uses(name: &str, number: usize) -> String {
    let shown = |computed: &str| {
        format!(
            "  - assert visible: \"${{{name}{computed}}}\"\n    soft: true\n    timeout: 10ms\n"
        )
    };
    match number % 7 {
        0 => format!(
            "  - type: {{ into: {{ id: username }}, text: \"${{{name}}}\", clear: true }}\n    optional: true\n"
        ),
        1 => format!("  - launch: {{ extras: {{ x: \"${{{name}}}\" }} }}\n"),
        2 => format!("  - assert: {{ that: \"${{{name} == 'x'}}\" }}\n    soft: true\n"),
        3 => shown(""),
        // What is computed begins as the secret does.
        4 => shown(" | upper"),
        5 => shown("[:-1]"),
        _ => shown(" | split('z') | first"),
    }
}

#[test]
fn a_secret_is_its_name_in_whatever_way_it_is_read() {
    let count = long(16, 504);
    let values = secrets(31, count);
    // A text of several lines stands in no header of HTTP and in no CSV cell as it is; the rest is kept.
    let values: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(number, value)| {
            let value = value.replace('\n', " ");
            // As an expression looks, and as a pattern.
            match number % 3 {
                0 => format!("{value}${{x}}"),
                1 => format!("{value} *"),
                _ => value,
            }
        })
        .collect();
    let answers: Vec<String> = values.clone();
    let host = server(move |request| {
        let path = request.split_whitespace().nth(1).unwrap_or_default();
        let number: usize = path.trim_start_matches("/V").parse().unwrap_or_default();
        let body = json!({ "token": answers[number], "n": [answers[number]] }).to_string();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    });
    let project = Project::with_demo_app();
    std::fs::create_dir(project.path("out")).unwrap();
    let authority = host.trim_start_matches("http://").to_owned();
    let settings = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!("{settings}\nhttp: {{ hosts: [\"{authority}\"] }}\n"),
    );
    project.write(
        "flows/_one.yaml",
        "steps:\n  - assert visible: nowhere\n    soft: true\n    timeout: 10ms\n",
    );
    let share = count / WAYS.len();
    let mut number = 0;
    for way in &WAYS {
        let given: Vec<Given> = (0..share)
            .map(|_| {
                number += 1;
                Given {
                    name: format!("S{}", number - 1),
                    variable: format!("V{}", number - 1),
                    value: values[number - 1].clone(),
                }
            })
            .collect();
        let (header, begin) = (way.begin)(&given);
        let names: Vec<&str> = given.iter().map(|it| it.name.as_str()).collect();
        let mut steps = begin;
        let is_kept = !matches!(way.name, "sub_flow");
        for (place, name) in names.iter().enumerate().filter(|_| is_kept) {
            let read = match way.name {
                "answer" => format!("{name}.json.token"),
                "set_of_list" => format!("Y{name}"),
                _ => (*name).to_owned(),
            };
            steps.push_str(&uses(&read, place));
        }
        let host = format!("HOST: \"{host}\"");
        let header = if header.starts_with("env:\n") {
            format!("{header}  {host}\n")
        } else {
            format!("{header}env: {{ {host} }}\n")
        };
        let mut text = String::new();
        let _ = write!(
            text,
            "app: com.example.notes\nsecrets: [ {} ]\n{header}steps:\n  - launch\n{steps}",
            names.join(", ")
        );
        project.write(&format!("flows/{}.yaml", way.name), &text);
    }
    let reports = [
        "--log",
        "out/a.log",
        "--junit",
        "out/a.xml",
        "--json",
        "out/a.ndjson",
        "--html",
        "out/html",
        "--artifacts",
        "out/art",
        "--trace=on",
    ];
    let mut command = project.command(&[&["test", "-v"][..], &reports].concat());
    command.env("RUNNER_LOG", "trace");
    for (number, value) in values.iter().enumerate() {
        command.env(format!("V{number}"), value);
    }
    let ran = command.output().unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&ran.stdout).into_owned(),
        String::from_utf8_lossy(&ran.stderr).into_owned(),
    );
    assert_eq!(ran.status.code(), Some(1), "{out}{err}");
    let mut written = texts(&project);
    written.push(("stdout".to_owned(), out));
    written.push(("stderr".to_owned(), err));
    stand_in_none(&values, &written);
}

/// `os.NAME` where the project or the flow says that NAME is secret, and what a client gives a flow.
#[test]
fn a_variable_and_an_argument_of_a_secret_name_are_secret() {
    let value = "Kj7sVx91-hidden";
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{settings}\nsecrets: [ PW_ONE ]\n"));
    let step = |name: &str| {
        format!("  - assert visible: \"${{{name}}}\"\n    soft: true\n    timeout: 10ms\n")
    };
    project.flow(
        "a",
        &format!("setup: [ launch ]\nsteps:\n{}", step("os.PW_ONE")),
    );
    project.flow(
        "b",
        &format!("secrets: [ PW_TWO ]\nsteps:\n{}", step("os.PW_TWO")),
    );
    project.flow("m", "setup: [ launch ]\nsteps:\n  - set: { OTHER: \"${os.PW_ONE}\" }\n  - assert: { that: \"${OTHER == ''}\" }\n");
    let mut command = project.command(&["test", "-v"]);
    command
        .env("PW_ONE", value)
        .env("PW_TWO", value.to_uppercase());
    let ran = command.output().unwrap();
    let out = format!(
        "{}{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(!out.contains("hidden") && !out.contains("HIDDEN"), "{out}");
    assert!(out.contains("***"), "{out}");
    // Over MCP, with the value as an argument.
    project.flow(
        "c",
        &format!(
            "secrets: [ PIN_CODE ]\nenv: {{ PIN_CODE: none }}\nsteps:\n{}",
            step("PIN_CODE")
        ),
    );
    let mut client = Client::from_command(project.command(&["mcp"]));
    client.initialize("2025-11-25");
    let call = json!({ "path": "flows/c.yaml", "env": { "PIN_CODE": value } });
    let answer = format!("{:?}", client.call("runner_run_flow", call));
    assert!(!answer.contains("hidden"), "{answer}");
    assert!(answer.contains("***"), "{answer}");
}

#[test]
fn a_secret_that_names_no_value_is_an_error() {
    let project = Project::with_demo_app();
    project.flow(
        "a",
        "secrets: [ PASWORD ]\nenv: { PASSWORD: lovelace-long }\nsteps: [ launch ]\n",
    );
    for command in ["lint", "test"] {
        let ran = project.run(&[command]).expect(2);
        let ran = ran.says("the secret `PASWORD` names no value");
        ran.says("did you mean `PASSWORD`?");
    }
    project.flow(
        "a",
        "secrets: [ PASSWORD ]\nsteps:\n  - launch\n  - run: _sub.yaml\n",
    );
    project.write(
        "flows/_sub.yaml",
        "app: com.example.notes\nenv: { PASSWORD: lovelace-long }\nsteps: [ launch ]\n",
    );
    project.run(&["lint"]).expect(0);
    let settings = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!("{settings}\nsecrets: [ API_TOKN ]\n"),
    );
    for command in ["lint", "test"] {
        project
            .run(&[command])
            .expect(2)
            .says("the secret `API_TOKN` names no value");
    }
    project.run(&["lint", "flows/a.yaml"]).expect(2);
    // A part of the flows may not use it.
    project.flow(
        "b",
        "steps: [ { assert: { that: \"${os.API_TOKN == 'x'}\" } } ]\n",
    );
    project.run(&["lint", "flows/a.yaml"]).expect(0);
    project.flow(
        "b",
        "secrets: [ os.PASSWORD ]\nsteps: [ { type: \"${os.PASSWORD}\" } ]\n",
    );
    project
        .run(&["lint", "flows/b.yaml"])
        .expect(2)
        .says("write the name alone: `PASSWORD`");
}

#[test]
fn a_value_beside_the_name_of_a_secret_is_told_and_not_shown() {
    for written in ["MY_PIN=hunter2x", "'MY_PIN: hunter2x'"] {
        let project = Project::with_demo_app();
        let settings = project.read("runner.yaml");
        let declared = format!("secrets: [ {written} ]\n");
        let steps = "steps: [ launch ]\n";
        for (file, of_flow) in [
            (&settings, &*declared),
            (&format!("{settings}{declared}"), ""),
        ] {
            project.write("runner.yaml", file);
            project.flow("a", &format!("{of_flow}{steps}"));
            project
                .run(&["lint"])
                .expect(2)
                .says("the secret `MY_PIN` names no value")
                .says("write the name alone: `MY_PIN`")
                .never_says("hunter2x");
        }
    }
}

/// A field that holds a part of a secret shows it in no output.
#[test]
fn a_secret_that_did_not_arrive_whole_is_not_shown() {
    for quirk in ["half-input", "composing-keyboard"] {
        let project = Project::with_demo_app();
        project.flow(
            "a",
            "secrets: [ PW ]\nsteps:\n  - launch: { clear: true }\n  - type: { into: { id: username }, text: \"${os.PW}\" }\n",
        );
        let arguments = [
            "test", "--json", "e.ndjson", "--html", "html", "--junit", "j.xml",
        ];
        let mut command = project.command(&arguments);
        command
            .env("PW", "Sup3rS3cretValue")
            .env("RUNNER_QUIRKS", quirk);
        let ran = Ran::from(command.output().expect("the program starts")).expect(1);
        let mut outputs = texts(&project);
        outputs.push(("stdout".to_owned(), ran.stdout));
        for (name, text) in outputs {
            for piece in ["Sup3", "Su'p3"] {
                assert!(!text.contains(piece), "{quirk}: {name} has {piece}");
            }
        }
    }
}

/// Reports mask no paths, so a file's name may hold no secret.
#[test]
fn no_file_is_named_by_a_secret() {
    // Maestro's file names have `-` in place of a blank and of `/`.
    for (secret, piece) in [("lovelace-long", "lovelace"), ("love lace/long", "lace")] {
        for (header, step) in [
            ("steps:\n", "  - screenshot: \"a-${PW}\"\n"),
            ("---\n", "- takeScreenshot: \"a-${PW}\"\n"),
            ("---\n", "- takeScreenshot: \"a-${PW}/b\"\n"),
            ("---\n", "- assertScreenshot: \"a-${PW}\"\n"),
            ("---\n", "- startRecording: \"a-${PW}\"\n- stopRecording\n"),
        ] {
            let is_maestro = header == "---\n";
            if secret.contains('/') && !is_maestro {
                // `screenshot` takes no folder.
                continue;
            }
            let project = Project::with_demo_app();
            let settings = project.read("runner.yaml");
            project.write("runner.yaml", &format!("{settings}\nsecrets: [ PW ]\n"));
            let flow = if is_maestro {
                format!("appId: com.example.notes\n{header}- launchApp\n{step}")
            } else {
                format!("app: com.example.notes\n{header}  - launch\n{step}")
            };
            project.write("flows/a.yaml", &flow);
            let value = format!("PW={secret}");
            let arguments = ["test", "--artifacts", "out", "--env", &value];
            let ran = project.run(&arguments).expect(1);
            ran.says("the name of the file holds a secret");
            let files = project.files("out");
            assert!(
                !files.iter().any(|file| file.contains(piece)),
                "{step}: {files:?}"
            );
        }
    }
}

/// Settings hold what the environment gives to secret names.
#[test]
fn settings_are_shown_without_secrets() {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!(
            "{settings}\nsecrets: [ PW ]\nenv: {{ PW: lovelace-long, URL: \"http://host/lovelace-long\" }}\n"
        ),
    );
    let ran = project.run(&["config"]).expect(0).says("***");
    assert!(!ran.stdout.contains("lovelace"), "{}", ran.stdout);
    project.write(
        "flows/a.yaml",
        "app: a.b\nenv: [ API_TOKEN=lovelace-long ]\nsteps: [ launch ]\n",
    );
    let ran = project.run(&["lint"]).expect(2);
    assert!(!ran.stdout.contains("lovelace"), "{}", ran.stdout);
}

/// Checks that the rest of a typed secret in a field is masked, for each way to type and to erase.
#[test]
fn what_is_left_of_a_typed_secret_in_a_field_is_masked() {
    let own = "app: com.example.notes\nsecrets: [ PW ]\nsteps:\n  - launch\n";
    let maestro = "appId: com.example.notes\n---\n- launchApp\n- tapOn: { id: username }\n";
    for (secrets, text) in [
        (
            "",
            format!(
                "{own}  - type: {{ into: {{ id: username }}, text: \"${{os.PW}}\" }}\n  - erase: {{ on: {{ id: username }}, characters: 4 }}\n  - assert visible: nowhere\n    timeout: 10ms\n"
            ),
        ),
        (
            "",
            format!(
                "{own}  - type: {{ into: {{ id: username }}, text: \"${{os.PW}}\" }}\n  - press: DEL\n  - find: {{ id: username }}\n    as: field\n  - assert: {{ that: \"${{field.text == 'x'}}\" }}\n"
            ),
        ),
        (
            "secrets: [ PW ]\nenv: { PW: \"${os.PW}\" }\n",
            format!("{maestro}- inputText: ${{PW}}\n- eraseText: 4\n- assertVisible: nowhere\n"),
        ),
        (
            "secrets: [ PW ]\nenv: { PW: \"${os.PW}\" }\n",
            format!(
                "{maestro}- inputText: ${{PW}}\n- pressKey: Backspace\n- assertVisible: nowhere\n"
            ),
        ),
    ] {
        let project = Project::with_demo_app();
        let settings = project.read("runner.yaml");
        project.write("runner.yaml", &format!("{settings}\n{secrets}"));
        project.write("flows/a.yaml", &text);
        let reports = [
            "--json",
            "out/a.ndjson",
            "--html",
            "out/html",
            "--artifacts",
            "out/art",
            "--trace=on",
        ];
        let mut command = project.command(&[&["test", "-v"][..], &reports].concat());
        command.env("PW", "Qvxhunter2-long");
        let ran = Ran::from(command.output().unwrap()).expect(1);
        let mut written = texts(&project);
        written.push(("output".to_owned(), format!("{}{}", ran.stdout, ran.stderr)));
        stand_in_none(&["Qvxhunter2".to_owned()], &written);
    }
}

/// App that logs what its field holds, whenever that changes.
const LOGGING_APP: &str = r#"package: com.example.a
label: A
activities:
  .Main: { surface: main.yaml, launchable: true }
watch:
  /pw: pw
actions:
  pw:
    - set: { path: /echo, value: { path: /pw } }
    - log: { tag: A, message: { call: formatString, args: { value: "got ${/pw} end" } } }
"#;
const LOGGING_SCREEN: &str = r#"- version: v0.9
  createSurface: { surfaceId: main, catalogId: "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json" }
- version: v0.9
  updateComponents:
    surfaceId: main
    components:
      - { id: root, component: Column, children: [pw, echo] }
      - { id: pw, component: TextField, label: Pass, value: { path: /pw } }
      - { id: echo, component: Text, text: { call: formatString, args: { value: "Hello ${/echo}, you" } } }
- version: v0.9
  updateDataModel:
    surfaceId: main
    value: { pw: "", echo: "" }
"#;

/// An app that logs its field while it is typed and erased logs each beginning.
#[test]
fn no_beginning_of_a_typed_secret_stands_in_the_log_of_the_app() {
    for steps in [
        "  - erase: { id: pw }\n",
        "  - erase: { on: { id: pw }, characters: 4 }\n",
        "  - press: { key: DEL, times: 5 }\n",
        "  - type: { into: { id: pw }, text: \"zz\" }\n",
    ] {
        let project = Project::empty();
        project.write("runner.yaml", "devices: [virtual]\napps: [apps/a]\n");
        project.write("apps/a/app.yaml", LOGGING_APP);
        project.write("apps/a/main.yaml", LOGGING_SCREEN);
        let text = format!(
            "app: com.example.a\nsecrets: [ PW ]\nsteps:\n  - launch\n  - type: {{ into: {{ id: pw }}, text: \"${{os.PW}}\" }}\n{steps}  - assert visible: nowhere\n    timeout: 10ms\n"
        );
        project.write("flows/a.yaml", &text);
        let mut command = project.command(&["test", "--json", "out/e", "--artifacts", "out"]);
        command.env("PW", "Qvxhunter2-long");
        let ran = Ran::from(command.output().unwrap()).expect(1);
        let mut written = texts(&project);
        written.push(("output".to_owned(), format!("{}{}", ran.stdout, ran.stderr)));
        for (name, text) in &written {
            assert!(!text.contains("Qvxh"), "{name} after {steps}: {text}");
        }
        assert!(written.iter().any(|(_, text)| text.contains("got ***")));
    }
}

/// Checks that a field's text that is no part of a secret stays readable, in this flow and in others.
#[test]
fn a_typed_secret_masks_no_other_field() {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    project.write("runner.yaml", &format!("{settings}\nsecrets: [ PW ]\n"));
    project.flow(
        "a",
        "steps:\n  - launch: { activity: .Form }\n  - type: { into: { id: title }, text: \"${os.PW}\" }\n  - type: { into: { id: email }, text: text }\n  - click: { id: copies }\n  - hide_keyboard\n  - assert: { id: copies, text: \"1\" }\n  - assert visible: nowhere\n    timeout: 10ms\n",
    );
    let mut command = project.command(&["test", "--artifacts", "out"]);
    command.env("PW", "Tuesday1-Plain-text-2026");
    Ran::from(command.output().unwrap()).expect(1);
    let rows = project.read("out/flows/a/virtual-1/failure.tsv");
    assert!(!rows.contains("Tuesday1"), "{rows}");
    let copies = rows.lines().find(|row| row.contains("copies")).unwrap();
    assert!(!copies.contains("***"), "{copies}");
    let email = rows.lines().find(|row| row.contains("email")).unwrap();
    assert!(!email.contains("***"), "{email}");
}

/// The focus moves on before anything looks at what is left.
#[test]
fn what_is_left_of_a_secret_is_masked_without_the_focus() {
    for steps in [
        "  - press: { key: DEL, times: 4 }\n  - press: TAB\n",
        "  - press: { key: DEL, times: 4 }\n  - back\n",
        "  - press: A\n  - press: TAB\n",
        "  - erase: { id: title, characters: 3 }\n",
    ] {
        for before in ["", "  - type: { into: { id: title }, text: \"note: \" }\n"] {
            let project = Project::with_demo_app();
            let text = format!(
                "secrets: [ PW ]\nsteps:\n  - launch: {{ activity: .Form }}\n{before}  - type: {{ into: {{ id: title }}, text: \"${{os.PW}}\" }}\n{steps}  - assert visible: nowhere\n    timeout: 10ms\n"
            );
            project.flow("a", &text);
            let mut command = project.command(&["test", "--json", "out/e", "--artifacts", "out"]);
            command.env("PW", "Qvxhunter2-long");
            let ran = Ran::from(command.output().unwrap()).expect(1);
            let mut written = texts(&project);
            written.push(("output".to_owned(), format!("{}{}", ran.stdout, ran.stderr)));
            stand_in_none(&["Qvxhunter2".to_owned()], &written);
        }
    }
}
