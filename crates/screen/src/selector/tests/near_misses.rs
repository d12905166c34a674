//! Tests of what is advised in place of a selector that finds nothing.

use super::*;

#[test]
fn where_only_the_letter_case_differs_nothing_else_is_named() {
    let dump = r#"<hierarchy><node class="B" text="SIGN IN" bounds="[0,0][10,10]"/>
        <node class="B" text="Sign up" resource-id="a:id/sign_in" bounds="[0,10][10,20]"/>
        <node class="B" text="Signing in with Google" bounds="[0,20][10,30]"/></hierarchy>"#;
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    for wanted in [
        json!("Sign In"),
        json!("sign  in"),
        json!("Sign I*"),
        json!({"text": "Sign In", "class": "B"}),
        json!({"text": {"contains": "Sign I"}}),
        json!({"text": {"regex": "^Sign In$"}}),
    ] {
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&wanted).near_misses(&screen, 3, purpose);
            let [miss] = &misses[..] else {
                panic!("{wanted}: {misses:?}");
            };
            assert!(miss.is_meant, "{wanted}");
            assert_eq!(miss.why, "text differs only in case", "{wanted}");
            let edited: Selector = serde_yaml::from_str(&miss.selector.to_string()).unwrap();
            assert_eq!(edited.find(&screen), [NodeIndex(0)], "{wanted}");
        }
    }
    // Where no letter case is meant, what is similar is named as ever.
    let misses = selector(&json!("Sign off")).near_misses(&screen, 3, Purpose::Action);
    assert!(misses.iter().all(|miss| !miss.is_meant));
    assert!(misses.len() > 1, "{misses:?}");
}

#[test]
fn near_misses_say_what_to_write() {
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!("wi-fi"), "text differs only in case", "Wi-Fi"),
        (
            json!("Bluetoth"),
            "text is spelt \"Bluetooth\"",
            "Bluetooth",
        ),
        (
            json!("Welcome"),
            "text is longer",
            "{ text: { contains: Welcome } }",
        ),
        (
            json!("save button"),
            "the words are its id",
            "{ id: save_button }",
        ),
        (
            json!({"text": "com.example.notes:id/save_button"}),
            "the words are its id",
            "{ id: save_button }",
        ),
        (
            json!({"desc": "save_button", "class": "ImageButton"}),
            "the words are its id",
            "{ id: save_button, class: ImageButton }",
        ),
        (json!("SAVE"), "desc differs only in case", "Save"),
        (
            json!("Hotspot or Wi-Fi"),
            "one of these texts is there",
            "{ any_of: [ Hotspot, Wi-Fi ] }",
        ),
        (
            json!({"id": "lable", "index": 0}),
            "id is spelt \"label\"",
            "{ id: label }",
        ),
        (
            json!({"text": "Save"}),
            "the words are its desc, not its text",
            "Save",
        ),
        (
            json!({"id": "title", "enabled": false}),
            "enabled is true",
            "{ id: title, enabled: true }",
        ),
        (
            json!({"text": {"regex": "^blue"}}),
            "text differs only in case",
            r#"{ text: { regex: "(?i)^blue" } }"#,
        ),
        (
            json!({"id": "label", "index": 5}),
            "there are only 2 such elements, index 0 to 1",
            "{ id: label, index: 0 }",
        ),
        (
            json!({"text": "Wi-Fi", "window": 2}),
            "it is in window 1 (Settings)",
            "{ text: Wi-Fi }",
        ),
        (
            json!({"class": "Switch", "right_of": "WiFi"}),
            "nothing matches `right_of: WiFi`",
            "{ class: Switch, right_of: Wi-Fi }",
        ),
        (
            json!({"class": "TextView", "desc": "Save"}),
            "its class is ImageButton",
            "{ class: ImageButton, desc: Save }",
        ),
    ];
    let screen = screen();
    for (value, why, write) in cases {
        let misses = selector(&value).near_misses(&screen, 3, Purpose::Action);
        let first = misses
            .first()
            .unwrap_or_else(|| panic!("{value}: no near miss"));
        assert_eq!(
            (first.why.as_str(), first.selector.to_string().as_str()),
            (why, write),
            "{value}"
        );
        let edited: Selector = serde_yaml::from_str(&first.selector.to_string()).unwrap();
        assert!(edited.find(&screen).contains(&first.node), "{value}");
    }
    assert_eq!(
        selector(&json!("Nothing like it")).near_misses(&screen, 3, Purpose::Action),
        []
    );
}

#[test]
fn a_relation_that_does_not_hold_is_told_in_a_sentence() {
    for (wanted, why) in [
        (
            json!({"id": "title", "inside": {"id": "row"}}),
            "it is not inside { id: row }",
        ),
        (
            json!({"id": "title", "left_of": "Wi-Fi"}),
            "it is not left of Wi-Fi",
        ),
        (
            json!({"id": "title", "has": "Wi-Fi"}),
            "it is without Wi-Fi in it",
        ),
    ] {
        let misses = selector(&wanted).near_misses(&screen(), 1, Purpose::Action);
        let miss = misses.first().unwrap_or_else(|| panic!("{wanted}"));
        assert_eq!(miss.why, why, "{wanted}");
        assert_eq!(miss.selector.to_string(), "{ id: title }", "{wanted}");
    }
}

