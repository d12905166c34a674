//! Tests of the one property of a selector that changes.

use crate::identity::PropertyChange;
use crate::maestro::{Expression, MaestroSelector};
use crate::{DisplayContext, NodeIndex, Screen, Selector};

/// Returns a screen with a button of these properties beside another button.
fn screen(button: &str) -> Screen {
    let dump = format!(
        "<hierarchy rotation=\"0\"><node class=\"a.LinearLayout\" resource-id=\"a:id/form\" bounds=\"[0,0][99,99]\">\
         <node class=\"a.Button\" bounds=\"[0,0][9,9]\" {button}/>\
         <node class=\"a.Button\" bounds=\"[0,9][9,19]\" text=\"Help\" resource-id=\"a:id/help\" content-desc=\"More\"/>\
         </node></hierarchy>"
    );
    Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap()
}

fn display(change: Option<PropertyChange>) -> Option<String> {
    change.map(|it| format!("{}: {} → {}", it.property, it.from, it.to))
}

/// Returns the change of a selector, as YAML, when button `old` became `new`.
fn ours(selector: &str, old: &str, new: &str) -> Option<String> {
    let selector: Selector = serde_yaml::from_str(selector).unwrap();
    let (old, new) = (screen(old), screen(new));
    let button = NodeIndex(1);
    assert!(selector.find(&old).contains(&button), "{selector}");
    display(selector.property_change(old.node(button), new.node(button)))
}

fn maestros(selector: MaestroSelector, old: &str, new: &str) -> Option<String> {
    let (old, new) = (screen(old), screen(new));
    let button = NodeIndex(1);
    display(selector.property_change(old.node(button), new.node(button)))
}

const OLD: &str = "resource-id=\"a:id/sign_in\" text=\"Sign in\" content-desc=\"Enter\"";

#[test]
fn one_property_is_written_anew() {
    for (selector, new, expected) in [
        (
            "{ id: sign_in }",
            "resource-id=\"a:id/log_in\"",
            "id: sign_in → log_in",
        ),
        (
            "{ id: 'a:id/sign_in' }",
            "resource-id=\"a:id/log_in\"",
            "id: a:id/sign_in → a:id/log_in",
        ),
        ("Sign in", "text=\"Log in\"", "any: Sign in → Log in"),
        ("Enter", "content-desc=\"Go\"", "any: Enter → Go"),
        (
            "{ text: Sign in }",
            "text=\"Log  in\"",
            "text: Sign in → Log in",
        ),
        (
            "{ desc: Enter, id: sign_in }",
            "resource-id=\"a:id/sign_in\" content-desc=\"Go\"",
            "desc: Enter → Go",
        ),
        (
            "{ id: sign_in, inside: { id: form }, index: 0 }",
            "resource-id=\"a:id/log_in\"",
            "id: sign_in → log_in",
        ),
    ] {
        assert_eq!(
            ours(selector, OLD, new).as_deref(),
            Some(expected),
            "{selector}"
        );
    }
}

#[test]
fn none_is_written_where_one_is_not_enough_or_the_value_will_not_last() {
    for (selector, new) in [
        // Two properties changed.
        (
            "{ id: sign_in, text: Sign in }",
            "resource-id=\"a:id/log_in\" text=\"Log in\"",
        ),
        // Something else of the selector does not hold.
        (
            "{ id: sign_in, inside: { id: form } , enabled: false}",
            "resource-id=\"a:id/log_in\" enabled=\"true\"",
        ),
        // Another has the new value too.
        ("{ id: sign_in }", "resource-id=\"a:id/help\""),
        ("Sign in", "text=\"Help\""),
        // The old value is a pattern.
        ("Sign*", "text=\"Log in\""),
        ("{ text: { contains: Sign } }", "text=\"Log in\""),
        ("{ text: { regex: 'Sign.*' } }", "text=\"Log in\""),
        ("{ text: { ignore_case: sign in } }", "text=\"Log in\""),
        // The new one would be one, or is none.
        ("Sign in", "text=\"Log *\""),
        ("Sign in", "text=\"${x}\""),
        ("{ id: sign_in }", "text=\"Sign in\""),
        // It changes, was typed or is masked.
        ("Sign in", "text=\"Signed in 5 min ago\""),
        ("Sign in", "text=\"***\""),
        ("Sign in", "text=\"[masked]\""),
        ("Sign in", "text=\"secret\" password=\"true\""),
        (
            "{ any_of: [ { id: sign_in }, Enter ] }",
            "resource-id=\"a:id/log_in\"",
        ),
        // Nothing changed.
        ("{ id: sign_in }", OLD),
    ] {
        assert_eq!(ours(selector, OLD, new), None, "{selector}: {new}");
    }
}

#[test]
fn maestros_selectors_are_written_anew_by_the_same_rules() {
    let text = |text: &str| MaestroSelector::from_text(Expression::new(text).unwrap());
    let id = |id: &str| MaestroSelector {
        id: Some(Expression::new(id).unwrap()),
        ..MaestroSelector::default()
    };
    for (selector, new, expected) in [
        (
            text("Sign in"),
            "text=\"Log in\"",
            Some("text: Sign in → Log in"),
        ),
        (
            text("sign IN"),
            "text=\"Log in\"",
            Some("text: sign IN → Log in"),
        ),
        (
            text("Enter"),
            "content-desc=\"Go\"",
            Some("text: Enter → Go"),
        ),
        // What means something in an expression is escaped.
        (
            text("Sign in"),
            "text=\"Log in?\"",
            Some(r"text: Sign in → Log in\?"),
        ),
        (
            id("sign_in"),
            "resource-id=\"a:id/log_in\"",
            Some("id: sign_in → log_in"),
        ),
        (
            id("a:id/sign_in"),
            "resource-id=\"a:id/log_in\"",
            Some("id: a:id/sign_in → a:id/log_in"),
        ),
        (text("Sign.*"), "text=\"Log in\"", None),
        (text("Sign i."), "text=\"Log in\"", None),
        (id("sign_.*"), "resource-id=\"a:id/log_in\"", None),
        (text("Sign in"), "text=\"Help\"", None),
        // Only letter case changed: it still matches.
        (text("Sign in"), "text=\"SIGN IN\"", None),
        (text("Sign in"), "text=\"12:30\"", None),
        (text("Sign in"), "text=\"secret\" password=\"true\"", None),
    ] {
        let name = selector.to_string();
        assert_eq!(
            maestros(selector, OLD, new).as_deref(),
            expected,
            "{name}: {new}"
        );
    }
}
