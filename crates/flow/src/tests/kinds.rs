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
