//! A19–A25: text, keys, the clipboard.

use serde_json::{Value, json};

use super::{Bench, DENIED, FAILED, INVALID, NOT_FOUND};

fn with(base: &Value, name: &str, value: Value) -> Value {
    let mut args = base.clone();
    args[name] = value;
    args
}

fn without(base: &Value, name: &str) -> Value {
    let mut args = base.clone();
    args.as_object_mut().expect("a map").remove(name);
    args
}

/// Asserts the errors MP, EMPTY and types of `element_id`, SPD if the tool has a speed, TREE and NF.
#[track_caller]
fn refuses_fields(bench: &mut Bench, tool: &str, whole: &Value, has_speed: bool) {
    bench.refuses(
        tool,
        [
            (
                without(whole, "element_id"),
                "Missing required parameter: 'element_id'",
            ),
            (
                with(whole, "element_id", json!("")),
                "Parameter 'element_id' must be non-empty",
            ),
            (
                with(whole, "element_id", json!([1])),
                "Parameter 'element_id' must be a string",
            ),
        ],
    );
    if has_speed {
        bench.refuses(
            tool,
            [
                (
                    with(whole, "typing_speed", json!(9)),
                    "Parameter 'typing_speed' must be between 10 and 5000, got: 9",
                ),
                (
                    with(whole, "typing_speed", json!(5001)),
                    "Parameter 'typing_speed' must be between 10 and 5000, got: 5001",
                ),
                (
                    with(whole, "typing_speed", json!(70.5)),
                    "Parameter 'typing_speed' must be an integer, got: '70.5'",
                ),
                (
                    with(whole, "typing_speed_variance", json!(-1)),
                    "Parameter 'typing_speed_variance' must be >= 0, got: -1",
                ),
            ],
        );
        let properties = bench.schema(tool)["properties"].clone();
        assert_eq!(properties["typing_speed"]["default"], 70);
        assert_eq!(properties["typing_speed"]["type"], "integer");
        assert_eq!(properties["typing_speed_variance"]["default"], 15);
    }
    bench.fails_without_a_tree(tool, whole);
    bench.fails(
        tool,
        with(whole, "element_id", json!("node_none")),
        NOT_FOUND,
        "Element 'node_none' not found in accessibility tree",
    );
}

/// Asserts the errors MP, EMPTY and LEN of `text`.
#[track_caller]
fn refuses_texts(bench: &mut Bench, tool: &str, whole: &Value) {
    bench.refuses(
        tool,
        [
            (without(whole, "text"), "Missing required parameter: 'text'"),
            (
                with(whole, "text", json!("")),
                "Parameter 'text' must be non-empty",
            ),
            (
                with(whole, "text", json!("a".repeat(2001))),
                "text exceeds maximum length of 2000 characters (got 2001)",
            ),
        ],
    );
}

/// Asserts the error IC: the element takes no text.
#[track_caller]
fn fails_on_a_button(bench: &mut Bench, tool: &str, whole: &Value) {
    let id = bench.id("id/forgot");
    let text = format!(
        "Input connection not available after focusing element '{id}'. The element may not be an editable text field."
    );
    bench.fails(tool, with(whole, "element_id", json!(id)), FAILED, &text);
}

/// Asserts the error LOST: the text does not arrive.
#[track_caller]
fn loses_text(bench: &mut Bench, tool: &str, whole: &Value, at: usize, of: usize) {
    let text = format!(
        "Input connection lost during typing at position {at} of {of}. commitText returned false."
    );
    bench.fails_with("lost-input", tool, whole.clone(), FAILED, &text);
}

