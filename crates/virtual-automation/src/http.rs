//! HTTP/1.1 server over any stream, for the servers that testing tools install on phones.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, PRAGMA};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Idle time after which a connection is closed. Chosen: longer than clients pause within a session.
const MAX_IDLE: Duration = Duration::from_mins(1);
/// Header with the device's virtual time in microseconds. Real servers do not send it.
const CLOCK: HeaderName = HeaderName::from_static("x-runner-clock");
/// Limit for a request's body in bytes, as in Appium's server (`ServerInitializer.java`).
const MAX_BODY_BYTES: usize = 64 * 1024;
/// Limit for a request's head in bytes. Chosen: as for the body.
const MAX_HEAD_BYTES: usize = 64 * 1024;

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Path and query as sent.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// `Content-Type`.
    pub(crate) content_type: &'static str,
    pub(crate) body: Vec<u8>,
    /// The device's time, if it is virtual.
    pub(crate) clock: Option<Duration>,
    /// Simulates a fault: half of the body is sent, and the connection ends.
    pub(crate) cut: bool,
}

impl Answer {
    /// Makes an answer without a clock that is not cut off.
    pub(crate) fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            content_type,
            body: body.into(),
            clock: None,
            cut: false,
        }
    }
}

/// Handler of requests.
pub(crate) trait Service: Send + Sync + 'static {
    /// Answers a request; `None` ends the connection without an answer.
    fn answer(self: Arc<Self>, request: Request) -> impl Future<Output = Option<Answer>> + Send;
}

/// Serves one connection until its peer closes it, the head of the next request takes over a minute, or `ended` is
/// cancelled. Requests are answered one after the other. A body of more than 64 KiB is answered with status 413. If
/// the service has no answer, the connection is closed.
pub(crate) async fn serve<S, T>(service: Arc<T>, stream: S, ended: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    T: Service,
{
    let answering = service_fn(move |request: hyper::Request<Incoming>| {
        let service = Arc::clone(&service);
        async move {
            let (head, body) = request.into_parts();
            let Some(body) = read_body(body).await else {
                let refusal = Answer::new(413, "text/plain", Vec::new());
                return Ok(response(refusal));
            };
            let request = Request {
                method: head.method.as_str().to_owned(),
                path: head
                    .uri
                    .path_and_query()
                    .map_or("/", |path| path.as_str())
                    .to_owned(),
                body,
            };
            let answer = service.answer(request).await;
            // hyper closes the connection if the service returns an error.
            answer.map(response).ok_or(ConnectionClosed)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_IDLE)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), answering);
    // An error here means that the client disconnected.
    let _ = ended.run_until_cancelled(connection).await;
}

/// Error: the service ended the connection.
#[derive(Debug, thiserror::Error)]
#[error("the server ended the connection")]
struct ConnectionClosed;

/// Reads a body; `None` if it is larger than 64 KiB or incomplete.
async fn read_body(mut body: Incoming) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(frame) =
        std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
    {
        if let Ok(data) = frame.ok()?.into_data() {
            if bytes.len() + data.len() > MAX_BODY_BYTES {
                return None;
            }
            bytes.extend_from_slice(&data);
        }
    }
    Some(bytes)
}

/// Converts an answer to a response, with its whole length but half of its body if it is cut off. An invalid status
/// becomes 500. A clock is sent as a header.
fn response(answer: Answer) -> Response<AnswerBody> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let length = answer.body.len();
    let mut bytes = Bytes::from(answer.body);
    if answer.cut {
        bytes.truncate(length / 2);
    }
    let body = AnswerBody {
        length: length as u64,
        bytes: Some(bytes),
        cut: answer.cut,
    };
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, answer.content_type),
        (CONTENT_ENCODING, "identity"),
        (PRAGMA, "no-cache"),
        (CACHE_CONTROL, "no-store"),
    ] {
        let value = hyper::header::HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    if let Some(time) = answer.clock {
        let micros = time.as_micros() as u64;
        response.headers_mut().insert(CLOCK, micros.into());
    }
    response
}

/// Body with an announced length, before which it may end.
struct AnswerBody {
    length: u64,
    bytes: Option<Bytes>,
    cut: bool,
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = ConnectionClosed;

    /// Returns the body at once, and then its end; or an error, which closes the connection, if it is cut off.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ConnectionClosed>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None if self.cut => Poll::Ready(Some(Err(ConnectionClosed))),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none() && !self.cut
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.length)
    }
}
