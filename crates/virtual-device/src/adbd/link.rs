//! A connection as its streams see it: the table of open streams, and the queue of packets to the host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::socket;
use super::stream::{StreamClosedError, StreamReader, StreamWriter};
use runner_adb::wire::packet::{Command, Header, Packet};

/// Chosen: far more than clients open; without a limit a host could use up the memory.
const MAX_STREAMS: usize = 1024;
/// Time that the host has to answer a stream that the device opens. Chosen: far more than a busy adb server
/// needs.
const OPEN_TIMEOUT: Duration = Duration::from_secs(30);

/// Handle of a connection. Clones share it. Once the connection has ended, sending does nothing.
#[derive(Clone)]
pub(super) struct Link {
    number: u32,
    packets: mpsc::Sender<Packet>,
    dropped: CancellationToken,
    max_payload: usize,
    table: Arc<Mutex<Table>>,
}

struct Table {
    streams: HashMap<u32, OpenStream>,
    next_local: u32,
}

/// An open stream in the connection's table.
struct OpenStream {
    /// The host's number of the stream; 0 until the host has answered a stream that the device opened.
    remote: u32,
    inbound: mpsc::Sender<Vec<u8>>,
    ready: Arc<Semaphore>,
    closed: CancellationToken,
    /// Receiver of the host's number, for a stream that the device opened.
    answered: Option<oneshot::Sender<u32>>,
}

/// A stream that was just registered.
pub(super) struct NewStream {
    pub(super) local: u32,
    pub(super) closed: CancellationToken,
    inbound: mpsc::Receiver<Vec<u8>>,
    ready: Arc<Semaphore>,
}

impl Link {
    /// Returns the handle of a connection without streams. `number` is its number on the device; cancelling `dropped`
    /// ends it. Writers send at most `max_payload` bytes in a packet.
    pub(super) fn new(
        number: u32,
        packets: mpsc::Sender<Packet>,
        dropped: CancellationToken,
        max_payload: usize,
    ) -> Self {
        let table = Table {
            streams: HashMap::new(),
            next_local: 1,
        };
        Self {
            number,
            packets,
            dropped,
            max_payload,
            table: Arc::new(Mutex::new(table)),
        }
    }

    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Returns the token whose cancellation ends the connection.
    pub(super) fn dropped(&self) -> &CancellationToken {
        &self.dropped
    }

