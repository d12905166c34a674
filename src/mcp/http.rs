//! Many clients over streamable HTTP at `/mcp`; `/health` for those who only ask whether the server lives.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::Toolbox;
use super::body::{self, Room, Unread};
use super::endpoint::{Asked, Endpoint, endpoint};
use super::gone::{Returns, Wire};
use super::message::{self, Problem};
use crate::access::{Access, Refusal};
use crate::http;

/// How long requests may go on after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(3);

/// Serves a toolbox until `stop` fires: then sessions end, and requests that go on are cut off after a few seconds.
///
/// # Errors
/// Where the listener fails.
pub async fn serve_http(
    listener: TcpListener,
    toolbox: Arc<dyn Toolbox>,
    access: Access,
    stop: CancellationToken,
) -> Result<(), std::io::Error> {
    let router = router(toolbox, access, stop.child_token());
    http::serve(listener, router, &stop, GRACE).await;
    Ok(())
}

fn router(toolbox: Arc<dyn Toolbox>, access: Access, stop: CancellationToken) -> Router {
    // `readable` has its own limit; the library's would be lower.
    let enveloped = post(envelope)
        .with_state(Arc::clone(&toolbox))
        .layer(DefaultBodyLimit::disable());
    let endpoint = any(endpoint).with_state(Endpoint::new(toolbox, stop));
    Router::new()
        .route("/mcp", endpoint)
        .layer(from_fn_with_state(Returns::default(), watched))
        .route("/message", enveloped)
        .layer(from_fn_with_state(Room::default(), readable))
        .fallback(nothing_here)
        .layer(from_fn_with_state(Arc::new(access), guarded))
        .route("/health", get(async || Json(json!({ "status": "ok" }))))
}

/// Lets pass only whom `Access` lets.
async fn guarded(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let refusal = match access.check(request.headers()) {
        Ok(()) if http::admitted(&request) => return next.run(request).await,
        Ok(()) => {
            return refused(
                StatusCode::SERVICE_UNAVAILABLE,
                "too_many_connections",
                "too many connections are open; close some, or try again",
            );
        }
        Err(refusal) => refusal,
    };
    match refusal {
        Refusal::Host => refused(
            StatusCode::FORBIDDEN,
            "unknown_host",
            "this server is not known under the host of the request; use 127.0.0.1 or localhost, or start it with \
             `--allowed-host NAME`",
        ),
        Refusal::Origin => refused(
            StatusCode::FORBIDDEN,
            "unknown_origin",
            "web pages of other sites may not speak to this server; leave the header `Origin` out, or start the \
             server with `--allowed-host` and the name of the page's host",
        ),
        Refusal::Token => {
            let mut response = refused(
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

fn refused(status: StatusCode, error: &str, message: &str) -> Response {
    (
        status,
        Json(json!({ "error": error, "error_description": message })),
    )
        .into_response()
}

/// Tells the call behind a request when its client is gone.
async fn watched(State(returns): State<Returns>, mut request: Request, next: Next) -> Response {
    let headers = request.headers();
    let session = headers
        .get("mcp-session-id")
        .and_then(|session| session.to_str().ok())
        .map(str::to_owned);
    if let Some(session) = &session
        && headers.contains_key("last-event-id")
    {
        returns.tell(session);
    }
    let (wire, gone) = Wire::new(session, returns);
    request.extensions_mut().insert(gone);
    let response = next.run(request).await;
    wire.watch(response)
}

/// Answers what is no JSON, or too much, as the protocol wants it.
async fn readable(State(room): State<Room>, request: Request, next: Next) -> Response {
    if request.method() != Method::POST {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let (bytes, held) = match room.read(body).await {
        Ok(read) => read,
        Err(unread) => return unreadable(unread),
    };
    let read = if parts.uri.path() == "/mcp" {
        message::read(&bytes).map(|shape| {
            parts.extensions.insert(Asked::of(shape.method.as_deref()));
        })
    } else {
        message::is_json(&bytes)
    };
    if let Err(problem) = read {
        return protocol_error(StatusCode::BAD_REQUEST, &problem);
    }
    // The protocol's library keeps a request's extensions until its call is over.
    parts.extensions.insert(held);
    next.run(Request::from_parts(parts, Body::from(bytes)))
        .await
}

fn unreadable(unread: Unread) -> Response {
    let (status, problem) = match unread {
        Unread::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, Problem::too_long()),
        Unread::TooSlow => {
            let problem = Problem::too_slow(body::SLOWEST.as_secs());
            (StatusCode::REQUEST_TIMEOUT, problem)
        }
        Unread::CutOff => (StatusCode::BAD_REQUEST, Problem::cut_off()),
    };
    protocol_error(status, &problem)
}

fn protocol_error(status: StatusCode, problem: &Problem) -> Response {
    (status, Json(problem.answer())).into_response()
}

/// The envelope of toolboxes that have one.
async fn envelope(State(toolbox): State<Arc<dyn Toolbox>>, Json(message): Json<Value>) -> Response {
    match toolbox.message(message).await {
        Some(answer) => Json(answer).into_response(),
        None => nothing_here().await,
    }
}

async fn nothing_here() -> Response {
    refused(
        StatusCode::NOT_FOUND,
        "not_found",
        "nothing is here; the MCP endpoint is /mcp",
    )
}
