//! Tests of what an assertion is offered, and of anchors that match nothing.

use super::*;

#[test]
fn v12_the_anchor_that_matches_nothing_is_named() {
    let screen = odd();
    let missing = |value: &Value| {
        let missing = selector(value).missing_anchor(&screen);
        missing.map(|missing| (missing.anchor, missing.alternative.is_some()))
    };
    let says = |text: &str| Some((text.to_owned(), false));
    let says_of_one = |text: &str| Some((text.to_owned(), true));
    for (value, expected) in [
        (json!("Row"), None),
        (json!("Nowhere"), None),
        (json!({"text": "Nowhere", "inside": {"id": "panel"}}), None),
        (
            json!({"text": "Row", "inside": {"id": "typo"}}),
            says("inside: { id: typo }"),
        ),
        (
            json!({"text": "Row", "below": "Nowhere"}),
            says("below: Nowhere"),
        ),
        (
            json!({"text": "Row", "right_of": {"text": "Row", "index": 7}}),
            says("right_of: { text: Row, index: 7 }"),
        ),
        (
            json!({"text": "Row", "inside": {"id": "panel", "inside": {"id": "typo"}}}),
            says("inside: { id: typo }"),
        ),
        // What it holds is what it is like: a row without `Groceries` is what is asked for.
        (json!({"class": "Root", "has": "Groceries"}), None),
        (
            json!({"text": "Row", "window": "com.gone"}),
            says("window: com.gone"),
        ),
        (json!({"window": "com.gone"}), None),
        (json!({"window": "com.gone", "index": 0}), None),
        // Each alternative counts.
        (
            json!({"any_of": ["Nowhere", {"text": "Row", "inside": {"id": "typo"}}]}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"any_of": [{"text": "A", "inside": {"id": "typo"}}, {"text": "B", "above": "C"}]}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"any_of": [{"text": "A"}, {"text": "B", "window": "com.gone"}]}),
            says_of_one("window: com.gone"),
        ),
        (
            json!({"any_of": [{"text": "A"}, {"window": "com.gone"}]}),
            None,
        ),
        (
            json!({"any_of": ["A", {"any_of": ["B", {"text": "C", "below": "Nowhere"}]}]}),
            says_of_one("below: Nowhere"),
        ),
        // One alternative of an anchor is enough, but what each goes by has to be there.
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old"}, {"id": "panel"}]}}),
            None,
        ),
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old", "below": "Nowhere"}, {"id": "panel"}]}}),
            says_of_one("below: Nowhere"),
        ),
        (
            json!({"text": "A", "inside": {"any_of": [{"id": "old"}, {"id": "older"}]}}),
            says("inside: { any_of: [ { id: old }, { id: older } ] }"),
        ),
        // What it holds is no anchor, but what that goes by is.
        (
            json!({"class": "Root", "has": {"text": "A", "inside": {"id": "typo"}}}),
            says("inside: { id: typo }"),
        ),
        (
            json!({"class": "Root", "has": {"any_of": ["A", {"text": "B", "inside": {"id": "typo"}}]}}),
            says_of_one("inside: { id: typo }"),
        ),
        (
            json!({"class": "Root", "has": {"text": "A", "window": "com.gone"}}),
            says("window: com.gone"),
        ),
    ] {
        assert_eq!(missing(&value), expected, "{value}");
    }
}

#[test]
fn j8_an_assertion_is_never_turned_round_nor_led_to_another_element() {
    let nodes = r#"<node resource-id="a:id/checkbox_button2" text="Two" enabled="false" bounds="[0,0][9,9]"/>
        <node resource-id="a:id/row3" text="Three" enabled="true" bounds="[0,9][9,19]"/>"#;
    let screen = parse_nodes(nodes);
    for wanted in [
        json!({ "id": "button2" }),
        json!({ "id": "row4" }),
        json!({ "text": "Two", "enabled": true }),
        json!({ "text": "Three", "enabled": false }),
    ] {
        let offered = written(&selector(&wanted), &screen, Purpose::Assertion);
        assert!(offered.is_empty(), "{wanted}: {offered:?}");
    }
    let misspelt = selector(&json!({ "id": "checkbox_buton2" }));
    let offered = written(&misspelt, &screen, Purpose::Assertion);
    assert_eq!(offered, ["{ id: checkbox_button2 }"]);
}

