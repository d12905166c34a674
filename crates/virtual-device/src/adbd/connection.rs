//! One adb host's connection: packets to and from its streams.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::admission::{Admitted, admit};
use super::services;
use super::stream::{StreamReader, StreamWriter};
use crate::state::DeviceState;
use runner_adb::wire::packet::{Command, HEADER_LEN, Header, Packet};

/// Streams that one host may have open at a time.
const MAX_STREAMS: usize = 1024;
/// Serves one host until it leaves, breaks the protocol, or the device ends.
pub(crate) async fn serve(socket: TcpStream, state: Arc<DeviceState>) {
    // Answers are small and waited for.
    let _ = socket.set_nodelay(true);
    let dropped = state.stop.child_token();
    let admitted = dropped.run_until_cancelled(admit(socket, &state)).await;
    let Some(Some(Admitted {
        reader,
        writer,
        max_payload,
    })) = admitted
    else {
        return;
    };
    let (packets, outgoing) = mpsc::channel(64);
    let mut connection = Connection {
        state,
        packets,
        dropped: dropped.clone(),
        streams: HashMap::new(),
        next_local: 1,
        max_payload,
    };
    let writing = tokio::spawn(write_packets(writer, outgoing, dropped.clone()));
    dropped
        .run_until_cancelled(connection.read_packets(reader))
        .await;
    // Ends the streams' services, and with the last sender the writer.
    dropped.cancel();
    drop(connection);
    let _ = writing.await;
}

async fn write_packets(
    mut writer: impl AsyncWrite + Unpin,
    mut outgoing: mpsc::Receiver<Packet>,
    dropped: CancellationToken,
) {
    let writing = async {
        while let Some(packet) = outgoing.recv().await {
            let written = writer.write_all(&packet.encode()).await;
            // TLS keeps what it has not sent yet.
            if written.is_err() || writer.flush().await.is_err() {
                break;
            }
        }
    };
    dropped.run_until_cancelled(writing).await;
    dropped.cancel();
}

/// An open stream, as the connection sees it.
struct OpenStream {
    remote: u32,
    inbound: mpsc::Sender<Vec<u8>>,
    ready: Arc<Semaphore>,
    closed: CancellationToken,
}

struct Connection {
    state: Arc<DeviceState>,
    packets: mpsc::Sender<Packet>,
    dropped: CancellationToken,
    streams: HashMap<u32, OpenStream>,
    next_local: u32,
    max_payload: usize,
}

impl Drop for Connection {
    fn drop(&mut self) {
        for stream in self.streams.values() {
            stream.closed.cancel();
        }
    }
}

impl Connection {
    async fn read_packets(&mut self, mut reader: impl AsyncRead + Unpin) {
        let mut head = [0; HEADER_LEN];
        while reader.read_exact(&mut head).await.is_ok() {
            let Ok(header) = Header::decode(&head) else {
                return;
            };
            let mut payload = vec![0; header.payload_len];
            if reader.read_exact(&mut payload).await.is_err() {
                return;
            }
            if self.take(header, payload).await.is_none() {
                return;
            }
        }
    }

    /// One packet. `None` ends the connection.
    async fn take(&mut self, header: Header, payload: Vec<u8>) -> Option<()> {
        match header.command {
            Command::Open => self.open(header.arg0, &payload).await,
            Command::Okay => {
                if let Some(stream) = self.stream(header)
                    // A stray `OKAY` gives no second permit: the peer takes one `WRTE` at a time.
                    && stream.ready.available_permits() == 0
                {
                    stream.ready.add_permits(1);
                }
                Some(())
            }
            Command::Write => self.deliver(header, payload).await,
            Command::Close => {
                if let Some(stream) = self.streams.remove(&header.arg1) {
                    stream.closed.cancel();
                }
                Some(())
            }
            // A host that is let in has no more to show.
            Command::Connect | Command::Auth | Command::StartTls | Command::Sync => None,
        }
    }

    fn stream(&self, header: Header) -> Option<&OpenStream> {
        let stream = self.streams.get(&header.arg1)?;
        (stream.remote == header.arg0).then_some(stream)
    }

    async fn send(&self, packet: Packet) -> Option<()> {
        self.packets.send(packet).await.ok()
    }

    async fn open(&mut self, remote: u32, payload: &[u8]) -> Option<()> {
        let service = payload.strip_suffix(b"\0").unwrap_or(payload);
        let service = String::from_utf8_lossy(service).into_owned();
        self.streams
            // Swept out here: a stream that ends by itself cannot reach the map.
            .retain(|_, stream| !stream.closed.is_cancelled());
        let free = self.streams.len() < MAX_STREAMS;
        let opened = free
            .then(|| services::parse(&service))
            .flatten()
            .and_then(|service| services::open(service, &self.state));
        let Some(opened) = opened else {
            return self
                .send(Packet::new(Command::Close, 0, remote, Vec::new()))
                .await;
        };
        let local = self.next_local;
        // 0 names no stream.
        self.next_local = self.next_local.checked_add(1).unwrap_or(1);
        // The peer sends its next WRTE only after an OKAY; one place is for it, one for a stray one.
        let (inbound_sender, inbound) = mpsc::channel(2);
        let ready = Arc::new(Semaphore::new(1));
        let closed = self.dropped.child_token();
        self.streams.insert(
            local,
            OpenStream {
                remote,
                inbound: inbound_sender,
                ready: Arc::clone(&ready),
                closed: closed.clone(),
            },
        );
        self.send(Packet::new(Command::Okay, local, remote, Vec::new()))
            .await?;
        let packets = self.packets.clone();
        let reader = StreamReader {
            local,
            remote,
            inbound,
            packets: packets.clone(),
        };
        let writer = StreamWriter {
            local,
            remote,
            ready,
            packets: packets.clone(),
            max_payload: self.max_payload,
        };
        let running = services::run(
            opened,
            Arc::clone(&self.state),
            reader,
            writer,
            self.dropped.clone(),
        );
        tokio::spawn(async move {
            closed.run_until_cancelled(running).await;
            closed.cancel();
            let _ = packets
                .send(Packet::new(Command::Close, local, remote, Vec::new()))
                .await;
        });
        Some(())
    }

    async fn deliver(&mut self, header: Header, payload: Vec<u8>) -> Option<()> {
        let Some(stream) = self.stream(header) else {
            // adbd answers data for a stream that is gone with CLSE.
            let close = Packet::new(Command::Close, 0, header.arg0, Vec::new());
            return self.send(close).await;
        };
        match stream.inbound.try_send(payload) {
            Ok(()) => {}
            // A peer that does not wait for OKAY loses its stream.
            Err(mpsc::error::TrySendError::Full(_)) => stream.closed.cancel(),
            // The service reads no more; the bytes go nowhere, and the peer need not wait for ever.
            Err(mpsc::error::TrySendError::Closed(_)) => {
                let okay = Packet::new(Command::Okay, header.arg1, header.arg0, Vec::new());
                return self.send(okay).await;
            }
        }
        Some(())
    }
}
