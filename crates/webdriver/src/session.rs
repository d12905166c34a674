//! A session of a server: begun, kept, and ended however the work on it ends.

use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::WebDriverSpec;
use crate::client::{Client, Request};
use crate::error::WebDriverError;
use crate::farewell::{self, FAREWELL_LIMIT};

/// After so long without a session, people see what is waited for.
const NOTICE: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 5000 });
/// Between two wishes for a session, where a server does not queue them.
const PAUSE: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 5000 });
/// After so long without a command a server ends the session, where nothing else is asked for.
const COMMAND_TIMEOUT: u64 = 120;
/// How long the answer to a ping may take.
const PING_LIMIT: Duration = Duration::from_secs(20);
/// Names of capabilities that have no prefix.
const STANDARD: [&str; 12] = [
    "acceptInsecureCerts",
    "browserName",
    "browserVersion",
    "pageLoadStrategy",
    "platformName",
    "proxy",
    "setWindowRect",
    "strictFileInteractability",
    "timeouts",
    "unhandledPromptBehavior",
    "userAgent",
    "webSocketUrl",
];

/// A session. Dropping it ends it on the server, which may take [`FAREWELL_LIMIT`].
pub(crate) struct Session {
    pub(crate) client: Client,
    /// What the server says of the device.
    pub(crate) capabilities: Map<String, Value>,
    /// `/session/ID`.
    path: String,
    id: String,
    used: Mutex<Instant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Begun {
    session_id: String,
    #[serde(default)]
    capabilities: Map<String, Value>,
}

impl Session {
    /// Begins one, and waits for it where none is free; `notify` says so.
    pub(crate) async fn begin(
        client: &Client,
        spec: &WebDriverSpec,
        label: &str,
        notify: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self, WebDriverError> {
        let body = wanted(&spec.capabilities);
        let limit = spec.session_timeout;
        let deadline = Instant::now() + limit;
        let mut reported = false;
        let mut tell_once = |why: &str| {
            if !std::mem::replace(&mut reported, true) {
                notify(&format!(
                    "{label}: waiting for a session at {}{why}",
                    client.server()
                ));
            }
        };
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let begun = begin_in_background(client, &body, left);
            let mut begun = std::pin::pin!(begun);
            let begun = tokio::select! {
                begun = &mut begun => begun,
                () = tokio::time::sleep(NOTICE) => {
                    tell_once("");
                    begun.await
                }
            };
            let text = match begun {
                Err(WebDriverError::Silent { .. }) => "it has queued the wish".to_owned(),
                Err(error) if is_full(&error) => error.to_string(),
                begun => return begun,
            };
            if Instant::now() + PAUSE >= deadline {
                let advice = farewell::advice(client.server());
                return Err(WebDriverError::NoSlot {
                    limit,
                    message: text,
                    advice,
                });
            }
            tell_once(&format!(": {text}"));
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A path below the session's.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("{}{below}", self.path)
    }

    /// The id by which the server knows it.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Something is asked now.
    pub(crate) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn idle(&self) -> Duration {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.elapsed()
    }

    /// Asks for something small whenever nothing was asked for long: else the server would end the session.
    pub(crate) async fn keep(session: std::sync::Weak<Self>) {
        let Some(pause) = session.upgrade().and_then(|session| session.pause()) else {
            return;
        };
        loop {
            tokio::time::sleep(pause / 4).await;
            let Some(session) = session.upgrade() else {
                return;
            };
            if session.idle() >= pause {
                session.touch();
                let request = Request::get(session.path("/orientation"), PING_LIMIT);
                let client = session.client.clone();
                drop(session);
                // The next command reports what is wrong with it.
                let _: Result<Value, _> = client.ask(request.called("a ping")).await;
            }
        }
    }

    /// How long it may rest. `None`: as long as it likes.
    fn pause(&self) -> Option<Duration> {
        let timeout = ["appium:newCommandTimeout", "newCommandTimeout"]
            .iter()
            .find_map(|name| self.capabilities.get(*name)?.as_u64());
        match timeout.unwrap_or(COMMAND_TIMEOUT) {
            0 => None,
            seconds => Some(Duration::from_secs(seconds) / 2),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        farewell::say(&self.client, &self.id, &self.path);
    }
}

/// Waits for the thread that begins a session, where nobody else does any more: it ends the session that comes of it.
struct Pending(mpsc::Receiver<()>);

impl Drop for Pending {
    fn drop(&mut self) {
        let _ = self.0.recv_timeout(FAREWELL_LIMIT);
    }
}

async fn begin_in_background(
    client: &Client,
    body: &Value,
    limit: Duration,
) -> Result<Session, WebDriverError> {
    let request = Request::post("/session", body, limit).called("POST session");
    let (done, over) = mpsc::channel();
    // Dropped after the channel of the answer: then the thread knows that nobody wants it.
    let _pending = Pending(over);
    let (notify, reported) = oneshot::channel();
    let client = client.clone();
    std::thread::spawn(move || {
        let begun = client
            .ask_here::<Begun>(&request)
            .and_then(|begun| session(&client, begun));
        let _ = notify.send(begun);
        drop(done);
    });
    reported.await.unwrap_or_else(|_| {
        Err(WebDriverError::Unexpected {
            what: "POST session".to_owned(),
            column: None,
        })
    })
}

fn session(client: &Client, begun: Begun) -> Result<Session, WebDriverError> {
    let id = begun.session_id;
    let is_plain = (1..=512).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.:~=".contains(&byte))
        && !id.bytes().all(|byte| byte == b'.');
    if !is_plain {
        return Err(WebDriverError::Unexpected {
            what: "POST session: the session's id".to_owned(),
            column: None,
        });
    }
    tracing::info!(target: "webdriver", id, "session begun");
    Ok(Session {
        client: client.clone(),
        capabilities: begun.capabilities,
        path: format!("/session/{id}"),
        id,
        used: Mutex::new(Instant::now()),
    })
}

/// Whether a server only lacks a free device now.
fn is_full(error: &WebDriverError) -> bool {
    const SIGNS: [&str; 10] = [
        // A Selenium Grid that has queued the wish long enough.
        "new session request timed out",
        "no free slot",
        "no available",
        "all parallel",
        "parallel limit",
        "parallel tests",
        "queue",
        "concurrency",
        "maximum number of",
        "too many requests",
    ];
    match error {
        WebDriverError::ServerError { error, message } => {
            let words = format!("{error} {message}").to_ascii_lowercase();
            SIGNS.iter().any(|sign| words.contains(sign))
        }
        WebDriverError::Strange { says, .. } => says.starts_with("HTTP 429"),
        _ => false,
    }
}

/// The wish for a session: what is usual, and over it what was asked for.
fn wanted(capabilities: &Map<String, Value>) -> Value {
    let mut always = Map::new();
    let usual = [
        ("platformName", json!("Android")),
        ("appium:automationName", json!("UiAutomator2")),
        ("appium:newCommandTimeout", json!(COMMAND_TIMEOUT)),
        ("appium:disableWindowAnimation", json!(true)),
    ];
    for (name, value) in usual {
        always.insert(name.to_owned(), value);
    }
    for (name, value) in capabilities {
        always.insert(whole_name(name), value.clone());
    }
    json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": always } })
}

/// A capability's name with its prefix.
pub(crate) fn whole_name(name: &str) -> String {
    if name.contains(':') || STANDARD.contains(&name) {
        name.to_owned()
    } else {
        format!("appium:{name}")
    }
}

/// What asks for a device that cannot be driven, if something does.
pub(crate) fn undrivable(capabilities: &Map<String, Value>) -> Option<&'static str> {
    let text = |wanted: &str| {
        let mut named = capabilities.iter();
        named.find_map(|(name, value)| {
            let is_meant = whole_name(name).eq_ignore_ascii_case(wanted);
            is_meant.then(|| value.clone())
        })
    };
    let platform = text("platformName");
    let platform = platform.as_ref().and_then(Value::as_str);
    if platform.is_some_and(|name| !name.eq_ignore_ascii_case("android")) {
        return Some(
            "only Android can be tested: `platformName` has to be `Android`, not that of iOS or another system",
        );
    }
    let browser = text("browserName");
    let browser = browser.as_ref().and_then(Value::as_str).unwrap_or_default();
    if !browser.is_empty() {
        return Some(
            "browsers and web pages cannot be tested: leave `browserName` out, and name an app",
        );
    }
    if text("appium:autoWebview") == Some(json!(true)) {
        return Some(
            "what is inside a WebView is seen as Android shows it, without a context of its own: leave `autoWebview` out",
        );
    }
    None
}

/// A session that others may hold on to.
pub(crate) type SharedSession = Arc<Session>;

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_was_asked_for_beats_what_is_usual() {
        let wanted = wanted(&map(
            json!({ "udid": "R58", "appium:newCommandTimeout": 30, "bstack:options": { "a": 1 }, "platformName": "android" }),
        ));
        assert_eq!(
            wanted["capabilities"]["alwaysMatch"],
            json!({
                "platformName": "android",
                "appium:automationName": "UiAutomator2",
                "appium:newCommandTimeout": 30,
                "appium:disableWindowAnimation": true,
                "appium:udid": "R58",
                "bstack:options": { "a": 1 },
            })
        );
    }

    #[test]
    fn what_is_no_android_app_is_told() {
        for (capabilities, says) in [
            (json!({ "platformName": "iOS" }), Some("iOS")),
            (json!({ "browserName": "Chrome" }), Some("browserName")),
            (json!({ "autoWebview": true }), Some("WebView")),
            (
                json!({ "platformName": "ANDROID", "browserName": "", "appium:autoWebview": false }),
                None,
            ),
        ] {
            let message = undrivable(&map(capabilities));
            assert_eq!(message.is_some(), says.is_some());
            assert!(
                message
                    .unwrap_or_default()
                    .contains(says.unwrap_or_default())
            );
        }
    }
}
