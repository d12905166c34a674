//! Frames of the connection: header length, payload length, header (JSON), payload.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Limit for a header, in bytes. Chosen: several times the largest screen's dump.
pub const MAX_HEADER_BYTES: u64 = 64 * 1024 * 1024;
/// Limit for a payload, in bytes. Chosen: several windows of a 4K display.
pub const MAX_PAYLOAD_BYTES: u64 = 256 * 1024 * 1024;
/// Bytes reserved before any have arrived. Chosen: a length is only a claim, so memory grows with what comes.
const MAX_RESERVED_BYTES: u64 = 1024 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    #[error("a frame of {0} bytes was announced, which is more than any has")]
    TooLong(u64),
    #[error("the connection ended inside a frame")]
    Cut,
    #[error("the connection to the app's process broke: {0}")]
    Io(#[from] std::io::Error),
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// JSON.
    pub header: Vec<u8>,
    /// Bytes whose meaning the header defines.
    pub payload: Vec<u8>,
}

impl Frame {
    /// Serializes a frame: both lengths as 32-bit numbers, big endian, then header and payload.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooLong`] if a part exceeds its limit.
    pub fn bytes(header: &[u8], payload: &[u8]) -> Result<Vec<u8>, FrameError> {
        let mut bytes = Vec::with_capacity(8 + header.len() + payload.len());
        for (part, most) in [(header, MAX_HEADER_BYTES), (payload, MAX_PAYLOAD_BYTES)] {
            let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
            check(u64::from(length), most)?;
            bytes.extend(length.to_be_bytes());
        }
        bytes.extend_from_slice(header);
        bytes.extend_from_slice(payload);
        Ok(bytes)
    }

    /// Reads the next frame; `None` if the stream ends before it. The limits of both parts, in bytes, are checked
    /// before anything of the parts is read.
    ///
    /// # Errors
    ///
    /// [`FrameError`]: a part is too long, the stream ends within the frame, or reading fails.
    pub async fn read(
        stream: &mut (impl AsyncRead + Unpin),
        most_header: u64,
        most_payload: u64,
    ) -> Result<Option<Self>, FrameError> {
        let mut lengths = Vec::with_capacity(8);
        stream.take(8).read_to_end(&mut lengths).await?;
        let Ok(lengths) = <[u8; 8]>::try_from(lengths.as_slice()) else {
            return if lengths.is_empty() {
                Ok(None)
            } else {
                Err(FrameError::Cut)
            };
        };
        // Both lengths are big endian, so one 64-bit number yields both.
        let both = u64::from_be_bytes(lengths);
        let (header, payload) = (both >> 32, both & u64::from(u32::MAX));
        check(header, most_header)?;
        check(payload, most_payload)?;
        Ok(Some(Self {
            header: part(stream, header).await?,
            payload: part(stream, payload).await?,
        }))
    }
}

fn check(length: u64, most: u64) -> Result<(), FrameError> {
    if length > most {
        return Err(FrameError::TooLong(length));
    }
    Ok(())
}

/// Reads exactly `length` bytes. Reserves memory for at most 1 MiB before they arrive. Fails with [`FrameError::Cut`]
/// if the stream ends before the last one.
async fn part(stream: &mut (impl AsyncRead + Unpin), length: u64) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::with_capacity(length.min(MAX_RESERVED_BYTES) as usize);
    stream.take(length).read_to_end(&mut bytes).await?;
    if (bytes.len() as u64) < length {
        return Err(FrameError::Cut);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(mut bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut frames = Vec::new();
            while let Some(frame) =
                Frame::read(&mut bytes, MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES).await?
            {
                frames.push(frame);
            }
            Ok(frames)
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(frames: Vec<(Vec<u8>, Vec<u8>)>) {
            let mut bytes = Vec::new();
            for (header, payload) in &frames {
                bytes.extend(Frame::bytes(header, payload).unwrap());
            }
            let expected: Vec<Frame> = frames
                .into_iter()
                .map(|(header, payload)| Frame { header, payload })
                .collect();
            prop_assert_eq!(read(&bytes).unwrap(), expected);
        }

        #[test]
        fn a_cut_frame_is_an_error_and_never_a_shorter_one(
            header in proptest::collection::vec(any::<u8>(), 1..40),
            payload: Vec<u8>,
            cut: proptest::sample::Index,
        ) {
            let bytes = Frame::bytes(&header, &payload).unwrap();
            let end = 1 + cut.index(bytes.len() - 1);
            prop_assert!(matches!(read(&bytes[..end]), Err(FrameError::Cut)));
        }

        #[test]
        fn whatever_comes_is_read_or_refused(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }

    #[test]
    fn a_length_that_no_frame_has_is_refused_before_it_is_read() {
        for (header, payload) in [(u32::MAX, 0), (0, u32::MAX), (64 * 1024 * 1024 + 1, 0)] {
            let mut bytes = header.to_be_bytes().to_vec();
            bytes.extend(payload.to_be_bytes());
            assert!(matches!(read(&bytes), Err(FrameError::TooLong(_))));
        }
        // A large allowed length without data must not allocate memory.
        let mut bytes = (64_u32 * 1024 * 1024).to_be_bytes().to_vec();
        bytes.extend((256_u32 * 1024 * 1024).to_be_bytes());
        assert!(matches!(read(&bytes), Err(FrameError::Cut)));
    }
}
