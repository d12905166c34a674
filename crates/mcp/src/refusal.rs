//! Answers to requests that are turned away before the protocol sees them.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

/// Why a request is turned away.
pub(super) fn refused(status: StatusCode, error: &str, message: &str) -> Response {
    let body = json!({ "error": error, "error_description": message });
    (status, Json(body)).into_response()
}

/// As [`refused`], where the same request may pass a little later.
pub(super) fn refused_for_now(error: &str, message: &str) -> Response {
    may_pass_later(refused(StatusCode::SERVICE_UNAVAILABLE, error, message))
}

/// Asks the client to try again later.
pub(super) fn may_pass_later(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
