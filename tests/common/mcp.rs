//! Client of `runner mcp` over standard input and output, one request at a time, to call tools through their
//! dialect. Other tests check the protocol itself with real clients.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::Project;

/// An initialized server in a project; killed on drop.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    requests: u64,
}

/// Result of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whole result.
    pub result: Value,
    /// First text.
    pub text: String,
    /// Second text: what to do next, if there is one.
    pub advice: String,
    pub is_error: bool,
}

impl Answer {
    /// Returns the structured content, an agent tool's content for programs, or the text parsed as JSON.
    pub fn json(&self) -> Value {
        let reported = [
            &self.result["structuredContent"],
            &self.result["_meta"]["runner/result"],
        ];
        match reported.into_iter().find(|value| !value.is_null()) {
            Some(value) => value.clone(),
            None => serde_json::from_str(&self.text).unwrap_or(Value::Null),
        }
    }

    /// Parses the text as JSON.
    #[track_caller]
    pub fn text_json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{error}: the text is not JSON: {}", self.text))
    }
}

impl Client {
    /// Starts `runner mcp ARGUMENTS` in the project, and initializes it.
    pub fn start(project: &Project, arguments: &[&str]) -> Self {
        let mut client = Self::silent(project, arguments);
        client.initialize("2025-11-25");
        client
    }

    /// Starts `runner mcp ARGUMENTS` in the project without the handshake.
    pub fn silent(project: &Project, arguments: &[&str]) -> Self {
        Self::from_command(project.command(&[&["mcp"], arguments].concat()))
    }

    /// Starts a serving command without the handshake.
    pub fn from_command(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("runner starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        Self {
            child,
            input,
            output,
            requests: 0,
        }
    }

    /// Does the handshake in a revision of the protocol, and returns the server's answer.
    #[track_caller]
    pub fn initialize(&mut self, revision: &str) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": { "name": "tests", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Sends a line unchanged.
    pub fn send_line(&mut self, line: &str) {
        let input = self.input.as_mut().expect("an open input");
        writeln!(input, "{line}").expect("the server reads");
    }

    /// Closes the server's input.
    pub fn end_input(&mut self) {
        self.input = None;
    }

    /// Waits for the server's own end.
    pub fn wait(&mut self) {
        self.child.wait().expect("it ends");
    }

    /// Terminates the server as supervisors do, and returns its status.
    #[cfg(unix)]
    pub fn terminate(&mut self) -> std::process::ExitStatus {
        let requested = Command::new("kill")
            .arg(self.child.id().to_string())
            .status()
            .expect("kill runs");
        assert!(requested.success());
        self.child.wait().expect("it ends")
    }

    /// Sends a message unchanged.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting, and returns its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Returns the server's next message.
    #[track_caller]
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        let read = self.output.read_line(&mut line).expect("the server writes");
        assert!(read > 0, "the server ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Waits for the answer to a request. Returns it with all messages before it.
    #[track_caller]
    pub fn finish(&mut self, id: u64) -> (Value, Vec<Value>) {
        let mut others = Vec::new();
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return (message, others);
            }
            others.push(message);
        }
    }

    /// Sends a request, and returns the whole answer, which may be an error.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.finish(id).0
    }

    /// Sends a request that must succeed, and returns its result.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let result = self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments }),
        );
        let mut texts = result["content"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|item| item["text"].as_str())
            .map(str::to_owned);
        let text = texts.next().unwrap_or_default();
        let advice = texts.next().unwrap_or_default();
        Answer {
            is_error: result["isError"] == true,
            text,
            advice,
            result,
        }
    }

    /// Returns the names of the tools.
    #[track_caller]
    pub fn tools(&mut self) -> Vec<String> {
        let result = self.request("tools/list", json!({}));
        result["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|tool| tool["name"].as_str().map(str::to_owned))
            .collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
