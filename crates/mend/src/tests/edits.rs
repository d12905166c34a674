use std::sync::Arc;

use proptest::prelude::*;
use runner_text::diagnostic::Source;

use crate::edit::{EditFault, ScalarEdit, edit};

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source {
        path: "flows/a.yaml".into(),
        text: text.to_owned(),
    })
}

/// Replaces the part between `‹` and `›`.
fn edited(marked: &str, to: &str, is_maestro: bool) -> Result<String, EditFault> {
    let start = marked.find('‹').unwrap();
    let text = marked.replace('‹', "");
    let end = text.find('›').unwrap();
    let text = text.replace('›', "");
    let written = text[start..end].to_owned();
    let from = written.trim_matches(['"', '\'']).to_owned();
    let change = ScalarEdit {
        span: start..end,
        from,
        to: to.to_owned(),
        is_maestro,
    };
    edit(&source(&text), &[change])
        .map(|file| file.text)
        .map_err(|error| error.why)
}

#[test]
fn only_the_scalar_is_another() {
    for (marked, to, expected) in [
        (
            "steps:\n  - click: { id: ‹sign_in› } # go\n",
            "login_button",
            "steps:\n  - click: { id: login_button } # go\n",
        ),
        (
            "steps:\r\n  - click: ‹Sign in›\t\r\n\r\n# end",
            "Log in",
            "steps:\r\n  - click: Log in\t\r\n\r\n# end",
        ),
        (
            "steps:\n- click:\n    \"id\": ‹'sign_in'›\n    index:   0\n",
            "login",
            "steps:\n- click:\n    \"id\": login\n    index:   0\n",
        ),
        (
            "steps: [ { click: { text: ‹\"Yes\"› } } ]",
            "no",
            "steps: [ { click: { text: \"no\" } } ]",
        ),
        (
            "steps:\n  - click: ‹Pay›\n",
            "Pay: ${all} \"now\" # 1",
            "steps:\n  - click: \"Pay: $${all} \\\"now\\\" # 1\"\n",
        ),
        (
            "---\nx: ‹a›\n---\n- y: a\n",
            "42",
            "---\nx: \"42\"\n---\n- y: a\n",
        ),
        ("a: &name ‹sign_in›\n", "login", "a: &name login\n"),
    ] {
        assert_eq!(
            edited(marked, to, false).as_deref(),
            Ok(expected),
            "{marked}"
        );
    }
    assert_eq!(
        edited("appId: a\n---\n- tapOn: ‹Pay›\n", "Pay\\$", true).as_deref(),
        Ok("appId: a\n---\n- tapOn: \"Pay\\\\$\"\n")
    );
}

#[test]
fn what_stands_elsewhere_too_is_not_written() {
    for (marked, to, is_maestro, fault) in [
        (
            "a: &name ‹sign_in›\nb: *name\n",
            "login",
            false,
            EditFault::Repeated,
        ),
        (
            "a: &base { id: ‹x› }\nb: { <<: *base }\n",
            "y",
            false,
            EditFault::Repeated,
        ),
        ("a: ‹x›: y\n", "z", false, EditFault::Unreadable),
        ("a: ‹sign›_in\n", "login", false, EditFault::Gone),
        ("- tapOn: ‹Pay›\n", "${x}", true, EditFault::Script),
    ] {
        assert_eq!(edited(marked, to, is_maestro), Err(fault), "{marked}");
    }
}

#[test]
fn a_file_that_says_another_value_there_is_left_alone() {
    let change = ScalarEdit {
        span: 6..13,
        from: "sign_in".into(),
        to: "x".into(),
        is_maestro: false,
    };
    let text = source("click: sign_up\n");
    assert_eq!(edit(&text, &[change]).unwrap_err().why, EditFault::Gone);
}

#[test]
fn one_selector_is_not_edited_in_two_ways() {
    let change = |to: &str| ScalarEdit {
        span: 7..14,
        from: "sign_in".into(),
        to: to.into(),
        is_maestro: false,
    };
    let text = source("click: sign_in\n");
    let edits = |to: [&str; 2]| edit(&text, &to.map(change)).map(|file| file.text);
    assert_eq!(edits(["sign_up", "sign_up"]).unwrap(), "click: sign_up\n");
    // Of the same length, so that the second would replace the first exactly.
    let refused = edits(["sign_up", "sign_on"]).unwrap_err();
    assert_eq!(refused.why, EditFault::Conflict);
}

proptest! {
    /// Whatever the new value is, all around it stays, and the file says exactly that value.
    #[test]
    fn every_byte_outside_stays(
        to in "\\PC{1,12}|[-?:,\\[\\]{}#&*!|>'\"%@`~0-9 .a-z$\\n\\t]{1,12}",
        quote in "|'|\"",
        lead in "( {0,3}# [a-z: ]{0,9}\n){0,2}",
        tail in "( # [a-z]{0,9})?\n",
    ) {
        prop_assume!(!to.trim().is_empty());
        let (before, after) = (
            format!("{lead}steps:\n  - click: {{ id: "),
            format!(", index: 1 }}{tail}  - click: a\n"),
        );
        let marked = format!("{before}‹{quote}sign_in{quote}›{after}");
        let text = edited(&marked, &to, false);
        // What YAML cannot hold is refused, never written otherwise.
        let Ok(text) = text else { return Err(TestCaseError::reject("refused")) };
        prop_assert!(text.starts_with(&before) && text.ends_with(&after));
        let mut problems = Vec::new();
        let tree = runner_flow::yaml::read(&source(&text), &mut problems).unwrap();
        let value = tree.below(["steps", "0", "click", "id"]).scalar().unwrap();
        prop_assert_eq!(value.text.replace("$${", "${"), to);
    }
}
