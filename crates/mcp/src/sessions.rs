//! Sessions, so many and no more: each costs memory, and clients that go without a word never end theirs. Silence does
//! not end one: a client may be silent because it waits for a call.

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

/// So many sessions at once.
const MOST: usize = 64;

/// How long a new session waits for the end of the one that goes for it, which may be stuck on a client that reads nothing.
const FAREWELL: Duration = Duration::from_secs(1);

/// The protocol library's sessions. Where one more comes, the one goes that was idle for longest.
#[derive(Debug)]
pub(super) struct Sessions {
    all: LocalSessionManager,
    seats: SessionTable,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut all = LocalSessionManager::default();
        // The library counts messages only, so a long call would end with its session. The seats bound what stays.
        all.session_config.keep_alive = None;
        Self {
            all,
            seats: SessionTable::default(),
        }
    }
}

impl Sessions {
    /// Whether there is no seat for one more.
    pub fn is_full(&self) -> bool {
        self.seats.are_all_busy()
    }
}

/// What went wrong with a session.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error("{MOST} clients have calls going on; try again")]
    Full,
    #[error(transparent)]
    Library(#[from] LocalSessionManagerError),
}

#[derive(Debug, Clone, Default)]
struct SessionTable(Arc<Mutex<HashMap<SessionId, SessionUsage>>>);

/// How a session is used.
#[derive(Debug, Clone, Copy)]
struct SessionUsage {
    last: Instant,
    /// Calls whose answers are waited for.
    calls: usize,
}

impl SessionTable {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, SessionUsage>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a seat. Gives the session that has to go for it, which may be the new one itself.
    fn take(&self, id: &SessionId) -> Option<SessionId> {
        let mut seats = self.all();
        let idle = seats.iter().filter(|(_, seat)| seat.calls == 0);
        let oldest = idle.min_by_key(|(_, seat)| seat.last);
        let oldest = oldest.map(|(id, _)| SessionId::clone(id));
        let gone = (seats.len() >= MOST).then(|| oldest.unwrap_or_else(|| id.clone()));
        if let Some(gone) = &gone {
            seats.remove(gone);
        }
        if gone.as_ref() != Some(id) {
            let last = Instant::now();
            seats.insert(id.clone(), SessionUsage { last, calls: 0 });
        }
        gone
    }

    fn are_all_busy(&self) -> bool {
        let seats = self.all();
        seats.len() >= MOST && seats.values().all(|seat| seat.calls > 0)
    }

    /// Marks that a session is used.
    fn used(&self, id: &SessionId, change: impl FnOnce(&mut SessionUsage)) {
        if let Some(seat) = self.all().get_mut(id) {
            seat.last = Instant::now();
            change(seat);
        }
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionsError> {
        let (id, transport) = self.all.create_session().await?;
        if let Some(gone) = self.seats.take(&id) {
            // It is out of the list at once; how it ends is not the new one's business.
            let _ = timeout(FAREWELL, self.all.close_session(&gone)).await;
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
        self.seats.all().remove(id);
        Ok(self.all.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        let busy = ActiveCall::new(&self.seats, id);
        let stream = self.all.create_stream(id, message).await?;
        Ok(Answer {
            stream: Box::pin(stream),
            _busy: Some(busy),
        })
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionsError> {
        self.seats.used(id, |_| {});
        Ok(self.all.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        self.seats.used(id, |_| {});
        Ok(self.all.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionsError> {
        self.seats.used(id, |_| {});
        let busy = is_of_a_call(&last_event_id).then(|| ActiveCall::new(&self.seats, id));
        let stream = self.all.resume(id, last_event_id).await?;
        Ok(Answer {
            stream: Box::pin(stream),
            _busy: busy,
        })
    }
}

/// Whether an event belongs to the answer of a call. The others are of the stream that is open as long as the client
/// is there, which makes nobody busy.
fn is_of_a_call(event_id: &str) -> bool {
    // As the library writes them: INDEX/REQUEST.
    event_id.contains('/')
}

/// A call that goes on.
struct ActiveCall {
    seats: SessionTable,
    id: SessionId,
}

impl ActiveCall {
    fn new(seats: &SessionTable, id: &SessionId) -> Self {
        seats.used(id, |seat| seat.calls += 1);
        Self {
            seats: seats.clone(),
            id: id.clone(),
        }
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        let id = &self.id;
        self.seats
            .used(id, |seat| seat.calls = seat.calls.saturating_sub(1));
    }
}

/// What a client reads: the answer to a call, on its way.
struct Answer {
    stream: Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>,
    _busy: Option<ActiveCall>,
}

impl Stream for Answer {
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
        let seats = SessionTable::default();
        for number in 0..MOST {
            assert_eq!(seats.take(&id(number)), None);
        }
        let call = ActiveCall::new(&seats, &id(0));
        seats.used(&id(1), |_| {});
        assert_eq!(seats.take(&id(100)), Some(id(2)));
        drop(call);
        seats.used(&id(3), |_| {});
        assert_eq!(seats.take(&id(101)), Some(id(4)));
        assert_eq!(seats.all().len(), MOST);
    }

    #[test]
    fn where_all_are_busy_nobody_goes_for_one_more() {
        let seats = SessionTable::default();
        let calls: Vec<ActiveCall> = (0..MOST)
            .map(|number| {
                seats.take(&id(number));
                ActiveCall::new(&seats, &id(number))
            })
            .collect();
        assert!(seats.are_all_busy());
        assert_eq!(seats.take(&id(100)), Some(id(100)));
        drop(calls);
        assert!(!seats.are_all_busy());
        assert_eq!(seats.take(&id(100)), Some(id(0)));
    }

    #[test]
    fn silence_ends_no_session() {
        let config = Sessions::default().all.session_config;
        assert_eq!(config.keep_alive, None);
    }

    #[test]
    fn only_the_answer_to_a_call_makes_a_session_busy() {
        assert!(is_of_a_call("3/1"));
        assert!(!is_of_a_call("0"));
    }
}