    /// Queues a packet, and waits, without a limit, while the queue is full. Returns `None` if the connection has
    /// ended.
    pub(super) async fn send(&self, packet: Packet) -> Option<()> {
        self.packets.send(packet).await.ok()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a stream that the host opens under its id `remote`. Returns `None` if the connection has too
    /// many streams.
    pub(super) fn register(&self, remote: u32) -> Option<NewStream> {
        self.add(remote, None)
    }

    /// Adds a stream under a new number. With `answered` the device opens it: it may write only after the host's
    /// `OKAY`, and the host's number of the stream is sent to `answered`. Streams that have ended are removed first.
    /// Returns `None` if [`MAX_STREAMS`] are open.
    fn add(&self, remote: u32, answered: Option<oneshot::Sender<u32>>) -> Option<NewStream> {
        let mut table = self.table();
        // Swept out here: a stream that ends by itself cannot reach the table.
        table
            .streams
            .retain(|_, stream| !stream.closed.is_cancelled());
        if table.streams.len() >= MAX_STREAMS {
            return None;
        }
        let local = table.next_local;
        // 0 names no stream.
        table.next_local = local.checked_add(1).unwrap_or(1);
        // The peer sends its next WRTE only after an OKAY; one place is for it, one for a stray one.
        let (sender, inbound) = mpsc::channel(2);
        // The host is ready at once for a stream that it opened. For one that the device opens, its answer says so.
        let ready = Arc::new(Semaphore::new(usize::from(answered.is_none())));
        let closed = self.dropped.child_token();
        let stream = OpenStream {
            remote,
            inbound: sender,
            ready: Arc::clone(&ready),
            closed: closed.clone(),
            answered,
        };
        table.streams.insert(local, stream);
        Some(NewStream {
            local,
            closed,
            inbound,
            ready,
        })
    }

    /// Makes the reader and the writer of a stream for its service. `remote` is the host's number of the stream.
    pub(super) fn ends(&self, stream: NewStream, remote: u32) -> (StreamReader, StreamWriter) {
        let reader = StreamReader {
            local: stream.local,
            remote,
            inbound: stream.inbound,
            packets: self.packets.clone(),
        };
        let writer = StreamWriter {
            local: stream.local,
            remote,
            ready: stream.ready,
            packets: self.packets.clone(),
            max_payload: self.max_payload,
        };
        (reader, writer)
    }

    /// Handles `OKAY`: the host is ready for more bytes, or has answered a stream that the device opened. An `OKAY`
    /// that the stream did not wait for allows no second `WRTE`, and one for an unknown stream is ignored.
    pub(super) fn take_okay(&self, header: Header) {
        let mut table = self.table();
        let Some(stream) = table.streams.get_mut(&header.arg1) else {
            return;
        };
        if let Some(answered) = stream.answered.take_if(|_| header.arg0 != 0) {
            stream.remote = header.arg0;
            // The opener may have timed out.
            let _ = answered.send(header.arg0);
        }
        // A stray `OKAY` gives no second permit: the peer takes one `WRTE` at a time.
        if stream.remote == header.arg0 && stream.ready.available_permits() == 0 {
            stream.ready.add_permits(1);
        }
    }

    /// Passes bytes on to their stream without waiting. Returns the packet to answer with at once: `CLSE` if
    /// there is no such stream, `OKAY` if its service reads no more, and the bytes are dropped. Returns
    /// `None` otherwise; the service then sends the `OKAY`. A stream whose queue is full is closed.
    pub(super) fn deliver(&self, header: Header, payload: Vec<u8>) -> Option<Packet> {
        let table = self.table();
        let stream = table.streams.get(&header.arg1);
        let Some(stream) = stream.filter(|stream| stream.remote == header.arg0) else {
            // adbd answers data for a stream that is gone with CLSE.
            return Some(Packet::new(Command::Close, 0, header.arg0, Vec::new()));
        };
        match stream.inbound.try_send(payload) {
            Ok(()) => None,
            // A peer that does not wait for OKAY loses its stream.
            Err(mpsc::error::TrySendError::Full(_)) => {
                stream.closed.cancel();
                None
            }
            // The service reads no more. The bytes are dropped, so that the peer does not wait forever.
            Err(mpsc::error::TrySendError::Closed(_)) => {
                let (local, remote) = (header.arg1, header.arg0);
                Some(Packet::new(Command::Okay, local, remote, Vec::new()))
            }
        }
    }

    /// Handles `CLSE`: ends the stream `local`, which the host has closed. An unknown number is ignored.
    pub(super) fn close(&self, local: u32) {
        if let Some(stream) = self.table().streams.remove(&local) {
            stream.closed.cancel();
        }
    }

    /// Ends all streams because the connection has ended.
    pub(super) fn close_all(&self) {
        for (_, stream) in self.table().streams.drain() {
            stream.closed.cancel();
        }
    }

    /// Opens a service of the host and copies bytes between it and `socket`, until either ends. It closes `socket`
    /// silently if there are too many streams, or if the host refuses or does not answer within [`OPEN_TIMEOUT`].
    pub(super) async fn carry_to_host(self, service: String, socket: DuplexStream) {
        let (answered, answer) = oneshot::channel();
        let Some(stream) = self.add(0, Some(answered)) else {
            return;
        };
        let (local, closed) = (stream.local, stream.closed.clone());
        let carrying = async {
            let open = Packet::new(Command::Open, local, 0, format!("{service}\0"));
            self.send(open).await?;
            let remote = tokio::time::timeout(OPEN_TIMEOUT, answer)
                .await
                .ok()?
                .ok()?;
            let (reader, writer) = self.ends(stream, remote);
            // A host that leaves early is not an error.
            let _: Result<(), StreamClosedError> = socket::run(socket, reader, writer).await;
            let close = Packet::new(Command::Close, local, remote, Vec::new());
            self.send(close).await
        };
        closed.run_until_cancelled(carrying).await;
        closed.cancel();
    }
}