#[test]
fn the_hint_of_an_empty_field_is_compared_as_its_text() {
    let wanted = json!({"class": "EditText", "text": "User nme"});
    for purpose in [Purpose::Action, Purpose::Assertion] {
        let misses = selector(&wanted).near_misses(&screen(), 1, purpose);
        let miss = misses.first().unwrap();
        assert_eq!(miss.why, "hint is spelt \"User name\"");
        assert_eq!(
            miss.selector.to_string(),
            "{ class: EditText, text: User name }"
        );
    }
}

#[test]
fn an_empty_text_is_not_found_where_an_element_has_no_other_words() {
    for wanted in [
        json!({"id": "label", "text": ""}),
        json!({"id": "label", "text": {"regex": "^$"}}),
    ] {
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&wanted).near_misses(&screen(), 3, purpose);
            let says = |miss: &NearMiss| miss.why.starts_with("the words are its");
            assert!(!misses.iter().any(says), "{wanted}: {misses:?}");
        }
    }
}

#[test]
fn an_id_of_another_package_is_told_with_its_own() {
    let screen = parse_nodes(
        r#"<node resource-id="com.notes:id/sign_in" bounds="[0,0][9,9]"/>
        <node resource-id="total" bounds="[0,9][9,19]"/>"#,
    );
    for (wanted, why, action, assertion) in [
        (
            json!({ "id": "com.shop:id/sign_in" }),
            "its id is of com.notes",
            "{ id: sign_in }",
            Some("{ id: \"com.notes:id/sign_in\" }"),
        ),
        (
            json!({ "id": "com.shop:id/total" }),
            "its id is total",
            "{ id: total }",
            Some("{ id: total }"),
        ),
        (
            json!("com.shop:id/sign_in"),
            "the words are its id",
            "{ id: sign_in }",
            None,
        ),
    ] {
        let selector = selector(&wanted);
        let misses = selector.near_misses(&screen, 3, Purpose::Action);
        assert_eq!(misses[0].why, why, "{wanted}");
        let first = |purpose| written(&selector, &screen, purpose).into_iter().next();
        assert_eq!(first(Purpose::Action).as_deref(), Some(action), "{wanted}");
        assert_eq!(first(Purpose::Assertion).as_deref(), assertion, "{wanted}");
    }
}

#[test]
fn only_what_is_surely_misspelt_counts_as_a_typo() {
    for (wanted, shown, is_typo) in [
        ("Forgot Password?", "Forgot password?", true),
        ("Forgot pasword?", "Forgot password?", true),
        ("E-mail", "Email", true),
        ("Sign up", "Sign in", false),
        ("Log on", "Log in", false),
        ("Notification 12", "Notification 13", false),
        ("Star", "Starred", false),
        ("Starred", "Star", false),
        ("Message", "Messages", false),
        ("Messages", "Message", false),
        ("Forgot password", "Forgot password?", false),
    ] {
        let screen = parse_nodes(&format!(r#"<node text="{shown}" bounds="[0,0][9,9]"/>"#));
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&json!(wanted)).near_misses(&screen, 3, purpose);
            let found = misses.iter().any(|miss| miss.is_typo);
            assert_eq!(found, is_typo, "{wanted} of {shown}: {misses:?}");
        }
    }
}

#[test]
fn a_word_among_many_is_nothing_alike_and_half_of_the_words_are() {
    let screen = screen();
    let buttons = r#"<hierarchy><node text="Like" bounds="[0,0][10,10]"/><node text="Buy now" bounds="[0,10][10,20]"/>
        <node text="Sign in with Google" bounds="[0,20][10,30]"/></hierarchy>"#;
    let buttons = Screen::parse(buttons.as_bytes(), &DisplayContext::default()).unwrap();
    for (words, write) in [
        ("Nothing like this", None),
        ("Order now", Some("Buy now")),
        ("Like it", Some("Like")),
        ("Google sign in", Some("Sign in with Google")),
        ("Not now, thank you", None),
    ] {
        let misses = selector(&json!(words)).near_misses(&buttons, 1, Purpose::Action);
        let advised = misses.first().map(|miss| miss.selector.to_string());
        assert_eq!(advised.as_deref(), write, "{words}");
    }
    assert!(
        selector(&json!("wi-fi"))
            .near_misses(&screen, 0, Purpose::Action)
            .is_empty()
    );
}

