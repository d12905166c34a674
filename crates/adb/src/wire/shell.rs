//! Frames of `shell,v2`: one byte of id, four bytes of little-endian length, data.

use super::WireError;

/// Bytes before a frame's data (AOSP `shell_protocol.h`).
pub const HEADER_LEN: usize = 5;
/// Largest data of one frame that a reader takes, in bytes. Chosen: four times the largest payload of a
/// packet, so that only a broken stream reaches it.
pub const MAX_DATA: usize = 4 * 1024 * 1024;

/// Option of `shell,v2` that asks for [`FrameId::Clock`].
pub const CLOCK: &str = "clock";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameId {
    /// Data for the command's standard input.
    Stdin = 0,
    Stdout = 1,
    Stderr = 2,
    /// Exit code, one byte.
    Exit = 3,
    /// End of standard input.
    CloseStdin = 4,
    /// New size of the terminal.
    WindowSize = 5,
    /// Clock of a virtual device: eight bytes of little-endian microseconds, sent before [`FrameId::Exit`].
    /// It comes only if the service's name has the option [`CLOCK`]; no phone has it.
    Clock = 64,
}

impl FrameId {
    /// Returns the type of a number on the wire; `None` for an unknown one.
    fn from_byte(byte: u8) -> Option<Self> {
        [
            Self::Stdin,
            Self::Stdout,
            Self::Stderr,
            Self::Exit,
            Self::CloseStdin,
            Self::WindowSize,
            Self::Clock,
        ]
        .into_iter()
        .find(|id| *id as u8 == byte)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub id: FrameId,
    pub data: Vec<u8>,
}

/// Encodes a frame: id, length and data. The length is not checked against [`MAX_DATA`].
pub fn encode(id: FrameId, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_LEN + data.len());
    bytes.push(id as u8);
    bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
    bytes.extend_from_slice(data);
    bytes
}

/// Splits a stream of bytes into frames.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    start: usize,
}

impl Decoder {
    /// Appends the next bytes of the stream, which may end within a frame.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Takes the next whole frame, in the order of the stream; `None` until more bytes are pushed.
    ///
    /// # Errors
    /// Returns a [`WireError`] if the id is unknown or the data would be longer than [`MAX_DATA`]. Nothing is
    /// taken then, so every later call fails too.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        let waiting = &self.buffer[self.start..];
        let Some((header, rest)) = waiting.split_first_chunk::<HEADER_LEN>() else {
            return Ok(None);
        };
        let id = FrameId::from_byte(header[0]).ok_or_else(|| WireError::UnknownId {
            what: "shell frame",
            id: header[0].to_string(),
        })?;
        let length = u32::from_le_bytes([header[1], header[2], header[3], header[4]]) as usize;
        if length > MAX_DATA {
            return Err(WireError::TooLong {
                what: "shell frame",
                length,
                limit: MAX_DATA,
            });
        }
        let Some(data) = rest.get(..length) else {
            return Ok(None);
        };
        let data = data.to_vec();
        self.start += HEADER_LEN + length;
        // Not after each frame, as the rest has to be moved down each time.
        if self.start > 1024 * 1024 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        Ok(Some(Frame { id, data }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_arrive_whole_however_they_are_cut() {
        let mut bytes = encode(FrameId::Stdout, b"hello");
        bytes.extend(encode(FrameId::Exit, &[3]));
        for cut in 1..bytes.len() {
            let mut decoder = Decoder::default();
            let mut frames = Vec::new();
            for piece in bytes.chunks(cut) {
                decoder.push(piece);
                while let Some(frame) = decoder.next_frame().unwrap() {
                    frames.push((frame.id, frame.data));
                }
            }
            assert_eq!(
                frames,
                [
                    (FrameId::Stdout, b"hello".to_vec()),
                    (FrameId::Exit, vec![3])
                ]
            );
        }
    }

    #[test]
    fn an_unknown_id_is_an_error() {
        let mut decoder = Decoder::default();
        decoder.push(&[9, 0, 0, 0, 0]);
        assert!(decoder.next_frame().is_err());
    }
}
