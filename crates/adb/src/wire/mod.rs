//! Codecs of the adb protocol, for both ends: the client and the device.
//!
//! They turn bytes into values and back, and use no sockets. Source of the formats: AOSP
//! `packages/modules/adb` (`protocol.txt`, `SYNC.TXT`, `shell_protocol.h`).

pub mod packet;
pub mod shell;
pub mod sync;

/// Error of bytes that break the protocol.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The last word of a packet's header is not the complement of its command.
    #[error("not an adb packet: command {command:#010x}, magic {magic:#010x}")]
    BadMagic { command: u32, magic: u32 },
    /// An announced length is larger than the protocol or this program allows.
    #[error("adb announced {length} bytes of {what}, more than the {limit} allowed")]
    TooLong {
        /// Noun for the bytes, in the message.
        what: &'static str,
        /// Announced length in bytes.
        length: usize,
        /// Allowed length in bytes.
        limit: usize,
    },
    /// An id that the protocol does not define.
    #[error("adb sent an unknown {what} id {id:?}")]
    UnknownId {
        /// Kind of the id, in the message.
        what: &'static str,
        id: String,
    },
}
