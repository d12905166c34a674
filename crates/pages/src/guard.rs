//! Middleware of servers of pages: access, security headers of answers, errors.

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

/// Secrets that open a page.
#[derive(Clone, Copy)]
pub struct Keys<'a> {
    /// Valid as long as the server runs.
    pub token: &'a str,
    /// Valid once, for a minute: for the command line of a browser, which all users of this machine can see.
    pub code: &'a str,
}

/// Error that a page receives as JSON, with its status.
#[derive(Debug)]
pub struct Problem(pub StatusCode, pub String);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

/// Answers with 404 and a JSON error.
pub async fn not_found() -> Problem {
    Problem(StatusCode::NOT_FOUND, "nothing is here".to_owned())
}

/// Returns the response with a file of a page: the first of `files` with exactly this name. `files` are name, media
/// type and text. No file is read.
///
/// # Errors
/// Returns 404 if there is no such file.
pub fn file(files: &[(&str, &'static str, &'static str)], name: &str) -> Result<Response, Problem> {
    let found = files.iter().find(|(known, ..)| *known == name);
    let Some((_, kind, text)) = found else {
        return Err(Problem(StatusCode::NOT_FOUND, "nothing is here".to_owned()));
    };
    Ok(([(header::CONTENT_TYPE, *kind)], *text).into_response())
}

/// Headers of each answer. They let the page load only its own files, and let nobody frame it.
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

/// Middleware for pages. Lets pass only requests that [`Access`] and the limit of connections accept, and sets the
/// security headers on every response, refusals included. A response without caching of its own gets `no-store`. A
/// right token or code in the address of the page `/` becomes a cookie, and a redirect to `/` removes it from the
/// address; elsewhere and if it is wrong, it does not count.
pub async fn guarded(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    let mut response = match intercept(&access, &request) {
        Some(response) => response,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        // Handlers of pictures set their own caching.
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Middleware that adds `Authorization: Bearer` with the parameter `token` of the address, as it is written there:
/// some clients of agents can be given an address but no header. A request with an `Authorization` header stays as it
/// is, and so does one without the parameter. The token is not checked here, and stays in the address.
pub async fn token_in_address(mut request: Request, next: Next) -> Response {
    let given = parameter(request.uri().query().unwrap_or_default(), "token");
    let value = given.and_then(|token| HeaderValue::from_str(&format!("Bearer {token}")).ok());
    if let Some(value) = value
        && !request.headers().contains_key(header::AUTHORIZATION)
    {
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    next.run(request).await
}

/// Returns the response that ends a request, or `None` if it may pass. A right token or code in the address of `/`
/// gives the redirect with the cookie, and uses up the code; a wrong one is ignored. Refuses with 403 for host and
/// origin, 401 for the token, 503 for too many connections, and 415 for a POST that another site could send. A
/// request with a right token leaves the limit of guests.
fn intercept(access: &Access, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let query = request.uri().query().unwrap_or_default();
    if request.uri().path() == "/"
        // Checked first: a code works once, so a page of another site must not use it up.
        && access.check_source(headers).is_ok()
        && (parameter(query, "token").is_some_and(|token| access.verify_token(token))
            || parameter(query, "code").is_some_and(|code| access.consume_code(code)))
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
        Ok(()) if request.method() == Method::POST => refuse_foreign_post(headers),
        Ok(()) => None,
    }
}

/// Returns 415 for a POST that another site's form could send: one whose media type is not JSON, or that has neither
/// an `Origin` nor an `Authorization` header. `None` lets it pass. The method, the body and the values of these two
/// headers are not checked here.
fn refuse_foreign_post(headers: &HeaderMap) -> Option<Response> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("");
    let is_json = kind
        .split(';')
        .next()
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
    let has_source =
        headers.contains_key(header::ORIGIN) || headers.contains_key(header::AUTHORIZATION);
    if is_json && has_source {
        return None;
    }
    Some((StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send JSON.\n").into_response())
}

/// Returns the value of the first parameter of this name as it is written, without decoding. `None` if there is none,
/// or it has no `=`.
fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find_map(|(own, value)| (own == name).then_some(value))
}
