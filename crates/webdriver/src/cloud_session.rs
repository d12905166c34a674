//! Reports results of flows to the cloud that runs the session, and the session's page to people.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Request;
use crate::cloud::Cloud;
use crate::error::WebDriverError;
use crate::session::Session;
use crate::session_record::SessionRecord;
use crate::spec::WebDriverSpec;
use runner_device::remote::{FlowResult, RemoteSession};

/// Time limit for one report to the cloud. Chosen: reports are not worth delaying a test for longer.
const LIMIT: Duration = Duration::from_secs(10);

/// A session together with what was reported of it to its cloud.
pub(crate) struct CloudSession {
    pub(crate) session: RemoteSession,
    cloud: Cloud,
    record: Mutex<SessionRecord>,
    notes: Mutex<Vec<String>>,
}

impl CloudSession {
    /// Describes a session, asking the cloud for 10 s at most for its page if the address does not follow from the
    /// id. If the cloud does not answer, only the link is missing.
    pub(crate) async fn new(spec: &WebDriverSpec, session: &Session) -> Self {
        let cloud = spec.cloud;
        let details = match cloud.details_script() {
            // Without an answer only the link is missing.
            Some(script) => session
                .client
                .send::<Value>(request(session, script))
                .await
                .ok(),
            None => None,
        };
        let capabilities = Value::Object(session.capabilities.clone());
        let id = session.id();
        Self {
            session: cloud.session(&spec.display, id, &capabilities, details.as_ref()),
            cloud,
            record: Mutex::default(),
            notes: Mutex::default(),
        }
    }

    /// Records the start of an attempt at a flow. Returns the request that gives the session its new name; `None` if
    /// the name stays or there is no cloud.
    pub(crate) fn begin(&self, session: &Session, flow: &str, attempt: u32) -> Option<Request> {
        let name = self.record(|record| record.begin(flow, attempt))?;
        let script = self.cloud.name_script(&name)?;
        Some(request(session, &script))
    }

    /// Records the result of an attempt. Returns the request that gives the session its new result; `None` if the
    /// result of all flows together stays or there is no cloud.
    pub(crate) fn end(&self, session: &Session, result: &FlowResult) -> Option<Request> {
        let result = self.record(|record| record.end(result))?;
        let script = self.cloud.result_script(&result)?;
        Some(request(session, &script))
    }

    /// Keeps a note for people that the cloud did not take a request.
    pub(crate) fn note_failure(&self, error: &WebDriverError) {
        let note = format!("the cloud was not told of this flow: {error}");
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push(note);
    }

    fn record<T>(&self, change: impl FnOnce(&mut SessionRecord) -> T) -> T {
        change(&mut self.record.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn request(session: &Session, script: &str) -> Request {
    let body = json!({ "script": script, "args": [] });
    Request::post(session.path("/execute/sync"), &body, LIMIT).called("a word to the cloud")
}
