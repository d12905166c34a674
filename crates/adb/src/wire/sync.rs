//! Messages of the file service `sync:`: an id of four letters, one little-endian word, and data that depends
//! on the id.

use super::WireError;

/// Largest data of one `DATA` message, in bytes (`SYNC.TXT`).
pub const MAX_CHUNK: usize = 64 * 1024;
/// Longest path, in bytes (`SYNC.TXT`).
pub const MAX_PATH: usize = 1024;

/// Id of a message, by its four letters on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyncId {
    /// Asks for `lstat` of a path, and begins the answer.
    Stat,
    /// Version 2 of `Stat`, with more fields.
    Lstat2,
    /// Asks for `stat` of a path, links followed, with the fields of version 2.
    Stat2,
    /// Asks for the entries of a folder.
    List,
    /// Version 2 of `List`, whose entries have more fields.
    List2,
    Dent,
    Dent2,
    /// Sends a file to the device.
    Send,
    /// Version 2 of `Send`, with mode and flags after the path.
    Send2,
    /// Receives a file from the device.
    Recv,
    /// Version 2 of `Recv`, with flags after the path.
    Recv2,
    Data,
    /// End of a file or of a list.
    Done,
    Okay,
    /// Failure; a text follows.
    Fail,
    /// The client closes the service.
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

    /// Returns the letters on the wire.
    pub fn letters(self) -> [u8; 4] {
        Self::ALL
            .iter()
            .find(|(id, _)| *id == self)
            .map_or([0; 4], |(_, letters)| **letters)
    }

    /// Parses the four letters of an id, exactly.
    ///
    /// # Errors
    /// Returns [`WireError::UnknownId`].
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

/// Encodes a message: id, length and data. The `DONE` after `SEND` has the file's time in place of the
/// length: use [`word`].
pub fn message(id: SyncId, data: &[u8]) -> Vec<u8> {
    let mut bytes = word(id, data.len() as u32);
    bytes.extend_from_slice(data);
    bytes
}

/// Encodes an id and its word, without data.
pub fn word(id: SyncId, value: u32) -> Vec<u8> {
    let mut bytes = id.letters().to_vec();
    bytes.extend_from_slice(&value.to_le_bytes());
    bytes
}

/// Decodes the eight bytes that begin a message into its id and its word, which is a length, a mode or a time
/// by the id.
///
/// # Errors
/// Returns [`WireError::UnknownId`].
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
