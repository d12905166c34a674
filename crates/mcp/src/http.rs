//! Serves many clients over streamable HTTP at `/mcp`, and `/health` for those that only check that the
//! server is up.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Extension, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Toolbox;
use super::body::{self, BodyBudget, BodyError, BodyPermit};
use super::disconnect::{ResponseGuard, SessionChange, SessionNews};
use super::endpoint::{Endpoint, MessageKind, endpoint};
use super::message::{self, Problem};
use super::refusal::{refuse, refuse_for_now, with_retry_after};
use runner_pages::access::{Access, AccessError};
use runner_pages::http;

/// Time that requests may go on after the server was asked to stop. Chosen: usual calls end in it, and people
/// wait for it after Ctrl-C.
const GRACE: Duration = Duration::from_secs(3);

/// Serves a toolbox until `stop` fires. Then sessions end, and requests in progress are cut off after 3 s. A connection
/// that cannot be accepted is tried again.
///
/// # Errors
/// None at present.
pub async fn serve_http(
    listener: TcpListener,
    toolbox: Arc<dyn Toolbox>,
    access: Access,
    stop: CancellationToken,
) -> Result<(), std::io::Error> {
    let router = router(toolbox, access, stop.child_token(), BodyBudget::default());
    http::serve(listener, router, &stop, GRACE).await;
    Ok(())
}

/// Returns `/mcp` alone, as a part of another server, with its checks of access, size and connections. Other
/// paths, `/health` among them, are that server's. `stop` ends all sessions.
pub fn mcp_routes(toolbox: Arc<dyn Toolbox>, access: Access, stop: CancellationToken) -> Router {
    let endpoint = any(endpoint).with_state(Endpoint::new(toolbox, stop));
    Router::new()
        .route("/mcp", endpoint)
        .layer(from_fn_with_state(SessionNews::default(), watch_disconnect))
        .layer(from_fn_with_state(BodyBudget::default(), read_body))
        // Outside of `read_body`: no body is read for a client without the token.
        .layer(from_fn_with_state(Arc::new(access), check_access))
}

/// Bytes of the longest `initialize`: a session keeps its parameters as long as it lasts.
const MAX_INITIALIZE_BYTES: usize = body::SMALL_BODY_BYTES;

/// Returns all routes of the server: `/mcp`, `/message` and `/health`; other paths have status 404. All but `/health`,
/// unknown ones too, need access, which is checked before any body is read.
fn router(
    toolbox: Arc<dyn Toolbox>,
    access: Access,
    stop: CancellationToken,
    room: BodyBudget,
) -> Router {
    // `read_body` has its own limit; the library's would be lower.
    let enveloped = post(envelope)
        .with_state(Arc::clone(&toolbox))
        .layer(DefaultBodyLimit::disable());
    let endpoint = any(endpoint).with_state(Endpoint::new(toolbox, stop));
    Router::new()
        .route("/mcp", endpoint)
        .layer(from_fn_with_state(SessionNews::default(), watch_disconnect))
        .route("/message", enveloped)
        .layer(from_fn_with_state(room, read_body))
        .fallback(not_found)
        // Outside of `read_body`: no body is read for a client without the token.
        .layer(from_fn_with_state(Arc::new(access), check_access))
        // After all layers, so that none applies to it: it needs no token.
        .route("/health", get(async || Json(json!({ "status": "ok" }))))
}

/// Refuses requests that [`Access`] refuses: an unknown or missing host and an unknown origin with status 403, a wrong
/// or missing token with 401. The first permitted request admits its connection until that closes; if too many are
/// admitted, the status is 503. Nothing of a body is read before.
async fn check_access(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let refusal = match access.check(request.headers()) {
        Ok(()) if http::admitted(&request) => return next.run(request).await,
        Ok(()) => {
            return refuse_for_now(
                "too_many_connections",
                "too many connections are open; close some, or try again",
            );
        }
        Err(refusal) => refusal,
    };
    match refusal {
        AccessError::Host => refuse(
            StatusCode::FORBIDDEN,
            "unknown_host",
            "this server is not known under the host of the request; use 127.0.0.1 or localhost, or start it with \
             `--allowed-host NAME`",
        ),
        AccessError::Origin => refuse(
            StatusCode::FORBIDDEN,
            "unknown_origin",
            "web pages of other sites may not speak to this server; leave the header `Origin` out, or start the \
             server with `--allowed-host` and the name of the page's host",
        ),
        AccessError::Token => {
            let mut response = refuse(
                StatusCode::UNAUTHORIZED,
                "unauthorized",
                "send the header `Authorization: Bearer TOKEN`; the server printed its token when it started, or got \
                 it from `--token-file`, `--token` or RUNNER_MCP_TOKEN",
            );
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                header::HeaderValue::from_static("Bearer realm=\"runner\""),
            );
            response
        }
    }
}

/// Gives the request a [`super::disconnect::Disconnect`], which fires if the client ends its session, or disconnects
/// before the answer is complete. Reports that the client of a session is back, after a request with `last-event-id`, and
/// that it ended the session, after a DELETE that succeeded.
async fn watch_disconnect(
    State(news): State<SessionNews>,
    mut request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let session = headers
        .get("mcp-session-id")
        .and_then(|session| session.to_str().ok())
        .map(str::to_owned);
    if let Some(session) = &session
        // A client sends it to ask for the rest of an interrupted stream.
        && headers.contains_key("last-event-id")
    {
        news.notify(session, SessionChange::Returned);
    }
    let ending = session
        .clone()
        .filter(|_| request.method() == Method::DELETE);
    let (wire, gone) = ResponseGuard::new(session, news.clone());
    request.extensions_mut().insert(gone);
    let response = next.run(request).await;
    // The library cancels the calls of a session that ended after 5 s only.
    if let Some(session) = ending.filter(|_| response.status().is_success()) {
        news.notify(&session, SessionChange::Ended);
    }
    wire.watch(response)
}

