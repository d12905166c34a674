//! HTTP/1.1 client over a stream to the device: one persistent connection, on which several requests may be
//! sent before the first answer. No client library does that, and a look is two requests.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::error::{RequestError, Uia2Error};
use super::names::PORT;
use crate::{ByteStream, Device, DeviceError};

/// Header with the virtual device's time in microseconds. No phone sends it.
const CLOCK: &str = "x-runner-clock";
/// Limit of an answer's body in bytes. Chosen: a source of a huge screen has some megabytes, a screenshot in
/// Base64 less than thirty.
const MAX_BODY_BYTES: usize = 64 << 20;
/// Limit of an answer's head in bytes. Chosen: the server's have a few hundred.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Limit of an answer's headers. Chosen: the server sends less than ten.
const MAX_HEADERS: usize = 64;
/// Bytes to read at once. Chosen: a source takes some dozens of reads.
const READ_BYTES: usize = 64 << 10;
/// Longest silence after which a connection is used again. The server closes it after 60 s; the difference is
/// for a slow connection.
const MAX_IDLE: Duration = Duration::from_secs(40);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Reads, without effect.
    Get,
    Post,
    /// Ends the session, and with it the server.
    Delete,
}

#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<String>,
    /// Set if the request has no effect, so that it may be sent twice.
    pub(super) repeatable: bool,
}

