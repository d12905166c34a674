//! Stand-in of a device cloud, written from the documents of `BrowserStack`, Sauce Labs and `LambdaTest`. It
//! asks for user and key, has a number of devices and lets others wait, takes the scripts that only clouds
//! know, and passes the rest on to an Appium server. A test may have it answer anything else.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

use super::http::{self, Message};

/// Name of the cloud's only user.
pub const USER: &str = "tester_ab12";
/// The key of [`USER`].
pub const KEY: &str = "kEy0f1nt3ger5AndL3tters";

/// Path below which it answers.
const PREFIX: &str = "/wd/hub";

/// Answer that replaces the cloud's own.
#[derive(Debug, Clone)]
pub enum Answer {
    /// A status, further headers, and a body.
    Full(u16, Vec<(String, String)>, Vec<u8>),
    /// No answer: the connection ends.
    Nothing,
}

impl Answer {
    pub fn json(status: u16, body: &Value) -> Self {
        let headers = vec![header("Content-Type", "application/json; charset=utf-8")];
        Self::Full(status, headers, body.to_string().into_bytes())
    }

    pub fn error(status: u16, error: &str, message: &str) -> Self {
        let value = json!({ "error": error, "message": message, "stacktrace": "" });
        Self::json(status, &json!({ "value": value }))
    }

    /// Returns the page by which a proxy or balancer says that the hub behind it is down.
    pub fn html(status: u16) -> Self {
        let page = "<!DOCTYPE html>\n<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1>\n<p>The hub is being updated.</p></body></html>";
        let headers = vec![header("Content-Type", "text/html")];
        Self::Full(status, headers, page.as_bytes().to_vec())
    }

    pub fn redirect(status: u16, to: &str) -> Self {
        Self::Full(status, vec![header("Location", to)], Vec::new())
    }

    /// Returns JSON of this length.
    pub fn huge(length: usize) -> Self {
        Self::json(200, &json!({ "value": "x".repeat(length) }))
    }
}

fn header(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// Hook before all else: returns an answer for a request, or `None` to let it pass.
type Fault = Box<dyn Fn(&Request) -> Option<Answer> + Send>;

/// A request, as a test sees it.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// Path below [`PREFIX`], with `ID` instead of a session's id.
    pub path: String,
    pub body: Value,
}

struct State {
    /// Number of sessions that can be open at once.
    devices: usize,
    /// Time that a request for a session waits for a device.
    queue: Duration,
    /// Ports of the Appium servers. Without one it answers with a canned screen.
    appium: Vec<u16>,
    sessions: BTreeSet<String>,
    /// All sessions ever opened, each with its Appium server's port.
    known: Vec<(String, u16)>,
    requests: Vec<Request>,
    fault: Option<Fault>,
}

