//! Serves `/mcp` in both of its forms: sessions with answers as event streams, and single calls answered in
//! JSON.
//!
//! The protocol's library has both, but must be configured for one, and refuses clients that do not accept
//! streams.

use std::pin::Pin;
use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::refusal::{refuse, refuse_for_now};
use super::server::OneMessage;
use super::sessions::Sessions;
use super::{Server, Toolbox, message};

/// Kind of a request's message, kept in the request's extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MessageKind {
    /// `initialize`, which begins a session.
    Session,
    /// Any other message.
    Other,
}

impl MessageKind {
    /// Returns the kind of a message with this method: `initialize` begins a session, all else does not.
    pub fn from_method(method: Option<&str>) -> Self {
        if method == Some("initialize") {
            Self::Session
        } else {
            Self::Other
        }
    }
}

/// Both forms of the endpoint over one toolbox.
#[derive(Clone)]
pub(super) struct Endpoint {
    sessions: Arc<Sessions>,
    in_sessions: StreamableHttpService<Server, Sessions>,
    alone: StreamableHttpService<Server, NeverSessionManager>,
}

impl Endpoint {
    /// Creates an endpoint with its own sessions. `stop` ends them all.
    pub fn new(toolbox: Arc<dyn Toolbox>, stop: CancellationToken) -> Self {
        // Hosts are checked by `Access`, for every path.
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop)
            .with_max_request_body_bytes(message::MAX_MESSAGE_BYTES)
            .disable_allowed_hosts();
        let shared = Arc::clone(&toolbox);
        let sessions = Arc::<Sessions>::default();
        Self {
            sessions: Arc::clone(&sessions),
            in_sessions: StreamableHttpService::new(
                move || Ok(Server::in_session(Arc::clone(&shared))),
                sessions,
                config.clone(),
            ),
            alone: StreamableHttpService::new(
                move || Ok(Server::new(Arc::clone(&toolbox))),
                Arc::default(),
                config
                    .with_legacy_session_mode(false)
                    .with_json_response(true),
            ),
        }
    }
}

/// Serves one request, in the form that its headers and its message ask for. A request other than POST, one with a
/// session's id, and an `initialize` of a client that accepts event streams are served with a session; all others are
/// served alone. A client that does not accept event streams gets its answer as one JSON message. A new session is
/// refused with status 503 if all sessions are busy. The end of a session, by DELETE, has status 204.
pub(super) async fn endpoint(State(endpoint): State<Endpoint>, mut request: Request) -> Response {
    let headers = request.headers();
    let takes_streams = accepts(headers, "text/event-stream");
    let has_session = headers.contains_key("mcp-session-id");
    // GET opens the stream of a session and DELETE ends a session: both need one.
    if request.method() != Method::POST {
        // `*/*` includes event streams, but the library only accepts them by name.
        if accepts(headers, "*/*") {
            accept_both(&mut request);
        }
        let ends = request.method() == Method::DELETE;
        let mut response = endpoint.in_sessions.handle(request).await.map(Body::new);
        // The session has ended by then, and clients only take 200 and 204 for success.
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        return response;
    }
    accept_both(&mut request);
    if !takes_streams {
        request.extensions_mut().insert(OneMessage);
    }
    if has_session {
        let response = endpoint.in_sessions.handle(request).await.map(Body::new);
        return if takes_streams {
            response
        } else {
            first_message_as_json(response).await
        };
    }
    if takes_streams && request.extensions().get() == Some(&MessageKind::Session) {
        if endpoint.sessions.is_full() {
            return refuse_for_now(
                "too_many_sessions",
                "all sessions have calls going on; try again",
            );
        }
        return endpoint.in_sessions.handle(request).await.map(Body::new);
    }
    endpoint.alone.handle(request).await.map(Body::new)
}

/// Turns an answer that is an event stream into its first message as JSON, with status 200. Other answers pass
/// unchanged. Waits as long as the stream is open; one that ends without a message becomes the error `session_ended`,
/// with status 404.
async fn first_message_as_json(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_none_or(|kind| kind != "text/event-stream") {
        return response;
    }
    match first_message(response.into_body()).await {
        Some(message) => ([(header::CONTENT_TYPE, "application/json")], message).into_response(),
        None => refuse(
            StatusCode::NOT_FOUND,
            "session_ended",
            "the session ended before its answer was there; begin a new one",
        ),
    }
}

/// Returns the data of the first event that has any, without white space at its ends. Only the first `data:`
/// line counts. `None` if the stream ends or breaks off before.
async fn first_message(mut body: Body) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    while let Some(Ok(frame)) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await
    {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        for part in data.split_inclusive(|byte| *byte == b'\n') {
            line.extend_from_slice(part);
            if !part.ends_with(b"\n") {
                continue;
            }
            let parsed = line.strip_prefix(b"data:").unwrap_or_default();
            if !parsed.trim_ascii().is_empty() {
                return Some(parsed.trim_ascii().to_vec());
            }
            line.clear();
        }
    }
    None
}

/// Replaces the `Accept` header with JSON and event streams, as the library refuses clients that accept only
/// one.
fn accept_both(request: &mut Request) {
    let both = HeaderValue::from_static("application/json, text/event-stream");
    request.headers_mut().insert(header::ACCEPT, both);
}

/// Returns true if a client accepts a media type by exactly this name, ignoring case. Wildcards do not match
/// other names, and one with `q=0` is not accepted. Without an `Accept` header it accepts `*/*` only.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut all = headers.get_all(header::ACCEPT).iter().peekable();
    if all.peek().is_none() {
        return kind == "*/*";
    }
    all.filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|part| {
            let mut part = part.split(';').map(str::trim);
            part.next()
                .is_some_and(|named| named.eq_ignore_ascii_case(kind))
                && part
                    .all(|parameter| !matches!(parameter, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_for_those_who_name_them() {
        for (accept, streams, all) in [
            (&[][..], false, true),
            (&["*/*"], false, true),
            (&["application/json"], false, false),
            (&["application/json, text/event-stream"], true, false),
            (
                &["application/json", "Text/Event-Stream; q=0.5"],
                true,
                false,
            ),
            (&["application/json, text/event-stream;q=0"], false, false),
            (&["text/event-streams"], false, false),
        ] {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(header::ACCEPT, HeaderValue::from_static(value));
            }
            assert_eq!(
                accepts(&headers, "text/event-stream"),
                streams,
                "{accept:?}"
            );
            assert_eq!(accepts(&headers, "*/*"), all, "{accept:?}");
        }
    }

    #[tokio::test]
    async fn the_first_message_of_a_stream_is_found() {
        for (stream, message) in [
            (
                "id: 0\nretry: 3000\ndata:\n\n:\n\nid: 1/0\ndata: {\"a\":1}\n\ndata: 2\n",
                Some("{\"a\":1}"),
            ),
            ("data:\n\n", None),
            ("data: {", None),
        ] {
            let found = first_message(Body::from(stream)).await;
            assert_eq!(found.as_deref(), message.map(str::as_bytes), "{stream}");
        }
    }
}
