//! Checks that the schema for editors accepts what the parser accepts.

use serde_json::Value;

use super::{Project, fixture, read};
use runner_tools::Catalogue;

use crate::{ReadOptions, read_flow, schema, vocabulary};

/// Validates a value with the part of JSON Schema that the schemas use. An unknown word fails the test.
fn valid(root: &Value, schema: &Value, value: &Value) -> bool {
    let Some(map) = schema.as_object() else {
        return schema.as_bool().expect("a schema is a map or a boolean");
    };
    if let Some(path) = map.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(path.trim_start_matches('#'));
        return valid(root, target.unwrap_or_else(|| panic!("{path}")), value);
    }
    map.iter().all(|(word, wanted)| {
        let list = || wanted.as_array().unwrap().iter();
        let all = |schema: &Value, value: &Value| valid(root, schema, value);
        let number = |compare: fn(f64, f64) -> bool| {
            value
                .as_f64()
                .is_none_or(|value| compare(value, wanted.as_f64().unwrap()))
        };
        match word.as_str() {
            "type" => match wanted {
                Value::Array(names) => names.iter().any(|name| is(value, name.as_str().unwrap())),
                name => is(value, name.as_str().unwrap()),
            },
            "enum" => list().any(|each| each == value),
            "const" => wanted == value,
            "anyOf" => list().any(|each| all(each, value)),
            "not" => !all(wanted, value),
            "allOf" => list().all(|each| all(each, value)),
            "oneOf" => list().filter(|each| all(each, value)).count() == 1,
            "required" => value
                .as_object()
                .is_none_or(|map| list().all(|name| map.contains_key(name.as_str().unwrap()))),
            "properties" => value.as_object().is_none_or(|map| {
                map.iter()
                    .all(|(key, value)| wanted.get(key).is_none_or(|schema| all(schema, value)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|entries| {
                let known = map.get("properties");
                let patterns = map.get("patternProperties").and_then(Value::as_object);
                let patterns: Vec<regex::Regex> = patterns
                    .into_iter()
                    .flatten()
                    .map(|(pattern, _)| regex::Regex::new(pattern).unwrap())
                    .collect();
                entries
                    .iter()
                    .filter(|(key, _)| known.is_none_or(|known| known.get(*key).is_none()))
                    .filter(|(key, _)| !patterns.iter().any(|pattern| pattern.is_match(key)))
                    .all(|(_, value)| all(wanted, value))
            }),
            "propertyNames" => value.as_object().is_none_or(|map| {
                map.keys()
                    .all(|key| all(wanted, &Value::from(key.as_str())))
            }),
            "items" => value
                .as_array()
                .is_none_or(|items| items.iter().all(|item| all(wanted, item))),
            "minItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value
                .as_array()
                .is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap()),
            "maxLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() as u64 <= wanted.as_u64().unwrap()),
            "exclusiveMinimum" => number(|value, limit| value > limit),
            "exclusiveMaximum" => number(|value, limit| value < limit),
            "minProperties" => value
                .as_object()
                .is_none_or(|map| map.len() as u64 >= wanted.as_u64().unwrap()),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "pattern" => value.as_str().is_none_or(|text| {
                regex::Regex::new(wanted.as_str().unwrap())
                    .unwrap()
                    .is_match(text)
            }),
            "minimum" => number(|value, limit| value >= limit),
            "maximum" => number(|value, limit| value <= limit),
            "patternProperties" => value.as_object().is_none_or(|entries| {
                wanted.as_object().unwrap().iter().all(|(pattern, schema)| {
                    let pattern = regex::Regex::new(pattern).unwrap();
                    let mut meant = entries.iter().filter(|(key, _)| pattern.is_match(key));
                    meant.all(|(_, value)| all(schema, value))
                })
            }),
            "dependencies" => value.as_object().is_none_or(|entries| {
                let map = wanted.as_object().unwrap();
                map.iter()
                    .filter(|(key, _)| entries.contains_key(*key))
                    .all(|(_, schema)| all(schema, value))
            }),
            "description" | "title" | "$schema" | "definitions" | "format" | "examples"
            | "enumDescriptions" | "defaultSnippets" | "doNotSuggest" => true,
            other => panic!("the schema uses `{other}`"),
        }
    })
}

fn is(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    }
}

