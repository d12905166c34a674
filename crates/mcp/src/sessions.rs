//! Limits the number of sessions. Each costs memory, and a client that vanishes never ends its session. A
//! silent session is not ended for its silence: the client may be waiting for a call.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use tokio::time::timeout;

/// Sessions at once. Chosen: enough for a team's agents on one device; each more costs a task and its
/// buffers.
const MAX_SESSIONS: usize = 64;

/// Time that a new session waits for the closing of the one that makes room for it. Chosen: closing takes
/// milliseconds unless it hangs on a client that reads nothing.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Sessions of the protocol's library, at most [`MAX_SESSIONS`]. A further one ends the session that was idle
/// for longest.
#[derive(Debug)]
pub(super) struct Sessions {
    all: LocalSessionManager,
    table: SessionTable,
}

impl Default for Sessions {
    /// Creates an empty table. Sessions do not end for their silence.
    fn default() -> Self {
        let mut all = LocalSessionManager::default();
        // The library counts messages only, so a long call would end with its session. The table bounds their number.
        all.session_config.keep_alive = None;
        Self {
            all,
            table: SessionTable::default(),
        }
    }
}

impl Sessions {
    /// Returns true if a new session would be refused: the table is full and every session has a call in
    /// progress.
    pub fn is_full(&self) -> bool {
        self.table.are_all_busy()
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error("{MAX_SESSIONS} clients have calls going on; try again")]
    Full,
    #[error(transparent)]
    Library(#[from] LocalSessionManagerError),
}

#[derive(Debug, Clone, Default)]
struct SessionTable(Arc<Mutex<HashMap<SessionId, SessionUsage>>>);

/// Last use of a session and its calls in progress.
#[derive(Debug, Clone, Copy)]
struct SessionUsage {
    last: Instant,
    calls: usize,
}

impl SessionTable {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, SessionUsage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a session. At most [`MAX_SESSIONS`] are kept. Returns the session that must end for it, and
    /// removes that from the table: the one idle for longest, or the new one itself, which is not added, if
    /// all others have calls in progress.
    fn take(&self, id: &SessionId) -> Option<SessionId> {
        let mut table = self.all();
        let idle = table.iter().filter(|(_, usage)| usage.calls == 0);
        let oldest = idle.min_by_key(|(_, usage)| usage.last);
        let oldest = oldest.map(|(id, _)| SessionId::clone(id));
        let gone = (table.len() >= MAX_SESSIONS).then(|| oldest.unwrap_or_else(|| id.clone()));
        if let Some(gone) = &gone {
            table.remove(gone);
        }
        if gone.as_ref() != Some(id) {
            let last = Instant::now();
            table.insert(id.clone(), SessionUsage { last, calls: 0 });
        }
        gone
    }

    fn are_all_busy(&self) -> bool {
        let table = self.all();
        table.len() >= MAX_SESSIONS && table.values().all(|usage| usage.calls > 0)
    }

    /// Sets the time of a session's last use to now and applies `change`. Does nothing if the session is not in the
    /// table.
    fn used(&self, id: &SessionId, change: impl FnOnce(&mut SessionUsage)) {
        if let Some(usage) = self.all().get_mut(id) {
            usage.last = Instant::now();
            change(usage);
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    /// Creates a session. If there are too many, the one without calls that is longest out of use is closed, which is
    /// waited for at most 1 s; if all have calls in progress, it fails with [`SessionsError::Full`].
    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        let (id, transport) = self.all.create_session().await?;
        if let Some(gone) = self.table.take(&id) {
            // It is out of the table already; an error of closing it must not fail the new session.
            let _ = timeout(CLOSE_TIMEOUT, self.all.close_session(&gone)).await;
            if gone == id {
                return Err(SessionsError::Full);
            }
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionsError> {
        Ok(self.all.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionsError> {
        Ok(self.all.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionsError> {
        self.table.all().remove(id);
        Ok(self.all.close_session(id).await?)
    }

    /// Begins a call of a session. The session counts as in use until its stream is dropped. An unknown session is the
    /// library's error.
    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let busy = ActiveCall::new(&self.table, id);
        let stream = self.all.create_stream(id, message).await?;
        Ok(AnswerStream {
            stream: Box::pin(stream),
            _busy: Some(busy),
        })
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        self.table.used(id, |_| {});
        Ok(self.all.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        self.table.used(id, |_| {});
        Ok(self.all.create_standalone_stream(id).await?)
    }

    /// Resumes a stream after the event with this id. Only that of a call keeps the session in use.
    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        self.table.used(id, |_| {});
        let busy = belongs_to_call(&last_event_id).then(|| ActiveCall::new(&self.table, id));
        let stream = self.all.resume(id, last_event_id).await?;
        Ok(AnswerStream {
            stream: Box::pin(stream),
            _busy: busy,
        })
    }
}

/// Returns true if an event belongs to the answer of a call. The others belong to the stream that is open as
/// long as the client is connected; it does not make a session busy.
fn belongs_to_call(event_id: &str) -> bool {
    // The library writes the ids of such events as INDEX/REQUEST.
    event_id.contains('/')
}

/// Counts a call as in progress until it is dropped.
struct ActiveCall {
    table: SessionTable,
    id: SessionId,
}

impl ActiveCall {
    /// Counts one more call of a session, until this is dropped. Does nothing for a session that is not in the table.
    fn new(table: &SessionTable, id: &SessionId) -> Self {
        table.used(id, |usage| usage.calls += 1);
        Self {
            table: table.clone(),
            id: id.clone(),
        }
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        let id = &self.id;
        self.table
            .used(id, |usage| usage.calls = usage.calls.saturating_sub(1));
    }
}

/// Event stream of an answer. It keeps the session busy until it is dropped.
struct AnswerStream {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    _busy: Option<ActiveCall>,
}

impl Stream for AnswerStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        self.stream.as_mut().poll_next(cx)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: usize) -> SessionId {
        number.to_string().into()
    }

    #[test]
    fn the_session_goes_that_was_idle_for_longest() {
        let table = SessionTable::default();
        for number in 0..MAX_SESSIONS {
            assert_eq!(table.take(&id(number)), None);
        }
        let call = ActiveCall::new(&table, &id(0));
        table.used(&id(1), |_| {});
        assert_eq!(table.take(&id(100)), Some(id(2)));
        drop(call);
        table.used(&id(3), |_| {});
        assert_eq!(table.take(&id(101)), Some(id(4)));
        assert_eq!(table.all().len(), MAX_SESSIONS);
    }

    #[test]
    fn where_all_are_busy_nobody_goes_for_one_more() {
        let table = SessionTable::default();
        let calls: Vec<ActiveCall> = (0..MAX_SESSIONS)
            .map(|number| {
                table.take(&id(number));
                ActiveCall::new(&table, &id(number))
            })
            .collect();
        assert!(table.are_all_busy());
        assert_eq!(table.take(&id(100)), Some(id(100)));
        drop(calls);
        assert!(!table.are_all_busy());
        assert_eq!(table.take(&id(100)), Some(id(0)));
    }

    #[test]
    fn silence_ends_no_session() {
        let config = Sessions::default().all.session_config;
        assert_eq!(config.keep_alive, None);
    }

    #[test]
    fn only_the_answer_to_a_call_makes_a_session_busy() {
        assert!(belongs_to_call("3/1"));
        assert!(!belongs_to_call("0"));
    }
}
