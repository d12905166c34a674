//! Sends requests to an app's process, one at a time, each with a time limit.

mod answer;
mod frame;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

pub use frame::{Frame, FrameError, MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES};
use runner_virtual_device::app_host::{HostEvent, HostReply};

use crate::process::{HostError, LastWords};

/// Requests that the host answers at once, even if its main thread is busy.
const ANSWERED_AT_ONCE: [&str; 2] = ["threads", "quit"];
/// Limit for stored events of late answers. Chosen: bounds the memory for an app that reports without end.
const MAX_LATE_EVENTS: usize = 10_000;

/// Connection to an app's process. Requests wait for each other, except for those that the host answers at once.
///
/// A call that is dropped or timed out leaves the connection intact: its answer is read when it comes, and its
/// events are delivered with the next answer. Dropping the client ends the connection.
#[derive(Debug)]
pub struct HostClient {
    requests: mpsc::Sender<Vec<u8>>,
    shared: Arc<PendingTable>,
    turn: tokio::sync::Mutex<()>,
    next_id: AtomicU64,
    words: LastWords,
    /// Tasks that read and write. They handle whole frames, even if a call is dropped.
    _tasks: JoinSet<()>,
}

type ReplyResult = Result<HostReply, HostError>;

#[derive(Debug, Default)]
struct PendingTable {
    pending: Mutex<PendingCalls>,
}

#[derive(Debug, Default)]
struct PendingCalls {
    calls: HashMap<u64, oneshot::Sender<HostReply>>,
    /// Events of answers that nobody waited for any more.
    late: Vec<HostEvent>,
    /// Reason why no more answers come.
    ended: Option<String>,
}

impl HostClient {
    /// Creates a client on a connection whose hello is done. Its two tasks read and write until it is dropped. `words`
    /// is the process's output, for errors. Must be called on a runtime.
    pub fn new<R, W>(reader: R, writer: W, words: LastWords) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let shared = Arc::new(PendingTable::default());
        let (requests, queue) = mpsc::channel(4);
        let mut tasks = JoinSet::new();
        tasks.spawn(read_answers(reader, Arc::clone(&shared)));
        tasks.spawn(write_requests(writer, queue));
        Self {
            requests,
            shared,
            turn: tokio::sync::Mutex::new(()),
            next_id: AtomicU64::new(1),
            words,
            _tasks: tasks,
        }
    }

    /// Sends `op` with its fields and waits for its answer. `limit` includes the wait for earlier calls, as only
    /// one is sent at a time; `threads` and `quit` do not wait. A call that runs out of time is not withdrawn: the
    /// host may still carry it out, and a later reply begins with its events.
    ///
    /// # Errors
    ///
    /// [`HostError`], at once if the connection has ended before. A refusal by the host is no error but part of the
    /// reply.
    pub async fn call(
        &self,
        op: &str,
        fields: Map<String, Value>,
        limit: Duration,
    ) -> Result<HostReply, HostError> {
        let exchange = async {
            let _turn = if ANSWERED_AT_ONCE.contains(&op) {
                None
            } else {
                Some(self.turn.lock().await)
            };
            self.exchange(op, fields).await
        };
        match tokio::time::timeout(limit, exchange).await {
            Ok(answer) => answer,
            Err(_) => Err(HostError::TimedOut {
                op: op.to_owned(),
                limit,
            }),
        }
    }

    /// Sends a request with a new id, and waits without limit for its answer. Fails at once if the connection has ended
    /// before.
    async fn exchange(&self, op: &str, mut fields: Map<String, Value>) -> ReplyResult {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        fields.insert("id".to_owned(), id.into());
        fields.insert("op".to_owned(), op.into());
        let header = Value::Object(fields).to_string();
        let bytes = Frame::bytes(header.as_bytes(), &[])?;
        let (sender, replied) = oneshot::channel();
        {
            let mut pending = self.shared.lock();
            if let Some(why) = &pending.ended {
                return Err(self.ended(why));
            }
            pending.calls.insert(id, sender);
        }
        // If writing has ended, the reader ends too and reports why.
        let _ = self.requests.send(bytes).await;
        let Ok(mut reply) = replied.await else {
            let why = self.shared.lock().ended.clone();
            return Err(self.ended(why.as_deref().unwrap_or("it was ended")));
        };
        let late = std::mem::take(&mut self.shared.lock().late);
        reply.events.splice(0..0, late);
        Ok(reply)
    }

    /// Builds the error of an ended connection, with the end of the process's output.
    fn ended(&self, why: &str) -> HostError {
        HostError::Ended {
            why: why.to_owned(),
            last_words: self.words.text(),
        }
    }
}

impl PendingTable {
    fn lock(&self) -> std::sync::MutexGuard<'_, PendingCalls> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers an answer to its caller. If the caller is gone, stores its events for the next answer; beyond
    /// 10,000 they are dropped.
    fn deliver(&self, id: u64, reply: HostReply) {
        let mut pending = self.lock();
        let unheard = match pending.calls.remove(&id) {
            Some(call) => call.send(reply).err(),
            None => Some(reply),
        };
        let room = MAX_LATE_EVENTS.saturating_sub(pending.late.len());
        let events = unheard.into_iter().flat_map(|reply| reply.events);
        pending.late.extend(events.take(room));
    }

    /// Ends all pending calls with an error, as no more answers come. Later calls fail with `why` too.
    fn end(&self, why: String) {
        let mut pending = self.lock();
        pending.ended = Some(why);
        // Dropping the senders ends the pending calls.
        pending.calls.clear();
    }
}

/// Delivers answers until the connection ends. The first malformed frame or answer ends it too. Then all calls fail.
async fn read_answers(mut reader: impl AsyncRead + Unpin, shared: Arc<PendingTable>) {
    let why = loop {
        match Frame::read(&mut reader, MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES).await {
            Ok(Some(frame)) => match answer::read(&frame) {
                Ok((id, reply)) => shared.deliver(id, reply),
                // The next frame is intact, but the call that this answer belongs to is unknown.
                Err(error) => break error.to_string(),
            },
            Ok(None) => break "it closed the connection".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    shared.end(why);
}

/// Writes queued requests until the client is dropped. Stops without a word at the first error.
async fn write_requests(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if writer.write_all(&bytes).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
