//! `runner mcp --http`, and raw requests to it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::Project;

/// The token of servers in these tests.
pub const TOKEN: &str = "the-token";

/// Server in a project; killed on drop.
pub struct HttpServer {
    pub child: Child,
    /// Addresses of its endpoints, in the order in which it printed them.
    pub addresses: Vec<String>,
}

impl HttpServer {
    /// Starts `runner mcp --http 127.0.0.1:0 ARGUMENTS` with the token, and waits until it serves `endpoints`
    /// endpoints.
    pub fn start(project: &Project, arguments: &[&str], endpoints: usize) -> Self {
        let mut command = project.command(&[&["mcp", "--http", "127.0.0.1:0"], arguments].concat());
        command.env("RUNNER_MCP_TOKEN", TOKEN);
        Self::started(command, endpoints)
    }

    /// Starts the command, and waits until it serves `endpoints` endpoints.
    pub fn started(mut command: Command, endpoints: usize) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .expect("runner starts");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let addresses = (0..endpoints)
            .map(|_| {
                let mut line = String::new();
                output
                    .read_line(&mut line)
                    .expect("the server says where it is");
                let (_, address) = line.trim().split_once("http://").expect("an address");
                address.trim_end_matches("/mcp").to_owned()
            })
            .collect();
        Self { child, addresses }
    }

    /// Returns the address of the first endpoint.
    pub fn address(&self) -> &str {
        &self.addresses[0]
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An HTTP response.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// Returns a header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Parses the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the messages of an event stream, or the one message of a JSON body.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        if !self.body.contains("data:") {
            return vec![self.json()];
        }
        self.body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .collect()
    }
}

/// A request under way; dropping it hangs up.
pub struct PendingRequest(TcpStream);

/// Sends a request with exactly these headers, without waiting.
pub fn begin(address: &str, request: &str, headers: &[(&str, &str)], body: &str) -> PendingRequest {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .expect("a limit");
    let mut head = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    // A server may turn a request away before it has read it.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body.as_bytes()));
    PendingRequest(stream)
}

impl PendingRequest {
    /// Waits for the whole response.
    #[track_caller]
    pub fn reply(mut self) -> Reply {
        let mut bytes = Vec::new();
        let _ = self.0.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no reply: {text:?}"));
        let status = head
            .split_whitespace()
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status");
        let body = if head
            .to_ascii_lowercase()
            .contains("transfer-encoding: chunked")
        {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Reply {
            status,
            head: head.to_owned(),
            body,
        }
    }

    /// Reads until the response holds this text.
    #[track_caller]
    pub fn wait_for(&mut self, wanted: &str) {
        let mut observed = Vec::new();
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&observed).contains(wanted) {
            let read = self.0.read(&mut buffer).expect("the server says more");
            assert!(
                read > 0,
                "never {wanted:?}: {}",
                String::from_utf8_lossy(&observed)
            );
            observed.extend_from_slice(&buffer[..read]);
        }
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || rest.len() < size {
            break;
        }
        whole.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}

/// Returns the headers of a valid request.
pub fn good_headers(address: &str) -> Vec<(&str, &str)> {
    vec![
        ("Host", address),
        ("Authorization", "Bearer the-token"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ]
}

/// Returns the message that begins a session of a client with this name.
pub fn initialize(name: &str) -> String {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": name, "version": "1" },
        },
    })
    .to_string()
}

/// A client with its own session.
pub struct HttpClient {
    address: String,
    pub session: String,
    requests: u64,
}

impl HttpClient {
    /// Begins a session.
    #[track_caller]
    pub fn join(address: &str) -> Self {
        let initialize = initialize("tests");
        let reply = begin(address, "POST /mcp", &good_headers(address), &initialize).reply();
        assert_eq!(reply.status, 200, "{reply:?}");
        let session = reply
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        let client = Self {
            address: address.to_owned(),
            session,
            requests: 0,
        };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(client.post(&initialized).reply().status, 202);
        client
    }

    /// Sends a message in the session.
    pub fn post(&self, message: &Value) -> PendingRequest {
        let mut headers = good_headers(&self.address);
        headers.push(("Mcp-Session-Id", &self.session));
        headers.push(("MCP-Protocol-Version", "2025-11-25"));
        begin(&self.address, "POST /mcp", &headers, &message.to_string())
    }

    /// Sends a call without waiting for it; its progress token is `p`.
    pub fn begin_call(&mut self, tool: &str, arguments: Value) -> PendingRequest {
        self.requests += 1;
        self.post(&json!({
            "jsonrpc": "2.0", "id": self.requests, "method": "tools/call",
            "params": { "name": tool, "arguments": arguments, "_meta": { "progressToken": "p" } },
        }))
    }

    /// Calls a tool, and returns the whole answer.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.begin_call(tool, arguments).reply();
        let id = self.requests;
        reply
            .messages()
            .into_iter()
            .find(|message| message["id"] == id)
            .unwrap_or_else(|| panic!("no answer: {reply:?}"))
    }

    /// Ends the session.
    pub fn leave(&self) -> Reply {
        let mut headers = good_headers(&self.address);
        headers.push(("Mcp-Session-Id", &self.session));
        begin(&self.address, "DELETE /mcp", &headers, "").reply()
    }
}