impl Request {
    /// Creates a GET without a body, which may be sent again after a lost connection.
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            path: path.into(),
            body: None,
            repeatable: true,
        }
    }

    /// Creates a POST with a body of JSON, which is not sent again by itself, as it may have had its effect.
    pub(super) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::Post,
            path: path.into(),
            body: Some(body.to_string()),
            repeatable: false,
        }
    }

    /// Creates a DELETE without a body, which is not sent again by itself.
    pub(super) fn delete(path: impl Into<String>) -> Self {
        Self {
            method: Method::Delete,
            path: path.into(),
            body: None,
            repeatable: false,
        }
    }

    /// Marks the request as one without effect, whatever its method.
    pub(super) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// Appends the request in the form of HTTP/1.1. Only one with a body has a length and a type.
    fn write(&self, to: &mut Vec<u8>) {
        let method = match self.method {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Delete => "DELETE",
        };
        let body = self.body.as_deref().unwrap_or("");
        let host = PORT;
        let mut head = format!(
            "{method} {} HTTP/1.1\r\nHost: 127.0.0.1:{host}\r\n",
            self.path
        );
        if self.body.is_some() {
            head.push_str("Content-Type: application/json; charset=utf-8\r\n");
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        to.extend_from_slice(head.as_bytes());
        to.extend_from_slice(body.as_bytes());
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// Device's time, if it has a virtual clock.
    pub(super) clock: Option<Duration>,
}

/// Client of the server on one device.
pub(super) struct Client {
    device: Arc<dyn Device>,
    /// Idle connection. A call takes it out; if the call is dropped halfway, the connection is dropped too,
    /// as its answer would be read as another call's.
    stored: Mutex<Option<Connection>>,
}

impl Client {
    /// Creates a client without a connection; the first request opens one.
    pub(super) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            device,
            stored: Mutex::default(),
        }
    }

    /// Sends all requests at once and returns their answers in order, in one round trip of at most `limit`.
    ///
    /// If the idle connection turns out to be closed, the requests are sent once more on a new one, provided that
    /// all are repeatable.
    pub(super) async fn exchange(
        &self,
        requests: &[Request],
        limit: Duration,
    ) -> Result<Vec<Answer>, RequestError> {
        self.exchange_and(requests, limit, &mut None).await
    }

    /// Sends requests at once, counted as one round trip, and returns their answers in order. `limit` bounds all of
    /// it; a failure or a drop closes the connection. The first answer is passed to `first` as soon as it comes,
    /// and a time of the device's clock is reported. An error says whether anything was sent.
    pub(super) async fn exchange_and(
        &self,
        requests: &[Request],
        limit: Duration,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, RequestError> {
        let mut sent = false;
        self.device.counters().round_trip();
        let begun = Instant::now();
        let exchange = self.exchange_once(requests, &mut sent, first);
        let result = tokio::time::timeout(limit, exchange).await;
        let result = result.unwrap_or(Err(Uia2Error::AnswerTimeout { limit }));
        let answers = result.iter().flatten();
        if let Some(time) = answers.filter_map(|answer| answer.clock).max() {
            self.device.clock().report(time);
        }
        log(requests, begun, &result);
        result.map_err(|error| RequestError { error, sent })
    }

    /// Sends the requests over the kept connection if it is open and young, else over a new one. If the kept one
    /// breaks, they are sent again only if all may be repeated. `sent` becomes true before the first byte goes.
    /// Sets no limit of time.
    async fn exchange_once(
        &self,
        requests: &[Request],
        sent: &mut bool,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, Uia2Error> {
        let mut retained = self.stored.lock().await;
        let repeatable = requests.iter().all(|request| request.repeatable);
        let old = retained.take().filter(|old| old.used.elapsed() < MAX_IDLE);
        if let Some(mut old) = old
            && old.is_open()
        {
            *sent = true;
            match old.exchange(requests, first).await {
                Ok(answers) => {
                    *retained = old.reusable();
                    return Ok(answers);
                }
                Err(Uia2Error::ConnectionClosed) if repeatable => {}
                Err(error) => return Err(error),
            }
        }
        let mut new = Connection::open(self.device.as_ref()).await?;
        *sent = true;
        let answers = new.exchange(requests, first).await?;
        *retained = new.reusable();
        Ok(answers)
    }
}

/// Writes paths, duration and size to the program's log, a success at level `debug` and a failure at `info`. Bodies
/// hold texts that are typed or shown, so they are left out.
fn log(requests: &[Request], begun: Instant, result: &Result<Vec<Answer>, Uia2Error>) {
    let ms = begun.elapsed().as_millis() as u64;
    // Paths only: the bodies hold texts that are typed or shown.
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    match result {
        Ok(answers) => {
            let bytes: usize = answers.iter().map(|answer| answer.body.len()).sum();
            tracing::debug!(target: "uia2", ?paths, ms, bytes, "asked");
        }
        Err(error) => {
            tracing::info!(target: "uia2", ?paths, ms, error = ?error.to_string(), "asked, and failed");
        }
    }
}

struct Connection {
    stream: Box<dyn ByteStream>,
    /// Bytes received and not parsed yet.
    buffer: Vec<u8>,
    used: Instant,
    /// The server announced that it closes the connection.
    closing: bool,
}

impl Connection {
    /// Connects to the server's port on the device, without a limit. Nobody listening there is
    /// [`Uia2Error::Refused`].
    async fn open(device: &dyn Device) -> Result<Self, Uia2Error> {
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
    fn is_open(&mut self) -> bool {
        let mut byte = [0];
        let mut into = tokio::io::ReadBuf::new(&mut byte);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // No request is in progress, so an end, an error and an unexpected byte all make the connection useless.
        std::pin::Pin::new(&mut self.stream)
            .poll_read(&mut context, &mut into)
            .is_pending()
    }

    fn reusable(mut self) -> Option<Self> {
        self.used = Instant::now();
        (!self.closing && self.buffer.is_empty()).then_some(self)
    }

    /// Writes all requests at once and reads as many answers. The first is passed to `first`, which is taken. Waits
    /// without a limit; an end of the connection before the last answer is [`Uia2Error::ConnectionClosed`].
    async fn exchange(
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
pub(super) fn is_answer(bytes: &[u8]) -> bool {
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

#[derive(Debug, PartialEq, Eq)]
enum BodyLength {
    Known(usize),
    Chunked,
    ToTheEnd,
}

#[derive(Debug)]
struct Head {
    status: u16,
    body: BodyLength,
    closes: bool,
    clock: Option<Duration>,
}

impl Head {
    /// Parses the head of an answer at the beginning of `bytes`, and returns the head's length and the head;
    /// `None` if bytes are missing. `Transfer-Encoding: chunked` has priority over `Content-Length`. A status
    /// below 200, 204 and 304 have no body; without a length the body lasts until the connection ends.
    ///
    /// # Errors
    /// Fails if it is no HTTP, has more than 64 headers, or a length that is no number.
    fn parse(bytes: &[u8]) -> Result<Option<(usize, Self)>, Uia2Error> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let length = match response.parse(bytes) {
            Ok(httparse::Status::Complete(length)) => length,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(why) => return Err(strange(&why.to_string())),
        };
        let status = response.code.unwrap_or(0);
        let header = |name: &str| {
            let mut headers = response.headers.iter();
            let found = headers.find(|header| header.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(found.value).ok().map(str::trim)
        };
        let has = |name: &str, word: &str| {
            header(name).is_some_and(|value| value.to_ascii_lowercase().contains(word))
        };
        let body = if has("transfer-encoding", "chunked") {
            BodyLength::Chunked
        } else if status < 200 || status == 204 || status == 304 {
            BodyLength::Known(0)
        } else {
            match header("content-length") {
                Some(text) => BodyLength::Known(
                    text.parse()
                        .map_err(|_| strange("a length that is not a number"))?,
                ),
                None => BodyLength::ToTheEnd,
            }
        };
        let clock = header(CLOCK).and_then(|time| time.parse().ok());
        let closes = has("connection", "close") || response.version == Some(0);
        Ok(Some((
            length,
            Self {
                status,
                body,
                closes,
                clock: clock.map(Duration::from_micros),
            },
        )))
    }
}

fn strange(why: &str) -> Uia2Error {
    Uia2Error::NotTheServer {
        why: why.to_owned(),
    }
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
