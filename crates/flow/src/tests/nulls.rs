//! Checks each form of null in the place of a text, for every key in the schemas.

use std::sync::Arc;

use serde_json::Value;

use crate::check::types;
use crate::reader::{ReadOptions, read_text};
use crate::vocabulary::{self, Vocabulary};
use crate::{document, keys};
use runner_text::diagnostic::{Code, Diagnostic, Severity, Source};

const NULLS: [&str; 5] = ["~", "null", "Null", "NULL", ""];
/// Placeholder for the null.
const HERE: &str = "@@";
/// Maximum nesting of keys, because selectors contain selectors. Chosen: reaches every key of the language.
const MAX_DEPTH: usize = 3;

/// Collects values that the schema allows, each with [`HERE`] in the place of a text.
fn texts(vocabulary: &Vocabulary, schema: &Value, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    for form in vocabulary.alternatives(schema) {
        let takes = |name: &str| types(form).is_some_and(|types| types.contains(&name));
        if takes("string") {
            found.push(HERE.to_owned());
        }
        if let Some(items) = form.get("items").filter(|items| items.is_object()) {
            let mut inner = Vec::new();
            texts(vocabulary, items, depth + 1, &mut inner);
            found.extend(inner.iter().map(|inner| format!("[ {inner} ]")));
        }
        let properties = form.get("properties").and_then(Value::as_object);
        for (key, schema) in properties.into_iter().flatten() {
            let mut inner = Vec::new();
            texts(vocabulary, schema, depth + 1, &mut inner);
            found.extend(inner.iter().map(|inner| format!("{{ {key}: {inner} }}")));
        }
        if let Some(any) = form
            .get("additionalProperties")
            .filter(|any| any.is_object())
        {
            let mut inner = Vec::new();
            texts(vocabulary, any, depth + 1, &mut inner);
            found.extend(inner.iter().map(|inner| format!("{{ KEY: {inner} }}")));
        }
    }
    found.sort();
    found.dedup();
}

fn read(text: &str) -> Vec<Diagnostic> {
    let options = ReadOptions {
        root: "/project".into(),
        allow_shell: true,
        ..ReadOptions::default()
    };
    read_text("/project/flows/a.yaml".into(), text.to_owned(), &options).1
}

/// Puts each form of null into `template`. Returns those that are not refused.
fn accepted(template: &str, read: impl Fn(&str) -> Vec<Diagnostic>) -> Vec<String> {
    let at = template.find(HERE).expect("a template names a place");
    // Errors that a text causes too, such as a missing key.
    let anyway: Vec<String> = read(&template.replace(HERE, "'1'"))
        .into_iter()
        .map(|it| it.message)
        .collect();
    let mut taken = Vec::new();
    // The schema of one form is part of another form's, where its keys are unknown.
    let elsewhere = ["is not known here", "stands beside"];
    if anyway
        .iter()
        .any(|it| elsewhere.iter().any(|words| it.contains(words)))
    {
        return taken;
    }
    // An empty item of a list is not a null.
    let in_list = template[..at].trim_end().ends_with(['[', ',']);
    for null in NULLS
        .into_iter()
        .filter(|null| !(in_list && null.is_empty()))
    {
        let text = template.replace(HERE, null);
        let found = read(&text);
        let refused = found
            .iter()
            .any(|it| it.severity == Severity::Error && !anyway.contains(&it.message));
        if !refused {
            let all: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
            taken.push(format!("{text}  {all:?}"));
        }
    }
    taken
}

