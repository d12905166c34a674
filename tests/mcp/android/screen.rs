//! A1, A7 and A26–A28: looking, waiting, the log.

use base64::Engine as _;
use serde_json::{Value, json};

use super::{Bench, DENIED, FAILED, INVALID};

const NOTES: &str = "note:structural-only nodes are omitted from the tree
note:certain elements are custom and will not be properly reported, if needed or if tools are not working as expected set include_screenshot=true to see the screen and take what you see into account
note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable scr=scrollable edt=editable ena=enabled
note:offscreen items require scroll_to_element before interaction
screen:1080x2400 density:420 orientation:portrait
--- window:";

#[test]
fn a01_get_screen_state_is_rows_and_a_picture_where_it_is_wanted() {
    let mut bench = Bench::in_app();
    let answer = bench.call("get_screen_state", json!({}));
    assert!(answer.text.starts_with(NOTES), "{}", answer.text);
    assert_eq!(answer.result["content"].as_array().map(Vec::len), Some(1));
    let (_, window) = answer.text.rsplit_once("--- window:").expect("a window");
    let (id, window) = window.split_once(' ').expect("what it is");
    let head = "type:APPLICATION pkg:com.example.notes title:Notes activity:.SignIn layer:0 focused:true ---\nid\tclass\ttext\tdesc\tres_id\tbounds\tflags\n";
    assert!(window.starts_with(head), "{}", answer.text);
    let row =
        "\tTextView\tWelcome to Notes\t-\tcom.example.notes:id/welcome\t42,589,1038,695\ton,ena\n";
    assert!(
        answer.text.contains(&format!("_w{id}{row}")),
        "{}",
        answer.text
    );

    let answer = bench.call("get_screen_state", json!({ "include_screenshot": true }));
    let content = answer.result["content"].as_array().expect("content");
    assert!(
        content[0]["text"]
            .as_str()
            .is_some_and(|text| text.starts_with(NOTES))
    );
    assert_eq!((content.len(), &content[1]["type"]), (2, &json!("image")));
    assert_eq!(content[1]["mimeType"], "image/jpeg");
    let data = content[1]["data"].as_str().expect("data");
    let jpeg = base64::engine::general_purpose::STANDARD
        .decode(data)
        .expect("base64");
    assert!(jpeg.starts_with(&[0xff, 0xd8, 0xff]) && jpeg.ends_with(&[0xff, 0xd9]));
    assert_eq!(jpeg_size(&jpeg), Some((315, 700)));

    let answer = bench.call("get_screen_state", json!({ "include_screenshot": "yes" }));
    assert!(
        answer.is_error && answer.text.contains("must be true or false, got: "),
        "{}",
        answer.text
    );
    assert_eq!(answer.json()["code"], INVALID, "{}", answer.result);
    bench.fails_without_a_tree("get_screen_state", &json!({}));
    let picture = json!({ "include_screenshot": true });
    bench.fails_with(
        "bad-screenshot",
        "get_screen_state",
        picture.clone(),
        FAILED,
        "Screenshot capture failed",
    );
    // The look is answered, then the device goes away.
    bench.fails_with(
        "dropped-connection=3:1",
        "get_screen_state",
        picture,
        DENIED,
        "Screen capture not available. Please enable the accessibility service in Android Settings.",
    );
    let schema = bench.schema("get_screen_state");
    assert_eq!(
        schema["properties"]["include_screenshot"]["type"],
        "boolean"
    );
    assert_eq!(schema["properties"]["include_screenshot"]["default"], false);
}

/// Returns width and height, from the start-of-frame marker.
fn jpeg_size(jpeg: &[u8]) -> Option<(u16, u16)> {
    let at = jpeg
        .windows(2)
        .position(|pair| pair[0] == 0xff && (0xc0..=0xc2).contains(&pair[1]))?;
    let number = |at: usize| Some(u16::from_be_bytes([*jpeg.get(at)?, *jpeg.get(at + 1)?]));
    Some((number(at + 7)?, number(at + 5)?))
}

