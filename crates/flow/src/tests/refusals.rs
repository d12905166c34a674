//! Tests of values that fit their schema but that every run refuses: they are refused when the flow is read.

use camino::Utf8Path;

use crate::reader::{ReadOptions, read_text};

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
    ] {
        let said = messages(step);
        assert_eq!(said.len(), 1, "{step}: {said:?}");
        assert!(said[0].contains(why), "{step}: {said:?}");
    }
    for step in [
        "assert: { id: a, count: '>=1' }",
        "assert: { id: a, count: 0 }",
        "snapshot: { name: a, redactions: [ { pattern: 'x+', alias: y } ] }",
        "snapshot: { name: a, redactions: [ { pattern: '.+', alias: y, columns: [res_id] } ] }",
        "snapshot: { name: a, mask: [ clock, { id: b }, { rect: [ 0, 0, 5, 5 ] } ] }",
    ] {
        assert_eq!(messages(step), [""; 0], "{step}");
    }
}
