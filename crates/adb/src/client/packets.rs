//! Reading and writing of packets, over TCP, TLS or USB.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::wire::packet::{HEADER_LEN, Header, Packet};

/// Source of packets. Dropping a read before it ends may lose a part of a packet.
pub(super) trait ReadPackets: Send {
    /// Reads the next packet; an error at the end of the connection.
    fn read_packet(&mut self) -> impl Future<Output = io::Result<Packet>> + Send;
}

pub(super) trait WritePackets: Send {
    /// Writes a whole packet and flushes it.
    fn write_packet(&mut self, packet: &Packet) -> impl Future<Output = io::Result<()>> + Send;
}

/// On a byte stream, such as TCP or TLS, a packet is its header followed by its payload.
impl<R: AsyncRead + Send + Unpin> ReadPackets for R {
    /// Reads a packet whole, without a limit. A wrong header is an error; the checksum is not checked.
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
        // TLS buffers what it has not sent yet.
        self.flush().await
    }
}

/// Decodes a header; a bad one becomes an I/O error.
pub(super) fn decode(bytes: &[u8; HEADER_LEN]) -> io::Result<Header> {
    Header::decode(bytes).map_err(|cause| io::Error::new(io::ErrorKind::InvalidData, cause))
}

pub(super) fn packet(header: Header, payload: Vec<u8>) -> Packet {
    Packet::new(header.command, header.arg0, header.arg1, payload)
}