#[test]
fn v9_an_assertion_is_never_offered_less_than_it_asks() {
    let screen = parse_nodes(
        r#"<node text="Sign in to Notes" resource-id="a:id/welcome" class="a.TextView" bounds="[0,0][10,10]"/>
        <node text="Hello, Ada" class="a.TextView" bounds="[0,10][10,20]"/>
        <node content-desc="Save" class="a.ImageButton" bounds="[0,20][10,30]"/>
        <node text="Wi-Fi" class="a.TextView" resource-id="a:id/label" bounds="[0,30][5,40]"/>
        <node class="a.Switch" enabled="true" bounds="[5,30][10,40]"/>"#,
    );
    // What is asserted, what an action is offered, what an assertion is offered.
    let cases = [
        (json!("Welcome, *"), Some("{ id: welcome }"), None),
        (
            json!({ "text": "Hello" }),
            Some("{ text: { contains: Hello } }"),
            Some("{ text: \"Hello, Ada\" }"),
        ),
        (
            json!("Hello"),
            Some("{ text: { contains: Hello } }"),
            Some("\"Hello, Ada\""),
        ),
        (
            json!({ "text": { "regex": "^hello" } }),
            Some(r#"{ text: { regex: "(?i)^hello" } }"#),
            Some("{ text: \"Hello, Ada\" }"),
        ),
        (
            json!({ "text": "Save" }),
            Some("Save"),
            Some("{ desc: Save }"),
        ),
        (
            json!({ "text": "Wi-Fi", "inside": { "id": "typo" } }),
            Some("{ text: Wi-Fi }"),
            None,
        ),
        (
            json!({ "text": "Wi-Fi", "window": 7 }),
            Some("{ text: Wi-Fi }"),
            None,
        ),
        (
            json!({ "id": "label", "index": 3 }),
            Some("{ id: label, index: 0 }"),
            None,
        ),
        (
            json!({ "class": "Switch", "right_of": "WiFi" }),
            None,
            Some("{ class: Switch, right_of: Wi-Fi }"),
        ),
        (
            json!({ "text": "wi-fi", "id": "label" }),
            Some("{ id: label, text: Wi-Fi }"),
            Some("{ id: label, text: Wi-Fi }"),
        ),
        (json!("wi-fi"), Some("Wi-Fi"), Some("Wi-Fi")),
    ];
    for (value, action, assertion) in cases {
        let selector = selector(&value);
        let first = |purpose| written(&selector, &screen, purpose).into_iter().next();
        if action.is_some() {
            assert_eq!(first(Purpose::Action).as_deref(), action, "{value}");
        }
        assert_eq!(first(Purpose::Assertion).as_deref(), assertion, "{value}");
    }
}

#[test]
fn an_assertion_is_advised_nothing_else_where_only_a_state_is_wrong() {
    let screen = parse_nodes(
        r#"<node class="B" text="Greet" bounds="[0,0][9,9]"/>
        <node class="C" text="Greeted" bounds="[0,9][9,19]"/>"#,
    );
    for wanted in [
        json!({"text": "Greet", "enabled": true}),
        json!({"class": "B", "checked": true}),
    ] {
        let misses = |purpose| selector(&wanted).near_misses(&screen, 3, purpose);
        assert_eq!(misses(Purpose::Assertion), [], "{wanted}");
        let first = &misses(Purpose::Action)[0];
        assert!(first.why.ends_with(" is false"), "{wanted}: {}", first.why);
    }
}
