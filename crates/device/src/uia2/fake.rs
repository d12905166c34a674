//! Fake phone for tests: a test chooses its server's answers, and it records all that it receives.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio_util::sync::CancellationToken;

use crate::fake::UIA2_SOURCE;
use crate::{
    ByteStream, Counters, Device, DeviceError, DeviceInfo, Features, Input, LineStream,
    LookOptions, Picture, PictureOptions, Reading, Script, ShellOutput, VirtualMark,
};
use runner_screen::{Display, DisplayContext, Screen};

/// Answer of the server to one request.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    Value(Value),
    /// WebDriver error: status, code and message.
    Error(u16, &'static str, &'static str),
    /// Raw bytes, after which the connection ends.
    Bytes(Vec<u8>),
    /// Value in chunked transfer encoding.
    Chunks(Value),
    /// Value, after which the connection ends without notice.
    Last(Value),
    /// No answer at all.
    Hang,
    /// Kills the server in place of an answer.
    Killed,
}

/// Record of what reached the phone, and its state.
#[derive(Default)]
pub(super) struct PhoneState {
    /// Method, path and body of each request.
    pub(super) requests: Vec<(String, String, String)>,
    pub(super) scripts: Vec<String>,
    /// Inputs by Android's own `input`.
    pub(super) inputs: Vec<Vec<Input>>,
    /// Dumps by Android's own tool.
    pub(super) dumps: usize,
    pub(super) connections: usize,
    pub(super) starts: usize,
    running: Option<CancellationToken>,
    replies: HashMap<&'static str, Vec<Reply>>,
    /// Output of the instrumentation, which then does not run.
    refusal: Option<&'static str>,
}

impl PhoneState {
    pub(super) fn forget_replies(&mut self) {
        self.replies.clear();
    }
}

pub(super) struct Phone {
    info: DeviceInfo,
    counters: Counters,
    pub(super) installed: bool,
    observed: Arc<Mutex<PhoneState>>,
}

const DUMP: &str = "<displays><display id=\"0\"><window index=\"0\" title=\"Shop\" bounds=\"[0,0][1080,2400]\" active=\"true\" focused=\"true\" id=\"7\" layer=\"0\" type=\"1\"><hierarchy rotation=\"0\"><node index=\"0\" package=\"com.example\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][1080,2400]\"><node index=\"0\" package=\"com.example\" class=\"android.widget.Button\" text=\"Pay\" resource-id=\"com.example:id/pay\" clickable=\"true\" enabled=\"true\" bounds=\"[0,100][200,200]\"/></node></hierarchy></window></display></displays>";

/// Returns the server's list of windows: the app's, and one of another display.
fn windows() -> Value {
    json!([{
        "windowId": 7, "displayId": 0, "rect": { "x": 0, "y": 0, "width": 1080, "height": 2400 },
        "packageName": "com.example", "type": 1, "title": "Shop", "layer": 0, "isActive": true,
        "isFocused": true, "isAccessibilityFocused": false, "isInPictureInPictureMode": false
    }, {
        "windowId": 3, "displayId": 2, "rect": { "x": 0, "y": 0, "width": 9, "height": 9 },
        "packageName": null, "type": 3, "title": null, "layer": 1, "isActive": false, "isFocused": false
    }])
}

impl Phone {
    /// Creates a phone with Android 14, whose server is installed and does not run.
    pub(super) fn new() -> Self {
        let display = Display {
            width: 1080,
            height: 2400,
            density: 420,
            rotation: 0,
        };
        Self {
            info: DeviceInfo {
                serial: "fake".to_owned(),
                model: Reading::Said(String::new()),
                manufacturer: String::new(),
                release: Reading::Said("14".to_owned()),
                sdk: Reading::Said(34),
                display: Reading::Said(display),
                locale: Reading::Said("en-US".to_owned()),
                dark: Reading::Said(false),
                font_scale_percent: Reading::Said(100),
                emulator: false,
                virtual_device: VirtualMark::new(false),
                features: Features::default(),
                driver: None,
            },
            counters: Counters::default(),
            installed: true,
            observed: Arc::default(),
        }
    }

    /// Queues an answer to one request whose path ends with `path`. Later requests get the next one, and then the
    /// usual answer.
    pub(super) fn reply(&self, path: &'static str, reply: Reply) {
        self.observed().replies.entry(path).or_default().push(reply);
    }

