//! Wrong, hostile or huge input: each gets a clear answer, and the server goes on.

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::Client;

#[track_caller]
fn goes_on(client: &mut Client) {
    let answer = client.call("android_tap", json!({ "x": 1, "y": 1 }));
    assert_eq!(answer.text, "Tap executed at (1, 1)");
}

#[test]
fn wrong_arguments_are_told_by_name() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    for (tool, arguments, wanted) in [
        ("tap", json!({}), "Missing required parameter: 'x'"),
        (
            "tap",
            json!({ "x": "abc", "y": 1 }),
            "Parameter 'x' must be a number, got: 'abc'",
        ),
        (
            "tap",
            json!({ "x": -1, "y": 1 }),
            "Parameter 'x' must be >= 0, got: -1.0",
        ),
        (
            "swipe",
            json!({ "x1": 1, "y1": 1, "x2": 2, "y2": 2, "duration": 60001 }),
            "Parameter 'duration' must be between 1 and 60000, got: 60001",
        ),
        (
            "get_device_logs",
            json!({ "last_lines": 100_000 }),
            "Parameter 'last_lines' must be between 1 and 1000, got: 100000",
        ),
    ] {
        let answer = client.call(&format!("android_{tool}"), arguments);
        assert!(answer.is_error, "{tool}: {}", answer.text);
        assert_eq!(answer.text, wanted);
        assert_eq!(answer.json()["code"], -32602, "{}", answer.result);
    }
    // An optional argument may be null.
    let answer = client.call(
        "android_get_device_logs",
        json!({ "tag": null, "last_lines": 5 }),
    );
    assert!(!answer.is_error, "{}", answer.text);
    let answer = client.call("android_tap", json!({ "x": 1, "y": 1, "z": 1 }));
    assert_eq!(answer.text, "Tap executed at (1, 1)");
    let note = "there is no parameter 'z', so it has no effect";
    assert_eq!(answer.result["content"][1]["text"], note);
    goes_on(&mut client);
}

#[test]
fn what_cannot_be_routed_is_an_error_of_the_protocol() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let answer = client.ask(
        "tools/call",
        json!({ "name": "android_tab", "arguments": {} }),
    );
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(
        answer["error"]["message"],
        "no tool `android_tab`; did you mean `android_tap`? tools/list names all"
    );
    let long = "x".repeat(1_000_000);
    let answer = client.ask("tools/call", json!({ "name": long }));
    assert!(
        answer["error"]["message"].to_string().len() < 300,
        "{answer}"
    );
    for (method, params, code) in [
        ("tools/destroy", json!({}), -32601),
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({ "name": 5 }), -32602),
        (
            "tools/call",
            json!({ "name": "android_tap", "arguments": [1] }),
            -32602,
        ),
        (
            "resources/read",
            json!({ "uri": "runner://nowhere" }),
            -32002,
        ),
        (
            "resources/subscribe",
            json!({ "uri": "runner://nowhere" }),
            -32600,
        ),
        ("prompts/get", json!({ "name": "nobody" }), -32602),
    ] {
        let answer = client.ask(method, params.clone());
        assert!(
            answer["error"]["message"].is_string(),
            "{method} {params}: {answer}"
        );
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    let answer = client.ask("tools/call", json!({ "arguments": {} }));
    let message = answer["error"]["message"].as_str().expect("a message");
    assert!(message.contains("missing field `name`"), "{message}");
    goes_on(&mut client);
}

#[test]
fn lines_that_are_no_messages_are_answered() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    for (line, code) in [
        ("{ this is no JSON", -32700),
        // A number that is not finite is none of JSON: no tool ever sees it.
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"android_tap","arguments":{"x":1e999,"y":1}}}"#,
            -32700,
        ),
        ("\u{0}\u{1}", -32700),
        ("5", -32600),
        ("[]", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    ] {
        client.send_line(line);
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        assert_eq!(answer["id"], Value::Null, "{line}");
    }
    client.send_line("");
    client.send_line(&format!("\"{}\"", "x".repeat(17 * 1024 * 1024)));
    let answer = client.next();
    assert_eq!(
        answer["error"]["message"],
        "a message is at most 16 MiB long"
    );
    goes_on(&mut client);
}