fn editor_takes(text: &str) -> bool {
    let schema = schema::build(fixture::vocabulary(), schema::StepSet::All);
    let value: Value = serde_yaml::from_str(text).unwrap();
    valid(&schema, &schema, &value)
}

#[test]
fn editors_take_what_the_parser_takes() {
    for steps in [
        "- back",
        "- click: Sign in",
        "- click: 007",
        "- click: { id: x, index: '${device.sdk}', enabled: '${device.virtual}' }",
        "- long_click: { on: { id: x }, duration: 2s }",
        "- long_click: { id: x, duration: '${BASE_URL}' }",
        "- type: 1.10",
        "- type: { into: Name, text: 5, secret: true }\n  label: x\n  timeout: 3s\n  retry: 2\n  when: { visible: x }",
        "- launch:",
        "- launch: { clear: true }",
        "- shell: [ls, 5]",
        "- swipe: { x1: '${device.width}', y1: 1, direction: '${device.model}' }",
        "- swipe: { x1: 1, y1: 2, direction: up, duration: 300 }",
        "- find: x\n  as: total",
        "- set: { a: 1, b: [x] }",
        "- run: { flow: x, env: { A: 1 } }",
        "- repeat: { times: 3, steps: [ back ] }",
        "- repeat: { while: { not_visible: x }, max: 3, steps: [ back ] }",
        "- retry: { times: 2, steps: [ back ] }",
        "- if: '${true}'\n  then: [ back ]\n  else: [ back ]",
        "- group: [ back, click: x ]",
        "- assert: x",
        "- assert: { id: x, enabled: true }",
        "- assert: { that: '${true}' }",
        "- snapshot: home",
        "- snapshot: { name: a, tolerance: 3, of: { id: x }, mask: [ { rect: [1, 2, 3, 4] }, clock ] }",
    ] {
        let text = format!(
            "name: 5\nenv: {{ A: 1 }}\nsteps:\n  {}\n",
            steps.replace('\n', "\n  ")
        );
        assert!(editor_takes(&text), "{text}");
        if !steps.contains("run:") {
            let (flow, diagnostics) = read(&text);
            assert!(
                flow.is_some(),
                "{}",
                runner_text::diagnostic::render(&diagnostics, false, 100)
            );
        }
    }
}

#[test]
fn editors_refuse_what_the_parser_refuses() {
    for text in [
        "nam: x\nsteps: [ back ]",
        "steps: []",
        "steps: [ click ]",
        "steps: [ { clik: x } ]",
        "steps: [ { click: { idd: x } } ]",
        "steps: [ { click: { id: x, enabled: 'yes' } } ]",
        "steps: [ { swipe: { x1: -1, y1: 1 } } ]",
        "steps: [ { swipe: { x1: 1 } } ]",
        "steps: [ { swipe: { x1: 1, y1: 1, direction: upp } } ]",
        "steps: [ { long_click: { id: x, duration: 2 } } ]",
        "steps: [ { click: x, timeout: 2 } ]",
        "steps: [ { snapshot: a b } ]",
        "steps: [ { if: x, then: [ back ] } ]",
        "steps: [ { repeat: { times: 1 } } ]",
    ] {
        assert!(!editor_takes(text), "{text}");
        assert!(read(text).0.is_none(), "{text}");
    }
}

/// Example of the language's documentation, with the real catalogue.
const EXAMPLE: &str = r#"# yaml-language-server: $schema=../runner.schema.json
name: Sign in with a valid account
app: com.example.notes
tags: [smoke, login]
env: { USER_NAME: ada }
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
  - press: ENTER
  - wait_for_idle
  - assert visible: "Welcome, *"
  - assert not visible: Wrong password
  - assert: { id: inbox_count, text: "3", enabled: true }
  - find: { id: total }
    as: total
  - assert: { that: "${total.text == '42'}" }
  - snapshot: home
  - snapshot: { name: card, of: { id: card }, mask: [ { id: clock }, { rect: [0, 0, 100, 50] } ], tolerance: { cluster: 3 } }
  - swipe: { x1: 500, y1: 1500, x2: 500, y2: 500 }
    label: reveal the footer
  - click: Allow
    when: { visible: Allow }
    optional: true
  - long_click: { on: { id: x }, duration: 2s }
  - scroll_to: { text: { contains: Terms }, in: { id: list }, direction: down, max: 10 }
  - wait_for: { text: Loading, gone: true }
    timeout: 30s
  - set_device: { dark: true }
  - shell: [getprop, ro.build.version.sdk]
  - repeat: { times: 2, steps: [ back ] }
  - tap: { x: 1, y: 2 }
  - press_key: { key: ENTER }
  - home
