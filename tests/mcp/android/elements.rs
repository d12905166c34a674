//! A15–A18: elements found, and acted on by id.

use serde_json::{Value, json};

use super::{Bench, DENIED, FAILED, NOT_FOUND};

/// Asserts the errors MP2, types and EMPTY of `element_id`, NF and TREE.
#[track_caller]
fn refuses_elements(bench: &mut Bench, tool: &str) {
    bench.refuses(
        tool,
        [
            (json!({}), "Missing required parameter: 'element_id'"),
            (
                json!({ "element_id": "" }),
                "Parameter 'element_id' must be non-empty",
            ),
            (
                json!({ "element_id": [7] }),
                "Parameter 'element_id' must be a string",
            ),
        ],
    );
    bench.fails_without_a_tree(tool, &json!({ "element_id": "node_none" }));
}

/// Asserts the error GEST: the element is found, then the device goes away.
#[track_caller]
fn fails_at_the_touch(bench: &mut Bench, tool: &str, id: &str) {
    bench.fails_with(
        "dropped-connection=3:1",
        tool,
        json!({ "element_id": id }),
        DENIED,
        "Accessibility service not enabled. Please enable it in Android Settings.",
    );
}

#[test]
fn a15_find_elements_searches_every_node() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/username");
    let mut find = |args: Value| -> Vec<Value> {
        let found: Value = serde_json::from_str(&bench.ok("find_elements", args)).expect("JSON");
        assert_eq!(found.as_object().map(serde_json::Map::len), Some(1));
        found["elements"].as_array().cloned().expect("a list")
    };
    let username = json!({
        "id": id, "text": "Username", "contentDescription": null,
        "resourceId": "com.example.notes:id/username", "className": "android.widget.EditText",
        "bounds": { "left": 42, "top": 783, "right": 1038, "bottom": 935 },
        "clickable": true, "longClickable": true, "scrollable": false, "editable": true, "enabled": true,
    });
    let by = |by: &str, value: &str, exact: bool| json!({ "by": by, "value": value, "exact_match": exact });
    assert_eq!(
        find(json!({ "by": "resource_id", "value": "USERNAME" })),
        std::slice::from_ref(&username)
    );
    assert_eq!(
        find(by("resource_id", "com.example.notes:id/username", true)),
        std::slice::from_ref(&username)
    );
    assert!(find(by("resource_id", "username", true)).is_empty());
    assert!(find(by("class_name", "EditText", false)).contains(&username));
    assert_eq!(find(by("content_desc", "hills", false)).len(), 1);
    assert_eq!(find(by("text", "Welcome to Notes", true)).len(), 1);
    assert!(find(by("text", "nothing like it", false)).is_empty());
    bench.refuses(
        "find_elements",
        [
            (json!({ "value": "a" }), "Missing required parameter: 'by'"),
            (json!({ "by": "text" }), "Missing required parameter: 'value'"),
            (json!({ "by": "text", "value": "" }), "Parameter 'value' must be non-empty"),
            (json!({ "by": "text", "value": [1] }), "Parameter 'value' must be a string"),
            (
                json!({ "by": "xpath", "value": "a" }),
                "Invalid 'by' value: 'xpath'. Must be one of: text, content_desc, resource_id, class_name",
            ),
        ],
    );
    // Also the boxes that the rows leave out.
    let boxes =
        json!({ "by": "class_name", "value": "android.widget.FrameLayout", "exact_match": true });
    let boxes: Value = serde_json::from_str(&bench.ok("find_elements", boxes)).expect("JSON");
    let state = bench.state();
    let left_out = |element: &Value| !state.contains(element["id"].as_str().unwrap_or_default());
    let boxes = boxes["elements"].as_array().cloned().unwrap_or_default();
    assert!(boxes.iter().any(left_out), "{boxes:?}");
    bench.fails_without_a_tree("find_elements", &json!({ "by": "text", "value": "a" }));
    let schema = bench.schema("find_elements");
    assert_eq!(schema["required"], json!(["by", "value"]));
    assert_eq!(schema["properties"]["exact_match"]["default"], false);
}

