//! What a flow writes out of the value of a secret name, around and within `${…}`: no output shows it.

use super::texts;
use crate::common::Project;

/// Values of secret names with a part `@` that is written out, in flows of both languages.
const OWN: &str = r#"app: com.example.notes
secrets: [ HEAD, COLUMN, TEXT, NUMBERS, CHOICE, LIST, DEFAULT, LINES, GIVEN, BEARER ]
env: { HEAD: "@-${os.NO_SUCH | default('1')}", N: x, BEARER: "Bearer https://${N}" }
each: [ { name: a, COLUMN: "@-${os.NO_SUCH | default('1')}" } ]
steps:
  - launch
  - set: { TEXT: "@-${flow.attempt}" }
  - set: { NUMBERS: "${'@' ~ N ~ '@'}" }
  - set: { CHOICE: "${ '@' if N == 'y' else '@' }" }
  - set: { LIST: [ "${N}", { a: "@-${N}" } ] }
  - group:
      - set: { DEFAULT: "${os.NO_SUCH | default('@')}" }
  - set:
      LINES: >-
        first ${N}
        @ last
  - run: { flow: _sub.yaml, env: { GIVEN: "@-${N}" } }
  - type: { into: { id: username }, text: "@-${N}", secret: true }
    optional: true
  - assert: { that: "${1 > 2}" }
    message: "${HEAD} ${COLUMN} ${TEXT} ${NUMBERS} ${CHOICE} ${LINES}, and https for a Bearer"
"#;
const OWN_SUB: &str = "env: { GIVEN: x }\nsteps: [ { assert: { that: \"${GIVEN != ''}\" } } ]\n";
const MAESTRO: &str = r#"appId: com.example.notes
env:
  M_HEAD: "@-${1 + 1}"
  M_CHOICE: "${N == 'y' ? '@' : '@'}"
---
- runFlow: { file: _m.yaml, env: { M_GIVEN: "@-${1 + 1}" } }
- runScript: { file: s.js, env: { M_SCRIPT: "${'@' + N}" } }
- retry: { commands: [ { assertTrue: true } ], env: { M_RETRY: "@-${1 + 1}" } }
- assertTrue: ${1 > 2}
"#;
const MAESTRO_SUB: &str = "appId: com.example.notes\n---\n- assertTrue: ${M_GIVEN}\n";

/// Replaces each `@` by a part of its own: a word by itself for each third, else one with capital letters and digits.
fn with_parts(text: &str, parts: &mut Vec<String>) -> String {
    let mut pieces = text.to_owned();
    while let Some(at) = pieces.find('@') {
        let number = parts.len();
        let letter = char::from(b'a' + u8::try_from(number).unwrap());
        let part = if number.is_multiple_of(3) {
            format!("geheim{letter}wort")
        } else {
            format!("tOk{number}-9f{letter}e7d6c")
        };
        pieces.replace_range(at..=at, &part);
        parts.push(part);
    }
    pieces
}

#[test]
fn no_written_part_of_a_computed_secret_is_shown() {
    let project = Project::with_demo_app();
    let settings = project.read("runner.yaml");
    let names = "secrets: [ M_HEAD, M_CHOICE, M_GIVEN, M_SCRIPT, M_RETRY ]";
    project.write("runner.yaml", &format!("{settings}\n{names}\n"));
    let mut parts = Vec::new();
    project.write("flows/a.yaml", &with_parts(OWN, &mut parts));
    project.write("flows/_sub.yaml", OWN_SUB);
    project.write("flows/m.yaml", &with_parts(MAESTRO, &mut parts));
    project.write("flows/_m.yaml", MAESTRO_SUB);
    project.write("flows/s.js", "output.x = M_SCRIPT\n");
    let reports = [
        "--log",
        "out/a.log",
        "--junit",
        "out/a.xml",
        "--json",
        "out/a.ndjson",
        "--html",
        "out/html",
        "--allure",
        "out/allure",
    ];
    let ran = project.run(&[&["test", "-v"][..], &reports].concat());
    let ran = ran.expect(1).says("and https for a Bearer");
    let mut outputs = texts(&project);
    assert!(outputs.len() > 4, "{}", outputs.len());
    outputs.push(("stdout".to_owned(), ran.stdout));
    outputs.push(("stderr".to_owned(), ran.stderr));
    let last = project.read(".runner/last-run.ndjson");
    outputs.push(("last run".to_owned(), last));
    for (name, text) in &outputs {
        for part in &parts {
            assert!(!text.contains(part), "{part} is in {name}: {text}");
        }
    }
}
