//! WebDriver server for tests. It answers as the test prescribes, and records all requests.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::{Cloud, SessionScope, WebDriverSpec};
use runner_device::fake::UIA2_SOURCE;

/// A prescribed answer.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    Value(Value),
    /// A WebDriver error: status, code, message.
    Error(u16, &'static str, &'static str),
    /// Any HTTP answer: status, content type, body.
    Raw(u16, &'static str, String),
    /// A redirect: status and target.
    To(u16, String),
    /// A value after a delay.
    Late(Duration, Value),
}

#[derive(Debug, Clone)]
pub(crate) struct ReceivedRequest {
    /// Method and path, such as `POST /session/s-1/actions`.
    pub(crate) line: String,
    /// Headers by lower-case name.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
}

#[derive(Default)]
struct State {
    requests: Vec<ReceivedRequest>,
    replies: Vec<(&'static str, Reply)>,
}

/// The server. Its thread lives until the program ends.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Hub {
    /// Starts a server on a free port of this computer.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let hub = Self {
            port: listener.local_addr().unwrap().port(),
            state: Arc::default(),
        };
        let accepting = hub.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let hub = accepting.clone();
                std::thread::spawn(move || hub.serve(stream.unwrap()));
            }
        });
        hub
    }

    /// Returns the settings of a device on this server.
    pub(crate) fn spec(&self) -> WebDriverSpec {
        let url = format!("http://127.0.0.1:{}", self.port);
        WebDriverSpec {
            display: url.clone(),
            url,
            credentials: None,
            capabilities: Map::new(),
            scope: SessionScope::Run,
            session_timeout: Duration::from_secs(20),
            secrets: Vec::new(),
            cloud: Cloud::None,
            unusable: None,
        }
    }

    /// Prescribes the next answer to a path that ends in `to`, or to the command of that name.
    pub(crate) fn reply(&self, to: &'static str, reply: Reply) {
        self.state().replies.push((to, reply));
    }

    /// Returns the requests so far in order: `mobile:` commands by name, others by method and path.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.state().requests.iter().map(name).collect()
    }

    /// Returns the requests of this name.
    pub(crate) fn requests_to(&self, wanted: &str) -> Vec<ReceivedRequest> {
        let state = self.state();
        let requested = state.requests.iter().filter(|query| name(query) == wanted);
        requested.cloned().collect()
    }

    pub(crate) fn forget(&self) {
        self.state().requests.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Answers the requests of a connection in order, and records them. The first prescribed reply that fits is used
    /// up. Without one it is that of [`usual`].
    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some(requested) = request(&mut reader) {
            let name = name(&requested);
            let reply = {
                let mut state = self.state();
                let found = state.replies.iter().position(|(to, _)| name.ends_with(to));
                let reply = found.map(|at| state.replies.remove(at).1);
                state.requests.push(requested);
                reply.unwrap_or_else(|| usual(&name))
            };
            if let Reply::Late(time, _) = &reply {
                std::thread::sleep(*time);
            }
            if stream.write_all(&bytes(reply)).is_err() {
                return;
            }
        }
    }
}

/// Returns the command's name, or else the method and the path without the session.
fn name(requested: &ReceivedRequest) -> String {
    match requested.body["script"].as_str() {
        Some(script) => script.to_owned(),
        None => requested.line.replace("/session/s-1", ""),
    }
}

/// Returns the reply of an Android 14 phone whose server has no list of commands and allows no shell. All other
/// requests get `null`.
fn usual(name: &str) -> Reply {
    Reply::Value(match name {
        "POST /session" => json!({
            "sessionId": "s-1",
            "capabilities": {
                "platformName": "Android", "platformVersion": "14", "deviceApiLevel": 34,
                "deviceManufacturer": "maker", "deviceModel": "model", "deviceUDID": "R58",
                "deviceScreenSize": "1080x2400", "deviceScreenDensity": 420,
            },
        }),
        "GET /appium/extensions" => return Reply::Error(404, "unknown command", "no such route"),
        "mobile: shell" => {
            return Reply::Error(
                500,
                "unknown error",
                "Potentially insecure feature 'adb_shell' has not been enabled",
            );
        }
        "mobile: deviceInfo" => json!({ "locale": "de_DE" }),
        "mobile: getUiMode" => json!("yes"),
        "mobile: listWindows" => json!([{
            "windowId": 7, "displayId": 0, "rect": { "x": 0, "y": 0, "width": 1080, "height": 2400 },
            "type": 1, "title": "Shop", "layer": 0, "isFocused": true
        }]),
        "mobile: getCurrentPackage" => json!("com.example"),
        "mobile: getCurrentActivity" => json!("com.example.Shop"),
        "mobile: getDeviceTime" => json!("2026-11-23T05:10:38+00:00"),
        "GET /source" => json!(UIA2_SOURCE),
        "GET /orientation" => json!("PORTRAIT"),
        "GET /element/active" => json!({ "element-6066-11e4-a52e-4f735466cecf": "e-1" }),
        "POST /se/log" => json!([]),
        _ => Value::Null,
    })
}

/// Formats a reply as an HTTP answer.
fn bytes(reply: Reply) -> Vec<u8> {
    let json = "application/json; charset=utf-8";
    let (status, kind, body, more) = match reply {
        Reply::Value(value) | Reply::Late(_, value) => (
            200,
            json,
            json!({ "value": value }).to_string(),
            String::new(),
        ),
        Reply::Error(status, error, message) => {
            let value = json!({ "error": error, "message": message, "stacktrace": "at x" });
            (
                status,
                json,
                json!({ "value": value }).to_string(),
                String::new(),
            )
        }
        Reply::Raw(status, kind, body) => (status, kind, body, String::new()),
        Reply::To(status, to) => (
            status,
            "text/plain",
            String::new(),
            format!("Location: {to}\r\n"),
        ),
    };
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\n{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// Reads a request. A body that is no JSON is `null`. Returns `None` at the end of the connection.
fn request(reader: &mut BufReader<TcpStream>) -> Option<ReceivedRequest> {
    let mut first = String::new();
    if reader.read_line(&mut first).ok()? == 0 {
        return None;
    }
    let line = first.trim().trim_end_matches(" HTTP/1.1").to_owned();
    let mut headers = HashMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim().split_once(':') else {
            break;
        };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length");
    let length = length.map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest {
        line,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    })
}
