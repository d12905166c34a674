//! Tests of arguments that are refused.

use super::*;

/// Invalid arguments, with the messages that the references quote for them.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn argument_errors_are_the_references() {
    let point = |time: Value| json!({ "x": 1, "y": 1, "time": time });
    let table = [
        ("tap", json!({ "y": 1 }), "Missing required parameter: 'x'"),
        (
            "tap",
            json!({ "x": "500", "y": 1 }),
            "Parameter 'x' must be a number, got: '500'",
        ),
        (
            "tap",
            json!({ "x": -1, "y": 1 }),
            "Parameter 'x' must be >= 0, got: -1.0",
        ),
        (
            "tap",
            json!({ "x": 1, "y": -0.5 }),
            "Parameter 'y' must be >= 0, got: -0.5",
        ),
        (
            "long_press",
            json!({ "x": 1, "y": 1, "duration": 0 }),
            "Parameter 'duration' must be between 1 and 60000, got: 0",
        ),
        (
            "swipe",
            json!({ "x1": 1, "y1": 1, "x2": 1, "y2": 1, "duration": 60001 }),
            "Parameter 'duration' must be between 1 and 60000, got: 60001",
        ),
        (
            "scroll",
            json!({}),
            "Missing required parameter: 'direction'",
        ),
        (
            "scroll",
            json!({ "direction": "diagonal" }),
            "Parameter 'direction' must be one of: up, down, left, right. Got: 'diagonal'",
        ),
        (
            "scroll",
            json!({ "direction": "up", "amount": "huge" }),
            "Parameter 'amount' must be one of: small, medium, large. Got: 'huge'",
        ),
        (
            "pinch",
            json!({ "center_x": 1, "center_y": 1, "scale": 0 }),
            "Parameter 'scale' must be > 0, got: 0.0",
        ),
        (
            "custom_gesture",
            json!({}),
            "Missing required parameter: 'paths'",
        ),
        (
            "custom_gesture",
            json!({ "paths": 1 }),
            "Parameter 'paths' must be an array",
        ),
        (
            "custom_gesture",
            json!({ "paths": [] }),
            "Parameter 'paths' must not be empty",
        ),
        (
            "custom_gesture",
            json!({ "paths": [1] }),
            "Path at index 0 must be an array of point objects",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(0))]] }),
            "Path at index 0 must have at least 2 points, has 1",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[1, 2]] }),
            "Point at path[0][0] must be an object with x, y, time",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[{ "x": 1, "y": 1 }, point(json!(1))]] }),
            "Missing 'time' in point at path[0][0]",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!("a")), point(json!(1))]] }),
            "Field 'time' in point at path[0][0] must be a number, got: 'a'",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(-1)), point(json!(1))]] }),
            "Point at path[0][0].time must be >= 0, got: -1",
        ),
        (
            "custom_gesture",
            json!({ "paths": [[point(json!(5)), point(json!(5))]] }),
            "Times must be monotonically increasing within each path. path[0][1].time (5) <= previous time (5)",
        ),
        (
            "find_elements",
            json!({ "value": "a" }),
            "Missing required parameter: 'by'",
        ),
        (
            "find_elements",
            json!({ "by": "text", "value": "" }),
            "Parameter 'value' must be non-empty",
        ),
        (
            "find_elements",
            json!({ "by": "xpath", "value": "a" }),
            "Invalid 'by' value: 'xpath'. Must be one of: text, content_desc, resource_id, class_name",
        ),
        (
            "click_element",
            json!({}),
            "Missing required parameter: 'element_id'",
        ),
        (
            "click_element",
            json!({ "element_id": 7 }),
            "Parameter 'element_id' must be a string",
        ),
        (
            "long_click_element",
            json!({ "element_id": "" }),
            "Parameter 'element_id' must be non-empty",
        ),
        (
            "type_append_text",
            json!({ "text": "a" }),
            "Missing required parameter: 'element_id'",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "" }),
            "Parameter 'text' must be non-empty",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a".repeat(2001) }),
            "text exceeds maximum length of 2000 characters (got 2001)",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 9 }),
            "Parameter 'typing_speed' must be between 10 and 5000, got: 9",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 5001 }),
            "Parameter 'typing_speed' must be between 10 and 5000, got: 5001",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed_variance": -1 }),
            "Parameter 'typing_speed_variance' must be >= 0, got: -1",
        ),
        (
            "type_append_text",
            json!({ "element_id": "e", "text": "a", "typing_speed": 10.5 }),
            "Parameter 'typing_speed' must be an integer, got: '10.5'",
        ),
        (
            "type_insert_text",
            json!({ "element_id": "e", "text": "a" }),
            "Missing required parameter: 'offset'",
        ),
        (
            "type_replace_text",
            json!({ "element_id": "e", "search": "a".repeat(10_001), "new_text": "" }),
            "search exceeds maximum length of 10000 characters (got 10001)",
        ),
        ("press_key", json!({}), "Missing required parameter: 'key'"),
        (
            "press_key",
            json!({ "key": "F1" }),
            "Invalid key: 'F1'. Allowed values: ENTER, BACK, DEL, HOME, TAB, SPACE",
        ),
        (
            "set_clipboard",
            json!({}),
            "Missing required parameter: 'text'",
        ),
        (
            "wait_for_element",
            json!({ "by": "text", "value": "a", "timeout": 30001 }),
            "Parameter 'timeout' must be between 1 and 30000, got: 30001",
        ),
        (
            "wait_for_idle",
            json!({ "match_percentage": 101 }),
            "Parameter 'match_percentage' must be between 0 and 100, got: 101",
        ),
        (
            "get_element_details",
            json!({ "ids": "a" }),
            "Parameter 'ids' must be an array of strings",
        ),
        (
            "get_element_details",
            json!({ "ids": [] }),
            "Parameter 'ids' must not be empty",
        ),
        (
            "get_element_details",
            json!({ "ids": [1] }),
            "Each element in 'ids' must be a string",
        ),
        (
            "get_device_logs",
            json!({ "last_lines": 0 }),
            "Parameter 'last_lines' must be between 1 and 1000, got: 0",
        ),
        (
            "get_device_logs",
            json!({ "level": "x" }),
            "Parameter 'level' must be one of: V, D, I, W, E, F. Got: 'x'",
        ),
        (
            "list_apps",
            json!({ "filter": "mine" }),
            "Parameter 'filter' must be one of: all, user, system. Got: 'mine'",
        ),
        (
            "open_app",
            json!({}),
            "Missing required parameter: 'package_id'",
        ),
        (
            "download_from_url",
            json!({ "location_id": "l", "path": "p", "url": "nope" }),
            "Invalid URL: nope",
        ),
    ];
    for (name, args, message) in table {
        let fake = Fake::showing([""]);
        let failure = run(&fake, name, args.clone()).await.unwrap_err();
        assert_eq!(failure.message, message, "{name} {args}");
        assert_eq!(
            failure.code,
            Some(ErrorCode::INVALID_PARAMS),
            "{name} {args}"
        );
        assert_eq!(failure.kind, FailureKind::Usage);
        assert_eq!(fake.counters().read().round_trips, 0, "{name} {args}");
    }
}

#[tokio::test]
async fn unknown_arguments_are_refused() {
    let failure = run(
        &Fake::showing([""]),
        "tap",
        json!({ "x": 1, "y": 1, "z": 1 }),
    )
    .await
    .unwrap_err();
    assert!(
        failure.message.contains("there is no parameter 'z'"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn whole_numbers_may_be_written_with_a_point() {
    let fake = Fake::showing([""]);
    let args = json!({ "last_lines": 5.0 });
    run(&fake, "get_device_logs", args).await.unwrap();
}
