//! A server's session: its start, its keep-alive, and its end however the work on it ends.

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
use crate::session_end::{self, SESSION_END_LIMIT};

/// Time without a session after which people are told what is waited for. Chosen: short waits are normal and
/// not worth a line.
const NOTICE: Duration = Duration::from_millis(if cfg!(test) { 50 } else { 5000 });
/// Pause between two requests for a session, for servers that do not queue them. Chosen: a queue would not be
/// noticeably faster, and clouds limit requests.
const PAUSE: Duration = Duration::from_millis(if cfg!(test) { 20 } else { 5000 });
/// Idle time in seconds after which the server ends a session, unless capabilities say otherwise. Chosen:
/// survives a slow step, and frees a device soon after a crash.
const COMMAND_TIMEOUT: u64 = 120;
/// Time limit for a keep-alive's answer. Chosen: it waits behind the command in progress.
const PING_LIMIT: Duration = Duration::from_secs(20);
/// Capabilities of the WebDriver standard, which have no prefix.
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

/// An open session. Dropping it ends it on the server, which may take [`SESSION_END_LIMIT`].
pub(crate) struct Session {
    pub(crate) client: Client,
    /// Capabilities that the server answered with.
    pub(crate) capabilities: Map<String, Value>,
    /// Base path, `/session/ID`.
    path: String,
    id: String,
    used: Mutex<Instant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSession {
    session_id: String,
    #[serde(default)]
    capabilities: Map<String, Value>,
}

impl Session {
    /// Starts a session and waits while none is free; `notify` receives one notice of that, at the latest
    /// after [`NOTICE`]. A request that the server does not answer counts as waiting in its queue.
    ///
    /// # Errors
    ///
    /// Returns [`WebDriverError::NoSlot`] if none is free within the settings' timeout. All other errors are
    /// returned at once.
    pub(crate) async fn begin(
        client: &Client,
        spec: &WebDriverSpec,
        label: &str,
        notify: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self, WebDriverError> {
        let body = requested_capabilities(&spec.capabilities);
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
                let advice = session_end::advice(client.server());
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

    /// Returns a path below the session's.
    pub(crate) fn path(&self, below: &str) -> String {
        format!("{}{below}", self.path)
    }

    /// Returns the request for one of Appium's `mobile:` commands, with `name` without that prefix.
    pub(crate) fn mobile(&self, name: &str, arguments: &Value, limit: Duration) -> Request {
        let body = json!({ "script": format!("mobile: {name}"), "args": [arguments] });
        Request::post(self.path("/execute/sync"), &body, limit).called(format!("mobile: {name}"))
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Records that a command is sent now, which postpones the next keep-alive.
    pub(crate) fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn idle(&self) -> Duration {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.elapsed()
    }

    /// Sends a small request whenever the session was idle for half its timeout, so that the server does not
    /// end it. Errors are ignored. Ends when the session is dropped, or at once if it has no timeout.
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
                let _: Result<Value, _> = client.send(request.called("a ping")).await;
            }
        }
    }

    /// Returns the idle time before a keep-alive, half the timeout in the session's capabilities, or half of
    /// [`COMMAND_TIMEOUT`] if they have none. `None` if the timeout is 0, which means none.
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
        session_end::end(&self.client, &self.id, &self.path);
    }
}

/// Waits in its destructor for a thread that is still starting a session after the caller has gone; the
/// thread then ends that session.
struct PendingSession(mpsc::Receiver<()>);

impl Drop for PendingSession {
    fn drop(&mut self) {
        let _ = self.0.recv_timeout(SESSION_END_LIMIT);
    }
}

/// Begins a session on a thread of its own. Dropping the future before the answer blocks for up to
/// `SESSION_END_LIMIT`, until the thread has ended the session that nobody wants.
async fn begin_in_background(
    client: &Client,
    body: &Value,
    limit: Duration,
) -> Result<Session, WebDriverError> {
    let request = Request::post("/session", body, limit).called("POST session");
    let (done, over) = mpsc::channel();
    // Must be dropped after the channel of the answer, so that the thread notices that the caller is gone.
    let _pending = PendingSession(over);
    let (notify, reported) = oneshot::channel();
    let client = client.clone();
    std::thread::spawn(move || {
        let begun = client
            .send_blocking::<NewSession>(&request)
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

/// Creates the session that the server began. An id is refused if it is empty, longer than 512 bytes, only dots,
/// or has characters that could change the path.
fn session(client: &Client, begun: NewSession) -> Result<Session, WebDriverError> {
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

/// Returns true if the server has no free device just now: by the words of its error, or HTTP status 429.
fn is_full(error: &WebDriverError) -> bool {
    const SIGNS: [&str; 10] = [
        // Selenium Grid, when the request waited too long in its queue.
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

/// Builds the body with the requested capabilities: defaults (Android, UiAutomator2, timeout, no animations),
/// overridden by those of the settings. Names without a prefix get `appium:` unless they are standard.
fn requested_capabilities(capabilities: &Map<String, Value>) -> Value {
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
        always.insert(full_name(name), value.clone());
    }
    json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": always } })
}

/// Adds the prefix `appium:` to a capability's name that lacks one and is not standard.
pub(crate) fn full_name(name: &str) -> String {
    if name.contains(':') || STANDARD.contains(&name) {
        name.to_owned()
    } else {
        format!("appium:{name}")
    }
}

/// Returns an explanation if the capabilities ask for something this driver cannot drive: another platform
/// than Android, a browser, or `autoWebview`. `None` if they are usable, as with an empty `browserName`. Only
/// the name `autoWebview` counts with and without `appium:` and in any case.
pub(crate) fn unsupported_reason(capabilities: &Map<String, Value>) -> Option<&'static str> {
    let text = |wanted: &str| {
        let mut named = capabilities.iter();
        named.find_map(|(name, value)| {
            let is_meant = full_name(name).eq_ignore_ascii_case(wanted);
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

pub(crate) type SharedSession = Arc<Session>;

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn what_was_asked_for_beats_what_is_usual() {
        let wanted = requested_capabilities(&map(
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
            let message = unsupported_reason(&map(capabilities));
            assert_eq!(message.is_some(), says.is_some());
            assert!(
                message
                    .unwrap_or_default()
                    .contains(says.unwrap_or_default())
            );
        }
    }
}