/// Reads the body of a POST within its limits of size, time and depth, and answers invalid messages with status 400 and
/// an error of the protocol. A long body waits until there is memory for it. On `/mcp` it must be a message of
/// JSON-RPC, whose kind is added to the request; an `initialize` that is too long has status 413. On other paths it is
/// any JSON. Other methods pass unread.
async fn read_body(State(room): State<BodyBudget>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let (bytes, guard) = match room.read(body).await {
        Ok(read) => read,
        Err(unread) => return unreadable(unread),
    };
    let read = if parts.uri.path() == "/mcp" {
        message::read(&bytes).map(|shape| Some(MessageKind::from_method(shape.method.as_deref())))
    } else {
        message::is_json(&bytes).map(|()| None)
    };
    match read {
        Ok(Some(MessageKind::Session)) if bytes.len() > MAX_INITIALIZE_BYTES => {
            let problem = Problem::too_long_to_keep(MAX_INITIALIZE_BYTES);
            return protocol_error(StatusCode::PAYLOAD_TOO_LARGE, &problem);
        }
        Ok(Some(requested)) => {
            parts.extensions.insert(requested);
        }
        Ok(None) => {}
        Err(problem) => return protocol_error(StatusCode::BAD_REQUEST, &problem),
    }
    // The protocol's library keeps a request's extensions until its call is over.
    parts.extensions.insert(guard);
    next.run(Request::from_parts(parts, Body::from(bytes)))
        .await
}

/// Answers a request whose body could not be read, with an error of the protocol that says why: 503 without memory for
/// it, 413 if it is too long, 408 if too slow, 400 if it broke off.
fn unreadable(unread: BodyError) -> Response {
    let (status, problem) = match unread {
        BodyError::NoRoom => {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            return with_retry_after(protocol_error(status, &Problem::no_room()));
        }
        BodyError::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, Problem::too_long()),
        BodyError::TooSlow => {
            let problem = Problem::too_slow(body::BODY_TIMEOUT.as_secs());
            (StatusCode::REQUEST_TIMEOUT, problem)
        }
        BodyError::CutOff => (StatusCode::BAD_REQUEST, Problem::cut_off()),
    };
    protocol_error(status, &problem)
}

fn protocol_error(status: StatusCode, problem: &Problem) -> Response {
    (status, Json(problem.answer())).into_response()
}

/// Serves the envelope of toolboxes that have one, always with status 200; others answer as a path that does not exist.
/// The body's memory is held until the answer is complete.
async fn envelope(
    State(toolbox): State<Arc<dyn Toolbox>>,
    Extension(_held): Extension<BodyPermit>,
    Json(message): Json<Value>,
) -> Response {
    match toolbox.message(message).await {
        Some(answer) => Json(answer).into_response(),
        None => not_found().await,
    }
}

/// Answers a path that does not exist with status 404, and names the endpoint's path.
async fn not_found() -> Response {
    refuse(
        StatusCode::NOT_FOUND,
        "not_found",
        "nothing is here; the MCP endpoint is /mcp",
    )
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use rmcp::model::{CallToolResult, JsonObject, Tool};
    use rmcp::service::RequestContext;
    use rmcp::{ErrorData, RoleServer};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    /// Toolbox that never answers a message.
    struct SilentToolbox;

    #[async_trait]
    impl Toolbox for SilentToolbox {
        fn instructions(&self) -> String {
            String::new()
        }

        async fn tools(&self) -> Vec<Tool> {
            Vec::new()
        }

        async fn call(
            &self,
            _: &str,
            _: JsonObject,
            _: RequestContext<RoleServer>,
        ) -> Result<CallToolResult, ErrorData> {
            Err(ErrorData::internal_error("no", None))
        }

        async fn message(&self, _: Value) -> Option<Value> {
            std::future::pending().await
        }
    }

    #[tokio::test]
    async fn a_message_of_the_envelope_holds_its_room_until_its_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let room = BodyBudget::with_timeout(Duration::from_millis(50));
        let access = Access::with_token("t");
        let router = router(Arc::new(SilentToolbox), access, stop.clone(), room);
        tokio::spawn(async move { http::serve(listener, router, &stop, GRACE).await });
        let post = async |length: usize| {
            let mut stream = TcpStream::connect(address).await.unwrap();
            let body = format!("\"{}\"", "x".repeat(length - 2));
            let head = format!(
                "POST /message HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
            );
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(body.as_bytes()).await.unwrap();
            stream
        };
        let answer = async |stream: &mut TcpStream| {
            let mut answer = vec![0; 4096];
            let reading = stream.read(&mut answer);
            let read = tokio::time::timeout(Duration::from_millis(500), reading).await;
            read.ok()
                .map(|read| String::from_utf8_lossy(&answer[..read.unwrap()]).into_owned())
        };
        let mut first = post(message::MAX_MESSAGE_BYTES).await;
        let mut second = post(message::MAX_MESSAGE_BYTES).await;
        assert_eq!(answer(&mut first).await, None);
        assert_eq!(answer(&mut second).await, None);
        let third = answer(&mut post(100_000).await).await.unwrap();
        assert!(third.starts_with("HTTP/1.1 503 "), "{third}");
        assert!(third.contains("retry-after: 1\r\n"), "{third}");
        assert_eq!(answer(&mut post(1000).await).await, None);
    }
}
