//! HTTP/1.1 over a stream to the device: one connection, kept open, on which several requests may go out before the first
//! answer comes. No client library does that, and a look is two requests.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::Mutex;
use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::error::{Failed, Uia2Error};
use crate::{ByteStream, Device, DeviceError};

/// The virtual device's time in microseconds, a header of its answers. No phone sends it.
const CLOCK: &str = "x-runner-clock";
/// Longest body of an answer: a source of a huge screen has some megabytes, a screenshot in Base64 less than thirty.
const MOST_BODY: usize = 64 << 20;
/// Longest head of an answer.
const MOST_HEAD: usize = 64 << 10;
/// Most headers of an answer.
const MOST_HEADERS: usize = 64;
/// Most bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// The server hangs up after 60 s of silence. A connection that was silent for this long is not used again.
const OLDEST: Duration = Duration::from_secs(40);

/// A request's method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    /// Asks.
    Get,
    /// Does something.
    Post,
    /// Ends the session, and with it the server.
    Delete,
}

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) body: Option<String>,
    /// It only asks: to send it twice does no harm.
    pub(super) repeatable: bool,
}

impl Request {
    /// Asks for something.
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self {
            method: Method::Get,
            path: path.into(),
            body: None,
            repeatable: true,
        }
    }

    /// Does something.
    pub(super) fn post(path: impl Into<String>, body: &serde_json::Value) -> Self {
        Self {
            method: Method::Post,
            path: path.into(),
            body: Some(body.to_string()),
            repeatable: false,
        }
    }

    /// Ends something.
    pub(super) fn delete(path: impl Into<String>) -> Self {
        Self {
            method: Method::Delete,
            path: path.into(),
            body: None,
            repeatable: false,
        }
    }

    /// The same; it only asks, whatever its method.
    pub(super) fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    fn write(&self, to: &mut Vec<u8>) {
        let method = match self.method {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Delete => "DELETE",
        };
        let body = self.body.as_deref().unwrap_or("");
        let host = super::PORT;
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

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
    /// The device's time, where it is virtual.
    pub(super) clock: Option<Duration>,
}

/// A client of the server on one device.
pub(super) struct Client {
    device: Arc<dyn Device>,
    /// Taken out while it is used: a call that is dropped in the middle drops it, for its answer would be another call's.
    stored: Mutex<Option<Connection>>,
}

impl Client {
    pub(super) fn new(device: Arc<dyn Device>) -> Self {
        Self {
            device,
            stored: Mutex::default(),
        }
    }

    /// Sends all requests at once and gives their answers in order: one round trip.
    ///
    /// A kept connection may turn out to be closed: then what only asks is sent once more on a new one.
    pub(super) async fn exchange(
        &self,
        requests: &[Request],
        limit: Duration,
    ) -> Result<Vec<Answer>, Failed> {
        self.exchange_and(requests, limit, &mut None).await
    }