#[test]
fn a07_get_device_logs_gives_the_newest_lines() {
    let mut bench = Bench::in_inbox();
    let mut logs = |args: Value| -> Value {
        serde_json::from_str(&bench.ok("get_device_logs", args)).expect("JSON")
    };
    let all = logs(json!({ "tag": "Notes" }));
    let text = all["logs"].as_str().expect("text");
    assert!(
        text.ends_with(" D/Notes: signed in") || text.ends_with(" I/Notes: signed in"),
        "{text}"
    );
    assert_eq!(all["truncated"], false);
    assert_eq!(all["line_count"], text.lines().count());
    let time =
        regex::Regex::new(r"^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} [VDIWEF]/Notes: ").expect("a pattern");
    assert!(text.lines().all(|line| time.is_match(line)), "{text}");
    let last = logs(json!({ "last_lines": 1, "tag": "Notes" }));
    assert_eq!(
        (&last["line_count"], &last["truncated"]),
        (&json!(1), &json!(true))
    );
    assert!(
        last["logs"]
            .as_str()
            .is_some_and(|line| line.ends_with("signed in"))
    );
    assert_eq!(
        logs(json!({ "tag": "Notes", "level": "E" }))["line_count"],
        0
    );
    assert_eq!(
        logs(json!({ "package_name": "com.example.nothing" }))["line_count"],
        0
    );
    assert!(logs(json!({ "package_name": "com.example.notes" }))["line_count"] != 0);
    assert_eq!(
        logs(json!({ "since": "2999-12-31T23:59:59" }))["line_count"],
        0
    );
    assert_eq!(
        logs(json!({ "until": "2020-01-01T00:00:00" }))["line_count"],
        0
    );
    let garbage = |name: &str| {
        format!(
            "Parameter '{name}' must be an ISO 8601 timestamp such as 2024-01-15T10:30:00, got: 'garbage'"
        )
    };
    bench.refuses(
        "get_device_logs",
        [
            (json!({ "since": "garbage" }), garbage("since").as_str()),
            (json!({ "until": "garbage" }), garbage("until").as_str()),
            (
                json!({ "last_lines": 0 }),
                "Parameter 'last_lines' must be between 1 and 1000, got: 0",
            ),
            (
                json!({ "last_lines": 1001 }),
                "Parameter 'last_lines' must be between 1 and 1000, got: 1001",
            ),
            (
                json!({ "last_lines": "five" }),
                "Parameter 'last_lines' must be a number, got: 'five'",
            ),
            (
                json!({ "last_lines": 1.5 }),
                "Parameter 'last_lines' must be an integer, got: '1.5'",
            ),
            (
                json!({ "level": "X" }),
                "Parameter 'level' must be one of: V, D, I, W, E, F. Got: 'X'",
            ),
            (json!({ "tag": [5] }), "Parameter 'tag' must be a string"),
        ],
    );
    bench.fails_with(
        "command-killed",
        "get_device_logs",
        json!({}),
        FAILED,
        "Logcat command failed: `logcat` failed on the device (exit 137): Killed",
    );
}

// R6
#[test]
fn a07_times_with_offsets_are_times() {
    let mut bench = Bench::in_inbox();
    let mut logs = |args: Value| -> Value {
        serde_json::from_str(&bench.ok("get_device_logs", args)).expect("JSON")
    };
    let shift = |hours: i64, offset: &str| {
        let at = chrono::Utc::now() + chrono::TimeDelta::hours(hours);
        format!("{}{offset}", at.format("%Y-%m-%dT%H:%M:%S"))
    };
    for (since, some) in [
        (shift(-1, "Z"), true),
        (shift(-1, ""), true),
        (shift(1, "Z"), false),
        // One hour ago, by a clock two hours ahead and by one two hours behind.
        (shift(1, "+02:00"), true),
        (shift(-3, "-0200"), true),
        (shift(3, "+02"), false),
        ("2020-01-01".to_owned(), true),
    ] {
        let count = logs(json!({ "tag": "Notes", "since": since.clone() }))["line_count"].clone();
        assert_eq!(count != 0, some, "{since}: {count}");
    }
}

#[test]
fn a26_wait_for_element_waits_for_one() {
    let mut bench = Bench::in_app();
    let id = bench.id("id/welcome");
    let args = json!({ "by": "text", "value": "WELCOME", "timeout": 5000 });
    let found: Value = serde_json::from_str(&bench.ok("wait_for_element", args)).expect("JSON");
    assert_eq!(
        (&found["found"], &found["attempts"]),
        (&json!(true), &json!(1))
    );
    assert!(found["elapsedMs"].is_u64());
    assert_eq!(
        found["element"],
        json!({
            "id": id, "text": "Welcome to Notes", "contentDescription": null,
            "resourceId": "com.example.notes:id/welcome", "className": "android.widget.TextView",
            "bounds": { "left": 42, "top": 589, "right": 1038, "bottom": 695 },
            "clickable": false, "enabled": true,
        })
    );
    let args = json!({ "by": "content_desc", "value": "nothing like it", "timeout": 3000 });
    let answer = bench.call("wait_for_element", args);
    assert!(!answer.is_error, "{}", answer.text);
    let missed = answer.text_json();
    assert_eq!(missed["found"], false);
    assert!(missed["elapsedMs"].as_u64() >= Some(3000), "{missed}");
    assert!(missed["attempts"].as_u64() > Some(1), "{missed}");
    assert!(missed.get("element").is_none(), "{missed}");
    let timeout = |timeout: Value| json!({ "by": "text", "value": "a", "timeout": timeout });
    bench.refuses(
        "wait_for_element",
        [
            (json!({}), "Missing required parameter: 'by'"),
            (json!({ "by": "text", "timeout": 1 }), "Missing required parameter: 'value'"),
            (json!({ "by": "text", "value": "a" }), "Missing required parameter: 'timeout'"),
            (json!({ "by": "text", "value": "", "timeout": 1 }), "Parameter 'value' must be non-empty"),
            (
                json!({ "by": "xpath", "value": "a", "timeout": 1 }),
                "Invalid 'by' value: 'xpath'. Must be one of: text, content_desc, resource_id, class_name",
            ),
            (timeout(json!(0)), "Parameter 'timeout' must be between 1 and 30000, got: 0"),
            (timeout(json!(30_001)), "Parameter 'timeout' must be between 1 and 30000, got: 30001"),
            (timeout(json!("soon")), "Parameter 'timeout' must be a number, got: 'soon'"),
            (timeout(json!(1.5)), "Parameter 'timeout' must be an integer, got: '1.5'"),
        ],
    );
    let schema = bench.schema("wait_for_element");
    assert_eq!(schema["required"], json!(["by", "value", "timeout"]));
    assert_eq!(schema["properties"]["timeout"]["type"], "integer");
    // It waits while the screen has no content yet, and says so when that lasts.
    bench.fails_without_a_tree("wait_for_element", &timeout(json!(1000)));
}

