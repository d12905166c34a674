//! Appium's `UiAutomator2` server, version 10.6.6, on the phone's own tree, pixels, input and clipboard.
//!
//! Routes, fields and errors are those of <https://github.com/appium/appium-uiautomator2-server>. Not there: scheduled
//! actions, the MJPEG stream, `/network_connection` other than its refusals.

mod actions;
mod alert;
mod attributes;
mod call;
mod device;
mod element;
mod error;
mod find;
mod gestures;
mod routes;
mod scrollable;
mod session;
mod settings;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod ui_selector;
mod windows;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use self::call::Call;
use self::error::{ErrorKind, WireError};
use self::routes::{Matched, RouteKind};
use self::session::Session;
use self::settings::Settings;
use crate::http::{self, Answer, Request, Service};
use runner_virtual_device::Fault;
use runner_virtual_device::automation::DeviceState;

/// What `/status` says.
const VERSION: &str = "10.6.6";
/// The same as a number.
const VERSION_CODE: u32 = 278;
/// Between the answer to `DELETE /session/ID` and the end.
const LAST_ANSWER: Duration = Duration::from_millis(15);
/// Characters of an answer that the log has.
const LOGGED: usize = 300;
/// Bytes of the answer that the fault makes too long.
const HUGE: usize = 50 * 1024 * 1024;

/// Whether a text reads as a locator; for fuzzing.
pub(crate) fn finds_by(text: &str) -> bool {
    find::finds_by(text)
}

/// The server that `am instrument` starts.
#[derive(Debug)]
pub(crate) struct UiAutomator2Server {
    state: Arc<DeviceState>,
    ended: CancellationToken,
    connected: AtomicBool,
    session: Mutex<Option<Session>>,
    settings: Mutex<Settings>,
    /// When the last search ended, if it found nothing.
    missed: Mutex<Option<Instant>>,
}

impl UiAutomator2Server {
    pub(crate) fn new(state: Arc<DeviceState>) -> Arc<Self> {
        let ended = state.child_token();
        Arc::new(Self {
            state,
            ended,
            connected: AtomicBool::new(true),
            session: Mutex::default(),
            settings: Mutex::default(),
            missed: Mutex::default(),
        })
    }

