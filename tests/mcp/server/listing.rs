//! Lists of tools that clients get, in each revision of the protocol.

use serde_json::{Value, json};

use super::http_client::{HttpServer, begin, good_headers};
use crate::common::Project;
use crate::common::mcp::Client;

const DIALECTS: [&str; 4] = ["android", "mobile-agent", "semantic", "scenario"];

/// Schemas of the Android tools' arguments in the reference server.
const REFERENCE: &str = include_str!("../../fixtures/android-schemas.json");

/// Ranges that the reference states in words.
const RANGES: [(&str, &str, &str, i64); 16] = [
    ("android_tap", "x", "minimum", 0),
    ("android_tap", "y", "minimum", 0),
    ("android_long_press", "duration", "minimum", 1),
    ("android_long_press", "duration", "maximum", 60000),
    ("android_swipe", "duration", "maximum", 60000),
    ("android_pinch", "scale", "exclusiveMinimum", 0),
    ("android_get_device_logs", "last_lines", "minimum", 1),
    ("android_get_device_logs", "last_lines", "maximum", 1000),
    ("android_type_append_text", "text", "maxLength", 2000),
    ("android_type_append_text", "typing_speed", "minimum", 10),
    ("android_type_append_text", "typing_speed", "maximum", 5000),
    ("android_type_replace_text", "search", "maxLength", 10000),
    ("android_wait_for_element", "timeout", "maximum", 30000),
    ("android_wait_for_idle", "match_percentage", "maximum", 100),
    ("android_list_files", "limit", "maximum", 200),
    ("android_get_element_details", "ids", "minItems", 1),
];

fn listed(client: &mut Client) -> Vec<Value> {
    let list = client.request("tools/list", json!({}));
    list["tools"].as_array().expect("tools").clone()
}

/// Visits a schema and every schema below it.
fn each<'a>(schema: &'a Value, visit: &mut impl FnMut(&'a Value)) {
    visit(schema);
    for key in ["properties", "items", "anyOf", "oneOf", "allOf"] {
        match (key, &schema[key]) {
            ("items", items @ Value::Object(_)) => each(items, visit),
            (_, Value::Object(map)) => map.values().for_each(|schema| each(schema, visit)),
            (_, Value::Array(parts)) => parts.iter().for_each(|schema| each(schema, visit)),
            _ => {}
        }
    }
}

#[test]
fn every_listed_tool_can_be_understood() {
    let project = Project::with_demo_app();
    for dialect in DIALECTS {
        let mut client = Client::start(&project, &["--dialect", dialect]);
        for tool in listed(&mut client) {
            let name = tool["name"].as_str().expect("a name");
            assert!(
                name.len() <= 64
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
                "{name}"
            );
            let title = tool["title"].as_str().expect("a title");
            assert!(
                title.starts_with(char::is_uppercase)
                    && !title.contains('_')
                    && !title.starts_with("Android")
                    && !title.starts_with("Runner"),
                "{name}: {title}"
            );
            assert!(
                tool["description"]
                    .as_str()
                    .is_some_and(|text| text.len() > 10),
                "{tool}"
            );
            let annotations = &tool["annotations"];
            let only_looks = annotations["readOnlyHint"] == true;
            // T4: what only looks reaches nothing outside; of what acts a client assumes that it may.
            assert!(
                annotations["openWorldHint"] == json!(false) || !only_looks,
                "{annotations}"
            );
            assert!(
                only_looks || annotations["destructiveHint"].is_boolean(),
                "{tool}"
            );

            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{name}");
            let text = schema.to_string();
            assert!(!text.contains("\"$"), "{name} refers to something: {text}");
            let properties = schema["properties"].as_object().expect("properties");
            for (property, schema) in properties {
                assert!(
                    schema["description"]
                        .as_str()
                        .is_some_and(|text| !text.is_empty()),
                    "{name}.{property} has no description"
                );
            }
            each(schema, &mut |part| {
                assert!(!part["type"].is_array(), "{name}: {part}");
                assert_ne!(part["type"], "null", "{name}: {part}");
                assert!(part.get("default").is_none_or(|default| !default.is_null()));
            });
        }
    }
}

/// Tools that only look, and tools that may destroy something, by their names in each dialect.
const LOOK: [(&str, &[&str]); 4] = [
    (
        "android",
        &[
            "android_find_elements",
            "android_get_clipboard",
            "android_get_device_logs",
            "android_get_element_details",
            "android_get_screen_state",
            "android_list_apps",
            "android_list_files",
            "android_list_storage_locations",
            "android_read_file",
            "android_wait_for_element",
            "android_wait_for_idle",
        ],
    ),
    (
        "mobile-agent",
        &[
            "capture_screenshot",
            "get_app_window_controls_target_info",
            "get_device_info",
            "get_mobile_app_target_info",
            "get_ui_tree",
            "wait",
        ],
    ),
    ("semantic", &["list_actionable"]),
    (
        "scenario",
        &[
            "findUiElementsByText",
            "generateTestScenarioReport",
            "getScreenDump",
            "getScreenSize",
            "verifyElementNotVisible",
            "verifyElementVisible",
            "wait",
        ],
    ),
];
const DESTROY: [&str; 4] = [
    "android_delete_file",
    "android_download_from_url",
    "android_file_replace",
    "android_write_file",
];

