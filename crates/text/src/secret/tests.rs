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
        (&["abcd", "abcdef"], "abcdef abcd", "*** ***"),
        (&["abcd", "cdef"], "xabcdefy", "x***y"),
        (&["aaaa"], "aaaaa", "***"),
        (&["pä€ß"], "wie pä€ß so", "wie *** so"),
        (&["pä€"], "wie pä€ so", "wie pä€ so"),
        (&[r#"a"b\c"#], r#"{"x":"a\"b\\c"}"#, r#"{"x":"***"}"#),
        (&["a&b<c"], "<v>a&amp;b&lt;c</v>", "<v>***</v>"),
        (&["p w&d"], "?q=p%20w%26d&r=p+w%26d", "?q=***&r=***"),
        (&["it's"], r"input text 'it'\''s'", "input text '***'"),
        (&["it's"], "password: 'it''s'", "password: '***'"),
        (&["my word"], "input text my%sword", "input text ***"),
        (&["*"], "2*3", "2*3"),
        (&["*"], " * ", MASK),
    ];
    for (secrets, text, expected) in cases {
        assert_eq!(scrubber(secrets).scrub(text), *expected, "{secrets:?}");
    }
}

/// Covers the escapes of Go, PHP, Python, JavaScript and HTML templates.
#[test]
fn masks_what_servers_and_browsers_escape() {
    let secret = "tok/en&wörd'(9)<x!";
    for text in [
        r"tok/en\u0026wörd'(9)\u003cx!",
        r"tok\/en&w\u00f6rd'(9)<x!",
        r"tok/en&w\u00f6rd'(9)<x!",
        "tok/en&amp;wörd&#x27;(9)&lt;x!",
        "tok/en&amp;wörd&#39;(9)&lt;x!",
        "tok%2Fen%26w%C3%B6rd'(9)%3Cx!",
        "tok/en%26w%C3%B6rd%27%289%29%3Cx%21",
        "tok%2fen%26w%c3%b6rd%27%289%29%3cx%21",
    ] {
        let scrubbed = scrubber(&[secret])
            .scrub(&format!("it said {text}!"))
            .into_owned();
        assert_eq!(scrubbed, "it said ***!", "{text}");
    }
    assert_eq!(scrubber(&["ab/c+d=="]).scrub(r#""ab\/c+d==""#), "\"***\"");
}

#[test]
fn masks_what_regular_expressions_escape() {
    for character in r"\.+*?()|[]{}^$#&-~".chars() {
        let secret = format!("Tr0ub4{character}dor{character}x");
        let escaped = format!(r"Tr0ub4\{character}dor\{character}x");
        let json = serde_json::to_string(&escaped).unwrap();
        let lines = format!("{secret}\nsecond");
        for text in [&escaped, &format!("{escaped:?}"), &json] {
            for known in [&secret, &lines] {
                let clean = scrubber(&[known])
                    .scrub(&format!("in with {text} now"))
                    .into_owned();
                assert!(!clean.contains("Tr0ub4"), "{text} is {clean}");
            }
        }
    }
    let (secret, by_hand) = ("a-b.c#d-e", r"a-b\.c#d-e");
    assert_eq!(scrubber(&[secret]).scrub(by_hand), MASK);
    let by_another = r"a-b\.c\#d-e";
    assert_eq!(scrubber(&[secret]).scrub(by_another), MASK);
}

#[test]
fn text_without_secrets_is_borrowed() {
    assert!(matches!(
        scrubber(&["hunter2"]).scrub("hunter 2"),
        Cow::Borrowed(_)
    ));
}

#[test]
fn s1_json_is_scrubbed_in_values_and_in_no_key() {
    let mut value = serde_json::json!({ "hunter2": ["x hunter2", 7, { "k": "hunter2" }], "path": "a/hunter2", "file": { "path": "hunter2", "text": "hunter2" } });
    scrubber(&["hunter2"]).scrub_json(&mut value, &["path", "file"]);
    assert_eq!(
        value,
        serde_json::json!({ "hunter2": ["x ***", 7, { "k": "***" }], "path": "a/hunter2", "file": { "path": "hunter2", "text": "***" } })
    );
}

#[test]
fn s1_what_was_typed_is_masked_as_a_value_and_as_a_word_from_outside() {
    let scrubber = scrubber(&[]);
    for word in ["maestro", "12", "O'Neil"] {
        scrubber.add_typed(word);
    }
    // The step that types it.
    assert_eq!(
        scrubber.scrub_outside("text: \"12\" in 412"),
        "text: \"***\" in 412"
    );
    scrubber.begin_step();
    for (text, value, outside) in [
        ("maestro", MASK, MASK),
        (" 12 ", MASK, MASK),
        ("12", MASK, MASK),
        ("room 12", "room 12", "room 12"),
        ("I am maestro!", "I am maestro!", "I am ***!"),
        (
            "maestros, my_maestro",
            "maestros, my_maestro",
            "maestros, my_maestro",
        ),
        ("input text maestro", "input text maestro", "input text ***"),
        (
            r"input text 'O'\''Neil'",
            r"input text 'O'\''Neil'",
            "input text '***'",
        ),
        ("?q=a%20maestro", "?q=a%20maestro", "?q=a%20***"),
    ] {
        assert_eq!(scrubber.scrub(text), value, "{text}");
        assert_eq!(scrubber.scrub_outside(text), outside, "{text}");
        assert_eq!(scrubber.scrub_name(text), text, "a name");
    }
    let other = scrubber.for_attempt();
    assert_eq!(other.scrub_outside("maestro"), "maestro");
    other.add("declared");
    assert_eq!(scrubber.scrub_name("x_declared"), "x_***");
}

#[test]
fn each_beginning_of_what_was_typed_is_masked_from_outside() {
    for secret in ["Tr0ub4dor.3-x", "Träumer&<drei>*", "O'Neil \"x\" {y}"] {
        let (declared, typed) = (scrubber(&[secret]), scrubber(&[]));
        declared.note_typed(&format!("note: {secret}"));
        typed.add_typed(secret);
        typed.begin_step();
        for end in (1..=secret.len()).filter(|end| secret.is_char_boundary(*end)) {
            let part = &secret[..end];
            let length = part.chars().count();
            let json = serde_json::to_string(part).unwrap();
            let xml = quick_xml::escape::escape(part);
            let debug = format!("{part:?}");
            for form in [part, json.as_str(), xml.as_ref(), debug.as_str()] {
                for scrubber in [&declared, &typed] {
                    let text = format!("got {form} end");
                    let clean = scrubber.scrub_outside(&text).into_owned();
                    let is_masked = !clean.contains(&part[..1]);
                    assert!(is_masked || length < 4, "{text}: {clean}");
                    assert!(!is_masked || length >= 4 || form != part, "{text}");
                    let within = format!("got {form}zz end");
                    let clean = scrubber.scrub_outside(&within).into_owned();
                    assert!(
                        length < 8 || !clean.contains(&part[..1]),
                        "{within}: {clean}"
                    );
                    assert_eq!(scrubber.scrub_golden("got Tr0ub end"), "got Tr0ub end");
                }
            }
        }
    }
    let scrubber = scrubber(&["lovelace"]);
    assert_eq!(scrubber.scrub_outside("I love it"), "I love it");
    scrubber.note_typed("nothing of it");
    assert_eq!(scrubber.scrub_outside("I love it"), "I love it");
    scrubber.note_typed("lovelace");
    let text = "I love it, lovely, my_love, gloves, lov";
    assert_eq!(
        scrubber.scrub_outside(text),
        "I *** it, lovely, my_love, gloves, lov"
    );
    assert_eq!(
        scrubber.for_attempt().scrub_outside("I love it"),
        "I love it"
    );
}

#[test]
fn what_is_left_of_a_typed_secret_whose_middle_was_deleted_is_masked_from_outside() {
    for secret in ["Tr0ub4dor.3-x", "Träumer&<drei>*", "O'Neil \"x\" {y}"] {
        let scrubber = scrubber(&[]);
        scrubber.add_typed(secret);
        scrubber.begin_step();
        let places =
            move |from: usize| (from..secret.len()).filter(move |at| secret.is_char_boundary(*at));
        for from in places(4) {
            for to in places(from + 1) {
                let left = format!("{}{}", &secret[..from], &secret[to..]);
                let text = format!("changed to {left} now");
                if left.chars().count() >= 8 {
                    assert_eq!(scrubber.scrub_outside(&text), "changed to *** now");
                }
                assert_eq!(scrubber.scrub_golden(&text), text);
            }
        }
    }
    let scrubber = scrubber(&[]);
    scrubber.add_typed("lovelace1815");
    scrubber.begin_step();
    for (text, clean) in [
        ("love1815, lovel815!", "***, ***!"),
        // Too short, with more in it, and parts of words.
        ("love815 lovers1815 xlove1815 love18151 love1815x", ""),
        ("lovely loveless 1815love", ""),
    ] {
        let clean = if clean.is_empty() { text } else { clean };
        assert_eq!(scrubber.scrub_outside(text), clean);
    }
}

#[test]
fn a_server_its_runs_and_their_attempts_know_the_same_secrets_whoever_learned_them() {
    type Learn = fn(&Scrubber, &str);
    let ways: [Learn; 3] = [Scrubber::add, Scrubber::add_typed, Scrubber::add_shown];
    let server = scrubber(&[]);
    let earlier = server.for_runs().for_attempt();
    let run = server.for_runs();
    let attempt = run.for_attempt();
    let all = [&server, &earlier, &run, &attempt];
    for (from, knower) in all.iter().enumerate() {
        for (way, learn) in ways.iter().enumerate() {
            let secret = format!("lovelace{from}{way}");
            let short = format!("{from}{way}");
            learn(knower, &secret);
            learn(knower, &short);
            for by in all {
                by.begin_step();
                for text in [&secret, &short] {
                    assert_eq!(by.scrub_outside(text), MASK, "{from} {way}");
                }
                let room = format!("room {short}");
                assert_eq!(by.scrub_outside(&room), room, "{from} {way}");
            }
        }
    }
    run.copy().add("of-copy");
    assert_eq!(server.scrub("of-copy"), "of-copy");
}

proptest! {
    #[test]
    fn s1_no_first_characters_of_a_declared_secret_stay(
        secret in "[a-zA-Z0-9äß漢\"'&<> \n%\\\\]{12,400}",
        before in "[a-z ]{0,9}",
    ) {
        let scrubber = scrubber(&[&secret]);
        let json = serde_json::to_string(&secret).unwrap();
        let xml = quick_xml::escape::escape(secret.as_str()).into_owned();
        for form in [secret.clone(), json, xml, format!("{secret:?}"), Excerpt::new(&secret, 8).to_string()] {
            let clean = scrubber.scrub_outside(&format!("{before}{form}")).into_owned();
            let first: String = secret.trim().chars().take(6).collect();
            let is_own_line = secret.trim().lines().all(|line| line.trim().chars().count() >= MIN_MASKED_CHARS);
            // A short line of several is not a secret by itself.
            if is_own_line {
                prop_assert!(!clean.contains(&first) || before.contains(&first), "{clean:?} shows {first:?}");
            }
        }
    }
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
    fn no_secret_stays(secrets in prop::collection::vec("[a-dä]{4,5}", 1..4), text in "[a-dä ]{0,40}") {
        let values: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let clean = scrubber(&values).scrub(&text).into_owned();
        for secret in &secrets {
            prop_assert!(!clean.contains(secret.as_str()), "{clean:?} shows {secret:?}");
        }
    }
}

#[test]
fn an_excerpt_is_cut_after_its_secrets_are_masked() {
    let secret = "0123456789abcdef";
    let scrubber = scrubber(&[secret]);
    for (text, limit, expected) in [
        ("short", 5, "short"),
        ("longer", 5, "longe…"),
        (secret, 5, "***…"),
        ("a 0123456789abcdef z", 5, "a ***…"),
        ("a 0123456789abcdef z", 19, "a *** …"),
        ("words 0123456789abcdef", 3, "wor…"),
        ("\u{fdd0}a\u{fdd1}b", 9, "ab"),
    ] {
        let excerpt = Excerpt::new(text, limit).to_string();
        assert_eq!(scrubber.scrub(&excerpt), expected, "{text:?}");
    }
    let quoted = Excerpt::new("say \"hi\"\nnow", 9).in_quotes().ending("+3");
    assert_eq!(without_secrets(&quoted.to_string()), r#""say \"hi\"\n+3""#);
    let of_excerpt = Excerpt::new(secret, 3).to_string();
    let again = Excerpt::new(&of_excerpt, 2).to_string();
    assert_eq!(scrubber.scrub(&again), "***…");
    for alone in ["a\u{fdd0}b", "a\u{fdd1}b"] {
        assert_eq!(without_secrets(alone), "ab");
    }
}

#[test]
fn text_from_outside_hides_nothing() {
    let text = from_outside("a\u{fdd0}b\u{fdd1}c".as_bytes());
    assert_eq!(text, "a\u{fffd}b\u{fffd}c");
    assert_eq!(without_secrets(&text), text);
    assert!(matches!(from_outside(b"plain"), Cow::Borrowed("plain")));
    assert_eq!(from_outside(b"\xff"), "\u{fffd}");
}

/// Returns every substring of `secret` that is 8 characters long.
fn pieces(secret: &str) -> Vec<String> {
    let chars: Vec<char> = secret.chars().collect();
    chars
        .windows(8)
        .map(|piece| piece.iter().collect())
        .collect()
}

proptest! {
    /// Tries long secrets of several lines with quotes and Unicode, cut anywhere and escaped by each output.
    #[test]
    fn no_piece_of_a_secret_stays_of_an_excerpt(
        secret in r#"[a-z "'\\&<>%$äß漢😀é]{8,90}(\n[a-z "'\\ä]{4,60}){0,3}"#,
        before in "[A-Z ]{0,30}",
        after in "[A-Z ]{0,30}",
        limit in 0_usize..120,
    ) {
        let scrubber = scrubber(&[&secret]);
        let text = format!("{before}{secret}{after}");
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = [
            Excerpt::new(&text, limit).to_string(),
            Excerpt::new(&line, limit).in_quotes().to_string(),
            serde_json::json!({ "a": Excerpt::new(&text, limit).to_string() }).to_string(),
            quick_xml::escape::escape(Excerpt::new(&text, limit).to_string()).into_owned(),
        ];
        for message in message {
            let clean = scrubber.scrub(&message);
            for piece in pieces(&secret) {
                if !piece.trim().is_empty() {
                    prop_assert!(!clean.contains(&piece), "{piece:?} of {secret:?} is in {clean:?}");
                }
            }
            let is_marked = clean.contains([excerpt::OPEN, excerpt::CLOSE]);
            prop_assert!(!is_marked);
        }
    }
}
