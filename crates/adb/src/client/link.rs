//! Connection to adbd on which many streams share the packets.
//!
//! A reader task hands packets to streams, a writer task sends them, and each stream has a task that moves
//! bytes between its packets and the pipe that the caller holds. A stream has at most one unacknowledged
//! `WRTE` in each direction.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use super::features::Features;
use super::handshake::Admission;
use super::packets::{ReadPackets, WritePackets};
use crate::wire::packet::{Command, Packet};

/// Buffer between a stream's caller and its task. Chosen: a quarter of the largest payload; less costs more
/// task switches, more only memory per stream.
const PIPE_BYTES: usize = 256 * 1024;
/// Packets that may wait for the writer. Chosen: some for each of a few streams; a full queue makes the
/// streams wait.
const OUTBOX_PACKETS: usize = 16;
/// Packets that may wait for one stream. Flow control allows two, an `OKAY` and a `WRTE`; more are the
/// device's fault.
const INBOX_PACKETS: usize = 8;

pub(super) enum OpenError {
    /// The connection ended.
    Lost,
    /// The device refused the service.
    Service,
}

// A lock of `std` is enough: it is never held across an `await`.
type Inboxes = Arc<Mutex<HashMap<u32, mpsc::Sender<Packet>>>>;

/// Open connection with its streams.
pub(super) struct Link {
    pub(super) features: Features,
    max_payload: usize,
    next_id: AtomicU32,
    inboxes: Inboxes,
    outbox: mpsc::Sender<Packet>,
    reader: AbortOnDropHandle<()>,
    writer: AbortOnDropHandle<()>,
}

impl Link {
    /// Starts the reader and the writer task on both halves of a connection after its handshake. They end when the
    /// link is dropped or the connection ends. Panics outside of a Tokio runtime.
    pub(super) fn start(
        read: impl ReadPackets + 'static,
        write: impl WritePackets + 'static,
        admission: Admission,
    ) -> Self {
        let Admission {
            max_payload,
            features,
        } = admission;
        let inboxes = Inboxes::default();
        let (outbox, queue) = mpsc::channel(OUTBOX_PACKETS);
        let reader = tokio::spawn(deliver(read, Arc::clone(&inboxes), outbox.clone()));
        let writer = tokio::spawn(send_all(write, queue));
        Self {
            features,
            max_payload,
            next_id: AtomicU32::new(1),
            inboxes,
            outbox,
            reader: AbortOnDropHandle::new(reader),
            writer: AbortOnDropHandle::new(writer),
        }
    }

    /// Closes the connection and all its streams at once. A USB device takes one connection at a time, so its
    /// interface must be released.
    pub(super) fn end(&self) {
        self.reader.abort();
        self.writer.abort();
        lock(&self.inboxes).clear();
    }

    /// Returns true until one of the two tasks has noticed the end of the connection.
    pub(super) fn is_alive(&self) -> bool {
        !self.reader.is_finished() && !self.writer.is_finished()
    }

    /// Opens a service and returns its stream once the device accepts it, without a limit. The stream keeps the
    /// connection alive. It ends in both directions as soon as either side closes one, so its writing half must
    /// stay open as long as output is read. Dropping it, or this call, closes the service.
    pub(super) async fn open(self: &Arc<Self>, service: &str) -> Result<DuplexStream, OpenError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, inbox) = mpsc::channel(INBOX_PACKETS);
        lock(&self.inboxes).insert(id, sender);
        // The reader may have ended between the check and the insertion, and would not empty the map again.
        if !self.is_alive() {
            lock(&self.inboxes).remove(&id);
            return Err(OpenError::Lost);
        }
        let (opened, result) = oneshot::channel();
        let pump = Pump {
            id,
            inbox,
            outbox: self.outbox.clone(),
            inboxes: Arc::clone(&self.inboxes),
            max_payload: self.max_payload,
        };
        // The stream keeps the connection alive: reader and writer end with the last `Link`.
        let link = Arc::clone(self);
        let service = format!("{service}\0");
        // A task of its own, so that adbd gets the `CLSE` even if the caller is dropped halfway.
        tokio::spawn(async move {
            pump.run(service, opened).await;
            drop(link);
        });
        result.await.unwrap_or(Err(OpenError::Lost))
    }
}

fn lock(inboxes: &Inboxes) -> std::sync::MutexGuard<'_, HashMap<u32, mpsc::Sender<Packet>>> {
    inboxes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads packets and hands each to its stream until the connection ends, which ends all streams. A stream