#[test]
fn a19_type_append_text_types_at_the_end() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    let whole = json!({ "element_id": id, "text": "Hello" });
    loses_text(&mut bench, "type_append_text", &whole, 0, 5);
    let text = bench.ok("type_append_text", whole.clone());
    assert_eq!(
        text,
        format!("Typed 5 characters at end of element '{id}'.\nField content: Hello")
    );
    let text = bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": " Zoë 日本 😀", "typing_speed": 10, "typing_speed_variance": 5000 }),
    );
    // Lengths count UTF-16 units.
    assert_eq!(
        text,
        format!("Typed 10 characters at end of element '{id}'.\nField content: Hello Zoë 日本 😀")
    );
    bench.shows("\tHello Zoë 日本 😀\t");
    refuses_fields(&mut bench, "type_append_text", &whole, true);
    refuses_texts(&mut bench, "type_append_text", &whole);
    fails_on_a_button(&mut bench, "type_append_text", &whole);
    // A password is typed, and never shown.
    let id = bench.id("id/password");
    let text = bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": "hush-hush" }),
    );
    assert_eq!(
        text,
        format!("Typed 9 characters at end of element '{id}'.\nField content: •••••••••")
    );
}

#[test]
fn a20_type_insert_text_types_within() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": "Hello World" }),
    );
    let whole = json!({ "element_id": id, "text": "inserted ", "offset": 5 });
    loses_text(&mut bench, "type_insert_text", &whole, 5, 20);
    let text = bench.ok("type_insert_text", whole.clone());
    assert_eq!(
        text,
        format!(
            "Typed 9 characters at offset 5 in element '{id}'.\nField content: Helloinserted  World"
        )
    );
    for (offset, content) in [(0, "^Helloinserted  World"), (21, "^Helloinserted  World^")] {
        let text = bench.ok(
            "type_insert_text",
            json!({ "element_id": id, "text": "^", "offset": offset }),
        );
        assert_eq!(
            text,
            format!(
                "Typed 1 characters at offset {offset} in element '{id}'.\nField content: {content}"
            )
        );
    }
    let far = format!("offset (23) exceeds text length (22) in element '{id}'");
    bench.fails(
        "type_insert_text",
        with(&whole, "offset", json!(23)),
        INVALID,
        &far,
    );
    bench.refuses(
        "type_insert_text",
        [
            (
                without(&whole, "offset"),
                "Missing required parameter: 'offset'",
            ),
            (
                with(&whole, "offset", json!(-1)),
                "Parameter 'offset' must be >= 0, got: -1",
            ),
            (
                with(&whole, "offset", json!("one")),
                "Parameter 'offset' must be a number, got: 'one'",
            ),
            (
                with(&whole, "offset", json!(1.5)),
                "Parameter 'offset' must be an integer, got: '1.5'",
            ),
        ],
    );
    refuses_fields(&mut bench, "type_insert_text", &whole, true);
    refuses_texts(&mut bench, "type_insert_text", &whole);
    fails_on_a_button(
        &mut bench,
        "type_insert_text",
        &with(&whole, "offset", json!(0)),
    );
}

#[test]
fn a21_type_replace_text_replaces_the_first() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": "Hello World World" }),
    );
    let whole = json!({ "element_id": id, "search": "World", "new_text": "Android" });
    loses_text(&mut bench, "type_replace_text", &whole, 6, 19);
    let text = bench.ok("type_replace_text", whole.clone());
    assert_eq!(
        text,
        format!(
            "Replaced 5 characters with 7 characters in element '{id}'.\nField content: Hello Android World"
        )
    );
    let text = bench.ok(
        "type_replace_text",
        json!({ "element_id": id, "search": " World", "new_text": "" }),
    );
    assert_eq!(
        text,
        format!(
            "Replaced 6 characters with 0 characters in element '{id}'.\nField content: Hello Android"
        )
    );
    let none = format!("Search text (5 chars) not found in element '{id}'");
    bench.fails("type_replace_text", whole.clone(), NOT_FOUND, &none);
    bench.refuses(
        "type_replace_text",
        [
            (
                without(&whole, "search"),
                "Missing required parameter: 'search'",
            ),
            (
                with(&whole, "search", json!("")),
                "Parameter 'search' must be non-empty",
            ),
            (
                with(&whole, "search", json!("a".repeat(10_001))),
                "search exceeds maximum length of 10000 characters (got 10001)",
            ),
            (
                without(&whole, "new_text"),
                "Missing required parameter: 'new_text'",
            ),
            (
                with(&whole, "new_text", json!("a".repeat(2001))),
                "new_text exceeds maximum length of 2000 characters (got 2001)",
            ),
        ],
    );
    refuses_fields(&mut bench, "type_replace_text", &whole, true);
    fails_on_a_button(&mut bench, "type_replace_text", &whole);
}