#[test]
fn annotations_say_what_looks_and_what_destroys() {
    let project = Project::with_demo_app();
    for (dialect, look) in LOOK {
        let mut client = Client::start(&project, &["--dialect", dialect, "--no-agent-tools"]);
        let tools = listed(&mut client);
        let with = |annotation: &str| -> Vec<&str> {
            let mut names: Vec<&str> = tools
                .iter()
                .filter(|tool| tool["annotations"][annotation] == true)
                .filter_map(|tool| tool["name"].as_str())
                .collect();
            names.sort_unstable();
            names
        };
        assert_eq!(with("readOnlyHint"), look, "{dialect}");
        let destroy = if dialect == "android" {
            &DESTROY[..]
        } else {
            &[]
        };
        assert_eq!(with("destructiveHint"), destroy, "{dialect}");
    }
}

#[test]
fn the_android_tools_take_what_the_reference_says() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--no-agent-tools"]);
    let tools = listed(&mut client);
    let schema = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name);
        &tool.unwrap_or_else(|| panic!("no {name}"))["inputSchema"]
    };
    let reference: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let reference = reference.as_object().expect("tools");
    assert_eq!((reference.len(), tools.len()), (39, 39));
    for (name, wanted) in reference {
        let own = schema(name);
        assert_eq!(
            sorted(&own["required"]),
            sorted(&wanted["required"]),
            "{name}"
        );
        let names = |schema: &Value| -> Vec<String> {
            let properties = schema["properties"].as_object().expect("properties");
            let mut names: Vec<String> = properties.keys().cloned().collect();
            names.sort();
            names
        };
        assert_eq!(names(own), names(wanted), "{name}");
        for (property, wanted) in wanted["properties"].as_object().into_iter().flatten() {
            let own = &own["properties"][property];
            assert_eq!(own["type"], wanted["type"], "{name}.{property}");
            // 1000.0 and 1000 are the same default.
            match (own["default"].as_f64(), wanted["default"].as_f64()) {
                (Some(own), Some(wanted)) => {
                    assert!((own - wanted).abs() < 1e-9, "{name}.{property}: {own}");
                }
                _ => assert_eq!(own["default"], wanted["default"], "{name}.{property}"),
            }
            // A key may be written in any letter case, which an enumeration would forbid.
            if name != "android_press_key" && !wanted["enum"].is_null() {
                assert_eq!(own["enum"], wanted["enum"], "{name}.{property}");
            }
        }
    }
    for (name, property, key, wanted) in RANGES {
        let own = &schema(name)["properties"][property][key];
        assert_eq!(own.as_i64(), Some(wanted), "{name}.{property} {key}");
    }
}

fn sorted(names: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn a_slug_is_part_of_every_name() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--slug", "pixel_7", "--no-agent-tools"]);
    let tools = listed(&mut client);
    assert!(
        tools.iter().all(|tool| tool["name"]
            .as_str()
            .is_some_and(|name| name.starts_with("android_pixel_7_"))),
        "{tools:?}"
    );
    assert!(tools.iter().any(|tool| tool["title"] == "Press back"));
    let answer = client.call("android_pixel_7_tap", json!({ "x": 1, "y": 1 }));
    assert_eq!(answer.text, "Tap executed at (1, 1)");
    for wrong in ["pixel-7", "pixel 7", "abcdefghijklmnopqrstu", "ü"] {
        project
            .run(&["mcp", "--slug", wrong])
            .expect(2)
            .says("letters (a-z, A-Z), digits and underscores only, at most 20");
    }
}

