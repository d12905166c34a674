//! D3–D5, D15, D16: tools that only look.

use super::*;

#[test]
fn d03_find_ui_elements_by_text_gives_value_and_middle() {
    let (_project, mut client) = started();
    let answer = client.call("findUiElementsByText", json!({ "text": "welcome TO" }));
    let list = answer.text_json();
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    assert_eq!(list[0]["value"], "Welcome to Notes");
    assert_eq!(answer.result["structuredContent"], Value::Null);
    // The middle is where a tap goes: a tap there focuses the field.
    let field = client.call(
        "findUiElementsByText",
        json!({ "text": "USERNAME", "selectorType": "resource-id" }),
    );
    let field = field.text_json()[0].clone();
    assert_eq!(field["value"], "com.example.notes:id/username");
    assert_eq!(field.as_object().map(serde_json::Map::len), Some(3));
    let (x, y) = (field["cx"].clone(), field["cy"].clone());
    answer_text(&mut client, "tapByCoordinates", json!({ "x": x, "y": y }));
    let dump = answer_text(&mut client, "getScreenDump", json!({}));
    let focused = dump.split('<').find(|tag| tag.contains("focused=\"true\""));
    assert!(
        focused.is_some_and(|tag| tag.contains("id/username")),
        "{dump}"
    );
}

#[test]
fn d03_the_selector_type_says_where_to_look() {
    let (_project, mut client) = started();
    for (text, kind, count) in [
        ("welcome to", "text", 1),
        ("welcome to", "content-desc", 0),
        ("welcome to", "resource-id", 0),
        ("hills at", "content-desc", 1),
        ("hills at", "text", 0),
        ("id/forgot", "resource-id", 1),
        ("id/forgot", "text", 0),
        ("hills at", "any", 1),
    ] {
        let answer = client.call(
            "findUiElementsByText",
            json!({ "text": text, "selectorType": kind }),
        );
        let list = answer.text_json();
        assert_eq!(list.as_array().map(Vec::len), Some(count), "{text} {kind}");
    }
}

#[test]
fn d03_find_ui_elements_by_text_finds_nothing() {
    let (_project, mut client) = started();
    says(
        &mut client,
        "findUiElementsByText",
        json!({ "text": "Balance" }),
        "[]",
    );
    for (arguments, text) in [
        (json!({}), "ERROR: text is required"),
        (json!({ "text": "" }), "ERROR: text is required"),
        (
            json!({ "text": ["a"] }),
            "ERROR: text must be text, got [\"a\"]",
        ),
        (
            json!({ "text": "a", "selectorType": 1 }),
            "ERROR: selectorType must be text, got 1",
        ),
        (
            json!({ "text": "a", "selectorType": "xpath" }),
            "ERROR: selectorType must be one of text, content-desc, resource-id, any, got 'xpath'",
        ),
    ] {
        says(&mut client, "findUiElementsByText", arguments, text);
    }
    let arguments = json!({ "text": "Balance", "selectortype": "text" });
    let answer = client.call("findUiElementsByText", arguments);
    let note =
        "there is no parameter 'selectortype', so it has no effect; did you mean 'selectorType'?";
    assert_eq!(answer.result["content"][1]["text"], note);
}

#[test]
fn d03_bars_and_keyboard_are_no_part_of_the_app() {
    let (_project, mut client) = started();
    answer_text(
        &mut client,
        "tap",
        json!({ "text": "username", "selectorType": "resource-id" }),
    );
    for text in ["Keyboard", "Battery", "navigation_bar"] {
        assert_eq!(found(&mut client, text), Vec::<Value>::new(), "{text}");
    }
}

#[test]
fn d03_a_field_is_found_by_its_hint_and_a_password_never_by_what_is_in_it() {
    let (_project, mut client) = started();
    let count = |client: &mut Client, text: &str, kind: &str| {
        let arguments = json!({ "text": text, "selectorType": kind });
        let list = client.call("findUiElementsByText", arguments).text_json();
        list.as_array().map_or(0, Vec::len)
    };
    // R2: the field by its hint, and the button "Forgot password?".
    assert_eq!(count(&mut client, "password", "text"), 2);
    assert_eq!(count(&mut client, "password", "resource-id"), 1);
    assert_eq!(count(&mut client, "Username", "text"), 1);
    for (field, text) in [("Username", "ada"), ("Password", "lovelace")] {
        // Twice: once something is in the field, its hint still says which is meant.
        let (first, rest) = text.split_at(2);
        for part in [first, rest] {
            let arguments = json!({ "fieldSelector": field, "text": part, "selectorType": "text" });
            begins(&mut client, "inputText", arguments, "OK: typed ");
        }
    }
    assert_eq!(count(&mut client, "password", "text"), 1);
    assert_eq!(count(&mut client, "<password>", "any"), 0);
    answer_text(&mut client, "tap", json!({ "text": "sign_in" }));
    visible(&mut client, "Welcome, Ada");
}

