//! Tests of the roles of selectors: which steps fail if nothing matches.

use camino::Utf8Path;

use crate::reader::{ReadOptions, read_text};
use crate::selectors::{SelectorRole, selectors};

/// Returns the role of the only selector of a step.
fn role(step: &str) -> SelectorRole {
    let text = format!("steps:\n  - {step}\n");
    let (flow, found) = read_text(Utf8Path::new("a.yaml"), text, &ReadOptions::default());
    let flow = flow.unwrap_or_else(|| panic!("{step}: {found:?}"));
    let uses = selectors(&flow);
    assert_eq!(uses.len(), 1, "{step}");
    uses[0].role
}

#[test]
fn a_count_that_no_element_meets_needs_none() {
    for count in ["0", "=0", "==0", "'0'", "'<3'", "'<=0'", "'<=3'", "'!=2'"] {
        for step in [
            format!("assert: {{ id: row, count: {count} }}"),
            format!("assert: {{ on: {{ id: row }}, count: {count} }}"),
        ] {
            assert_eq!(role(&step), SelectorRole::Silent, "{step}");
        }
    }
    for count in ["1", "'1'", "'>0'", "'>=2'", "'!=0'"] {
        let step = format!("assert: {{ id: row, count: {count} }}");
        assert_eq!(role(&step), SelectorRole::Needed, "{step}");
    }
    for (step, wanted) in [
        ("assert visible: Save", SelectorRole::Needed),
        ("assert not visible: Save", SelectorRole::Silent),
        ("wait_for: { id: a, gone: true }", SelectorRole::Silent),
        ("wait_for: { id: a, gone: false }", SelectorRole::Needed),
        ("{ click: Save, optional: true }", SelectorRole::Silent),
    ] {
        assert_eq!(role(step), wanted, "{step}");
    }
}
