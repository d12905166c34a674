//! Packets over USB bulk transfers: the header is one transfer, the payload is others, as adb sends them
//! (AOSP `client/transport_usb.cpp`, `client/usb_linux.cpp`).

use std::io;

use super::super::packets::{ReadPackets, WritePackets, decode, packet};
use crate::wire::packet::{HEADER_LEN, Packet};

/// Largest part of a payload in one transfer. adbd splits so too, as some USB controllers take no longer
/// transfers (AOSP `daemon/usb.cpp`).
const MAX_TRANSFER_BYTES: usize = 16 * 1024;
/// Limit of transfers before the first header: rests of an earlier connection. Chosen: one leaves a few
/// packets; a device that is no adbd must not be read for ever.
const MAX_STRAY_TRANSFERS: usize = 64;

/// Bulk endpoint from the device.
pub(in crate::client) trait BulkIn: Send {
    /// Packet size of the endpoint in bytes. A shorter packet ends a transfer.
    fn packet_size(&self) -> usize;
    /// Reads one transfer of at most `length` bytes, which is a multiple of the packet size.
    fn read(&mut self, length: usize) -> impl Future<Output = io::Result<Vec<u8>>> + Send;
}

/// Bulk endpoint to the device.
pub(in crate::client) trait BulkOut: Send {
    /// Packet size of the endpoint in bytes.
    fn packet_size(&self) -> usize;
    /// Writes one transfer, which may be empty.
    fn write(&mut self, transfer: &[u8]) -> impl Future<Output = io::Result<()>> + Send;
}

/// Both directions of an adb interface.
pub(in crate::client) struct UsbConnection<I, O> {
    read: UsbReader<I>,
    write: UsbWriter<O>,
}

impl<I, O> UsbConnection<I, O> {
    /// Wraps both endpoints; nothing is read or written.
    #[cfg(any(feature = "usb", test))]
    pub(super) fn new(input: I, output: O) -> Self {
        Self {
            read: UsbReader {
                input,
                greeted: false,
            },
            write: UsbWriter { output },
        }
    }

    pub(in crate::client) fn into_split(self) -> (UsbReader<I>, UsbWriter<O>) {
        (self.read, self.write)
    }
}

impl<I: BulkIn, O: BulkOut> ReadPackets for UsbConnection<I, O> {
    async fn read_packet(&mut self) -> io::Result<Packet> {
        self.read.read_packet().await
    }
}

impl<I: BulkIn, O: BulkOut> WritePackets for UsbConnection<I, O> {
    async fn write_packet(&mut self, packet: &Packet) -> io::Result<()> {
        self.write.write_packet(packet).await
    }
}

pub(in crate::client) struct UsbReader<I> {
    input: I,
    /// Set after the first packet. Before it, transfers that are no header are skipped as rests of an earlier
    /// connection; after it they are an error.
    greeted: bool,
}

impl<I: BulkIn> ReadPackets for UsbReader<I> {
    /// Reads the next packet, without a limit. A payload of another length than its header announces is an error.
    async fn read_packet(&mut self) -> io::Result<Packet> {
        let header = decode(&self.read_header().await?)?;
        let mut payload = Vec::new();
        while payload.len() < header.payload_len {
            let missing = header.payload_len - payload.len();
            // A shorter buffer could overflow; the device sends no empty packet after a full one.
            let requested = missing
                .min(MAX_TRANSFER_BYTES)
                .next_multiple_of(self.input.packet_size());
            let part = self.input.read(requested).await?;
            if part.is_empty() || part.len() > missing {
                return Err(broken("a payload of another length than announced"));
            }
            payload.extend(part);
        }
        self.greeted = true;
        Ok(packet(header, payload))
    }
}

impl<I: BulkIn> UsbReader<I> {
    /// Reads the next header. Before the first packet, stray transfers of an earlier program are passed over; later
    /// only empty ones are. At most [`MAX_STRAY_TRANSFERS`] are read.
    async fn read_header(&mut self) -> io::Result<[u8; HEADER_LEN]> {
        let length = HEADER_LEN.next_multiple_of(self.input.packet_size());
        for _ in 0..MAX_STRAY_TRANSFERS {
            let transfer = self.input.read(length).await?;
            match <[u8; HEADER_LEN]>::try_from(transfer.as_slice()) {
                Ok(header) if self.greeted || decode(&header).is_ok() => return Ok(header),
                _ if transfer.is_empty() || !self.greeted => {}
                _ => break,
            }
        }
        Err(broken("something else than a header"))
    }
}

