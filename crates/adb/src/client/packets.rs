//! Packets over whatever carries them.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::wire::packet::{HEADER_LEN, Header, Packet};

/// Gives packets as they come. Dropping a read in the middle may lose a part of one.
pub(super) trait ReadPackets: Send {
    /// The next packet.
    fn read_packet(&mut self) -> impl Future<Output = io::Result<Packet>> + Send;
}

/// Takes packets.
pub(super) trait WritePackets: Send {
    /// Sends a packet as a whole.
    fn write_packet(&mut self, packet: &Packet) -> impl Future<Output = io::Result<()>> + Send;
}

/// Over a stream of bytes, such as TCP or TLS, a packet is its header and its payload one after the other.
impl<R: AsyncRead + Send + Unpin> ReadPackets for R {
    async fn read_packet(&mut self) -> io::Result<Packet> {
        let mut bytes = [0; HEADER_LEN];
        self.read_exact(&mut bytes).await?;
        let header = decode(&bytes)?;
        let mut payload = vec![0; header.payload_len];
        self.read_exact(&mut payload).await?;
        Ok(packet(header, payload))
    }
}

impl<W: AsyncWrite + Send + Unpin> WritePackets for W {
    async fn write_packet(&mut self, packet: &Packet) -> io::Result<()> {
        self.write_all(&packet.encode()).await?;
        // TLS keeps what it has not sent yet.
        self.flush().await
    }
}

/// Reads a header.
pub(super) fn decode(bytes: &[u8; HEADER_LEN]) -> io::Result<Header> {
    Header::decode(bytes).map_err(|cause| io::Error::new(io::ErrorKind::InvalidData, cause))
}

/// A packet of both its parts.
pub(super) fn packet(header: Header, payload: Vec<u8>) -> Packet {
    Packet::new(header.command, header.arg0, header.arg1, payload)
}
