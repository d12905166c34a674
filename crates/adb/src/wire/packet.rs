//! Packets between an adb host and `adbd`: a header of six little-endian words and a payload.

use super::WireError;

/// Bytes of a header (AOSP `protocol.txt`).
pub const HEADER_LEN: usize = 24;
/// Protocol version whose peers ignore payload checksums (`A_VERSION_SKIP_CHECKSUM`; Android 9 and later).
pub const VERSION_SKIP_CHECKSUM: u32 = 0x0100_0001;
/// Oldest protocol version (`A_VERSION_MIN`).
pub const VERSION_MIN: u32 = 0x0100_0000;
/// Largest payload that this program announces, in bytes (`MAX_PAYLOAD` in AOSP's `adb.h`).
pub const MAX_PAYLOAD: usize = 1024 * 1024;

/// Command word of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// `CNXN`: version, largest payload, banner.
    Connect,
    Auth,
    StartTls,
    Open,
    Okay,
    Write,
    Close,
    Sync,
}

impl Command {
    const ALL: [(Self, &'static [u8; 4]); 8] = [
        (Self::Connect, b"CNXN"),
        (Self::Auth, b"AUTH"),
        (Self::StartTls, b"STLS"),
        (Self::Open, b"OPEN"),
        (Self::Okay, b"OKAY"),
        (Self::Write, b"WRTE"),
        (Self::Close, b"CLSE"),
        (Self::Sync, b"SYNC"),
    ];

    /// Returns the command's four letters as the number on the wire.
    fn word(self) -> u32 {
        Self::ALL
            .iter()
            .find(|(command, _)| *command == self)
            .map_or(0, |(_, letters)| u32::from_le_bytes(**letters))
    }

    /// Returns the command of a number on the wire; `None` for an unknown one.
    fn from_word(word: u32) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, letters)| u32::from_le_bytes(**letters) == word)
            .map(|(command, _)| *command)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    pub command: Command,
    /// First argument: the sender's stream id, or the version in `CNXN`.
    pub arg0: u32,
    /// Second argument: the receiver's stream id, or the largest payload in `CNXN`.
    pub arg1: u32,
    pub payload: Vec<u8>,
}

/// Decoded header; `payload_len` bytes of payload follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub command: Command,
    pub arg0: u32,
    pub arg1: u32,
    pub payload_len: usize,
}

impl Packet {
    /// Creates a packet as given; nothing is checked.
    pub fn new(command: Command, arg0: u32, arg1: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            command,
            arg0,
            arg1,
            payload: payload.into(),
        }
    }

    /// Encodes header and payload. The checksum is always correct, for old peers that verify it. The payload's
    /// length is not checked against [`MAX_PAYLOAD`].
    pub fn encode(&self) -> Vec<u8> {
        let command = self.command.word();
        let checksum = self
            .payload
            .iter()
            .fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        let words = [
            command,
            self.arg0,
            self.arg1,
            self.payload.len() as u32,
            checksum,
            !command,
        ];
        let mut bytes = Vec::with_capacity(HEADER_LEN + self.payload.len());
        for word in words {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&self.payload);
        bytes
    }
}

impl Header {
    /// Decodes a header. Does not verify the checksum, as TCP has its own.
    ///
    /// # Errors
    /// Returns a [`WireError`] if its magic does not fit, the command is unknown, or the payload would be
    /// longer than [`MAX_PAYLOAD`].
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Self, WireError> {
        let word = |index: usize| {
            let at = index * 4;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let (raw, magic) = (word(0), word(5));
        if raw != !magic {
            return Err(WireError::BadMagic {
                command: raw,
                magic,
            });
        }
        let command = Command::from_word(raw).ok_or_else(|| WireError::UnknownId {
            what: "packet",
            id: format!("{raw:#010x}"),
        })?;
        let payload_len = word(3) as usize;
        if payload_len > MAX_PAYLOAD {
            return Err(WireError::TooLong {
                what: "payload",
                length: payload_len,
                limit: MAX_PAYLOAD,
            });
        }
        Ok(Self {
            command,
            arg0: word(1),
            arg1: word(2),
            payload_len,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_reads_back() {
        let packet = Packet::new(Command::Open, 7, 0, b"shell:ls\0".as_slice());
        let bytes = packet.encode();
        let header = Header::decode(bytes[..HEADER_LEN].try_into().unwrap()).unwrap();
        assert_eq!(
            header,
            Header {
                command: Command::Open,
                arg0: 7,
                arg1: 0,
                payload_len: 9
            }
        );
        assert_eq!(&bytes[HEADER_LEN..], b"shell:ls\0");
    }

    #[test]
    fn noise_is_refused() {
        assert!(matches!(
            Header::decode(&[1; HEADER_LEN]),
            Err(WireError::BadMagic { .. })
        ));
        let mut long = Packet::new(Command::Write, 1, 1, Vec::new()).encode();
        long[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let header = Header::decode(long[..HEADER_LEN].try_into().unwrap());
        assert!(matches!(header, Err(WireError::TooLong { .. })));
    }
}
