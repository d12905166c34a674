use super::*;

fn words() -> ScreenWords {
    ScreenWords {
        ids: ["sign_in", "username"].map(str::to_owned).into(),
        texts: ["Sign in", "Welcome, Ada: 3 notes", "true"]
            .map(str::to_owned)
            .into(),
    }
}

/// Returns the offers at the end of a text, in order.
fn offered(before: &str) -> Vec<String> {
    let found = completion(before, words);
    let offers = found.into_iter().flat_map(|found| found.offers);
    offers.map(|offer| offer.text).collect()
}

#[test]
fn what_fits_is_offered() {
    for (before, first) in [
        ("na", "name: "),
        ("name: x\nsteps", "steps: "),
        ("steps:\n  - laun", "launch"),
        ("steps:\n- laun", "launch"),
        ("steps:\n  - long_c", "long_click: "),
        ("setup: [ { long_c", "long_click: "),
        ("steps:\n  - click: x\n    time", "timeout: "),
        ("steps:\n  - click: { i", "id: "),
        ("steps:\n  - click:\n      i", "id: "),
        ("steps:\n  - click: { id: sig", "sign_in"),
        ("steps:\n  - click: { id: x, te", "text: "),
        ("steps:\n  - click: { id: x, text: Sig", "Sign in"),
        ("steps:\n  - click: Sig", "Sign in"),
        (
            "steps:\n  - assert visible: Wel",
            "\"Welcome, Ada: 3 notes\"",
        ),
        (
            "steps:\n  - assert visible: \"Wel",
            "\"Welcome, Ada: 3 notes\"",
        ),
        ("steps:\n  - click: tru", "\"true\""),
        ("steps:\n  - type: { into: { id: user", "username"),
        ("steps:\n  - type:\n      into: { id: user", "username"),
        ("steps:\n  - repeat:\n      ti", "times: "),
        (
            "steps:\n  - repeat:\n      steps:\n        - long_c",
            "long_click: ",
        ),
        ("steps:\n  - if: { visible: x }\n    the", "then: "),
        ("steps:\n  - if: { vis", "visible: "),
        ("steps:\n  - scroll_to: { text: x, direction: do", "down"),
        ("steps:\n  - click: { text: x, enabled: fal", "false"),
        (
            "steps:\n  # a remark: x\n  - set: |\n      no: key\n  - long_c",
            "long_click: ",
        ),
        ("steps:\n  - click: { text: \"a, {b: c\", i", "id: "),
        ("steps:\n  - click: {\n      i", "id: "),
    ] {
        let found = offered(before);
        assert_eq!(
            found.first().map(String::as_str),
            Some(first),
            "{before:?}: {found:?}"
        );
    }
}

#[test]
fn nothing_is_offered_where_nothing_fits() {
    for before in [
        "steps:\n  # long_c",
        "steps:\n  - back # long_c",
        "steps:\n  - type: |\n      long_c",
        "steps:\n  - click: { id: x }",
        "steps:\n  - click: { id: x } ",
        "steps:\n  - click: { nothing_like_this",
        "nothing_like_this",
        "steps:\n  - click: { index: 1",
        "]}",
        "- - - }",
    ] {
        assert_eq!(offered(before), Vec::<String>::new(), "{before:?}");
    }
}

#[test]
fn a_key_stands_once() {
    let found = offered("steps:\n  - click: { id: x, ");
    assert!(found.contains(&"text: ".to_owned()), "{found:?}");
    assert!(!found.contains(&"id: ".to_owned()), "{found:?}");
    let found = offered("steps:\n  - click: x\n    timeout: 1s\n    ");
    assert!(!found.contains(&"timeout: ".to_owned()), "{found:?}");
}

/// Checks when Enter ends the line instead of taking an offer.
#[test]
fn what_is_whole_is_free() {
    for (before, is_free) in [
        ("steps:\n  - hide_keyboard", true),
        ("steps:\n  - hide_k", false),
        ("steps:\n  - click: Sig", true),
        ("steps:\n  - click: { id: sign", false),
        ("steps:\n  - scroll_to: { text: x, direction: do", false),
    ] {
        // Without offers Enter also ends the line.
        let found = completion(before, words);
        let found = found.is_none_or(|found| found.is_free);
        assert_eq!(found, is_free, "{before:?}");
    }
    let found = completion("steps:\n  - click: 😀Si", words);
    assert!(found.is_none());
    let found = completion("steps:\n  - click: Si", words).unwrap();
    assert_eq!(found.length, 2);
}

#[test]
fn a_word_is_explained() {
    let text = "name: x\nsteps:\n  - launch\n  - click: { id: x }\n    timeout: 1s\n  - repeat:\n      times: 2\n      steps: [ back ]\n";
    let at = |word: &str| hover(text, text.find(word).unwrap() + 1);
    for (word, begin) in [
        ("name", "name: "),
        ("launch", "launch: "),
        ("click", "click: "),
        ("id: x", "id of click: "),
        ("timeout", "timeout: "),
        ("repeat", "repeat: "),
    ] {
        let found = at(word).unwrap_or_default();
        assert!(found.starts_with(begin), "{word}: {found}");
        assert!(found.len() > begin.len() + 5, "{word}: {found}");
    }
    assert_eq!(at("x\nsteps"), None);
    assert_eq!(hover(text, 10_000), None);
    assert_eq!(hover("é", 1), None);
}

proptest::proptest! {
    /// Checks that no text panics, and that an offer replaces only text before the cursor.
    #[test]
    fn any_text_is_looked_at(text in "[-a-z:{}\\[\\]\"'#|>,$ \n😀]{0,60}") {
        let full = format!("steps:\n  - click: {text}");
        for text in [&text, &full] {
            if let Some(found) = completion(text, words) {
                assert!(found.length <= text.encode_utf16().count());
            }
            for at in 0..=text.len() {
                let _ = hover(text, at);
            }
        }
    }
}
