//! One stream of a connection, as its service sees it: bytes in, bytes out, each waiting for the peer's `OKAY`.

use std::sync::Arc;

use tokio::sync::{Semaphore, mpsc};

use runner_adb::wire::packet::{Command, Packet};

/// The peer, the connection or the device is gone; the service ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PeerGone;

/// What the peer sends.
#[derive(Debug)]
pub(super) struct StreamReader {
    pub(super) local: u32,
    pub(super) remote: u32,
    pub(super) inbound: mpsc::Receiver<Vec<u8>>,
    pub(super) packets: mpsc::Sender<Packet>,
}

impl StreamReader {
    /// The next bytes; the peer may send more once they are taken.
    pub(super) async fn read(&mut self) -> Result<Vec<u8>, PeerGone> {
        let bytes = self.inbound.recv().await.ok_or(PeerGone)?;
        let okay = Packet::new(Command::Okay, self.local, self.remote, Vec::new());
        self.packets.send(okay).await.map_err(|_| PeerGone)?;
        Ok(bytes)
    }
}

/// What the peer gets.
#[derive(Debug, Clone)]
pub(super) struct StreamWriter {
    pub(super) local: u32,
    pub(super) remote: u32,
    /// One permit when the peer is ready for a `WRTE`.
    pub(super) ready: Arc<Semaphore>,
    pub(super) packets: mpsc::Sender<Packet>,
    pub(super) max_payload: usize,
}

impl StreamWriter {
    /// Sends bytes, in as many packets as the peer's greatest payload asks for.
    pub(super) async fn write(&self, bytes: &[u8]) -> Result<(), PeerGone> {
        for piece in bytes.chunks(self.max_payload) {
            self.ready.acquire().await.map_err(|_| PeerGone)?.forget();
            let packet = Packet::new(Command::Write, self.local, self.remote, piece);
            self.packets.send(packet).await.map_err(|_| PeerGone)?;
        }
        Ok(())
    }
}

impl StreamWriter {
    /// Waits until the peer has taken the last bytes.
    pub(super) async fn drained(&self) -> Result<(), PeerGone> {
        let permit = self.ready.acquire().await.map_err(|_| PeerGone)?;
        drop(permit);
        Ok(())
    }
}