    /// Makes the instrumentation print this and end.
    pub(super) fn refuse_to_start(&self, message: &'static str) {
        self.observed().refusal = Some(message);
    }

    /// Starts a server that this process did not start.
    pub(super) fn run(&self) {
        self.observed().running = Some(CancellationToken::new());
    }

    /// Kills the server.
    pub(super) fn kill(&self) {
        kill(&self.observed);
    }

    pub(super) fn is_running(&self) -> bool {
        self.observed().running.is_some()
    }

    pub(super) fn observed(&self) -> MutexGuard<'_, PhoneState> {
        self.observed.lock().unwrap()
    }

    /// Returns the number of starts of the server, and of dumps by Android's own tool.
    pub(super) fn counts(&self) -> (usize, usize) {
        let state = self.observed();
        (state.starts, state.dumps)
    }

    /// Returns the bodies of all requests whose path ends with `path`, in their order. A body that is no JSON
    /// is null.
    pub(super) fn bodies(&self, path: &str) -> Vec<Value> {
        let state = self.observed();
        let requests = state
            .requests
            .iter()
            .filter(|(_, of, _)| of.ends_with(path));
        requests
            .map(|(_, _, body)| serde_json::from_str(body).unwrap_or_default())
            .collect()
    }
}

fn kill(observed: &Arc<Mutex<PhoneState>>) {
    if let Some(running) = observed.lock().unwrap().running.take() {
        running.cancel();
    }
}

#[async_trait::async_trait]
impl Device for Phone {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Records the script. Names the app in front for `dumpsys activity`, and prints nothing else. `am
    /// force-stop` kills the server.
    async fn shell(&self, script: &Script, _limit: Duration) -> Result<ShellOutput, DeviceError> {
        self.counters.round_trip();
        let text = script.text().to_owned();
        if text.starts_with("am force-stop") {
            self.kill();
        }
        let stdout = if text.starts_with("dumpsys activity") {
            "  topResumedActivity=ActivityRecord{1 u0 com.example/.Shop t1}\n"
        } else {
            ""
        };
        self.observed().scripts.push(text);
        Ok(ShellOutput {
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
            exit_code: Some(0),
        })
    }

    /// Records the script and counts a start. The server runs then, unless [`Self::refuse_to_start`] was called.
    async fn lines(&self, script: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        let mut state = self.observed();
        state.scripts.push(script.text().to_owned());
        state.starts += 1;
        let lines = state.refusal.map(str::to_owned);
        let ended = CancellationToken::new();
        if lines.is_some() {
            ended.cancel();
        } else {
            state.running = Some(ended.clone());
        }
        Ok(Box::new(Instrumentation {
            lines,
            ended,
            observed: Arc::clone(&self.observed),
        }))
    }

    /// Counts a dump. Panics while the server runs.
    async fn look(&self, _options: LookOptions) -> Result<Screen, DeviceError> {
        self.counters.round_trip();
        self.counters.dump();
        self.observed().dumps += 1;
        assert!(!self.is_running(), "a dump takes the slot of the server");
        let surroundings = DisplayContext {
            display: self.info.display.value().copied(),
            foreground: Some(("com.example".to_owned(), ".Shop".to_owned())),
            front: runner_screen::Front::Focused("com.example".to_owned()),
            ..DisplayContext::default()
        };
        Ok(Screen::parse(DUMP.as_bytes(), &surroundings)?)
    }

    async fn picture(&self, _options: PictureOptions) -> Result<Picture, DeviceError> {
        Err(DeviceError::NoPicture("none".to_owned()))
    }

    async fn input(&self, inputs: &[Input], _limit: Duration) -> Result<(), DeviceError> {
        self.observed().inputs.push(inputs.to_vec());
        Ok(())
    }

    async fn push(&self, _data: &[u8], _remote: &str, _mode: u32) -> Result<(), DeviceError> {
        Ok(())
    }

    async fn pull(&self, _remote: &str, _max: u64) -> Result<Vec<u8>, DeviceError> {
        Ok(Vec::new())
    }

    fn uia2_installed(&self) -> bool {
        self.installed
    }