#[test]
fn an_index_beyond_the_last_is_told_by_the_number_and_by_no_other_name() {
    let rows: String = ["row", "row", "new_row", "rows"]
        .iter()
        .enumerate()
        .map(|(at, id)| {
            format!(
                r#"<node class="B" text="{id} {at}" resource-id="a:id/{id}" bounds="[0,{at}0][10,{at}9]"/>"#
            )
        })
        .collect();
    let dump = format!("<hierarchy>{rows}</hierarchy>");
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    for (wanted, why) in [
        (
            json!({"id": "row", "index": 9}),
            "there are only 2 such elements, index 0 to 1",
        ),
        (
            json!({"id": "row", "index": -3}),
            "there are only 2 such elements, index 0 to 1",
        ),
        (
            json!({"id": "rows", "index": 1}),
            "there is only one such element, index 0",
        ),
        (
            json!({"class": "B", "index": 4}),
            "there are only 4 such elements, index 0 to 3",
        ),
        (
            json!({"any_of": [{"id": "gone"}, {"id": "row"}], "index": 2}),
            "there are only 2 such elements, index 0 to 1",
        ),
    ] {
        let misses = selector(&wanted).near_misses(&screen, 3, Purpose::Action);
        assert!(!misses.is_empty(), "{wanted}");
        for miss in misses {
            assert_eq!(miss.why, why, "{wanted}");
        }
        let asserted = selector(&wanted).near_misses(&screen, 3, Purpose::Assertion);
        assert!(asserted.is_empty(), "{wanted}: {asserted:?}");
    }
}

#[test]
fn an_element_that_is_elsewhere_is_told_by_the_relation_that_it_lacks() {
    let dump = r#"<hierarchy><node class="B" text="A" bounds="[0,0][10,10]"/>
        <node class="L" resource-id="a:id/list" bounds="[0,10][10,90]">
        <node class="B" text="C" bounds="[0,10][10,20]"/></node></hierarchy>"#;
    let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
    for (wanted, apart) in [
        (
            json!({"text": "A", "inside": {"id": "list"}}),
            &[(NodeIndex(0), "not inside { id: list }")][..],
        ),
        (
            json!({"id": "list", "has": "A"}),
            &[(NodeIndex(1), "without A in it")][..],
        ),
        (
            json!({"text": "A", "checked": true}),
            &[(NodeIndex(0), "checked is false")][..],
        ),
        (
            json!({"any_of": ["None", {"text": "A", "checked": true}, {"text": "A", "checked": true}]}),
            &[(NodeIndex(0), "checked is false")][..],
        ),
        (
            json!({"any_of": ["None", {"text": "A", "inside": {"id": "list"}}]}),
            &[(NodeIndex(0), "not inside { id: list }")][..],
        ),
        (json!({"checked": true, "enabled": false}), &[][..]),
        // What it refers to is missing, nothing else says what it is, or only the number is wrong.
        (json!({"text": "A", "inside": {"id": "none"}}), &[][..]),
        (json!({"inside": {"text": "A"}}), &[][..]),
        (
            json!({"text": "C", "inside": {"id": "list"}, "index": 3}),
            &[][..],
        ),
    ] {
        let found = selector(&wanted).apart(&screen, 3);
        let found: Vec<(NodeIndex, &str)> =
            found.iter().map(|(node, why)| (*node, &**why)).collect();
        assert_eq!(found, apart, "{wanted}");
    }
}

#[test]
fn two_other_letters_of_five_are_another_word() {
    for (wanted, on_screen, is_near) in [
        ("Knots", "Notes", false),
        ("Loign", "Login", true),
        ("Serch", "Search", true),
        ("Setigns", "Settings", true),
    ] {
        let dump = format!(
            r#"<hierarchy><node class="B" text="{on_screen}" bounds="[0,0][10,10]"/></hierarchy>"#
        );
        let screen = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
        for purpose in [Purpose::Action, Purpose::Assertion] {
            let misses = selector(&json!(wanted)).near_misses(&screen, 1, purpose);
            assert_eq!(!misses.is_empty(), is_near, "{wanted}");
        }
    }
}

#[test]
fn a_selector_of_css_names_the_element_with_this_id() {
    let misses = selector(&json!("#save_button")).near_misses(&screen(), 1, Purpose::Action);
    let miss = misses.first().unwrap();
    assert_eq!(miss.why, "the words are its id");
    assert_eq!(miss.selector.to_string(), "{ id: save_button }");
}

#[test]
fn v9_a_misspelt_word_is_offered_whole_and_the_direction_is_right() {
    for (wanted, on_screen, why, write) in [
        (
            "Grocerie",
            "Groceries",
            "text is spelt \"Groceries\"",
            "Groceries",
        ),
        ("Starred", "Star", "text is shorter", "Star"),
        ("Star", "Starred", "text is longer", "Starred"),
        (
            "Star",
            "Star it",
            "text is longer",
            "{ text: { contains: Star } }",
        ),
    ] {
        let screen = parse_nodes(&format!(
            r#"<node text="{on_screen}" bounds="[0,0][10,10]"/>"#
        ));
        let misses = selector(&json!(wanted)).near_misses(&screen, 1, Purpose::Action);
        let reported = (misses[0].why.as_str(), misses[0].selector.to_string());
        assert_eq!(reported, (why, write.to_owned()), "{wanted} of {on_screen}");
    }
}