/// Builds the error of data that the protocol does not allow.
fn broken(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the device sent {what}"),
    )
}

pub(in crate::client) struct UsbWriter<O> {
    output: O,
}

impl<O: BulkOut> WritePackets for UsbWriter<O> {
    /// Writes the header and each [`MAX_TRANSFER_BYTES`] of the payload as a transfer of their own. An empty
    /// transfer follows a payload that ends with a full packet.
    async fn write_packet(&mut self, packet: &Packet) -> io::Result<()> {
        let bytes = packet.encode();
        let (header, payload) = bytes.split_at(HEADER_LEN);
        self.output.write(header).await?;
        for part in payload.chunks(MAX_TRANSFER_BYTES) {
            self.output.write(part).await?;
        }
        // An empty transfer tells the device that the payload ended with a full packet.
        if !payload.is_empty() && payload.len().is_multiple_of(self.output.packet_size()) {
            self.output.write(&[]).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt as _;
    use tokio::sync::mpsc;

    use super::*;
    use crate::auth::{HostKeys, kind};
    use crate::client::Host;
    use crate::client::handshake::{Handshake, HandshakeResult};
    use crate::client::link::Link;
    use crate::wire::packet::Command;

    /// Packet size of bulk endpoints in USB 2.0 at high speed.
    const PACKET_SIZE: usize = 512;

    /// Endpoint of a simulated cable: each write at one end is one read at the other, as on USB.
    struct Pipe(mpsc::UnboundedReceiver<Vec<u8>>);
    struct PipeEnd(mpsc::UnboundedSender<Vec<u8>>);

    impl BulkIn for Pipe {
        fn packet_size(&self) -> usize {
            PACKET_SIZE
        }
        async fn read(&mut self, length: usize) -> io::Result<Vec<u8>> {
            assert!(length > 0 && length.is_multiple_of(PACKET_SIZE), "{length}");
            let transfer = self.0.recv().await.ok_or(io::ErrorKind::UnexpectedEof)?;
            assert!(transfer.len() <= length, "overflow");
            Ok(transfer)
        }
    }

    impl BulkOut for PipeEnd {
        fn packet_size(&self) -> usize {
            PACKET_SIZE
        }
        async fn write(&mut self, transfer: &[u8]) -> io::Result<()> {
            self.0
                .send(transfer.to_vec())
                .map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    fn pipe() -> (mpsc::UnboundedSender<Vec<u8>>, UsbReader<Pipe>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let input = Pipe(receiver);
        (
            sender,
            UsbReader {
                input,
                greeted: false,
            },
        )
    }

    fn packet(length: usize) -> Packet {
        let payload: Vec<u8> = (0..length).map(|at| at as u8).collect();
        Packet::new(Command::Write, 1, 2, payload)
    }

    #[tokio::test]
    async fn header_and_payload_are_transfers_of_their_own() {
        for (length, transfers) in [
            (0, vec![24]),
            (1, vec![24, 1]),
            (512, vec![24, 512, 0]),
            (513, vec![24, 513]),
            (16 * 1024, vec![24, 16384, 0]),
            (20_000, vec![24, 16384, 3616]),
            (20_480, vec![24, 16384, 4096, 0]),
        ] {
            let (sender, mut sent) = mpsc::unbounded_channel();
            let mut writer = UsbWriter {
                output: PipeEnd(sender),
            };
            writer.write_packet(&packet(length)).await.unwrap();
            let mut observed = Vec::new();
            while let Ok(transfer) = sent.try_recv() {
                observed.push(transfer.len());
            }
            assert_eq!(observed, transfers, "{length}");
        }
    }

    #[tokio::test]
    async fn packets_arrive_as_a_device_sends_them() {
        let (device, mut reader) = pipe();
        for length in [0, 1, 511, 512, 16 * 1024, 100_000] {
            let bytes = packet(length).encode();
            let (header, payload) = bytes.split_at(HEADER_LEN);
            device.send(header.to_vec()).unwrap();
            // adbd ends a payload without an empty packet, and USB cuts at the requested length.
            for part in payload.chunks(MAX_TRANSFER_BYTES) {
                device.send(part.to_vec()).unwrap();
            }
            assert_eq!(reader.read_packet().await.unwrap(), packet(length));
        }
    }

    #[tokio::test]
    async fn what_an_earlier_connection_left_is_passed_over_only_at_the_begin() {
        let (device, mut reader) = pipe();
        device.send(vec![7; 512]).unwrap();
        device.send(Vec::new()).unwrap();
        device.send(vec![7; 24]).unwrap();
        device.send(packet(0).encode()).unwrap();
        assert_eq!(reader.read_packet().await.unwrap(), packet(0));
        device.send(Vec::new()).unwrap();
        device.send(packet(0).encode()).unwrap();
        assert_eq!(reader.read_packet().await.unwrap(), packet(0));
        device.send(vec![7; 512]).unwrap();
        let error = reader.read_packet().await.unwrap_err();
        assert!(error.to_string().contains("than a header"), "{error}");
    }

    #[tokio::test]
    async fn a_peer_that_breaks_the_protocol_or_leaves_ends_it() {
        for transfers in [
            vec![packet(9).encode()[..24].to_vec(), vec![0; 10]],
            vec![packet(9).encode()[..24].to_vec(), Vec::new()],
            vec![packet(9).encode()[..24].to_vec()],
            vec![vec![0; 12]; MAX_STRAY_TRANSFERS],
            vec![],
        ] {
            let (device, mut reader) = pipe();
            for transfer in transfers {
                device.send(transfer).unwrap();
            }
            drop(device);
            assert!(reader.read_packet().await.is_err());
        }
    }

    /// Creates both ends of a simulated cable.
    fn cable() -> (UsbConnection<Pipe, PipeEnd>, UsbConnection<Pipe, PipeEnd>) {
        let (to_device, at_device) = mpsc::unbounded_channel();
        let (to_host, at_host) = mpsc::unbounded_channel();
        (
            UsbConnection::new(Pipe(at_host), PipeEnd(to_device)),
            UsbConnection::new(Pipe(at_device), PipeEnd(to_host)),
        )
    }

    /// Simulates a device that sends rests of an earlier connection, asks for a key, and sends `length` bytes
    /// from one service.
    async fn device(mut cable: UsbConnection<Pipe, PipeEnd>, length: usize) -> io::Result<()> {
        for late in [Command::Write, Command::Close] {
            let late = Packet::new(late, 3, 4, Vec::new());
            cable.write_packet(&late).await?;
        }
        assert_eq!(cable.read_packet().await?.command, Command::Connect);
        let question = Packet::new(Command::Auth, kind::TOKEN, 0, [1; 20]);
        cable.write_packet(&question).await?;
        assert_eq!(cable.read_packet().await?.arg0, kind::SIGNATURE);
        let hello = Packet::new(Command::Connect, 0x0100_0001, 256 * 1024, "device::");
        cable.write_packet(&hello).await?;
        let open = cable.read_packet().await?;
        assert_eq!(open.payload, b"shell:ls\0");
        for command in [Command::Okay, Command::Write, Command::Close] {
            let bytes = if command == Command::Write { length } else { 0 };
            let packet = Packet::new(command, 9, open.arg0, vec![b'x'; bytes]);
            cable.write_packet(&packet).await?;
        }
        // Waits until the host has read everything.
        while cable.read_packet().await?.command != Command::Close {}
        Ok(())
    }

    #[tokio::test]
    async fn a_service_is_read_over_a_cable() {
        let home = tempfile::tempdir().unwrap();
        let host = Host::new(HostKeys {
            own: Some(home.path().join("adbkey")),
            ..HostKeys::default()
        });
        for length in [1, 512, 65_536] {
            let (mut ours, theirs) = cable();
            let serving = tokio::spawn(device(theirs, length));
            let handshake = Handshake {
                serial: "phone",
                address: "on USB",
                host: &host,
            };
            let HandshakeResult::Admitted(admission) = handshake.begin(&mut ours).await.unwrap()
            else {
                panic!("no TLS over USB");
            };
            let (read, write) = ours.into_split();
            let link = Arc::new(Link::start(read, write, admission));
            let mut stream = link.open("shell:ls").await.ok().unwrap();
            let mut text = Vec::new();
            stream.read_to_end(&mut text).await.unwrap();
            assert_eq!(text, vec![b'x'; length]);
            serving.await.unwrap().unwrap();
        }
    }
}
