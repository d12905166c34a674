//! What servers of pages share: who may come in, what a browser may do with an answer, errors.

use std::sync::Arc;

use axum::Json;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use serde_json::json;

use crate::access::{Access, AccessError};
use crate::http;

/// What opens a page.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    /// As long as the server runs.
    pub token: &'a str,
    /// Once, soon: for the command line of a browser, which everybody on this machine can see.
    pub code: &'a str,
}

/// The error that a page gets instead of an answer.
#[derive(Debug)]
pub struct Problem(pub StatusCode, pub String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

/// What is nowhere.
pub async fn not_found() -> Problem {
    Problem(StatusCode::NOT_FOUND, "nothing is here".to_owned())
}

/// A file of a page by its name: name, media type, text.
///
/// # Errors
/// There is none of this name.
pub fn file(files: &[(&str, &'static str, &'static str)], name: &str) -> Result<Response, Problem> {
    let found = files.iter().find(|(known, ..)| *known == name);
    let Some((_, kind, text)) = found else {
        return Err(Problem(StatusCode::NOT_FOUND, "nothing is here".to_owned()));
    };
    Ok(([(header::CONTENT_TYPE, *kind)], *text).into_response())
}

/// The page runs its own files and nothing else; nobody may frame it.
const HEADERS: [(HeaderName, &str); 6] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Lets pass only whom `Access` lets. The token or the code in the address of the page becomes a cookie, and leaves the
/// address.
pub async fn guarded(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let mut response = match entered(&access, &request) {
        Some(response) => response,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        // Pictures say themselves how they may be kept.
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Takes the token from the address of a request that has no other: some clients of agents take an address and no header.
pub async fn token_in_address(mut request: Request, next: Next) -> Response {
    let given = part(request.uri().query().unwrap_or_default(), "token");
    let value = given.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    if let Some(value) = value
        && !request.headers().contains_key(header::AUTHORIZATION)
    {
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    next.run(request).await
}

/// The answer to whom is not let in, or is let in by the token in the address.
fn entered(access: &Access, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let query = request.uri().query().unwrap_or_default();
    if request.uri().path() == "/"
        // First, because a code works once: a page of another site must not use it up.
        && access.check_source(headers).is_ok()
        && (part(query, "token").is_some_and(|token| access.verify_token(token))
            || part(query, "code").is_some_and(|code| access.consume_code(code)))
    {
        let cookie = access.cookie().unwrap_or_default();
        return Some(
            (
                StatusCode::SEE_OTHER,
                [(header::SET_COOKIE, cookie), (header::LOCATION, "/".into())],
            )
                .into_response(),
        );
    }
    let refused = |status, text: &'static str| Some((status, text).into_response());
    match access.check(headers) {
        Err(AccessError::Host) => refused(
            StatusCode::FORBIDDEN,
            "This server answers at 127.0.0.1 only.\n",
        ),
        Err(AccessError::Origin) => refused(
            StatusCode::FORBIDDEN,
            "Pages of other sites may not speak to this server.\n",
        ),
        Err(AccessError::Token) => refused(
            StatusCode::UNAUTHORIZED,
            "Open the address that `runner` printed: it holds the token.\n",
        ),
        Ok(()) if !http::admitted(request) => refused(
            StatusCode::SERVICE_UNAVAILABLE,
            "Too many connections are open; close some pages.\n",
        ),
        Ok(()) if request.method() == Method::POST => refusal_of_post(headers),
        Ok(()) => None,
    }
}

/// A form of another page cannot send JSON, and a page always says where it comes from.
fn refusal_of_post(headers: &HeaderMap) -> Option<Response> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let is_json = kind
        .split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    let comes_from_here =
        headers.contains_key(header::ORIGIN) || headers.contains_key(header::AUTHORIZATION);
    if is_json && comes_from_here {
        return None;
    }
    Some((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send JSON.\n").into_response())
}

fn part<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find_map(|(own, value)| (own == name).then_some(value))
}
