//! Tests of selectors that are read and written.

use proptest::prelude::*;

use super::*;

#[test]
fn what_is_wrong_is_said() {
    let deep = (0..20).fold(json!("x"), |inner, _| json!({ "inside": inner }));
    let cases: Vec<(Value, &str)> = vec![
        (
            json!({}),
            "selector: an empty selector matches everything; name a text or an id",
        ),
        (
            json!(" "),
            "selector: an empty selector matches everything; name a text or an id",
        ),
        (
            json!(7),
            "selector: a selector is a text or a map such as { id: total }, not a number",
        ),
        (
            json!(["a"]),
            "selector: a selector is a text or a map such as { id: total }, not a list",
        ),
        (
            json!({"txt": "a"}),
            "selector: selectors have no key `txt`; did you mean `text`?",
        ),
        (
            json!({"rightOf": "a"}),
            "selector: selectors have no key `rightOf`; did you mean `right_of`?",
        ),
        (json!({"zzz": "a"}), "selector: selectors have no key `zzz`"),
        (
            json!({"text": 7}),
            "selector.text: must be a text or a pattern, not a number; put it in quotes",
        ),
        (
            json!({"id": true}),
            "selector.id: must be a text, not true or false; put it in quotes",
        ),
        (
            json!({"id": ""}),
            "selector.id: an empty selector matches everything; name a text or an id",
        ),
        (
            json!({"enabled": "yes"}),
            "selector.enabled: must be true or false, not a text",
        ),
        (
            json!({"index": 1.5}),
            "selector.index: must be a whole number, not a number",
        ),
        (
            json!({"window": []}),
            "selector.window: must be a window's id, type, package or title, not a list",
        ),
        (
            json!({"inside": {"text": {"has": "a"}}}),
            "selector.inside.text.has: a pattern is a text or one of { contains: … }, { regex: … }, { ignore_case: … }",
        ),
        (
            json!({"text": {}}),
            "selector.text: a pattern is a text or one of { contains: … }, { regex: … }, { ignore_case: … }",
        ),
        (
            json!({"below": {}}),
            "selector.below: an empty selector matches everything; name a text or an id",
        ),
    ];
    for (value, message) in cases {
        let error = Selector::from_value(&value).unwrap_err();
        assert_eq!(error.to_string(), message, "{value}");
        assert!(serde_json::from_value::<Selector>(value).is_err());
    }
    let error = Selector::from_value(&deep).unwrap_err().to_string();
    assert!(error.ends_with("nested more than 16 deep"), "{error}");
    for bad in ["(", r"\p{Greek", "((a{200}){200}){200}"] {
        let error = Selector::from_value(&json!({"text": {"regex": bad}})).unwrap_err();
        assert!(
            matches!(error.fault, SelectorFault::BadRegex { .. }),
            "{error}"
        );
    }
}

#[test]
fn writing_reads_back() {
    let cases: Vec<(Value, &str)> = vec![
        (json!("Sign in"), "Sign in"),
        (json!("true"), r#""true""#),
        (json!("7"), r#""7""#),
        (json!("a: b"), r#""a: b""#),
        (json!("say \"hi\"\n"), r#""say \"hi\"\n""#),
        (
            json!({"id": "total", "text": "3", "enabled": true}),
            r#"{ id: total, text: "3", enabled: true }"#,
        ),
        (
            json!({"text": {"contains": "x, y"}}),
            r#"{ text: { contains: "x, y" } }"#,
        ),
        (
            json!({"class": "Switch", "right_of": {"text": "Wi-Fi"}, "index": -1}),
            "{ class: Switch, right_of: { text: Wi-Fi }, index: -1 }",
        ),
        (json!({"text": "a", "window": 3}), "{ text: a, window: 3 }"),
    ];
    for (value, yaml) in cases {
        let selector = selector(&value);
        assert_eq!(selector.to_string(), yaml);
        assert_eq!(serde_yaml::from_str::<Selector>(yaml).unwrap(), selector);
        let json = serde_json::to_string(&selector).unwrap();
        assert_eq!(serde_json::from_str::<Selector>(&json).unwrap(), selector);
    }
}

#[test]
fn words_yaml_has_other_plans_for_stay_words() {
    for words in [
        "nan",
        "NaN",
        "inf",
        "Infinity",
        ".inf",
        "NULL",
        "Null",
        "~",
        "True",
        "Off",
        "y",
        "e5",
        "0x1f",
        "1e3",
        "1_000",
        "12:30",
        "2024-01-01",
        "- a",
        "a -",
        "? a",
        "a #b",
        "a: b",
        "@a",
        "%a",
        "`a`",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "[a]",
        "{a}",
        "'a'",
        "<<",
        "=",
        "---",
        "...",
        "a\u{85}b",
        "\u{feff}a",
        "\u{7f}",
        "${name}",
        "a\\b",
        "日本語",
        "a, b",
    ] {
        let selector = selector(&json!({ "text": words, "inside": words }));
        let yaml = selector.to_string();
        assert_eq!(as_in_a_flow(&yaml), selector, "{yaml}");
    }
}

/// Parses a selector as a flow does, in which `$${` stands for a plain `${`.
fn as_in_a_flow(yaml: &str) -> Selector {
    let read: Value = serde_yaml::from_str(yaml).unwrap_or_else(|e| panic!("{yaml}: {e}"));
    let plain = read.to_string().replace("$${", "${");
    serde_json::from_str(&plain).unwrap_or_else(|e| panic!("{yaml}: {e}"))
}

#[test]
fn the_schema_names_every_key() {
    let schema = schemars::schema_for!(Selector).to_value();
    let object = &schema["anyOf"][1];
    assert_eq!(object["additionalProperties"], false);
    let mut keys: Vec<_> = object["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    let mut expected = Selector::KEYS.map(str::to_owned).to_vec();
    keys.sort();
    expected.sort();
    assert_eq!(keys, expected);
}

proptest! {
    #[test]
    fn any_words_written_read_back_and_match_themselves(words in "\\PC{0,30}[\u{0}-\u{ff}]{0,5}") {
        prop_assume!(!words.trim().is_empty());
        let map = selector(&json!({ "text": words }));
        let yaml = map.to_string();
        prop_assert_eq!(as_in_a_flow(&yaml), map, "{}", yaml);
        let literal = Selector::from_words(&words);
        let yaml = literal.to_string();
        prop_assert_eq!(as_in_a_flow(&yaml), literal, "{}", yaml);
        prop_assert!(Pattern::literal(&words).matches(&words));
        prop_assert!(Pattern::full(&words).matches(&words));
        prop_assert!(Pattern::ignore_case(&words).matches(&words.to_lowercase()));
    }
}
