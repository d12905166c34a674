//! The file service `sync:`: four letters of id, one little-endian word, and what the id says follows.

use super::WireError;

/// Greatest data of one `DATA` chunk.
pub const MAX_CHUNK: usize = 64 * 1024;
/// Greatest length of a path.
pub const MAX_PATH: usize = 1024;

/// The four letters that begin every message of `sync:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncId {
    /// `lstat` of a path, 12-byte answer.
    Stat,
    /// `lstat`, v2 answer.
    Lstat2,
    /// `stat`, v2 answer.
    Stat2,
    /// Entries of a folder.
    List,
    /// Entries, v2.
    List2,
    /// One entry of a list.
    Dent,
    /// One entry of a v2 list.
    Dent2,
    /// Send a file to the device.
    Send,
    /// Send, v2.
    Send2,
    /// Receive a file from the device.
    Recv,
    /// Receive, v2.
    Recv2,
    /// A chunk of a file.
    Data,
    /// End of a file or list.
    Done,
    /// Success.
    Okay,
    /// Failure; a text follows.
    Fail,
    /// The client leaves.
    Quit,
}

impl SyncId {
    const ALL: [(Self, &'static [u8; 4]); 16] = [
        (Self::Stat, b"STAT"),
        (Self::Lstat2, b"LST2"),
        (Self::Stat2, b"STA2"),
        (Self::List, b"LIST"),
        (Self::List2, b"LIS2"),
        (Self::Dent, b"DENT"),
        (Self::Dent2, b"DNT2"),
        (Self::Send, b"SEND"),
        (Self::Send2, b"SND2"),
        (Self::Recv, b"RECV"),
        (Self::Recv2, b"RCV2"),
        (Self::Data, b"DATA"),
        (Self::Done, b"DONE"),
        (Self::Okay, b"OKAY"),
        (Self::Fail, b"FAIL"),
        (Self::Quit, b"QUIT"),
    ];

    /// The letters on the wire.
    pub fn letters(self) -> [u8; 4] {
        Self::ALL
            .iter()
            .find(|(id, _)| *id == self)
            .map_or([0; 4], |(_, letters)| **letters)
    }

    /// The id of four letters.
    ///
    /// # Errors
    /// [`WireError::UnknownId`] where no id has them.
    pub fn from_letters(letters: [u8; 4]) -> Result<Self, WireError> {
        Self::ALL
            .iter()
            .find(|(_, known)| **known == letters)
            .map(|(id, _)| *id)
            .ok_or_else(|| WireError::UnknownId {
                what: "sync",
                id: String::from_utf8_lossy(&letters).into_owned(),
            })
    }
}

/// A message: id, length word, data. In `DONE` after `SEND` the word is the time instead: use [`word`].
pub fn message(id: SyncId, data: &[u8]) -> Vec<u8> {
    let mut bytes = word(id, data.len() as u32);
    bytes.extend_from_slice(data);
    bytes
}

/// An id with its word alone.
pub fn word(id: SyncId, value: u32) -> Vec<u8> {
    let mut bytes = id.letters().to_vec();
    bytes.extend_from_slice(&value.to_le_bytes());
    bytes
}

/// Reads the eight bytes that begin a message.
///
/// # Errors
/// [`WireError::UnknownId`].
pub fn head(bytes: [u8; 8]) -> Result<(SyncId, u32), WireError> {
    let id = SyncId::from_letters([bytes[0], bytes[1], bytes[2], bytes[3]])?;
    Ok((
        id,
        u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_read_back() {
        let bytes = message(SyncId::Send, b"/sdcard/x,33188");
        let (id, length) = head(bytes[..8].try_into().unwrap()).unwrap();
        assert_eq!((id, length as usize), (SyncId::Send, bytes.len() - 8));
        assert!(head(*b"WHAT\0\0\0\0").is_err());
    }
}
