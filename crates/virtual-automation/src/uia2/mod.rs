//! Appium's `UiAutomator2` server, version 10.6.6, on the virtual phone's tree, pixels, input and clipboard.
//!
//! Routes, fields and errors are those of <https://github.com/appium/appium-uiautomator2-server>. Here are the
//! routes that this program's own driver asks for; the others are in `other_clients/uia2/`. Not implemented:
//! scheduled actions, the MJPEG stream, and of `/network_connection` all but Wi-Fi.

mod actions;
pub(crate) mod attributes;
pub(crate) mod call;
pub(crate) mod element;
pub(crate) mod error;
pub(crate) mod found_element;
mod keys;
pub(crate) mod route;
mod routes;
mod server;
pub(crate) mod session;
mod session_calls;
pub(crate) mod settings;
mod source;
#[cfg(test)]
mod tests;
pub(crate) mod text;
pub(crate) mod windows;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use self::call::Call;
use self::error::{ErrorKind, WireError};
use self::route::RouteMatch;
pub(crate) use self::server::UiAutomator2Server;
use self::session::Session;
use crate::http::{self, Answer, Request, Service};
use crate::other_clients;
use runner_virtual_device::Fault;

/// Time between the answer to `DELETE /session/ID` and the server's end. Chosen: enough to send the answer.
const LAST_ANSWER: Duration = Duration::from_millis(15);
/// Limit for answers in the log, in characters. Chosen: a line.
const MAX_LOGGED_CHARS: usize = 300;
/// Size of an answer with the fault that makes it too long, in bytes. Chosen: beyond clients' limits.
const HUGE_ANSWER_BYTES: usize = 50 * 1024 * 1024;

impl UiAutomator2Server {
    /// Serves one connection.
    pub(crate) async fn serve<S>(self: Arc<Self>, stream: S)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let ended = self.ended.clone();
        http::serve(self, stream, ended).await;
    }

    /// Answers a request whose route is known.
    fn respond(&self, request: &Request, matched: Option<&RouteMatch>) -> Answer {
        self.log(
            'I',
            &format!("channel read: {} {}", request.method, request.path),
        );
        if let Some(matched) = matched {
            self.state.serves(&matched.route.name());
        }
        let session = matched.and_then(|matched| matched.parts.get(":session"));
        let result = matched
            .ok_or_else(|| {
                WireError::new(ErrorKind::UNKNOWN_COMMAND, other_clients::UNKNOWN_COMMAND)
            })
            .and_then(|matched| self.value(request, matched));
        let (status, session, value) = match result {
            // The answer that creates a session carries the new id.
            Ok(value) => match value.get("sessionId").and_then(Value::as_str) {
                Some(id) if session.is_none() => (200, Some(id.to_owned()), value),
                _ => (200, session.map(str::to_owned), value),
            },
            Err(error) => (
                error.kind.status,
                session.map(str::to_owned),
                error.to_json(),
            ),
        };
        // Answers outside of sessions have the literal `None` as their session.
        let none = matched.is_some_and(|matched| !matched.route.needs_session && status == 200);
        let session = session.or_else(|| none.then(|| "None".to_owned()));
        let body = json!({ "sessionId": session, "value": value }).to_string();
        let message: String = body.chars().take(MAX_LOGGED_CHARS).collect();
        self.log('I', &format!("AppiumResponse: {message}"));
        self.state.collect_log();
        Answer {
            clock: (!self.state.is_realistic()).then(|| self.state.elapsed()),
            ..Answer::new(status, "application/json", body)
        }
    }

    /// Returns the value of the answer. An error for another session than the present one, without accessibility,
    /// or with a fault; an input that gets lost succeeds without doing anything.
    fn value(&self, request: &Request, matched: &RouteMatch) -> Result<Value, WireError> {
        if matched.route.needs_session {
            let wanted = matched.parts.get(":session").unwrap_or_default();
            let known = self
                .session()
                .as_ref()
                .is_some_and(|session| session.id == wanted);
            if !known {
                return Err(WireError::new(
                    ErrorKind::INVALID_SESSION,
                    format!("The session identified by {wanted} is not known"),
                ));
            }
        }
        let call = Call {
            server: self,
            device: &self.state,
            body: &request.body,
            parts: &matched.parts,
        };
        if matched.route.kind.needs_accessibility() {
            call.check_connection()?;
        }
        if matched.route.kind.is_input {
            if self.state.shows(Fault::RefusedInput) {
                return Err(WireError::new(
                    ErrorKind::INVALID_ELEMENT_STATE,
                    "Unable to inject the event. The input dispatcher is not ready",
                ));
            }
            if crate::input::is_lost(&self.state) {
                return Ok(Value::Null);
            }
        }
        if matched.route.kind.needs_accessibility() {
            self.wait_for_idle();
        }
        (matched.route.handle)(&call)
    }

    /// Waits until nothing moves, as `UiAutomator` does before looks and actions, within the limit of the
    /// setting.
    fn wait_for_idle(&self) {
        let limit = self.settings().number("waitForIdleTimeout");
        let limit = Duration::from_millis(u64::try_from(limit).unwrap_or(0));
        let moving = self.state.phone().rest_time().min(limit);
        if !moving.is_zero() {
            crate::input::spend(&self.state, moving);
        }
    }

    /// Simulates faults. Returns true if one of them leaves the request without an answer.
    async fn is_unanswered(&self, matched: Option<&RouteMatch>) -> bool {
        let Some(matched) = matched else {
            return false;
        };
        let faults = &self.state;
        if matched.route.needs_session && faults.shows(Fault::Uia2StaleSession) {
            // As if another client had opened a session meanwhile.
            let other = Session::new(serde_json::Map::new());
            *self.session() = Some(other);
        }
        let kind = matched.route.kind;
        if kind.hang.is_some_and(|fault| faults.shows(fault)) {
            self.ended.cancelled().await;
            return true;
        }
        if kind.is_look && faults.shows(Fault::Uia2Killed) {
            self.ended.cancel();
            return true;
        }
        false
    }

    /// Damages the answer to a look if a fault wants it: cut off, or filled up with spaces.
    fn damage(&self, matched: Option<&RouteMatch>, answer: &mut Answer) {
        if !matched.is_some_and(|matched| matched.route.kind.is_look) {
            return;
        }
        answer.cut = self.state.shows(Fault::Uia2CutLook);
        if self.state.shows(Fault::Uia2HugeLook) {
            answer
                .body
                .resize(answer.body.len().max(HUGE_ANSWER_BYTES), b' ');
        }
    }
}

impl Service for UiAutomator2Server {
    /// Answers a request; `None` if a fault leaves it without an answer. After a request that ends the server, it
    /// ends a moment later.
    async fn answer(self: Arc<Self>, request: Request) -> Option<Answer> {
        let matched = routes::find(&request.method, &request.path);
        if self.is_unanswered(matched.as_ref()).await {
            return None;
        }
        let ends = matched
            .as_ref()
            .is_some_and(|matched| matched.route.ends_server);
        let server = Arc::clone(&self);
        // Blocking work: screenshots take a while, and a realistic device sleeps.
        let answering = tokio::task::spawn_blocking(move || {
            let mut answer = server.respond(&request, matched.as_ref());
            server.damage(matched.as_ref(), &mut answer);
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