/// that sends more than its inbox holds is ended. Output for a stream that is closed here is refused, and
/// other packets for it are ignored.
async fn deliver(mut connection: impl ReadPackets, inboxes: Inboxes, outbox: mpsc::Sender<Packet>) {
    while let Ok(packet) = connection.read_packet().await {
        let (ours, theirs) = (packet.arg1, packet.arg0);
        let inbox = lock(&inboxes).get(&ours).cloned();
        match inbox {
            Some(inbox) => {
                // A peer that overruns its window breaks the protocol, so its stream ends and the reader does not wait.
                let overrun = inbox.try_send(packet).is_err();
                if overrun {
                    lock(&inboxes).remove(&ours);
                }
            }
            None if packet.command == Command::Write => {
                // The caller may have closed before adbd knows. Refusing the output ends the command.
                let close = Packet::new(Command::Close, ours, theirs, Vec::new());
                // The reader must not wait: a peer that sends and never reads could block it for ever. If the queue is full, the
                // stream's own `CLSE` is still in it.
                let _ = outbox.try_send(close);
            }
            None => {}
        }
    }
    // Dropping the senders ends every stream, and so every waiting command.
    lock(&inboxes).clear();
}

/// Writes packets until the queue is closed or the connection fails, which is not told.
async fn send_all(mut connection: impl WritePackets, mut queue: mpsc::Receiver<Packet>) {
    while let Some(packet) = queue.recv().await {
        if connection.write_packet(&packet).await.is_err() {
            return;
        }
    }
}

/// Task of one stream, which moves bytes between its packets and its caller's pipe.
struct Pump {
    id: u32,
    inbox: mpsc::Receiver<Packet>,
    outbox: mpsc::Sender<Packet>,
    inboxes: Inboxes,
    max_payload: usize,
}

impl Pump {
    /// Opens the service, and carries bytes until either side ends. Tells the device of the end.
    async fn run(
        mut self,
        service: String,
        opened: oneshot::Sender<Result<DuplexStream, OpenError>>,
    ) {
        match self.handshake(service).await {
            Err(refused) => {
                // The caller may have been dropped.
                let _ = opened.send(Err(refused));
            }
            Ok(peer) => {
                let (ours, callers) = tokio::io::duplex(PIPE_BYTES);
                if opened.send(Ok(callers)).is_ok() {
                    self.carry(ours, peer).await;
                }
                // Also sent if adbd closed first: it ignores unknown streams.
                let close = Packet::new(Command::Close, self.id, peer, Vec::new());
                let _ = self.outbox.send(close).await;
            }
        }
        lock(&self.inboxes).remove(&self.id);
    }

    /// Opens the service and returns the stream's id at the device. [`OpenError::Service`] if the device
    /// refuses it, [`OpenError::Lost`] if the connection ends.
    async fn handshake(&mut self, service: String) -> Result<u32, OpenError> {
        let open = Packet::new(Command::Open, self.id, 0, service);
        self.outbox.send(open).await.map_err(|_| OpenError::Lost)?;
        match self.inbox.recv().await {
            None => Err(OpenError::Lost),
            Some(packet) if packet.command == Command::Okay => Ok(packet.arg0),
            Some(_) => Err(OpenError::Service),
        }
    }

    /// Moves bytes in both directions until either side ends, or the device breaks the protocol. Sends the next
    /// piece only after the device has acknowledged the last one. The end of the caller's input ends the output
    /// too.
    async fn carry(&mut self, pipe: DuplexStream, peer: u32) {
        let (mut from_caller, mut to_caller) = tokio::io::split(pipe);
        let mut chunk = vec![0; self.max_payload.min(64 * 1024)];
        let mut may_write = true;
        loop {
            tokio::select! {
                packet = self.inbox.recv() => match packet {
                    Some(Packet { command: Command::Okay, .. }) => may_write = true,
                    Some(Packet { command: Command::Write, payload, .. }) => {
                        if to_caller.write_all(&payload).await.is_err() {
                            return;
                        }
                        let okay = Packet::new(Command::Okay, self.id, peer, Vec::new());
                        if self.outbox.send(okay).await.is_err() {
                            return;
                        }
                    }
                    _ => return,
                },
                read = from_caller.read(&mut chunk), if may_write => match read {
                    Ok(length) if length > 0 => {
                        // adbd allows one unacknowledged `WRTE`; the next waits for its `OKAY`.
                        may_write = false;
                        let data = Packet::new(Command::Write, self.id, peer, &chunk[..length]);
                        if self.outbox.send(data).await.is_err() {
                            return;
                        }
                    }
                    _ => return,
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn what_comes_late_for_a_closed_stream_ends_no_other() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (ours, theirs) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (mut theirs, _) = theirs.unwrap();
        let inboxes = Inboxes::default();
        let (sender, mut inbox) = mpsc::channel(INBOX_PACKETS);
        lock(&inboxes).insert(1, sender);
        let (outbox, _full) = mpsc::channel(1);
        outbox
            .try_send(Packet::new(Command::Okay, 1, 2, Vec::new()))
            .unwrap();

        let (read, _write) = ours.unwrap().into_split();
        let reader = AbortOnDropHandle::new(tokio::spawn(deliver(read, inboxes, outbox)));
        for stream in [9, 1] {
            let late = Packet::new(Command::Write, 2, stream, b"x".to_vec());
            theirs.write_all(&late.encode()).await.unwrap();
        }
        let arrived = inbox.recv().await.map(|packet| packet.payload);
        assert_eq!(arrived.as_deref(), Some(&b"x"[..]));
        drop(reader);
    }
}