#[test]
fn a27_wait_for_idle_compares_looks() {
    let mut bench = Bench::in_app();
    let idle = bench
        .call("wait_for_idle", json!({ "timeout": 3000 }))
        .text_json();
    assert_eq!(
        (&idle["message"], &idle["similarity"]),
        (&json!("UI is idle"), &json!(100))
    );
    assert!(idle["elapsedMs"].is_u64());
    // Two looks are compared however short the limit is: a slow look is no restless screen.
    let answer = bench.call("wait_for_idle", json!({ "timeout": 1 }));
    assert!(!answer.is_error, "{}", answer.text);
    let late = answer.text_json();
    assert_eq!(
        (&late["message"], &late["similarity"]),
        (&json!("UI is idle"), &json!(100))
    );
    assert!(late["elapsedMs"].as_u64() >= Some(500), "{late}");
    bench.refuses(
        "wait_for_idle",
        [
            (json!({}), "Missing required parameter: 'timeout'"),
            (
                json!({ "timeout": 0 }),
                "Parameter 'timeout' must be between 1 and 30000, got: 0",
            ),
            (
                json!({ "timeout": 30_001 }),
                "Parameter 'timeout' must be between 1 and 30000, got: 30001",
            ),
            (
                json!({ "timeout": 1, "match_percentage": 101 }),
                "Parameter 'match_percentage' must be between 0 and 100, got: 101",
            ),
            (
                json!({ "timeout": 1, "match_percentage": -1 }),
                "Parameter 'match_percentage' must be between 0 and 100, got: -1",
            ),
        ],
    );
    let schema = bench.schema("wait_for_idle");
    assert_eq!(schema["required"], json!(["timeout"]));
    assert_eq!(schema["properties"]["match_percentage"]["default"], 100);
    bench.fails_with(
        "slot-taken",
        "wait_for_idle",
        json!({ "timeout": 1000 }),
        DENIED,
        "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
    );
}

#[test]
fn a28_get_element_details_gives_whole_texts() {
    let mut bench = Bench::in_app();
    let (welcome, hero) = (bench.id("id/welcome"), bench.id("id/hero"));
    let text = bench.ok(
        "get_element_details",
        json!({ "ids": [welcome, "node_none", hero] }),
    );
    assert_eq!(
        text,
        format!(
            "id\ttext\tdesc\n{welcome}\tWelcome to Notes\t-\nnode_none\tnot_found\tnot_found\n{hero}\t-\tHills at dawn"
        )
    );
    // What the rows cut off after 100 characters is here.
    let long = "0123456789".repeat(15);
    let field = bench.id("id/username");
    bench.ok(
        "type_append_text",
        json!({ "element_id": field, "text": long }),
    );
    bench.shows(&format!("{}...truncated", &long[..100]));
    let text = bench.ok("get_element_details", json!({ "ids": [field] }));
    assert_eq!(text, format!("id\ttext\tdesc\n{field}\t{long}\t-"));
    bench.refuses(
        "get_element_details",
        [
            (json!({}), "Missing required parameter: 'ids'"),
            (
                json!({ "ids": "a" }),
                "Parameter 'ids' must be an array of strings",
            ),
            (json!({ "ids": [] }), "Parameter 'ids' must not be empty"),
            (
                json!({ "ids": ["a", 1] }),
                "Each element in 'ids' must be a string",
            ),
        ],
    );
    bench.fails_without_a_tree("get_element_details", &json!({ "ids": ["a"] }));
}