#[test]
fn d04_get_screen_dump_is_short_xml() {
    let (_project, mut client) = started();
    let dump = answer_text(&mut client, "getScreenDump", json!({}));
    let xml = dump
        .split_once("\n... [truncated")
        .map_or(dump.as_str(), |(xml, _)| xml);
    assert!(xml.starts_with("<hierarchy rotation=\"0\">"), "{xml}");
    assert!(xml.contains("text=\"Welcome to Notes\""), "{xml}");
    assert!(xml.contains("resource-id=\"com.example.notes:id/"), "{xml}");
    assert!(xml.contains("bounds=\"["), "{xml}");
    for noise in [
        " index=",
        " package=",
        " class=",
        " checkable=",
        "\"false\"",
    ] {
        let noise_left = xml.replace("enabled=\"false\"", "").contains(noise);
        assert!(!noise_left, "{noise}: {xml}");
    }
}

#[test]
fn d04_a_long_dump_is_cut() {
    let (_project, mut client) = signed_in();
    let dump = answer_text(&mut client, "getScreenDump", json!({}));
    let (xml, tail) = dump.split_at(dump.rfind('\n').expect("two lines"));
    assert_eq!(xml.chars().count(), 2000);
    assert_eq!(
        tail,
        "\n... [truncated, use findUiElementsByText for targeted search]"
    );
}

#[test]
fn d05_get_screen_size_is_the_screens() {
    let (_project, mut client) = server();
    let answer = client.call("getScreenSize", json!({}));
    assert_eq!(answer.text, "OK: 1080x2400");
    // R7: a number as text; what is none.
    begins(
        &mut client,
        "tapByCoordinates",
        json!({ "x": "1", "y": "2" }),
        "TAPPED: (1,2)",
    );
    begins(
        &mut client,
        "wait",
        json!({ "ms": "50" }),
        "OK: waited 50ms",
    );
    says(
        &mut client,
        "tapByCoordinates",
        json!({ "x": "abc", "y": 1 }),
        "ERROR: x must be a number, got 'abc'",
    );
    begins(
        &mut client,
        "getScreenSize",
        json!({ "unit": "dp" }),
        "OK: 1080x2400",
    );
}

#[test]
fn d15_verify_element_visible_counts() {
    let (_project, mut client) = started();
    let tool = "verifyElementVisible";
    says(
        &mut client,
        tool,
        json!({ "text": "welcome to notes" }),
        "VISIBLE: 1 match(es) for 'welcome to notes'",
    );
    let count = found(&mut client, "sign").len();
    assert!(count > 1);
    says(
        &mut client,
        tool,
        json!({ "text": "sign" }),
        &format!("VISIBLE: {count} match(es) for 'sign'"),
    );
    for (arguments, text) in [
        (
            json!({ "text": "Balance" }),
            "NOT_VISIBLE: 'Balance' not on screen",
        ),
        (
            json!({ "text": "Welcome", "selectorType": "content-desc" }),
            "NOT_VISIBLE: 'Welcome' not on screen",
        ),
        (json!({}), "ERROR: text is required"),
    ] {
        says(&mut client, tool, arguments, text);
    }
}

#[test]
fn d15_what_is_further_down_is_not_visible() {
    let (_project, mut client) = signed_in();
    visible(&mut client, "Groceries");
    says(
        &mut client,
        "verifyElementVisible",
        json!({ "text": "The last note" }),
        "NOT_VISIBLE: 'The last note' not on screen",
    );
}

#[test]
fn d16_verify_element_not_visible_counts() {
    let (_project, mut client) = started();
    let tool = "verifyElementNotVisible";
    for (arguments, text) in [
        (
            json!({ "text": "Balance" }),
            "OK: 'Balance' is not visible (as expected)",
        ),
        (
            json!({ "text": "Welcome to" }),
            "NOT_VISIBLE: 'Welcome to' is still visible (1 match(es))",
        ),
        (
            json!({ "text": "Welcome to", "selectorType": "resource-id" }),
            "OK: 'Welcome to' is not visible (as expected)",
        ),
        (json!({ "text": "" }), "ERROR: text is required"),
    ] {
        says(&mut client, tool, arguments, text);
    }
}
