//! Tests of kinds that are known before a run.

use crate::reader::{ReadOptions, read_text};
use runner_text::diagnostic::Code;

const STEPS: &str = "env: { TEXT: '1' }
steps:
  - find: Total
    as: total
  - set: { ANY: \"${1}\" }
";

/// Returns the errors of an assertion after the steps.
fn wrong(expression: &str) -> Vec<String> {
    let options = ReadOptions {
        root: "/project".into(),
        ..ReadOptions::default()
    };
    let text = format!("{STEPS}  - assert: {{ that: \"${{{expression}}}\" }}\n");
    let (_, found) = read_text("/project/flows/a.yaml".into(), text, &options);
    assert!(found.iter().all(|each| each.code == Code::Expression));
    found.into_iter().map(|each| each.message).collect()
}

#[test]
fn unlike_kinds_of_known_names_are_refused() {
    for expression in [
        "TEXT > 3",
        "TEXT == 3",
        "not TEXT",
        "os.HOME == 1",
        "device.sdk == '34'",
        "device.virtual == 'true'",
        "flow.attempt == '1'",
        "total.text > 3",
        "total.bounds.left == '3'",
        "total.enabled == 'true'",
        "TEXT == 'a' and total.text",
        "[1, total.text == 2]",
        "total.other == 3",
        "device.api > 3",
        "TEXT.length > 3",
        "TEXT + 1 > 3",
        "flow.repeat + 'a' == 'a'",
    ] {
        assert_eq!(wrong(expression).len(), 1, "{expression}");
    }
    for expression in [
        "TEXT == '1'",
        "TEXT | int > 3",
        "ANY > 3",
        "ANY == 'a'",
        "total == none",
        "total.other | default(3) == 3",
        "device.sdk > 29 and device.locale == 'en-US'",
        "total.enabled and total.bounds.left > 3",
    ] {
        assert_eq!(wrong(expression), [""; 0], "{expression}");
    }
}

#[test]
fn a_name_that_is_given_again_may_have_any_kind() {
    let options = ReadOptions {
        root: "/project".into(),
        ..ReadOptions::default()
    };
    for again in [
        "set: { TEXT: \"${1}\" }",
        "http: http://127.0.0.1/\n    as: TEXT",
        "find: Total\n    as: TEXT",
    ] {
        let text = format!(
            "env: {{ TEXT: '1' }}\nsteps:\n  - {again}\n  - assert: {{ that: \"${{TEXT == 1}}\" }}\n"
        );
        let (_, found) = read_text("/project/flows/a.yaml".into(), text, &options);
        assert!(found.is_empty(), "{again}: {found:?}");
    }
}

/// Returns the messages about steps.
fn messages(steps: &str) -> Vec<String> {
    let options = ReadOptions {
        root: "/project".into(),
        ..ReadOptions::default()
    };
    let (_, found) = read_text("/project/flows/a.yaml".into(), steps.to_owned(), &options);
    found.into_iter().map(|each| each.message).collect()
}

#[test]
fn a_value_that_is_set_once_has_one_kind() {
    for (set, expression) in [
        ("N: 3", "N == '3'"),
        ("N: '3'", "N == 3"),
        ("N: true", "N == 'true'"),
        ("N: 'a ${flow.name}'", "N > 3"),
    ] {
        let text = format!(
            "steps:\n  - set: {{ {set} }}\n  - assert: {{ that: \"${{{expression}}}\" }}\n"
        );
        assert_eq!(messages(&text).len(), 1, "{text}");
    }
    let wrong = "{ that: \"${N == '3'}\" }";
    for steps in [
        // Set again, perhaps.
        format!("  - set: {{ N: '3' }}\n  - assert: {wrong}\n"),
        format!(
            "  - if: \"${{device.virtual}}\"\n    then: [ set: {{ N: '3' }} ]\n  - assert: {wrong}\n"
        ),
        // In another round.
        format!(
            "  - repeat:\n      times: 2\n      steps:\n        - assert: {wrong}\n          when: \"${{flow.repeat > 1}}\"\n        - set: {{ N: '3' }}\n"
        ),
        format!(
            "  - retry:\n      times: 2\n      steps:\n        - assert: {wrong}\n        - set: {{ N: '3' }}\n"
        ),
        format!("  - group:\n      - assert: {wrong}\n      - set: {{ N: '3' }}\n    retry: 2\n"),
    ] {
        let text = format!("steps:\n  - set: {{ N: 3 }}\n{steps}");
        assert_eq!(messages(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_name_with_a_dash_is_told_once() {
    for text in [
        "env: { user-name: ada, GREETING: \"Hi ${user-name}\" }\nsteps: [ type: \"${user-name}\" ]\n",
        "steps:\n  - set: { user.name: ada }\n  - type: \"${user.name}\"\n",
    ] {
        assert_eq!(messages(text).len(), 1, "{text}");
    }
}