#[test]
fn a16_click_element_clicks_it() {
    let mut bench = Bench::start();
    let icon = bench.id("\tNotes\t");
    let text = bench.ok("click_element", json!({ "element_id": icon }));
    assert_eq!(text, format!("Click performed on element '{icon}'"));
    bench.shows("Welcome to Notes");
    let welcome = bench.id("id/welcome");
    let still = format!("Node '{welcome}' is not clickable");
    bench.fails(
        "click_element",
        json!({ "element_id": welcome }),
        FAILED,
        &still,
    );
    let button = bench.id("id/forgot");
    fails_at_the_touch(&mut bench, "click_element", &button);
    refuses_elements(&mut bench, "click_element");
    bench.fails(
        "click_element",
        json!({ "element_id": "node_none" }),
        NOT_FOUND,
        "Element 'node_none' not found in accessibility tree",
    );
}

#[test]
fn a17_long_click_element_holds_it() {
    let mut bench = Bench::in_app();
    let field = bench.id("id/username");
    bench.does_not_show("type:INPUT_METHOD");
    let text = bench.ok("long_click_element", json!({ "element_id": field }));
    assert_eq!(text, format!("Long-click performed on element '{field}'"));
    bench.shows("type:INPUT_METHOD");
    let button = bench.id("id/forgot");
    let still = format!("Node '{button}' is not long-clickable");
    bench.fails(
        "long_click_element",
        json!({ "element_id": button }),
        FAILED,
        &still,
    );
    let field = bench.id("id/username");
    fails_at_the_touch(&mut bench, "long_click_element", &field);
    refuses_elements(&mut bench, "long_click_element");
    bench.fails(
        "long_click_element",
        json!({ "element_id": "node_none" }),
        NOT_FOUND,
        "Element 'node_none' not found in accessibility tree",
    );
}

#[test]
fn a18_scroll_to_element_brings_it_back() {
    let mut bench = Bench::in_inbox();
    let first = first_note(&mut bench);
    let args = json!({ "element_id": first });
    let text = bench.ok("scroll_to_element", args.clone());
    assert_eq!(text, format!("Element '{first}' is already visible"));
    drag_away(&mut bench);
    let text = bench.ok("get_element_details", json!({ "ids": [first] }));
    assert!(text.ends_with("not_found\tnot_found"), "{text}");
    let text = bench.ok("scroll_to_element", args.clone());
    assert_eq!(text, format!("Scrolled to element '{first}' (1 scroll(s))"));
    assert_eq!(first_note(&mut bench), first);

    drag_away(&mut bench);
    let late = format!("Element '{first}' not visible after 5 scroll attempts");
    bench.fails_with(
        "lost-input",
        "scroll_to_element",
        args.clone(),
        FAILED,
        &late,
    );
    bench.ok("press_home", json!({}));
    let none = format!("No scrollable container found for element '{first}'");
    bench.fails("scroll_to_element", args, FAILED, &none);
    refuses_elements(&mut bench, "scroll_to_element");
    bench.fails(
        "scroll_to_element",
        json!({ "element_id": "node_none" }),
        NOT_FOUND,
        "Element 'node_none' not found",
    );
}

/// Returns the id of the first note of the list: the first row below the list whose element has a text.
fn first_note(bench: &mut Bench) -> String {
    let state = bench.state();
    let row = state
        .lines()
        .skip_while(|line| !line.contains(",scr"))
        .skip(1)
        .find(|line| line.contains("\tTextView\t"));
    let row = row.unwrap_or_else(|| panic!("no note: {state}"));
    row.split('\t').next().unwrap_or_default().to_owned()
}

/// Moves the list just so far that its first note is gone.
fn drag_away(bench: &mut Bench) {
    let way = json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 1100, "duration": 3000 });
    bench.ok("swipe", way);
}