#[test]
fn a22_type_clear_text_empties_the_field() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    let whole = json!({ "element_id": id });
    bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": "Hello" }),
    );
    let cleared = format!("Text cleared from element '{id}'.\nField content: ");
    assert_eq!(bench.ok("type_clear_text", whole.clone()), cleared);
    bench.does_not_show("\tHello\t");
    // What is empty stays as it is.
    assert_eq!(bench.ok("type_clear_text", whole.clone()), cleared);
    refuses_fields(&mut bench, "type_clear_text", &whole, false);
    fails_on_a_button(&mut bench, "type_clear_text", &whole);
}

#[test]
fn a23_press_key_presses_it() {
    let mut bench = Bench::in_app();
    for (key, text) in [
        ("ENTER", "No focused element found for ENTER key"),
        ("DEL", "No focused editable element found for DEL key"),
        ("TAB", "No focused editable element found for key input"),
        ("SPACE", "No focused editable element found for key input"),
    ] {
        bench.fails("press_key", json!({ "key": key }), NOT_FOUND, text);
    }
    let id = bench.id("id/username");
    bench.ok(
        "type_append_text",
        json!({ "element_id": id, "text": "abc" }),
    );
    for (key, content) in [
        ("DEL", "\tab\t"),
        ("space", "\tab\t"),
        ("Del", "\tab\t"),
        ("DEL", "\ta\t"),
    ] {
        let text = bench.ok("press_key", json!({ "key": key }));
        assert_eq!(
            text,
            format!("Key '{}' pressed successfully", key.to_uppercase())
        );
        bench.shows(content);
    }
    for key in ["SPACE", "TAB"] {
        bench.ok("press_key", json!({ "key": key }));
    }
    let details = bench.ok(
        "find_elements",
        json!({ "by": "resource_id", "value": "username" }),
    );
    assert!(details.contains(r#""text":"a \t""#), "{details}");
    for key in ["ENTER", "BACK", "HOME"] {
        let text = bench.ok("press_key", json!({ "key": key }));
        assert_eq!(text, format!("Key '{key}' pressed successfully"));
    }
    bench.shows("com.android.launcher:id/workspace");
    bench.refuses(
        "press_key",
        [
            (json!({}), "Missing required parameter: 'key'"),
            (
                json!({ "key": "F1" }),
                "Invalid key: 'F1'. Allowed values: ENTER, BACK, DEL, HOME, TAB, SPACE",
            ),
            (json!({ "key": [4] }), "Parameter 'key' must be a string"),
        ],
    );
    bench.fails_with(
        "command-killed",
        "press_key",
        json!({ "key": "HOME" }),
        FAILED,
        "HOME key failed: `input` failed on the device (exit 137): Killed",
    );
    bench.fails_with(
        "dropped-connection",
        "press_key",
        json!({ "key": "HOME" }),
        DENIED,
        "Accessibility service not enabled. Please enable it in Android Settings > Accessibility.",
    );
    assert_eq!(
        bench.schema("press_key")["properties"]["key"]["enum"],
        json!(["ENTER", "BACK", "DEL", "HOME", "TAB", "SPACE"])
    );
}

const NO_SERVICE: &str = "Accessibility service is not enabled";
const KILLED: &str =
    "Clipboard access failed: `cmd runner clipboard` failed on the device (exit 137): Killed";

#[test]
fn a24_get_clipboard_reads_it() {
    let mut bench = Bench::start();
    assert_eq!(bench.ok("get_clipboard", json!({})), r#"{"text":null}"#);
    bench.ok("set_clipboard", json!({ "text": "two\nlines" }));
    assert_eq!(
        bench.ok("get_clipboard", json!({})),
        r#"{"text":"two\nlines"}"#
    );
    bench.fails_with("command-killed", "get_clipboard", json!({}), FAILED, KILLED);
    bench.fails_with(
        "dropped-connection",
        "get_clipboard",
        json!({}),
        DENIED,
        NO_SERVICE,
    );
}

#[test]
fn a25_set_clipboard_sets_it() {
    let mut bench = Bench::start();
    for (text, length) in [("Hello from MCP", 14), ("", 0), ("'$(id)' 😀", 10)] {
        let message = bench.ok("set_clipboard", json!({ "text": text }));
        assert_eq!(
            message,
            format!("Clipboard set successfully ({length} characters)")
        );
        let stored: Value =
            serde_json::from_str(&bench.ok("get_clipboard", json!({}))).expect("JSON");
        assert_eq!(stored["text"], text);
    }
    bench.refuses(
        "set_clipboard",
        [
            (json!({}), "Missing required parameter: 'text'"),
            (json!({ "text": [5] }), "Parameter 'text' must be a string"),
        ],
    );
    bench.fails_with(
        "command-killed",
        "set_clipboard",
        json!({ "text": "x" }),
        FAILED,
        KILLED,
    );
    bench.fails_with(
        "dropped-connection",
        "set_clipboard",
        json!({ "text": "x" }),
        DENIED,
        NO_SERVICE,
    );
}

/// Texts of two calls at once: one after the other, never character by character in turn.
#[test]
fn a19_two_calls_never_mix_their_texts() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    let begun = ["abcdefghij", "0123456789"].map(|text| {
        let args = json!({ "element_id": id, "text": text, "typing_speed": 10 });
        let call = json!({ "name": "android_type_append_text", "arguments": args });
        bench.client.begin("tools/call", call)
    });
    let (first, others) = bench.client.finish(begun[0]);
    let second = others.into_iter().find(|other| other["id"] == begun[1]);
    let second = second.unwrap_or_else(|| bench.client.finish(begun[1]).0);
    for answer in [first, second] {
        assert_ne!(answer["result"]["isError"], true, "{answer}");
    }
    let args = json!({ "by": "resource_id", "value": "username" });
    let found = bench.call("find_elements", args).text_json();
    let content = found["elements"][0]["text"].as_str().unwrap_or_default();
    assert!(
        ["abcdefghij0123456789", "0123456789abcdefghij"].contains(&content),
        "{content}"
    );
}

#[test]
fn a23_press_key_del_removes_what_is_before_the_caret() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    let element = json!({ "element_id": id });
    bench.ok("type_append_text", with(&element, "text", json!("abcd")));
    let middle = json!({ "element_id": id, "text": "XY", "offset": 2 });
    bench.ok("type_insert_text", middle);
    for content in ["\tabXcd\t", "\tabcd\t", "\tacd\t"] {
        bench.ok("press_key", json!({ "key": "DEL" }));
        bench.shows(content);
    }
    // Nothing is before the caret of an empty field, which is not an error.
    bench.ok("type_clear_text", element);
    let text = bench.ok("press_key", json!({ "key": "DEL" }));
    assert_eq!(text, "Key 'DEL' pressed successfully");
    // BACK takes the keyboard away and leaves the app where it is.
    bench.shows("type:INPUT_METHOD");
    bench.ok("press_key", json!({ "key": "BACK" }));
    bench.does_not_show("type:INPUT_METHOD");
    bench.shows("Welcome to Notes");
}
