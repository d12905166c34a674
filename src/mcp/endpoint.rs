//! `/mcp`: with a session, whose answers are streams, or one call at a time, answered in JSON.
//!
//! The protocol's library serves both, but wants to know beforehand which, and that a client takes streams.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::Response;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::sessions::Sessions;
use super::{Server, Toolbox, message};

/// In a request's extensions: what its message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// For a session.
    Session,
    /// For anything else.
    Other,
}

impl Asked {
    /// By the message's method.
    pub fn of(method: Option<&str>) -> Self {
        if method == Some("initialize") {
            Self::Session
        } else {
            Self::Other
        }
    }
}

/// In a request's extensions: the answer is one message, and nothing can be told before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneMessage;

/// Both ways to serve a toolbox.
#[derive(Clone)]
pub(super) struct Endpoint {
    in_sessions: StreamableHttpService<Server, Sessions>,
    alone: StreamableHttpService<Server, NeverSessionManager>,
}

impl Endpoint {
    pub fn new(toolbox: Arc<dyn Toolbox>, stop: CancellationToken) -> Self {
        // Hosts are checked by `Access`, for every path.
        let config = StreamableHttpServerConfig::default()
            .with_cancellation_token(stop)
            .with_max_request_body_bytes(message::LONGEST)
            .disable_allowed_hosts();
        let shared = Arc::clone(&toolbox);
        Self {
            in_sessions: StreamableHttpService::new(
                move || Ok(Server::in_session(Arc::clone(&shared))),
                Arc::default(),
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

/// Serves one request.
pub(super) async fn endpoint(State(endpoint): State<Endpoint>, mut request: Request) -> Response {
    let headers = request.headers();
    let takes_streams = accepts(headers, "text/event-stream");
    let has_session = headers.contains_key("mcp-session-id");
    let wants_session = takes_streams && request.extensions().get() == Some(&Asked::Session);
    if request.method() != Method::POST || has_session || wants_session {
        if accepts(headers, "*/*") {
            accept_both(&mut request);
        }
        return endpoint.in_sessions.handle(request).await.map(Body::new);
    }
    if !takes_streams {
        request.extensions_mut().insert(OneMessage);
    }
    accept_both(&mut request);
    endpoint.alone.handle(request).await.map(Body::new)
}

/// The library serves nobody who does not accept both.
fn accept_both(request: &mut Request) {
    let both = HeaderValue::from_static("application/json, text/event-stream");
    request.headers_mut().insert(header::ACCEPT, both);
}

/// Whether a kind of content is named among those that a client accepts; no header accepts everything.
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
}