#[test]
fn no_key_of_a_step_takes_a_null_for_a_text() {
    let vocabulary = vocabulary::standard();
    let (mut wrong, mut cells) = (Vec::new(), 0);
    for tool in &vocabulary.tools {
        let mut found = Vec::new();
        texts(vocabulary, &tool.schema, 0, &mut found);
        // A count alone is refused before it is read; it stands beside a text in the test below.
        found.retain(|value| tool.entry.name != "assert" || value != "{ count: @@ }");
        for value in found {
            cells += NULLS.len();
            let template = format!("steps:\n  - {}: {value}\n", tool.entry.name);
            wrong.extend(accepted(&template, read));
        }
    }
    println!("{cells} cells");
    wrong.truncate(40);
    assert!(cells > 1_000, "{cells}");
    assert!(
        wrong.is_empty(),
        "{} of {cells}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn no_key_of_the_header_or_of_control_takes_a_null_for_a_text() {
    let mut templates: Vec<String> = [
        "env: { A: @@ }",
        "env: { A: b, C: @@ }",
        "quarantine: @@",
        "quarantine: { because: @@ }",
        "quarantine: { because: the card expired, issue: @@ }",
        "quarantine: { because: the card expired, until: @@ }",
        "skip: @@",
        "skip: { if: @@, because: x }",
        "skip: { if: true, because: @@ }",
        "each: @@",
        "each: [ { user: @@ } ]",
        "matrix: { locale: [ @@ ] }",
        "name: @@",
    ]
    .map(|line| format!("{line}\nsteps: [ back ]\n"))
    .into();
    let vocabulary = vocabulary::standard();
    let header = keys::header();
    for (key, schema) in header["properties"].as_object().unwrap() {
        let mut found = Vec::new();
        texts(vocabulary, schema, 0, &mut found);
        templates.extend(
            found
                .iter()
                .map(|it| format!("{key}: {it}\nsteps: [ back ]\n")),
        );
    }
    for step in [
        "run: { flow: @@ }",
        "run: { flow: a.yaml, env: { A: @@ } }",
        "snapshot: { name: @@ }",
        "snapshot: @@",
        "snapshot: { name: home, mask: [ { id: @@ } ] }",
        "if: { visible: @@ }\n    then: [ back ]",
        "if: { not_visible: @@ }\n    then: [ back ]",
        "if: { not_visible: { any_of: [ Nope, @@ ] } }\n    then: [ back ]",
        "if: @@\n    then: [ back ]",
        "repeat: { while: @@, steps: [ back ] }",
        "repeat: { while: { not_visible: { id: @@ } }, steps: [ back ] }",
        "assert not visible: @@",
        "assert not visible: { any_of: [ @@ ] }",
        "assert: { text: X, inside: { id: @@ }, count: 0 }",
        "assert: { that: @@ }",
        "assert: { text: X, count: @@ }",
        "click: X\n    when: { not_visible: @@ }",
        "click: X\n    when: @@",
        "click: X\n    as: @@",
        "click: X\n    message: @@",
    ] {
        templates.push(format!("steps:\n  - {step}\n"));
    }
    let wrong: Vec<String> = templates.iter().flat_map(|it| accepted(it, read)).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_null_is_refused_with_its_place_and_what_to_write() {
    let found = read("steps:\n  - assert not visible: { id: ~ }\n");
    let wrong = found.first().expect("an error");
    assert_eq!(wrong.span, 37..38, "{found:?}");
    assert_eq!(wrong.code, Code::MissingValue);
    let help = wrong.help.as_deref().unwrap_or_default();
    assert!(
        help.contains("write \"~\" for the text, or leave the key out"),
        "{help}"
    );
    for text in ["\"null\"", "'~'", "nullable", "!!str null"] {
        let found = read(&format!("steps:\n  - click: {text}\n"));
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn a_null_stays_one_where_any_value_is_possible() {
    let schema = serde_json::json!({ "type": "object", "properties": { "body": true, "name": { "type": "string" } } });
    let read = |text: &str| {
        let source = Arc::new(Source {
            path: "a.yaml".into(),
            text: text.to_owned(),
        });
        document::read(&source, &schema)
    };
    let document =
        read("body: { a: ~, b: [ null ] }\n").unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(
        document.value["body"],
        serde_json::json!({ "a": null, "b": [null] })
    );
    assert!(read("name: ~\n").is_err());
}
