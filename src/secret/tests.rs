use proptest::prelude::*;

use super::*;

fn scrubber(values: &[&str]) -> Scrubber {
    let scrubber = Scrubber::default();
    for value in values {
        scrubber.add(value);
    }
    scrubber
}

#[test]
fn masks_values_plain_escaped_and_overlapping() {
    let cases: &[(&[&str], &str, &str)] = &[
        (&[], "as it is", "as it is"),
        (&["", "  "], "a  b", "a  b"),
        (&["hunter2"], "pw hunter2, hunter2!", "pw ***, ***!"),
        (&["abc", "abcdef"], "abcdef abc", "*** ***"),
        (&["abc", "cde"], "xabcdey", "x***y"),
        (&["aa"], "aaa", "***"),
        (&["pä€"], "wie pä€ so", "wie *** so"),
        (&[r#"a"b\c"#], r#"{"x":"a\"b\\c"}"#, r#"{"x":"***"}"#),
        (&["a&b<c"], "<v>a&amp;b&lt;c</v>", "<v>***</v>"),
        (&["p w&d"], "?q=p%20w%26d&r=p+w%26d", "?q=***&r=***"),
        (&["it's"], r"input text 'it'\''s'", "input text '***'"),
        (&["it's"], "password: 'it''s'", "password: '***'"),
        (&["my word"], "input text my%sword", "input text ***"),
        (&["*"], "2*3", "2***3"),
    ];
    for (secrets, text, expected) in cases {
        assert_eq!(scrubber(secrets).scrub(text), *expected, "{secrets:?}");
    }
}

#[test]
fn text_without_secrets_is_borrowed() {
    assert!(matches!(
        scrubber(&["hunter2"]).scrub("hunter 2"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn json_is_scrubbed_in_keys_and_values() {
    let mut value = serde_json::json!({ "hunter2": ["x hunter2", 7, null, { "k": "hunter2" }] });
    scrubber(&["hunter2"]).scrub_json(&mut value);
    assert_eq!(
        value,
        serde_json::json!({ "***": ["x ***", 7, null, { "k": "***" }] })
    );
}

#[test]
fn clones_share_their_values_and_debug_shows_none() {
    let scrubber = scrubber(&[]);
    let clone = scrubber.clone();
    scrubber.add("hunter2");
    assert_eq!(clone.scrub("hunter2"), MASK);
    assert!(!format!("{clone:?}").contains("hunter2"));
}

proptest! {
    #[test]
    fn no_secret_stays(secrets in prop::collection::vec("[a-dä]{1,4}", 1..4), text in "[a-dä ]{0,40}") {
        let values: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let clean = scrubber(&values).scrub(&text).into_owned();
        for secret in &secrets {
            prop_assert!(!clean.contains(secret.as_str()), "{clean:?} shows {secret:?}");
        }
    }

    #[test]
    fn no_event_shows_a_secret(
        mut event in crate::report::testing::any_event("[a-z]{0,3}(S3CR\"T& x)[a-z]{0,3}".prop_map(|text| text))
    ) {
        let scrubber = scrubber(&["S3CR\"T& x"]);
        let before = event.clone();
        scrubber.scrub_event(&mut event);
        let line = serde_json::to_string(&event).unwrap();
        prop_assert!(!line.contains("S3CR"), "{line}");
        let clean = event.clone();
        scrubber.scrub_event(&mut event);
        prop_assert_eq!(&event, &clean, "scrubbing twice is scrubbing once");
        prop_assert_eq!((event.seq, event.t_ms), (before.seq, before.t_ms));
    }
}