/// Returns the fields that a request of the newest revision carries instead of a handshake.
fn newest_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "tests", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn every_revision_of_the_protocol_is_spoken() {
    let project = Project::with_demo_app();
    // T4: the revision with batches is not spoken; who knows it knows the one before.
    for (requested, revision) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2024-11-05"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
    ] {
        let mut client = Client::silent(&project, &[]);
        let answer = client.initialize(requested);
        assert_eq!(answer["protocolVersion"], revision);
        assert!(
            answer["instructions"]
                .as_str()
                .is_some_and(|text| text.starts_with("runner_look"))
        );
        let answer = client.call("android_tap", json!({ "x": 1, "y": 1 }));
        assert_eq!(answer.text, "Tap executed at (1, 1)", "{revision}");
    }
    let mut client = Client::silent(&project, &[]);
    assert_eq!(
        client.initialize("1999-01-01")["protocolVersion"],
        "2025-11-25"
    );

    let mut client = Client::silent(&project, &[]);
    let discovered = client.request("server/discover", json!({ "_meta": newest_meta() }));
    assert!(
        discovered["supportedVersions"]
            .to_string()
            .contains("2026-07-28"),
        "{discovered}"
    );
    assert!(
        !discovered.to_string().contains("2025-03-26"),
        "{discovered}"
    );
    let answer = client.request(
        "tools/call",
        json!({ "name": "android_tap", "arguments": { "x": 1, "y": 1 }, "_meta": newest_meta() }),
    );
    assert_eq!(answer["content"][0]["text"], "Tap executed at (1, 1)");
    assert_eq!(answer["resultType"], "complete");
}

#[test]
fn the_newest_revision_needs_no_session_over_http() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let mut headers = good_headers(server.address());
    headers.push(("MCP-Protocol-Version", "2026-07-28"));
    headers.push(("Mcp-Method", "tools/call"));
    headers.push(("Mcp-Name", "android_tap"));
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "android_tap", "arguments": { "x": 1, "y": 1 }, "_meta": newest_meta() },
    });
    let reply = begin(server.address(), "POST /mcp", &headers, &call.to_string()).reply();
    let answer = reply.messages().pop().expect("an answer");
    assert_eq!(
        answer["result"]["content"][0]["text"], "Tap executed at (1, 1)",
        "{reply:?}"
    );
}

/// T8: what stays as it is need not be asked for again.
#[test]
fn the_newest_revision_says_what_may_be_kept() {
    let project = Project::with_demo_app();
    let mut client = Client::silent(&project, &[]);
    let meta = newest_meta();
    let asked = |client: &mut Client, method: &str, uri: Option<&str>| {
        let mut params = json!({ "_meta": meta });
        if let Some(uri) = uri {
            params["uri"] = uri.into();
        }
        let result = client.request(method, params);
        assert_eq!(result["cacheScope"], "private", "{method}: {result}");
        result["ttlMs"].as_u64().expect("a time")
    };
    for (method, uri, is_kept) in [
        ("server/discover", None, true),
        ("tools/list", None, true),
        ("prompts/list", None, true),
        ("resources/list", None, true),
        ("resources/templates/list", None, true),
        ("resources/read", Some("runner://docs/flows"), true),
        ("resources/read", Some("runner://schema/flow"), true),
        ("resources/read", Some("runner://flows"), false),
        ("resources/read", Some("runner://report/last"), false),
    ] {
        let kept = asked(&mut client, method, uri);
        assert_eq!(kept > 0, is_kept, "{method} {uri:?}: {kept}");
    }
    // Which tools there are depends on the device here.
    let mut client = Client::silent(&project, &["--dialect", "semantic"]);
    assert_eq!(asked(&mut client, "tools/list", None), 0);
    // Earlier revisions have no word for it.
    let mut client = Client::start(&project, &[]);
    let listed = client.request("tools/list", json!({}));
    assert!(listed.get("ttlMs").is_none(), "{listed}");
    let uri = json!({ "uri": "runner://docs/flows" });
    let read = client.request("resources/read", uri);
    assert!(read.get("ttlMs").is_none());
}

/// R11: what all names begin with says nothing of which is meant.
#[test]
fn an_unknown_tool_is_told_the_nearest_without_the_prefix() {
    let project = Project::with_demo_app();
    for (arguments, name, suggestion) in [
        (&["--slug", "pixel7"][..], "tap", "android_pixel7_tap"),
        (&[], "tap", "android_tap"),
        (&[], "android_long_tap", "android_long_press"),
        (&[], "clickElement", "android_click_element"),
        (&[], "look", "runner_look"),
        (&[], "launch_app", "android_open_app"),
        (&[], "android_start_app", "android_open_app"),
        (&[], "stop_app", "android_close_app"),
        (
            &["--dialect", "scenario"],
            "take_screenshot",
            "takeScreenshot",
        ),
    ] {
        let mut client = Client::start(&project, arguments);
        let answer = client.ask("tools/call", json!({ "name": name, "arguments": {} }));
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(
            message.contains(&format!("did you mean `{suggestion}`?")),
            "{name}: {message}"
        );
    }
}

/// R13: a schema says that nothing is required, too.
#[test]
fn every_schema_says_what_is_required() {
    let project = Project::with_demo_app();
    for dialect in ["android", "mobile-agent", "semantic", "scenario"] {
        let mut client = Client::start(&project, &["--dialect", dialect]);
        let tools = client.request("tools/list", json!({}));
        for tool in tools["tools"].as_array().expect("tools") {
            assert!(tool["inputSchema"]["required"].is_array(), "{tool}");
        }
    }
}

