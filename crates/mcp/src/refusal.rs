//! Builds answers to requests that are refused before the protocol's library sees them.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

/// Returns an error with this status as JSON: `error`, a machine-readable code, and `error_description`, a
/// message.
pub(super) fn refuse(status: StatusCode, error: &str, message: &str) -> Response {
    let body = json!({ "error": error, "error_description": message });
    (status, Json(body)).into_response()
}

/// Returns 503 with a `Retry-After`, for a request that may succeed a little later.
pub(super) fn refuse_for_now(error: &str, message: &str) -> Response {
    with_retry_after(refuse(StatusCode::SERVICE_UNAVAILABLE, error, message))
}

/// Adds a `Retry-After` of one second.
pub(super) fn with_retry_after(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    response
}
