//! Straight to the adbd of a device over TCP: one connection, on which many streams share packets.
//!
//! A reader task hands packets to streams, a writer task sends them, and each stream has a pump task between its packets
//! and the pipe that the caller holds. A stream has at most one unacknowledged `WRTE` in each direction.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

use runner_text::secret::from_outside;

use super::ClientError;
use super::transport::Features;
use crate::wire::packet::{
    Command, HEADER_LEN, Header, MAX_PAYLOAD, Packet, VERSION_SKIP_CHECKSUM,
};

/// What this program tells adbd of itself: the features it understands.
const BANNER: &str =
    "host::features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,abb_exec,sendrecv_v2";
/// How long adbd may take to greet.
const GREETING_LIMIT: Duration = Duration::from_secs(10);
/// Bytes between a stream's caller and its pump.
const PIPE: usize = 256 * 1024;
/// Packets that wait for the writer.
const QUEUE: usize = 16;
/// Packets that may wait for one stream. Flow control allows two: an `OKAY` and a `WRTE`.
const INBOX: usize = 8;

/// The way to one device. Connects at the first use, and again after the connection was lost.
pub struct DirectLink {
    address: String,
    serial: String,
    link: AsyncMutex<Option<Arc<Link>>>,
}

impl DirectLink {
    /// The adbd at `address` (host and port); `serial` is its name in errors.
    pub fn new(address: &str, serial: &str) -> Self {
        Self {
            address: address.to_owned(),
            serial: serial.to_owned(),
            link: AsyncMutex::default(),
        }
    }

    /// The name under which errors speak of the device.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// What both ends can do.
    pub async fn features(&self) -> Result<Features, ClientError> {
        Ok(self.link().await?.features.clone())
    }

    /// Opens a service of the device. The caller bounds the time.
    pub async fn open(&self, service: &str) -> Result<DuplexStream, ClientError> {
        let link = self.link().await?;
        link.open(service).await.map_err(|refused| match refused {
            OpenError::Lost => self.lost("the connection ended"),
            OpenError::Service => {
                let name = service.split(':').next().unwrap_or(service);
                ClientError::Protocol(format!(
                    "device '{}' refused the service `{name}`",
                    self.serial
                ))
            }
        })
    }

    async fn link(&self) -> Result<Arc<Link>, ClientError> {
        // The lock is held while it connects, so that commands which come together share one connection.
        let mut current = self.link.lock().await;
        if let Some(link) = current.as_ref().filter(|link| link.is_alive()) {
            return Ok(Arc::clone(link));
        }
        let link = Arc::new(self.connect().await?);
        *current = Some(Arc::clone(&link));
        Ok(link)
    }

    fn lost(&self, cause: impl std::fmt::Display) -> ClientError {
        ClientError::Lost {
            serial: self.serial.clone(),
            cause: format!("{cause} ({})", self.address),
        }
    }

    async fn connect(&self) -> Result<Link, ClientError> {
        let mut socket = TcpStream::connect(&self.address)
            .await
            .map_err(|cause| self.lost(format_args!("no connection: {cause}")))?;
        // Each command waits for its answer: Nagle's algorithm would hold its packets back.
        socket.set_nodelay(true).map_err(|cause| self.lost(cause))?;
        let hello = Packet::new(
            Command::Connect,
            VERSION_SKIP_CHECKSUM,
            MAX_PAYLOAD as u32,
            BANNER,
        );
        socket
            .write_all(&hello.encode())
            .await
            .map_err(|cause| self.lost(cause))?;
        let answer = tokio::time::timeout(GREETING_LIMIT, read_packet(&mut socket))
            .await
            .map_err(|_| {
                self.lost(format_args!(
                    "it took the connection and did not greet within {GREETING_LIMIT:?}; it may be offline"
                ))
            })?
            .map_err(|cause| self.lost(cause))?;
        self.check_answer(&answer)?;
        let banner = from_outside(&answer.payload).into_owned();
        // One that announces 0 could never be sent a byte; one may announce more than this program makes.
        let max_payload = (answer.arg1 as usize).clamp(1, MAX_PAYLOAD);
        Ok(Link::start(socket, max_payload, features_of(&banner)))
    }

    /// Whether adbd let us in; else what to do.
    fn check_answer(&self, answer: &Packet) -> Result<(), ClientError> {
        let unusable = |state: &str, advice: String| ClientError::Unusable {
            serial: self.serial.clone(),
            state: state.to_owned(),
            advice,
        };
        match answer.command {
            Command::Connect if answer.payload.starts_with(b"offline") => Err(unusable(
                "offline",
                super::server::advice_for("offline").to_owned(),
            )),
            Command::Connect => Ok(()),
            Command::Auth => Err(unusable(
                "unauthorized",
                format!(
                    "it asks for a key, which only an adb server has; run `adb connect {}`, allow it on the device, and name the device by that address",
                    self.address
                ),
            )),
            Command::StartTls => Err(unusable(
                "asking for TLS",
                format!(
                    "wireless debugging needs a paired adb server; run `adb pair` with the code the device shows, then `adb connect {}`, and name the device by that address",
                    self.address
                ),
            )),
            other => Err(ClientError::Protocol(format!(
                "{} answered the greeting with {other:?}",
                self.address
            ))),
        }
    }
}

/// The `features=` of a banner such as `device::ro.product.name=x;features=shell_v2,cmd`.
fn features_of(banner: &str) -> Features {
    let list = banner
        .trim_end_matches('\0')
        .split([';', ':'])
        .find_map(|part| part.strip_prefix("features="))
        .unwrap_or("");
    Features::parse(list)
}