    /// Counts a connection and serves it until the server is killed. Fails if the server does not run, and panics
    /// for another port.
    async fn open(&self, service: &str) -> Result<Box<dyn ByteStream>, DeviceError> {
        assert_eq!(service, "tcp:6790");
        let Some(running) = self.observed().running.clone() else {
            return Err(DeviceError::NotListening {
                service: service.to_owned(),
            });
        };
        self.observed().connections += 1;
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let state = Arc::clone(&self.observed);
        tokio::spawn(async move {
            tokio::select! {
                () = serve(ours, state) => {}
                () = running.cancelled() => {}
            }
        });
        Ok(Box::new(theirs))
    }
}

/// Instrumentation that runs while its stream is open.
struct Instrumentation {
    lines: Option<String>,
    ended: CancellationToken,
    observed: Arc<Mutex<PhoneState>>,
}

impl Drop for Instrumentation {
    fn drop(&mut self) {
        kill(&self.observed);
    }
}

#[async_trait::async_trait]
impl LineStream for Instrumentation {
    /// Returns the refusal, if there is one, and `None` once the server ended.
    async fn next_line(&mut self) -> Result<Option<String>, DeviceError> {
        if let Some(line) = self.lines.take() {
            return Ok(Some(line));
        }
        self.ended.cancelled().await;
        Ok(None)
    }
}

/// Records each request and answers it: with the first queued reply for its path, which is used up, else with the
/// usual one. Each answer names the session `s-1`. Ends with the connection, or where [`Reply`] says so.
async fn serve(mut socket: DuplexStream, observed: Arc<Mutex<PhoneState>>) {
    let mut buffer = Vec::new();
    while let Some((method, path, body)) = request(&mut socket, &mut buffer).await {
        let reply = {
            let mut state = observed.lock().unwrap();
            let reply = state
                .replies
                .iter_mut()
                .find(|(end, replies)| path.ends_with(**end) && !replies.is_empty())
                .map(|(_, replies)| replies.remove(0));
            state.requests.push((method, path.clone(), body));
            reply.unwrap_or_else(|| Reply::Value(usual(&path)))
        };
        let (status, value, last) = match reply {
            Reply::Value(value) => (200, value, false),
            Reply::Last(value) => (200, value, true),
            Reply::Error(status, error, message) => {
                let value = json!({ "error": error, "message": message, "stacktrace": "at x" });
                (status, value, false)
            }
            Reply::Bytes(bytes) => {
                let _ = socket.write_all(&bytes).await;
                return;
            }
            Reply::Chunks(value) => {
                let body = json!({ "sessionId": "s-1", "value": value }).to_string();
                let (first, second) = body.split_at(body.len() / 2);
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
                    first.len(),
                    second.len()
                );
                if socket.write_all(answer.as_bytes()).await.is_err() {
                    return;
                }
                continue;
            }
            Reply::Hang => std::future::pending().await,
            Reply::Killed => return kill(&observed),
        };
        let body = json!({ "sessionId": "s-1", "value": value }).to_string();
        let answer = format!(
            "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nContent-Type: application/json\r\n\r\n{body}",
            body.len()
        );
        if socket.write_all(answer.as_bytes()).await.is_err() || last {
            return;
        }
    }
}

/// Returns the value for a path without a queued reply, by its last part; null for an unknown one.
fn usual(path: &str) -> Value {
    match path.rsplit('/').next() {
        Some("sessions") => json!([]),
        Some("status") => json!({ "ready": true }),
        Some("source") => UIA2_SOURCE.into(),
        Some("list_windows") => windows(),
        _ => Value::Null,
    }
}

/// Reads one request and returns method, path and body; `None` if the connection ends before it is whole.
/// Bytes behind it stay in `buffer` for the next call.
async fn request(
    socket: &mut DuplexStream,
    buffer: &mut Vec<u8>,
) -> Option<(String, String, String)> {
    loop {
        if let Some(end) = memchr::memmem::find(buffer, b"\r\n\r\n") {
            let head = String::from_utf8(buffer[..end].to_vec()).unwrap();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "))
                .map_or(0, |length| length.parse().unwrap());
            if buffer.len() >= end + 4 + length {
                let body = buffer[end + 4..end + 4 + length].to_vec();
                buffer.drain(..end + 4 + length);
                let mut words = head.split(' ').map(str::to_owned);
                let (method, path) = (words.next()?, words.next()?);
                return Some((method, path, String::from_utf8(body).unwrap()));
            }
        }
        if socket.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}