teardown: [ stop ]
"#;

#[test]
fn the_example_reads_over_the_real_catalogue() {
    let project = Project::new();
    project.file("flow.yaml", EXAMPLE);
    let options = ReadOptions {
        secrets: Vec::new(),
        hidden: runner_text::secret::Scrubber::default(),
        root: project.root(),
        allow_shell: true,
        ..ReadOptions::default()
    };
    let (flow, diagnostics) = read_flow("flow.yaml".into(), &options);
    assert_eq!(
        runner_text::diagnostic::render(&diagnostics, false, 100),
        ""
    );
    assert!(flow.is_some());
    let schema = schema();
    let value: Value = serde_yaml::from_str(EXAMPLE).unwrap();
    assert!(valid(&schema, &schema, &value));
}

#[test]
fn every_step_of_the_catalogue_is_in_the_schema() {
    let step = |schema: &Value, name: &str| {
        let object = &schema["definitions"]["step"]["anyOf"].as_array().unwrap();
        object.last().unwrap()["properties"].get(name).is_some()
    };
    let (people, all) = (schema(), schema::schema_with_tools());
    for tool in &vocabulary::standard().tools {
        let name = tool.entry.name;
        assert!(step(&all, name), "{name}");
        let is_everyday = tool.entry.catalogue == Catalogue::Everyday;
        assert_eq!(step(&people, name), is_everyday, "{name}");
    }
}

/// Checks that the catalogue uses only words of JSON Schema that the checks of flows know. They would ignore
/// others.
#[test]
fn the_checks_know_every_word_of_the_catalogue() {
    fn words(schema: &Value, place: &str) {
        const KNOWN: [&str; 24] = [
            "$ref",
            "type",
            "enum",
            "const",
            "anyOf",
            "oneOf",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "minItems",
            "maxItems",
            "minProperties",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "description",
            "title",
            "default",
        ];
        let Some(map) = schema.as_object() else {
            return;
        };
        for (word, inner) in map {
            let known = KNOWN.contains(&word.as_str()) || word == "examples" || word == "$schema";
            let alone = word == "allOf" && inner.as_array().is_some_and(|all| all.len() == 1);
            assert!(known || alone, "{place}: `{word}`");
            match (word.as_str(), inner) {
                ("properties", Value::Object(map)) => {
                    for (key, schema) in map {
                        words(schema, &format!("{place}.{key}"));
                    }
                }
                ("items" | "additionalProperties", schema) => words(schema, place),
                ("anyOf" | "oneOf" | "allOf", Value::Array(all)) => {
                    for schema in all {
                        words(schema, place);
                    }
                }
                _ => {}
            }
        }
    }
    let vocabulary = vocabulary::standard();
    for tool in &vocabulary.tools {
        words(&tool.schema, tool.entry.name);
    }
    for (name, schema) in &vocabulary.definitions {
        words(schema, name);
    }
}

#[test]
fn texts_stay_text_over_the_real_catalogue() {
    for value in ["007", "yes", "1.10", "nulls", "0x1F", "12:30"] {
        for step in [
            "click: V",
            "type: V",
            "click: { text: V }",
            "click: { text: { contains: V } }",
            "assert: { id: x, text: V }",
        ] {
            let project = Project::new();
            let text = format!("steps:\n  - {}\n", step.replace('V', value));
            project.file("flow.yaml", &text);
            let options = ReadOptions {
                secrets: Vec::new(),
                hidden: runner_text::secret::Scrubber::default(),
                root: project.root(),
                ..ReadOptions::default()
            };
            let (flow, diagnostics) = read_flow("flow.yaml".into(), &options);
            let display = runner_text::diagnostic::render(&diagnostics, false, 100);
            assert_eq!(display, "");
            let found = format!("{:?}", flow.unwrap().steps[0].action);
            assert!(
                found.contains(&format!("String({value:?})")),
                "{text}: {found}"
            );
        }
    }
}
