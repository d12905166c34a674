//! Calls every tool of every dialect with senseless arguments. Each call is answered, and the server goes on.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::Client;

/// Limit for one answer. Chosen: a tool may wait on the virtual device, whose waits take no time.
const LIMIT: Duration = Duration::from_secs(30);

/// Returns a value that more or less fits a property's schema.
fn sample(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds[0].as_str(),
        kind => kind.as_str(),
    };
    match kind {
        Some("string") => json!("x"),
        Some("integer" | "number") => match &schema["minimum"] {
            Value::Null => json!(1),
            least => least.clone(),
        },
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        _ => json!({}),
    }
}

/// Returns values of every type that nobody would send on purpose.
fn hostile() -> Vec<Value> {
    let mut deep = json!([]);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e308),
        json!(-1e308),
        json!(""),
        json!(" "),
        json!("a\0b"),
        json!("../../../etc/passwd"),
        json!("'; reboot #$(id)`id` %s ${os.PATH}"),
        json!("\u{202e}\u{1f468}\u{200d}\u{1f469}\u{301}\u{feff}"),
        json!("*[?{"),
        json!([]),
        json!({}),
        json!([null]),
        json!({ "": null }),
        deep,
    ]
}

/// Returns huge values. They are tried with one property of a tool only, as sending them takes a while.
fn huge() -> Vec<Value> {
    vec![
        json!("\u{e9}".repeat(20_000)),
        json!(vec![0; 20_000]),
        json!([vec![json!({ "x": 1, "y": 1, "time": 1 }); 2000]]),
    ]
}

/// Calls tools, and collects the answers that took long or were empty.
struct Hammer {
    client: Client,
    calls: usize,
    problems: Vec<String>,
}

impl Hammer {
    fn call(&mut self, tool: &str, arguments: &Value) {
        self.calls += 1;
        let begun = Instant::now();
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.client.ask("tools/call", params);
        let display: String = arguments.to_string().chars().take(200).collect();
        if begun.elapsed() > LIMIT {
            let took = begun.elapsed();
            self.problems.push(format!("{tool} {display}: {took:?}"));
        }
        let output = answer["result"]["content"][0]["text"].as_str();
        let refused = answer["error"]["message"].as_str();
        let text = output.or(refused).unwrap_or_default();
        if text.contains("this is a bug") || (refused.is_none() && output.is_none()) {
            let whole: String = answer.to_string().chars().take(300).collect();
            self.problems.push(format!("{tool} {display}: {whole}"));
        }
        if text.contains("uid=") || text.contains("root:x:") {
            self.problems
                .push(format!("{tool} {display} gives: {text}"));
        }
    }

    fn tool(&mut self, tool: &Value) {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        let none = serde_json::Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let required = schema["required"].as_array();
        let base: serde_json::Map<String, Value> = required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(|property| (property.to_owned(), sample(&properties[property])))
            .collect();
        self.call(name, &json!({}));
        let mut huge = huge();
        for (property, _) in properties {
            let mut arguments = base.clone();
            arguments.remove(property);
            self.call(name, &arguments.clone().into());
            let huge = std::mem::take(&mut huge);
            // A snapshot is a whole run, each with its pictures.
            let every = if name == "runner_take_snapshot" { 5 } else { 1 };
            for value in hostile().into_iter().step_by(every).chain(huge) {
                arguments.insert(property.clone(), value);
                self.call(name, &arguments.clone().into());
            }
        }
        let mut arguments = base;
        arguments.insert("\u{0}nobody".to_owned(), json!(1));
        self.call(name, &arguments.into());
    }
}

#[test]
fn every_tool_answers_whatever_its_arguments_are() {
    let servers: Vec<_> = ["android", "mobile-agent", "semantic", "scenario"]
        .into_iter()
        .map(|dialect| std::thread::spawn(move || hammer(dialect)))
        .collect();
    for server in servers {
        server.join().expect("a server that goes on");
    }
}

fn hammer(dialect: &str) {
    let project = Project::with_demo_app();
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nstorage:\n  x: { path: /sdcard/x, allow_write: true, allow_delete: true }\n",
    );
    let mut arguments = vec!["--dialect", dialect, "--allow-accept"];
    // The agent tools are the same everywhere.
    if dialect != "android" {
        arguments.push("--no-agent-tools");
    }
    let mut client = Client::start(&project, &arguments);
    let tools = client.request("tools/list", json!({}))["tools"].clone();
    let mut hammer = Hammer {
        client,
        calls: 0,
        problems: Vec::new(),
    };
    for tool in tools.as_array().expect("tools") {
        hammer.tool(tool);
    }
    assert_eq!(hammer.problems, Vec::<String>::new());
    let (tool, arguments) = match dialect {
        "android" => ("android_get_screen_state", json!({})),
        "mobile-agent" => ("get_ui_tree", json!({})),
        "semantic" => ("list_actionable", json!({})),
        _ => ("getScreenDump", json!({})),
    };
    let answer = hammer.client.call(tool, arguments);
    assert!(!answer.is_error, "after {}: {}", hammer.calls, answer.text);
    // Nothing was written but where the project keeps its own.
    let above = project.path("").join("..");
    assert!(!above.join("etc").exists() && !project.path("etc").exists());
}

#[test]
fn what_only_looks_like_json_is_answered() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let within = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
    };
    for line in [
        within(r#"{"name":"\ud800"}"#),
        within(&format!(
            r#"{{"name":"android_tap","arguments":{{"x":{deep}}}}}"#
        )),
        within(r#"{"name":"android_tap","arguments":{"x":1e999,"y":1}}"#),
    ] {
        client.send_line(&line);
        let answer = client.next();
        assert!(
            answer["error"]["code"].is_i64(),
            "{}: {answer}",
            &line[..90]
        );
        client.request("ping", json!({}));
    }
}