    /// Serves one connection.
    pub(crate) async fn serve<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let ended = self.ended.clone();
        http::serve(self, stream, ended).await;
    }

    /// Cancelled when the server ends: shortly after its session was deleted, by a fault, or with the device.
    pub(crate) fn ended(&self) -> CancellationToken {
        self.ended.clone()
    }

    /// Takes the connection to accessibility away, as the end of `am instrument` does. The server goes on answering.
    pub(crate) fn disconnect_automation(&self) {
        self.connected.store(false, Ordering::SeqCst);
    }

    fn is_connected(&self) -> bool {
        self.connected.load(Ordering::SeqCst)
    }

    fn session(&self) -> MutexGuard<'_, Option<Session>> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn missed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn log(&self, priority: char, message: &str) {
        self.state.log_line(priority, "appium", message, 0);
    }

    /// The answer to a request whose route is known.
    fn respond(&self, request: &Request, matched: Option<&Matched>) -> Answer {
        self.log(
            'I',
            &format!("channel read: {} {}", request.method, request.path),
        );
        if let Some(matched) = matched {
            self.state.serves(&matched.route.name());
        }
        let session = matched.and_then(|matched| matched.session.as_deref());
        let result = matched
            .ok_or_else(WireError::unknown_command)
            .and_then(|matched| self.value(request, matched));
        let (status, session, value) = match result {
            // A new session answers under its own id.
            Ok(value) => match value.get("sessionId").and_then(Value::as_str) {
                Some(id) if session.is_none() => (200, Some(id.to_owned()), value),
                _ => (200, session.map(str::to_owned), value),
            },
            Err(error) => (
                error.kind.status(),
                session.map(str::to_owned),
                error.to_json(),
            ),
        };
        // What needs no session says so in a word of its own.
        let none = matched.is_some_and(|matched| !matched.route.needs_session && status == 200);
        let session = session.or_else(|| none.then(|| "None".to_owned()));
        let body = json!({ "sessionId": session, "value": value }).to_string();
        let message: String = body.chars().take(LOGGED).collect();
        self.log('I', &format!("AppiumResponse: {message}"));
        self.state.collect_log();
        Answer {
            clock: (!self.state.is_realistic()).then(|| self.state.elapsed()),
            ..Answer::new(status, "application/json", body)
        }
    }

    fn value(&self, request: &Request, matched: &Matched) -> Result<Value, WireError> {
        if matched.route.needs_session {
            let wanted = matched.session.as_deref().unwrap_or_default();
            let known = self
                .session()
                .as_ref()
                .is_some_and(|session| session.id == wanted);
            if !known {
                return Err(WireError::new(
                    ErrorKind::InvalidSession,
                    format!("The session identified by {wanted} is not known"),
                ));
            }
        }
        let call = Call {
            server: self,
            device: &self.state,
            body: &request.body,
            matched,
        };
        if matched.route.kind != RouteKind::Plain {
            call.check_connection()?;
        }
        if matched.route.kind == RouteKind::Input {
            if self.state.shows(Fault::RefusedInput) {
                return Err(WireError::new(
                    ErrorKind::InvalidElementState,
                    "Unable to inject the event. The input dispatcher is not ready",
                ));
            }
            if crate::input::is_lost(&self.state) {
                return Ok(Value::Null);
            }
        }
        if matched.route.kind != RouteKind::Plain {
            self.wait_for_idle();
        }
        (matched.route.handle)(&call)
    }

    /// Lets what moves come to rest, as `UiAutomator` does before it looks or acts, for as long as the setting has it.
    fn wait_for_idle(&self) {
        let limit = self.settings().number("waitForIdleTimeout");
        let limit = Duration::from_millis(u64::try_from(limit).unwrap_or(0));
        let moving = self.state.phone().rest_time().min(limit);
        if !moving.is_zero() {
            crate::input::spend(&self.state, moving);
        }
    }

    /// Faults that keep a request from its answer; `true` where there is none.
    async fn is_cached(&self, matched: Option<&Matched>) -> bool {
        let Some(matched) = matched else {
            return false;
        };
        let faults = &self.state;
        if matched.route.needs_session && faults.shows(Fault::Uia2StaleSession) {
            // Another client has opened a session since.
            let other = Session::new(serde_json::Map::new());
            *self.session() = Some(other);
        }
        let hangs = match matched.route.kind {
            RouteKind::Look => faults.shows(Fault::Uia2HungLook),
            RouteKind::Picture => faults.shows(Fault::HungScreenshot),
            RouteKind::Input => faults.shows(Fault::HungInput),
            RouteKind::Plain => false,
        };
        if hangs {
            self.ended.cancelled().await;
            return true;
        }
        if matched.route.kind == RouteKind::Look && faults.shows(Fault::Uia2Killed) {
            self.ended.cancel();
            return true;
        }
        false
    }

    fn spoil(&self, matched: Option<&Matched>, answer: &mut Answer) {
        if !matched.is_some_and(|matched| matched.route.kind == RouteKind::Look) {
            return;
        }
        answer.cut = self.state.shows(Fault::Uia2CutLook);
        if self.state.shows(Fault::Uia2HugeLook) {
            answer.body.resize(answer.body.len().max(HUGE), b' ');
        }
    }
}

impl Service for UiAutomator2Server {
    async fn answer(self: Arc<Self>, request: Request) -> Option<Answer> {
        let matched = routes::find(&request.method, &request.path);
        if self.is_cached(matched.as_ref()).await {
            return None;
        }
        let ends = matched
            .as_ref()
            .is_some_and(|matched| matched.route.ends_server);
        let server = Arc::clone(&self);
        // Pictures take a while, and a realistic device sleeps.
        let answering = tokio::task::spawn_blocking(move || {
            let mut answer = server.respond(&request, matched.as_ref());
            server.spoil(matched.as_ref(), &mut answer);
            answer
        });
        let answer = answering.await.ok()?;
        if ends && answer.status == 200 {
            let ended = self.ended.clone();
            tokio::spawn(async move {
                tokio::time::sleep(LAST_ANSWER).await;
                ended.cancel();
            });
        }
        Some(answer)
    }
}
