//! One stream of a connection, as its service sees it: bytes in and out, each write waiting for the peer's
//! `OKAY`.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

use runner_adb::wire::packet::{Command, Packet};

/// Error of a stream whose peer, connection or device is gone. The service ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamClosedError;

/// Bytes that the peer sends.
#[derive(Debug)]
pub(super) struct StreamReader {
    pub(super) local: u32,
    pub(super) remote: u32,
    pub(super) inbound: mpsc::Receiver<Vec<u8>>,
    pub(super) packets: mpsc::Sender<Packet>,
}

impl StreamReader {
    /// Waits for the next bytes, and lets the peer send more. The bytes are one packet's, so they may be any part of a
    /// message. Fails if the stream or the connection has ended.
    pub(super) async fn read(&mut self) -> Result<Vec<u8>, StreamClosedError> {
        let bytes = self.inbound.recv().await.ok_or(StreamClosedError)?;
        let okay = Packet::new(Command::Okay, self.local, self.remote, Vec::new());
        self.packets
            .send(okay)
            .await
            .map_err(|_| StreamClosedError)?;
        Ok(bytes)
    }
}

/// Bytes that the peer gets.
#[derive(Debug, Clone)]
pub(super) struct StreamWriter {
    pub(super) local: u32,
    pub(super) remote: u32,
    /// Holds one permit while the peer is ready for a `WRTE`.
    pub(super) ready: Arc<Semaphore>,
    pub(super) packets: mpsc::Sender<Packet>,
    pub(super) max_payload: usize,
}

impl StreamWriter {
    /// Sends bytes in packets of at most `max_payload`, and waits before each until the peer has taken the one before.
    /// The last packet is not waited for. No bytes send no packet. Fails if the stream is closed or the connection is
    /// gone.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), StreamClosedError> {
        for piece in bytes.chunks(self.max_payload) {
            self.ready
                .acquire()
                .await
                .map_err(|_| StreamClosedError)?
                .forget();
            let packet = Packet::new(Command::Write, self.local, self.remote, piece);
            self.packets
                .send(packet)
                .await
                .map_err(|_| StreamClosedError)?;
        }
        Ok(())
    }
}

impl StreamWriter {
    /// Waits until the peer has acknowledged the last bytes. Fails if the stream is closed first.
    pub(super) async fn drained(&self) -> Result<(), StreamClosedError> {
        let permit = self.ready.acquire().await.map_err(|_| StreamClosedError)?;
        drop(permit);
        Ok(())
    }
}