// U17
#[test]
fn the_list_of_tools_is_short() {
    let project = Project::with_demo_app();
    let mut lean = Vec::new();
    for dialect in DIALECTS {
        for (tools, most) in [("all", 28_000), ("lean", 9_000)] {
            let mut client = Client::start(&project, &["--dialect", dialect, "--tools", tools]);
            let listed = client.request("tools/list", json!({}))["tools"].clone();
            let length = listed.to_string().chars().count();
            assert!(length <= most, "{dialect} {tools}: {length} characters");
            if tools == "lean" {
                lean.push(listed);
            }
        }
    }
    assert!(lean.iter().all(|listed| *listed == lean[0]));
    let mut names: Vec<&str> = lean[0]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "runner_changes",
            "runner_click",
            "runner_do",
            "runner_launch",
            "runner_lint_flow",
            "runner_look",
            "runner_press",
            "runner_record",
            "runner_run_flow",
            "runner_save_flow",
            "runner_screenshot",
            "runner_scroll_to",
            "runner_swipe",
            "runner_take_snapshot",
            "runner_type",
            "runner_wait_for",
        ]
    );
    project
        .run(&["mcp", "--tools", "lean", "--no-agent-tools"])
        .expect(2)
        .says("--no-agent-tools");
}

// U17
#[test]
fn the_lean_tools_do_what_they_say_and_are_recorded() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--tools", "lean", "--dialect", "semantic"]);
    let mut call = |tool: &str, arguments: Value| {
        let answer = client.call(&format!("runner_{tool}"), arguments);
        assert!(
            !answer.is_error,
            "{tool}: {} {}",
            answer.text, answer.advice
        );
        answer.text
    };
    call("record", json!({ "action": "start", "name": "Lean" }));
    call(
        "launch",
        json!({ "app": "com.example.notes", "clear": true }),
    );
    call("wait_for", json!({ "on": "Sign in", "timeout": 5 }));
    let look = call("look", json!({}));
    let line = look.lines().find(|line| line.contains("\"Username\""));
    let field = line.and_then(|line| line.split_whitespace().next());
    // The same words, however the field is named.
    let typed = call("type", json!({ "text": "ada", "on": field }));
    assert_eq!(typed, "Typed 3 characters");
    let typed = call("type", json!({ "text": "lovelace", "id": "password" }));
    assert_eq!(typed, "Typed 8 characters");
    call("press", json!({ "key": "BACK", "times": "1" }));
    call("click", json!({ "id": "sign_in" }));
    call("wait_for", json!({ "on": "Welcome, Ada" }));
    call("scroll_to", json!({ "on": "Groceries" }));
    call(
        "swipe",
        json!({ "x1": 500, "y1": 1500, "x2": 500, "y2": 900 }),
    );
    assert!(call("screenshot", json!({})).ends_with(".png"));
    let flow = call("record", json!({ "action": "stop" }));
    for step in ["launch:", "type:", "click:", "screenshot"] {
        assert!(flow.contains(step), "{step}: {flow}");
    }
    assert!(!flow.contains("lovelace"), "{flow}");
    let unknown = client.call("runner_click", json!({ "on": "@e9999" }));
    let advice = "no element with the id @e9999 on the screen; take the id from a fresh look";
    assert!(unknown.text.ends_with(advice), "{}", unknown.text);
    let missing = client.call("runner_click", json!({ "on": "Sign inn" }));
    assert!(missing.is_error && missing.advice.is_empty());
    assert!(missing.text.contains('\n'), "{}", missing.text);
}

// U17
#[test]
fn prompts_name_only_tools_that_are_listed() {
    let project = Project::with_demo_app();
    for (arguments, prompts) in [
        (&[][..], 4),
        (&["--tools", "lean"], 3),
        (&["--no-agent-tools"], 0),
    ] {
        let mut client = Client::start(&project, arguments);
        let tools = listed(&mut client);
        let list = client.request("prompts/list", json!({}));
        let list = list["prompts"].as_array().expect("prompts").clone();
        assert_eq!(list.len(), prompts, "{arguments:?}");
        for prompt in list {
            let values = json!({ "goal": "g", "path": "p", "app": "a" });
            let mut params = json!({ "name": prompt["name"], "arguments": values });
            if prompt["name"] == "write_flow" {
                // What stands for an argument names a tool too.
                params["arguments"] = json!({ "goal": "g" });
            }
            let text = client.request("prompts/get", params).to_string();
            let words = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
            for named in words.filter(|word| word.starts_with("runner_")) {
                assert!(
                    tools.iter().any(|tool| tool["name"] == named),
                    "{arguments:?} {named}: {text}"
                );
            }
        }
    }
}