#[test]
fn hostile_text_is_only_text() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let huge = "x".repeat(2 * 1024 * 1024);
    for text in [
        "'; reboot #",
        "$(id)",
        "`id`",
        "a\nb\r\nc",
        "a\0b",
        "-rf /",
        "%s %n",
        "\u{202e}\u{200b}é",
        "../../../etc/passwd",
        &huge,
    ] {
        let display = &text[..text.len().min(20)];
        let answer = client.call(
            "android_find_elements",
            json!({ "by": "text", "value": text }),
        );
        assert_eq!(answer.json(), json!({ "elements": [] }), "{display}");
        for (tool, argument) in [
            ("android_open_app", "package_id"),
            ("android_close_app", "package_id"),
            ("android_click_element", "element_id"),
        ] {
            let answer = client.call(tool, json!({ argument: text }));
            assert!(
                answer.is_error && !answer.text.is_empty(),
                "{tool} {display}"
            );
            assert!(
                !answer.text.contains("uid="),
                "{tool} {display}: {}",
                answer.text
            );
        }
        let answer = client.call("android_list_apps", json!({ "name_query": text }));
        assert_eq!(answer.text.trim(), "[]", "{display}");
        let answer = client.call("android_get_device_logs", json!({ "tag": text }));
        assert!(!answer.text.contains("uid="), "{display}: {}", answer.text);
    }
    for text in ["'; reboot #", "$(id) `id` \\ \"", "a\nb", "%s"] {
        let set = client.call("android_set_clipboard", json!({ "text": text }));
        assert!(!set.is_error, "{text:?}: {}", set.text);
        let got = client.call("android_get_clipboard", json!({}));
        assert_eq!(got.json()["text"], text);
    }
    goes_on(&mut client);
}

#[test]
fn no_path_leaves_its_location() {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\nstorage:\n  own: { path: /sdcard/own, allow_write: true, allow_delete: true }\n",
    );
    let mut client = Client::start(&project, &[]);
    let written = client.call(
        "android_write_file",
        json!({ "location_id": "own", "path": "a.txt", "content": "kept" }),
    );
    assert!(!written.is_error, "{}", written.text);
    for path in [
        "../own/a.txt",
        "../../etc/hosts",
        "/etc/hosts",
        "x/../../own/a.txt",
        "..",
        "a\0b",
    ] {
        for tool in [
            "read_file",
            "write_file",
            "append_file",
            "delete_file",
            "list_files",
        ] {
            let mut arguments = json!({ "location_id": "own", "path": path });
            if tool == "write_file" || tool == "append_file" {
                arguments["content"] = json!("gone");
            }
            // What begins with a slash may be taken as below the location; then there is nothing to read.
            let answer = client.call(&format!("android_{tool}"), arguments);
            assert!(
                answer.is_error || (tool == "write_file" && path.starts_with('/')),
                "{tool} {path:?}: {}",
                answer.text
            );
        }
    }
    let read = client.call(
        "android_read_file",
        json!({ "location_id": "own", "path": "a.txt" }),
    );
    assert_eq!(read.text, "1| kept");
}

#[test]
fn what_was_typed_into_a_password_field_is_never_told() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    client.call(
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    let fields = client
        .call(
            "android_find_elements",
            json!({ "by": "resource_id", "value": "password" }),
        )
        .json();
    let id = fields["elements"][0]["id"]
        .as_str()
        .expect("a password field")
        .to_owned();
    let secret = "correct-horse-battery";
    client.request("logging/setLevel", json!({ "level": "debug" }));
    let arguments = json!({ "element_id": id, "text": secret });
    let call = client.begin(
        "tools/call",
        json!({ "name": "android_type_append_text", "arguments": arguments }),
    );
    let (answer, parsed) = client.finish(call);
    assert_ne!(answer["result"]["isError"], true, "{answer}");
    assert!(!format!("{answer}{parsed:?}").contains(secret), "{answer}");
    // Wherever it turns up from now on.
    let echoed = client.call(
        "android_find_elements",
        json!({ "by": secret, "value": secret }),
    );
    assert!(
        echoed.is_error && echoed.text.contains("***"),
        "{}",
        echoed.text
    );
}