/// Why a stream could not be opened.
enum OpenError {
    Lost,
    Service,
}

// A lock of `std` is enough: it is never held across an `await`.
type Inboxes = Arc<Mutex<HashMap<u32, mpsc::Sender<Packet>>>>;

/// One live connection.
struct Link {
    features: Features,
    max_payload: usize,
    next_id: AtomicU32,
    inboxes: Inboxes,
    outbox: mpsc::Sender<Packet>,
    reader: AbortOnDropHandle<()>,
    writer: AbortOnDropHandle<()>,
}

impl Link {
    fn start(socket: TcpStream, max_payload: usize, features: Features) -> Self {
        let (read, write) = socket.into_split();
        let inboxes = Inboxes::default();
        let (outbox, queue) = mpsc::channel(QUEUE);
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

    fn is_alive(&self) -> bool {
        !self.reader.is_finished() && !self.writer.is_finished()
    }

    async fn open(self: &Arc<Self>, service: &str) -> Result<DuplexStream, OpenError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, inbox) = mpsc::channel(INBOX);
        lock(&self.inboxes).insert(id, sender);
        // The reader may have ended between the look at `is_alive` and the insertion, and nobody would empty the map again.
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
        // The stream keeps the connection alive: the reader and the writer end with the last `Link`.
        let link = Arc::clone(self);
        let service = format!("{service}\0");
        // A task of its own, so that adbd is told to close also where the caller is dropped in the middle.
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

/// Reads packets and hands each to its stream, until the connection ends; then all streams end.
async fn deliver(mut socket: OwnedReadHalf, inboxes: Inboxes, outbox: mpsc::Sender<Packet>) {
    while let Ok(packet) = read_packet(&mut socket).await {
        let (ours, theirs) = (packet.arg1, packet.arg0);
        let inbox = lock(&inboxes).get(&ours).cloned();
        match inbox {
            Some(inbox) => {
                // A peer that overruns its window breaks the protocol; its stream ends rather than the reader waiting.
                let overrun = inbox.try_send(packet).is_err();
                if overrun {
                    lock(&inboxes).remove(&ours);
                }
            }
            None if packet.command == Command::Write => {
                // The caller may be gone before adbd knows: its output is refused, which ends the command.
                let close = Packet::new(Command::Close, ours, theirs, Vec::new());
                // The reader waits for nobody: a peer that sends and never reads could hold it for ever. Where there is no
                // room for this, the stream's own `CLSE` is still on its way.
                let _ = outbox.try_send(close);
            }
            None => {}
        }
    }
    // Dropping the senders ends every pump, and with it every command that waits.
    lock(&inboxes).clear();
}

async fn send_all(mut socket: OwnedWriteHalf, mut queue: mpsc::Receiver<Packet>) {
    while let Some(packet) = queue.recv().await {
        if socket.write_all(&packet.encode()).await.is_err() {
            return;
        }
    }
}

async fn read_packet<R: tokio::io::AsyncRead + Unpin>(socket: &mut R) -> io::Result<Packet> {
    let mut bytes = [0; HEADER_LEN];
    socket.read_exact(&mut bytes).await?;
    let header = Header::decode(&bytes)
        .map_err(|cause| io::Error::new(io::ErrorKind::InvalidData, cause))?;
    let mut payload = vec![0; header.payload_len];
    socket.read_exact(&mut payload).await?;
    Ok(Packet::new(
        header.command,
        header.arg0,
        header.arg1,
        payload,
    ))
}

/// What stands between one stream's packets and its caller.
struct Pump {
    id: u32,
    inbox: mpsc::Receiver<Packet>,
    outbox: mpsc::Sender<Packet>,
    inboxes: Inboxes,
    max_payload: usize,
}

impl Pump {
    async fn run(
        mut self,
        service: String,
        opened: oneshot::Sender<Result<DuplexStream, OpenError>>,
    ) {
        match self.handshake(service).await {
            Err(refused) => {
                // The caller may have gone; then nobody wants to know.
                let _ = opened.send(Err(refused));
            }
            Ok(peer) => {
                let (ours, callers) = tokio::io::duplex(PIPE);
                if opened.send(Ok(callers)).is_ok() {
                    self.carry(ours, peer).await;
                }
                // Also where adbd closed first: it passes over a stream that it does not know.
                let close = Packet::new(Command::Close, self.id, peer, Vec::new());
                let _ = self.outbox.send(close).await;
            }
        }
        lock(&self.inboxes).remove(&self.id);
    }

    /// Opens the service and waits for the peer's id.
    async fn handshake(&mut self, service: String) -> Result<u32, OpenError> {
        let open = Packet::new(Command::Open, self.id, 0, service);
        self.outbox.send(open).await.map_err(|_| OpenError::Lost)?;
        match self.inbox.recv().await {
            None => Err(OpenError::Lost),
            Some(packet) if packet.command == Command::Okay => Ok(packet.arg0),
            Some(_) => Err(OpenError::Service),
        }
    }

    /// Carries bytes both ways until either side ends.
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
    use super::*;

    #[tokio::test]
    async fn what_comes_late_for_a_closed_stream_ends_no_other() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (ours, theirs) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (mut theirs, _) = theirs.unwrap();
        let inboxes = Inboxes::default();
        let (sender, mut inbox) = mpsc::channel(INBOX);
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
