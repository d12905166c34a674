//! What is asked of an app's process: one request at a time, each with a limit, answers by their type.

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

pub use frame::{Frame, FrameError, MAX_HEADER, MAX_PAYLOAD};
use runner_virtual_device::hosted::{HostEvent, HostReply};

use crate::process::{HostError, LastWords};

/// What the host answers at once, whatever its main thread does.
const ANSWERED_AT_ONCE: [&str; 2] = ["threads", "quit"];
/// Most events of late answers that are kept.
const MAX_LATE: usize = 10_000;

/// The connection to an app's process. Requests wait for each other, but for those that the host answers at once.
///
/// A call that is dropped, or whose time is up, leaves the connection whole: the answer is taken when it comes, and what it
/// tells of comes with the next answer.
#[derive(Debug)]
pub struct HostClient {
    requests: mpsc::Sender<Vec<u8>>,
    shared: Arc<Shared>,
    turn: tokio::sync::Mutex<()>,
    next_id: AtomicU64,
    words: LastWords,
    /// Reads and writes. Frames are whole there, whatever becomes of a call.
    _tasks: JoinSet<()>,
}

type Replied = Result<HostReply, HostError>;

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    calls: HashMap<u64, oneshot::Sender<HostReply>>,
    /// Of answers that nobody waited for any more.
    late: Vec<HostEvent>,
    /// Why no answer comes any more.
    ended: Option<String>,
}

impl HostClient {
    /// Speaks over `reader` and `writer`, which have said hello.
    pub fn new<R, W>(reader: R, writer: W, words: LastWords) -> Self
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let shared = Arc::new(Shared::default());
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

    /// Asks for `op`, and waits for its answer up to `limit`, the turn of earlier calls included.
    ///
    /// # Errors
    /// [`HostError`]. What the host refuses is in the reply.
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

    async fn exchange(&self, op: &str, mut fields: Map<String, Value>) -> Replied {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        fields.insert("id".to_owned(), id.into());
        fields.insert("op".to_owned(), op.into());
        let header = Value::Object(fields).to_string();
        let bytes = Frame::bytes(header.as_bytes(), &[])?;
        let (sender, replied) = oneshot::channel();
        {
            let mut waiting = self.shared.lock();
            if let Some(why) = &waiting.ended {
                return Err(self.ended(why));
            }
            waiting.calls.insert(id, sender);
        }
        // Where writing has ended, the reader ends too and says why.
        let _ = self.requests.send(bytes).await;
        let Ok(mut reply) = replied.await else {
            let why = self.shared.lock().ended.clone();
            return Err(self.ended(why.as_deref().unwrap_or("it was ended")));
        };
        let late = std::mem::take(&mut self.shared.lock().late);
        reply.events.splice(0..0, late);
        Ok(reply)
    }

    fn ended(&self, why: &str) -> HostError {
        HostError::Ended {
            why: why.to_owned(),
            last_words: self.words.text(),
        }
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an answer to who waits for it; else what it tells of is kept.
    fn deliver(&self, id: u64, reply: HostReply) {
        let mut waiting = self.lock();
        let unheard = match waiting.calls.remove(&id) {
            Some(call) => call.send(reply).err(),
            None => Some(reply),
        };
        let room = MAX_LATE.saturating_sub(waiting.late.len());
        let events = unheard.into_iter().flat_map(|reply| reply.events);
        waiting.late.extend(events.take(room));
    }

    /// No answer comes any more.
    fn end(&self, why: String) {
        let mut waiting = self.lock();
        waiting.ended = Some(why);
        // Dropped, each tells its call.
        waiting.calls.clear();
    }
}

async fn read_answers(mut reader: impl AsyncRead + Unpin, shared: Arc<Shared>) {
    let why = loop {
        match Frame::read(&mut reader, MAX_HEADER, MAX_PAYLOAD).await {
            Ok(Some(frame)) => match answer::read(&frame) {
                Ok((id, reply)) => shared.deliver(id, reply),
                // The next frame begins where it should, but whose answer this was cannot be known.
                Err(error) => break error.to_string(),
            },
            Ok(None) => break "it closed the connection".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    shared.end(why);
}

async fn write_requests(mut writer: impl AsyncWrite + Unpin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = queue.recv().await {
        if writer.write_all(&bytes).await.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
