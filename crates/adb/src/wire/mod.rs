//! The adb protocol's codecs, used by both ends: the client and the device.
//!
//! Pure: bytes in, values out. No sockets here.
//! Source of the formats: AOSP `packages/modules/adb` (`protocol.txt`, `SYNC.TXT`, `shell_protocol.h`).

pub mod packet;
pub mod shell;
pub mod sync;

/// Bytes that are not what the protocol says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The two command words of a packet do not complement each other.
    #[error("not an adb packet: command {command:#010x}, magic {magic:#010x}")]
    BadMagic {
        /// The command word.
        command: u32,
        /// The word that should be its complement.
        magic: u32,
    },
    /// A length beyond what the protocol allows.
    #[error("adb announced {length} bytes of {what}, more than the {limit} allowed")]
    TooLong {
        /// What the bytes are.
        what: &'static str,
        /// Announced length in bytes.
        length: usize,
        /// Greatest allowed length in bytes.
        limit: usize,
    },
    /// An id that the protocol does not know.
    #[error("adb sent an unknown {what} id {id:?}")]
    UnknownId {
        /// Which kind of id.
        what: &'static str,
        /// The id, readable.
        id: String,
    },
}