    /// As [`Self::exchange`]; sends the first answer to `first` as soon as it comes.
    pub(super) async fn exchange_and(
        &self,
        requests: &[Request],
        limit: Duration,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, Failed> {
        let mut sent = false;
        self.device.counters().round_trip();
        let begun = Instant::now();
        let exchange = self.exchange_once(requests, &mut sent, first);
        let result = tokio::time::timeout(limit, exchange).await;
        let result = result.unwrap_or(Err(Uia2Error::Silent { limit }));
        let answers = result.iter().flatten();
        if let Some(time) = answers.filter_map(|answer| answer.clock).max() {
            self.device.clock().report(time);
        }
        log(requests, begun, &result);
        result.map_err(|error| Failed { error, sent })
    }

    async fn exchange_once(
        &self,
        requests: &[Request],
        sent: &mut bool,
        first: &mut Option<Sender<Answer>>,
    ) -> Result<Vec<Answer>, Uia2Error> {
        let mut retained = self.stored.lock().await;
        let repeatable = requests.iter().all(|request| request.repeatable);
        let old = retained.take().filter(|old| old.used.elapsed() < OLDEST);
        if let Some(mut old) = old
            && old.is_open()
        {
            *sent = true;
            match old.exchange(requests, first).await {
                Ok(answers) => {
                    *retained = old.reusable();
                    return Ok(answers);
                }
                Err(Uia2Error::Cut) if repeatable => {}
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

fn log(requests: &[Request], begun: Instant, result: &Result<Vec<Answer>, Uia2Error>) {
    let ms = begun.elapsed().as_millis() as u64;
    // The bodies hold texts that are typed or shown.
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
    /// What came and was not read yet.
    buffer: Vec<u8>,
    used: Instant,
    /// The server said that it closes the connection.
    closing: bool,
}

impl Connection {
    async fn open(device: &dyn Device) -> Result<Self, Uia2Error> {
        let service = format!("tcp:{}", super::PORT);
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

    /// Whether the server has not hung up meanwhile, as far as is known without asking.
    fn is_open(&mut self) -> bool {
        let mut byte = [0];
        let mut into = tokio::io::ReadBuf::new(&mut byte);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        // Nothing is under way: an end, an error or a byte out of turn all mean that it is of no use.
        std::pin::Pin::new(&mut self.stream)
            .poll_read(&mut context, &mut into)
            .is_pending()
    }

    fn reusable(mut self) -> Option<Self> {
        self.used = Instant::now();
        (!self.closing && self.buffer.is_empty()).then_some(self)
    }

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
        wrote.await.map_err(|_| Uia2Error::Cut)?;
        let mut answers = Vec::with_capacity(requests.len());
        for _ in requests {
            let answer = self.answer().await?;
            if let Some(first) = first.take() {
                // The receiver may be gone.
                let _ = first.send(answer.clone());
            }
            answers.push(answer);
        }
        Ok(answers)
    }

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

    async fn head(&mut self) -> Result<Head, Uia2Error> {
        loop {
            if let Some((length, head)) = Head::parse(&self.buffer)? {
                self.buffer.drain(..length);
                // What comes before the answer proper, such as `100 Continue`.
                if head.status >= 200 {
                    return Ok(head);
                }
                continue;
            }
            if self.buffer.len() > MOST_HEAD {
                return Err(Uia2Error::TooLong { limit: MOST_HEAD });
            }
            self.fill().await?;
        }
    }

    /// The next `length` bytes. A length that a peer announces takes no memory before its bytes come.
    async fn take(&mut self, length: usize) -> Result<Vec<u8>, Uia2Error> {
        if length > MOST_BODY {
            return Err(Uia2Error::TooLong { limit: MOST_BODY });
        }
        while self.buffer.len() < length {
            self.fill().await?;
        }
        let rest = self.buffer.split_off(length);
        Ok(std::mem::replace(&mut self.buffer, rest))
    }

    async fn chunks(&mut self) -> Result<Vec<u8>, Uia2Error> {
        let mut body = Vec::new();
        loop {
            let size = self.chunk_size().await?;
            if size == 0 {
                // Trailers, and the empty line behind them.
                while !self.line().await?.is_empty() {}
                return Ok(body);
            }
            if size > MOST_BODY - body.len() {
                return Err(Uia2Error::TooLong { limit: MOST_BODY });
            }
            body.extend(self.take(size).await?);
            if !self.line().await?.is_empty() {
                return Err(strange("a chunk is longer than it says"));
            }
        }
    }

    async fn chunk_size(&mut self) -> Result<usize, Uia2Error> {
        loop {
            match httparse::parse_chunk_size(&self.buffer) {
                Ok(httparse::Status::Complete((length, size))) => {
                    self.buffer.drain(..length);
                    return Ok(usize::try_from(size).unwrap_or(usize::MAX));
                }
                Ok(httparse::Status::Partial) if self.buffer.len() < MOST_HEAD => {
                    self.fill().await?;
                }
                _ => return Err(strange("a chunk without a length")),
            }
        }
    }

    /// The next line, without its end.
    async fn line(&mut self) -> Result<Vec<u8>, Uia2Error> {
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.buffer) {
                let mut line: Vec<u8> = self.buffer.drain(..=end).collect();
                line.truncate(line.trim_ascii_end().len());
                return Ok(line);
            }
            if self.buffer.len() > MOST_HEAD {
                return Err(Uia2Error::TooLong { limit: MOST_HEAD });
            }
            self.fill().await?;
        }
    }

    async fn read_to_end(&mut self) -> Result<Vec<u8>, Uia2Error> {
        while self.buffer.len() <= MOST_BODY {
            match self.fill().await {
                Ok(()) => {}
                Err(Uia2Error::Cut) => return Ok(std::mem::take(&mut self.buffer)),
                Err(error) => return Err(error),
            }
        }
        Err(Uia2Error::TooLong { limit: MOST_BODY })
    }

    async fn fill(&mut self) -> Result<(), Uia2Error> {
        self.buffer.reserve(CHUNK);
        // An error of the stream is an end that came too early.
        match self.stream.read_buf(&mut self.buffer).await {
            Ok(0) | Err(_) => Err(Uia2Error::Cut),
            Ok(_) => Ok(()),
        }
    }
}

/// Whether bytes are a whole answer.
pub(super) fn is_answer(bytes: &[u8]) -> bool {
    let bytes = std::io::Cursor::new(bytes.to_vec());
    let mut connection = Connection {
        stream: Box::new(tokio::io::join(bytes, tokio::io::sink())),
        buffer: Vec::new(),
        used: Instant::now(),
        closing: false,
    };
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    // Bytes in memory are never waited for.
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
    /// The head at the beginning of `bytes` and its length; `None` where more bytes are needed.
    fn parse(bytes: &[u8]) -> Result<Option<(usize, Self)>, Uia2Error> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
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
    Uia2Error::Strange {
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