/// The cloud. It ends with the process, and keeps its port until then.
#[derive(Clone)]
pub struct Cloud {
    port: u16,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Cloud {
    /// Starts a cloud with a device for each Appium server at these ports, or with one canned device.
    pub fn start(appium: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let state = State {
            devices: appium.len().max(1),
            queue: Duration::from_mins(5),
            appium: appium.to_vec(),
            sessions: BTreeSet::new(),
            known: Vec::new(),
            requests: Vec::new(),
            fault: None,
        };
        let cloud = Self {
            port,
            state: Arc::new((Mutex::new(state), Condvar::new())),
        };
        let serving = cloud.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let cloud = serving.clone();
                std::thread::spawn(move || cloud.serve(stream));
            }
        });
        cloud
    }

    /// Returns the hub's address, without credentials.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PREFIX}", self.port)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets a hook that sees each request first. The hook must not call the cloud.
    pub fn fault(&self, fault: impl Fn(&Request) -> Option<Answer> + Send + 'static) {
        self.state().fault = Some(Box::new(fault));
    }

    /// Sets the number of devices, and the time that a request for one waits.
    pub fn limit(&self, devices: usize, queue: Duration) {
        let mut state = self.state();
        state.devices = devices;
        state.queue = queue;
    }

    /// Returns the open sessions.
    pub fn sessions(&self) -> Vec<String> {
        self.state().sessions.iter().cloned().collect()
    }

    /// Returns the number of sessions ever opened.
    pub fn opened(&self) -> usize {
        self.state().known.len()
    }

    /// Ends a session as a cloud does by itself: at its time limit, or because somebody else deleted it.
    pub fn end(&self, session: &str) {
        // The device is free only once its Appium has done with it.
        let port = self.appium_of(session);
        if port != 0 {
            http::delete(port, &format!("/session/{session}"));
        }
        self.forget(session);
    }

    fn forget(&self, session: &str) {
        if self.state().sessions.remove(session) {
            self.state.1.notify_all();
        }
    }

    /// Returns the port of the Appium server that has the session, or 0 for a canned one.
    fn appium_of(&self, session: &str) -> u16 {
        let state = self.state();
        let known = state.known.iter().find(|(id, _)| id == session);
        known.map_or(0, |(_, port)| *port)
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// Returns the cloud scripts that it received.
    pub fn scripts(&self) -> Vec<String> {
        let requests = self.requests();
        let scripts = requests
            .iter()
            .filter_map(|requested| requested.body["script"].as_str());
        scripts
            .filter(|script| is_for_clouds(script))
            .map(str::to_owned)
            .collect()
    }

    fn serve(&self, mut stream: TcpStream) {
        while let Some(message) = Message::read(&mut stream) {
            let keeps = match self.answer(&message) {
                Answer::Nothing => false,
                Answer::Full(status, headers, body) => {
                    let mut head = format!("HTTP/1.1 {status} Status\r\n");
                    for (name, value) in headers {
                        head += &format!("{name}: {value}\r\n");
                    }
                    head += &format!("Content-Length: {}\r\n\r\n", body.len());
                    stream.write_all(head.as_bytes()).is_ok() && stream.write_all(&body).is_ok()
                }
            };
            if !keeps {
                return;
            }
        }
    }

    fn answer(&self, message: &Message) -> Answer {
        let (method, path) = message.target();
        let below = path.strip_prefix(PREFIX).unwrap_or(path);
        let session = below
            .strip_prefix("/session/")
            .map(|rest| rest.split('/').next().unwrap_or(rest));
        let display = session.map_or(below.to_owned(), |id| below.replacen(id, "ID", 1));
        {
            let mut state = self.state();
            let request = Request {
                method: method.to_owned(),
                path: display.clone(),
                body: message.json(),
            };
            state.requests.push(request.clone());
            if let Some(answer) = state.fault.as_ref().and_then(|fault| fault(&request)) {
                return answer;
            }
        }
        if !may(message) {
            return Answer::error(401, "unknown error", "Authorization required");
        }
        if below == path {
            return Answer::html(404);
        }
        match (method, display.as_str(), session) {
            ("POST", "/session", _) => self.open(message),
            (_, "/status", _) => {
                Answer::json(200, &json!({ "value": { "ready": true, "message": "" } }))
            }
            (_, _, Some(id)) if !self.state().sessions.contains(id) => Answer::error(
                404,
                "invalid session id",
                "Session not started or terminated",
            ),
            ("POST", "/session/ID/execute/sync", _)
                if message.json()["script"].as_str().is_some_and(is_for_clouds) =>
            {
                script_answer(&message.json())
            }
            ("DELETE", "/session/ID", Some(id)) => {
                let answer = self.pass(message, below, id);
                self.forget(id);
                answer
            }
            (_, _, Some(id)) => self.pass(message, below, id),
            _ => Answer::error(404, "unknown command", "the cloud does not know it"),
        }
    }

    /// Opens a session once a device is free.
    fn open(&self, message: &Message) -> Answer {
        let began = Instant::now();
        let mut state = self.state();
        while state.sessions.len() >= state.devices {
            let Some(left) = state.queue.checked_sub(began.elapsed()) else {
                return Answer::error(
                    500,
                    "session not created",
                    "All parallel tests are currently in use, including the queued tests. Please wait to finish or upgrade your plan to add more sessions.",
                );
            };
            let waited = self
                .state
                .1
                .wait_timeout(state, left.min(Duration::from_millis(100)));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let acquired: Vec<u16> = state
            .known
            .iter()
            .filter(|(id, _)| state.sessions.contains(id))
            .map(|(_, port)| *port)
            .collect();
        let port = state
            .appium
            .iter()
            .copied()
            .find(|port| !acquired.contains(port));
        // Held for the answer: who asks at the same time finds it taken.
        let (id, answer) = match port {
            None => {
                let id = format!("canned-{}", state.known.len() + 1);
                (Some(id.clone()), super::canned::session(&id))
            }
            Some(port) => match http::send(port, "POST", "/session", &message.body) {
                Ok(answer) => {
                    let id = answer.json()["value"]["sessionId"]
                        .as_str()
                        .map(str::to_owned);
                    (id, Answer::json(answer.status(), &answer.json()))
                }
                Err(error) => (
                    None,
                    Answer::error(500, "session not created", &error.to_string()),
                ),
            },
        };
        if let Some(id) = id {
            state.sessions.insert(id.clone());
            state.known.push((id, port.unwrap_or(0)));
        }
        answer
    }

    fn pass(&self, message: &Message, below: &str, id: &str) -> Answer {
        let (method, _) = message.target();
        let port = self.appium_of(id);
        if port == 0 {
            return super::canned::answer(method, below, &message.json());
        }
        match http::send(port, method, below, &message.body) {
            Ok(answer) => {
                let kind = answer.header("content-type").unwrap_or("application/json");
                Answer::Full(
                    answer.status(),
                    vec![header("Content-Type", kind)],
                    answer.body,
                )
            }
            Err(error) => Answer::error(500, "unknown error", &error.to_string()),
        }
    }
}

/// Returns true if the request carries user and key.
fn may(message: &Message) -> bool {
    let wanted = base64::engine::general_purpose::STANDARD.encode(format!("{USER}:{KEY}"));
    message.header("authorization") == Some(&format!("Basic {wanted}"))
}

fn is_for_clouds(script: &str) -> bool {
    ["browserstack_executor:", "sauce:", "lambda-"]
        .iter()
        .any(|prefix| script.starts_with(prefix))
}

/// Answers a script that only this cloud knows.
fn script_answer(body: &Value) -> Answer {
    let script = body["script"].as_str().unwrap_or_default();
    let value = if script.contains("getSessionDetails") {
        // JSON in a text, with addresses that hold tokens.
        let details = json!({
            "browser_url": "https://app-automate.browserstack.com/builds/b1/sessions/s1",
            "public_url": "https://app-automate.browserstack.com/builds/b1/sessions/s1?auth_token=t0kenOfThePage",
            "video_url": "https://app-automate.browserstack.com/sessions/s1/video?token=t0kenOfTheVideo",
        });
        json!(details.to_string())
    } else {
        Value::Null
    };
    Answer::json(200, &json!({ "value": value }))
}
