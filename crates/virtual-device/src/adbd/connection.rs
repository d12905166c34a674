//! Packets of one adb host's connection, handed to and taken from its streams.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::admission::{AdmittedHost, admit};
use super::link::Link;
use super::services;
use crate::state::DeviceState;
use runner_adb::wire::packet::{Command, HEADER_LEN, Header, Packet};

/// Serves one host until it leaves, breaks the protocol, or the device ends. At the end it also ends the services of
/// all its streams, and removes the host's `reverse:` addresses.
pub(crate) async fn serve(socket: TcpStream, state: Arc<DeviceState>) {
    // Answers are small and waited for.
    let _ = socket.set_nodelay(true);
    let dropped = state.stop.child_token();
    let admitted = dropped.run_until_cancelled(admit(socket, &state)).await;
    let Some(Some(AdmittedHost {
        reader,
        writer,
        max_payload,
    })) = admitted
    else {
        return;
    };
    let (packets, outgoing) = mpsc::channel(64);
    let number = state.reverses.next_connection();
    let mut connection = Connection {
        state,
        link: Link::new(number, packets, dropped.clone(), max_payload),
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

/// Writes packets until all senders are gone, writing fails or the connection is dropped. Then drops the
/// connection.
async fn write_packets(
    mut writer: impl AsyncWrite + Unpin,
    mut outgoing: mpsc::Receiver<Packet>,
    dropped: CancellationToken,
) {
    let writing = async {
        while let Some(packet) = outgoing.recv().await {
            let written = writer.write_all(&packet.encode()).await;
            // TLS buffers bytes until it is flushed.
            if written.is_err() || writer.flush().await.is_err() {
                break;
            }
        }
    };
    dropped.run_until_cancelled(writing).await;
    dropped.cancel();
}

struct Connection {
    state: Arc<DeviceState>,
    link: Link,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.state.reverses.end(self.link.number());
        self.link.close_all();
    }
}

impl Connection {
    /// Handles packets until the host leaves, sends a malformed one, or one that ends the connection.
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

    /// Handles one packet. A packet for an unknown stream does not end the connection. Returns `None` if it
    /// ends the connection: the peer is gone, or sends `CNXN`, `AUTH`, `STLS` or `SYNC` after its admission.
    async fn take(&mut self, header: Header, payload: Vec<u8>) -> Option<()> {
        match header.command {
            Command::Open => self.open(header.arg0, &payload).await,
            Command::Okay => {
                self.link.take_okay(header);
                Some(())
            }
            Command::Write => match self.link.deliver(header, payload) {
                Some(answer) => self.link.send(answer).await,
                None => Some(()),
            },
            Command::Close => {
                self.link.close(header.arg1);
                Some(())
            }
            // A host that is let in has no more to show.
            Command::Connect | Command::Auth | Command::StartTls | Command::Sync => None,
        }
    }

    /// Opens a stream for a service and starts it in a task; `CLSE` follows when it ends. A service that is
    /// unknown or cannot start, or too many streams, give `CLSE` at once. Returns `None` only if the peer is gone.
    async fn open(&mut self, remote: u32, payload: &[u8]) -> Option<()> {
        let service = payload.strip_suffix(b"\0").unwrap_or(payload);
        let service = String::from_utf8_lossy(service).into_owned();
        let opened = services::parse(&service)
            .and_then(|service| services::open(service, &self.state))
            .and_then(|opened| Some((opened, self.link.register(remote)?)));
        let Some((opened, stream)) = opened else {
            let close = Packet::new(Command::Close, 0, remote, Vec::new());
            return self.link.send(close).await;
        };
        let okay = Packet::new(Command::Okay, stream.local, remote, Vec::new());
        self.link.send(okay).await?;
        let (state, link) = (Arc::clone(&self.state), self.link.clone());
        tokio::spawn(async move {
            let (local, closed) = (stream.local, stream.closed.clone());
            let (reader, writer) = link.ends(stream, remote);
            let running = services::run(opened, state, reader, writer, link.clone());
            closed.run_until_cancelled(running).await;
            closed.cancel();
            let close = Packet::new(Command::Close, local, remote, Vec::new());
            link.send(close).await
        });
        Some(())
    }
}
