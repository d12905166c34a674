//! Catalogue A in its dialect: every row of the acceptance table, its result and each of its errors.
//!
//! The device is in this process, so that a test can inject faults and read it without the tools.

mod apps;
mod elements;
mod files;
mod screen;
mod scrolling;
mod steps;
mod system;
mod text;
mod touch;

use std::time::Duration;

use runner::device::Script;
use runner::device::adb::connect_direct;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::{Answer, Client};

/// Client of the Android dialect on a virtual device with the demo app.
struct Bench {
    client: Client,
    device: VirtualDevice,
    project: Project,
    runtime: tokio::runtime::Runtime,
}

const CONFIGURATION: &str = "devices: [virtual]
apps: [apps/demo]
storage:
  work: { path: /sdcard/Work, name: Work, description: For tests, allow_write: true, allow_delete: true, allow_http: true, max_mb: 1 }
  plain: { path: /sdcard/Plain, allow_write: true }
  trusting: { path: /sdcard/Trusting, allow_write: true, allow_unverified_https: true, download_timeout: 1s }
";

const INVALID: i64 = -32602;
const DENIED: i64 = -32001;
const NOT_FOUND: i64 = -32002;
const FAILED: i64 = -32003;

impl Bench {
    fn start() -> Self {
        let project = Project::with_demo_app();
        project.write("runner.yaml", CONFIGURATION);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let options = VirtualDeviceOptions {
            apps: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo").into()],
            ..VirtualDeviceOptions::default()
        };
        let device = runtime
            .block_on(VirtualDevice::start(options))
            .expect("a virtual device");
        let client = Client::start(&project, &["--device", &device.address().to_string()]);
        Self {
            client,
            device,
            project,
            runtime,
        }
    }

    /// Starts with the demo app in front.
    fn in_app() -> Self {
        let mut bench = Self::start();
        bench.ok("open_app", json!({ "package_id": "com.example.notes" }));
        bench
    }

    /// Starts signed in, with the list of notes on the screen.
    fn in_inbox() -> Self {
        let mut bench = Self::in_app();
        for (field, text) in [("id/username", "ada"), ("id/password", "lovelace")] {
            let id = bench.id(field);
            bench.ok(
                "type_append_text",
                json!({ "element_id": id, "text": text }),
            );
        }
        bench.ok("press_key", json!({ "key": "BACK" }));
        let id = bench.id("id/sign_in");
        bench.ok("click_element", json!({ "element_id": id }));
        bench
    }

    fn call(&mut self, tool: &str, args: Value) -> Answer {
        self.client.call(&format!("android_{tool}"), args)
    }

    /// Calls a tool that must succeed, and returns its text.
    #[track_caller]
    fn ok(&mut self, tool: &str, args: Value) -> String {
        let answer = self.call(tool, args.clone());
        assert!(!answer.is_error, "{tool} {args}: {}", answer.result);
        answer.text
    }

    /// Calls a tool, and asserts an error of this text and code.
    #[track_caller]
    fn fails(&mut self, tool: &str, args: Value, code: i64, text: &str) {
        let answer = self.call(tool, args.clone());
        assert!(answer.is_error, "{tool} {args}: {}", answer.text);
        assert_eq!(answer.text, text, "{tool} {args}: {}", answer.result);
        let structured = &answer.result["structuredContent"];
        assert_eq!(structured["code"], code, "{tool} {args}: {structured}");
    }

    /// Calls a tool with each of the arguments, and asserts the error's text.
    #[track_caller]
    fn refuses<const N: usize>(&mut self, tool: &str, table: [(Value, &str); N]) {
        for (args, text) in table {
            self.fails(tool, args, INVALID, text);
        }
    }

    /// Calls a tool while the device has a fault, and asserts the error.
    #[track_caller]
    fn fails_with(&mut self, fault: &str, tool: &str, args: Value, code: i64, text: &str) {
        self.device.inject(fault.parse::<FaultSpec>().expect(fault));
        self.fails(tool, args, code, text);
        self.device.clear_faults();
    }

    /// Asserts the error TREE: the screen cannot be read.
    #[track_caller]
    fn fails_without_a_tree(&mut self, tool: &str, args: &Value) {
        for (fault, code, text) in [
            ("null-root", FAILED, "All windows returned null root nodes."),
            (
                "missing-dump",
                FAILED,
                "No windows available and no active window root node. The screen may be transitioning.",
            ),
            (
                "slot-taken",
                DENIED,
                "Accessibility service not enabled or not ready. Please enable it in Android Settings > Accessibility.",
            ),
        ] {
            self.fails_with(fault, tool, args.clone(), code, text);
        }
    }

    /// Asserts the error GEST: the finger cannot be moved.
    #[track_caller]
    fn fails_without_a_finger(&mut self, tool: &str, args: &Value, gesture: &str) {
        let cancelled = format!("Gesture cancelled: {gesture}");
        self.fails_with("command-killed", tool, args.clone(), FAILED, &cancelled);
        self.fails_with(
            "dropped-connection",
            tool,
            args.clone(),
            DENIED,
            "Accessibility service not enabled. Please enable it in Android Settings.",
        );
    }

    /// Returns the screen as rows.
    #[track_caller]
    fn state(&mut self) -> String {
        self.ok("get_screen_state", json!({}))
    }

    #[track_caller]
    fn shows(&mut self, text: &str) {
        let state = self.state();
        assert!(state.contains(text), "{text}: {state}");
    }

    #[track_caller]
    fn does_not_show(&mut self, text: &str) {
        let state = self.state();
        assert!(!state.contains(text), "{text}: {state}");
    }

    /// Returns the id of the first row that holds a text.
    #[track_caller]
    fn id(&mut self, text: &str) -> String {
        let state = self.state();
        let row = state
            .lines()
            .find(|line| line.starts_with("node_") && line.contains(text));
        let row = row.unwrap_or_else(|| panic!("no {text}: {state}"));
        row.split('\t').next().unwrap_or_default().to_owned()
    }

    /// Runs a command in the device's shell, and returns its output.
    fn shell(&self, command: &str) -> String {
        let address = self.device.address().to_string();
        let script = Script::command(["sh", "-c", command]);
        self.runtime.block_on(async {
            let device = connect_direct(&address, "virtual").await.expect("a device");
            let output = device
                .shell(&script, Duration::from_secs(10))
                .await
                .expect("an answer");
            output.text().into_owned()
        })
    }

    /// Returns the schema of a tool's arguments.
    fn schema(&mut self, tool: &str) -> Value {
        let name = format!("android_{tool}");
        let result = self.client.request("tools/list", json!({}));
        let tools = result["tools"].as_array().cloned().unwrap_or_default();
        let tool = tools.into_iter().find(|tool| tool["name"] == name);
        tool.unwrap_or_else(|| panic!("no {name}"))["inputSchema"].clone()
    }
}
