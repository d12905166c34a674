//! One connection to the server: requests are written to it at once, and answers are read from it.

use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::super::error::Uia2Error;
use super::super::names::PORT;
use super::head::{BodyLength, Head, strange};
use super::message::{Answer, Request};
use crate::{ByteStream, Device, DeviceError};

/// Limit of an answer's body in bytes. Chosen: a source of a huge screen has some megabytes, a screenshot in
/// Base64 less than thirty.
const MAX_BODY_BYTES: usize = 64 << 20;

/// Limit of an answer's head in bytes. Chosen: the server's have a few hundred.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Bytes to read at once. Chosen: a source takes some dozens of reads.
const READ_BYTES: usize = 64 << 10;

pub(super) struct Connection {
    stream: Box<dyn ByteStream>,
    /// Bytes received and not parsed yet.
    buffer: Vec<u8>,
    pub(super) used: Instant,
    /// The server announced that it closes the connection.
    closing: bool,
}

impl Connection {
    /// Connects to the server's port on the device, without a limit. Nobody listening there is
    /// [`Uia2Error::Refused`].
    pub(super) async fn open(device: &dyn Device) -> Result<Self, Uia2Error> {
        let service = format!("tcp:{PORT}");
        match device.open(&service).await {
            Ok(stream) => Ok(Self {
                stream,
                buffer: Vec::new(),
                used: Instant::now(),
                closing: false,
            }),
            Err(DeviceError::NotListening { .. }) => Err(Uia2Error::Refused),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns false if the connection is useless, as far as that is known without a request or a wait: it
    /// has ended, has failed, or holds a byte that nobody asked for.
    pub(super) fn is_open(&mut self) -> bool {
        let mut byte = [0];
        let mut into = tokio::io::ReadBuf::new(&mut byte);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // No request is in progress, so an end, an error and an unexpected byte all make the connection useless.
        std::pin::Pin::new(&mut self.stream)
            .poll_read(&mut context, &mut into)
            .is_pending()
    }

    pub(super) fn reusable(mut self) -> Option<Self> {
        self.used = Instant::now();
        (!self.closing && self.buffer.is_empty()).then_some(self)
    }

    /// Writes all requests at once and reads as many answers. The first is passed to `first`, which is taken. Waits
    /// without a limit; an end of the connection before the last answer is [`Uia2Error::ConnectionClosed`].
    pub(super) async fn exchange(
        &mut self,
        requests: &[Request],
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, Uia2Error> {
        let mut bytes = Vec::new();
        for request in requests {
            request.write(&mut bytes);
        }
        let wrote = async {
            self.stream.write_all(&bytes).await?;
            self.stream.flush().await
        };
        wrote.await.map_err(|_| Uia2Error::ConnectionClosed)?;
        let mut answers = Vec::with_capacity(requests.len());
        for _ in requests {
            let answer = self.answer().await?;
            if let Some(first) = first.take() {
                // The receiver may have been dropped.
                let _ = first.send(answer.clone());
            }
            answers.push(answer);
        }
        Ok(answers)
    }

    /// Reads one answer. Notes whether the connection must be closed after it.
    async fn answer(&mut self) -> Result<Answer, Uia2Error> {
        let head = self.head().await?;
        self.closing |= head.closes;
        let body = match head.body {
            BodyLength::Known(length) => self.take(length).await?,
            BodyLength::Chunked => self.chunks().await?,
            BodyLength::ToTheEnd => {
                self.closing = true;
                self.read_to_end().await?
            }
        };
        Ok(Answer {
            status: head.status,
            body,
            clock: head.clock,
        })
    }

    /// Reads the next head, and passes over interim answers such as `100 Continue`. A head of more than 64 KiB is
    /// [`Uia2Error::TooLong`].
    async fn head(&mut self) -> Result<Head, Uia2Error> {
        loop {
            if let Some((length, head)) = Head::parse(&self.buffer)? {
                self.buffer.drain(..length);
                // An interim answer such as `100 Continue`.
                if head.status >= 200 {
                    return Ok(head);
                }
                continue;
            }
            if self.buffer.len() > MAX_HEAD_BYTES {
                return Err(Uia2Error::TooLong {
                    limit: MAX_HEAD_BYTES,
                });
            }
            self.fill().await?;
        }
    }

    /// Takes the next `length` bytes, and reads as many as are missing. Memory grows only with the bytes that
    /// arrive, not with the announced length.
    ///
    /// # Errors
    /// Returns [`Uia2Error::TooLong`] for more than 64 MiB, and an error if the connection ends before.
    async fn take(&mut self, length: usize) -> Result<Vec<u8>, Uia2Error> {
        if length > MAX_BODY_BYTES {
            return Err(Uia2Error::TooLong {
                limit: MAX_BODY_BYTES,
            });
        }
        while self.buffer.len() < length {
            self.fill().await?;
        }
        let rest = self.buffer.split_off(length);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    /// Reads a body in chunks, up to the last one. Trailers are dropped. A body of more than 64 MiB is
    /// [`Uia2Error::TooLong`], a chunk of another form [`Uia2Error::NotTheServer`].
    async fn chunks(&mut self) -> Result<Vec<u8>, Uia2Error> {
        let mut body = Vec::new();
        loop {
            let size = self.chunk_size().await?;
            if size == 0 {
                // Trailers, and the empty line after them.
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            if size > MAX_BODY_BYTES - body.len() {
                return Err(Uia2Error::TooLong {
                    limit: MAX_BODY_BYTES,
                });
            }
            body.extend(self.take(size).await?);
            if !self.line().await?.is_empty() {
                return Err(strange("a chunk is longer than it says"));
            }
        }
    }

    /// Reads the line with a chunk's size. A size beyond the machine's numbers becomes the largest. A line of
    /// another form is [`Uia2Error::NotTheServer`].
    async fn chunk_size(&mut self) -> Result<usize, Uia2Error> {
        loop {
            match httparse::parse_chunk_size(&self.buffer) {
                Ok(httparse::Status::Complete((length, size))) => {
                    self.buffer.drain(..length);
                    return Ok(usize::try_from(size).unwrap_or(usize::MAX));
                }
                Ok(httparse::Status::Partial) if self.buffer.len() < MAX_HEAD_BYTES => {
                    self.fill().await?;
                }
                _ => return Err(strange("a chunk without a length")),
            }
        }
    }

    /// Takes the next line, without its end and other spaces at its end.
    ///
    /// # Errors
    /// Returns [`Uia2Error::TooLong`] if there is no line end within about 64 KiB, and an error if the
    /// connection ends before.
    async fn line(&mut self) -> Result<Vec<u8>, Uia2Error> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                let mut line: Vec<u8> = self.buffer.drain(..=end).collect();
                line.truncate(line.trim_ascii_end().len());
                return Ok(line);
            }
            if self.buffer.len() > MAX_HEAD_BYTES {
                return Err(Uia2Error::TooLong {
                    limit: MAX_HEAD_BYTES,
                });
            }
            self.fill().await?;
        }
    }

    /// Reads a body that ends with the connection. One of more than 64 MiB is [`Uia2Error::TooLong`].
    async fn read_to_end(&mut self) -> Result<Vec<u8>, Uia2Error> {
        while self.buffer.len() <= MAX_BODY_BYTES {
            match self.fill().await {
                Ok(()) => {}
                Err(Uia2Error::ConnectionClosed) => return Ok(std::mem::take(&mut self.buffer)),
                Err(error) => return Err(error),
            }
        }
        Err(Uia2Error::TooLong {
            limit: MAX_BODY_BYTES,
        })
    }

    /// Waits for more bytes, without a limit, and appends them to the buffer. The end of the connection, and any error
    /// of it, is [`Uia2Error::ConnectionClosed`].
    async fn fill(&mut self) -> Result<(), Uia2Error> {
        self.buffer.reserve(READ_BYTES);
        // An error of the stream counts as an early end.
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => Err(Uia2Error::ConnectionClosed),
            Ok(_) => Ok(()),
        }
    }
}

/// Returns true if the bytes begin with one complete answer. Further bytes behind it do not count.
pub(in super::super) fn is_answer(bytes: &[u8]) -> bool {
    let bytes = std::io::Cursor::new(bytes.to_vec());
    let mut connection = Connection {
        stream: Box::new(tokio::io::join(bytes, tokio::io::sink())),
        buffer: Vec::new(),
        used: Instant::now(),
        closing: false,
    };
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // A future over bytes in memory never waits.
    let answer = std::pin::pin!(connection.answer()).poll(&mut context);
    matches!(answer, std::task::Poll::Ready(Ok(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_or_refused() {
        for (bytes, whole) in [
            (&b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"[..], true),
            (b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{}", false),
            (b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n", true),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n",
                true,
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}}\r\n0\r\n\r\n",
                false,
            ),
            (
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                false,
            ),
            (b"HTTP/1.1 200 OK\r\n\r\nto the end", true),
            (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", false),
            (b"hello", false),
            (b"", false),
        ] {
            assert_eq!(is_answer(bytes), whole, "{}", bytes.escape_ascii());
        }
    }
}
