//! The review in a browser: a page served on this machine only. It keeps no state of its own: decisions go to
//! [`Review`], and every page reads the queue again when the folder changed.

mod answer;
mod files;
mod state;
mod view;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Review, ReviewError};
pub use files::{Origin, write};
use runner_pages::Keys;
use runner_pages::access::Access;
use runner_pages::http;
pub use state::ServerState;

/// Time that requests may go on after the server was asked to stop. Chosen: a decision finishes in it, and a
/// person waits for it after Ctrl-C.
const GRACE: Duration = Duration::from_secs(1);

/// Interval at which the folder of goldens is checked. Chosen: a person hardly notices it; with less, the
/// folder is read all the time.
const POLL: Duration = Duration::from_millis(400);

/// Bytes of the longest request. Chosen: the keys of ten thousand goldens fit.
const MAX_REQUEST_BYTES: usize = 1 << 20;

/// Serves the page until `stop` fires. Requests need one of the `keys`. Those in progress at the stop have `GRACE`
/// to end. Calls `reviewed` each time the last pending golden is decided, not if none was pending at the start.
/// Returns an error only if the listener has no address.
pub async fn serve(
    review: Review,
    listener: TcpListener,
    keys: Keys<'_>,
    stop: CancellationToken,
    reviewed: impl Fn() + Send + 'static,
) -> Result<(), ReviewError> {
    let access = Access::with_token(keys.token)
        .with_code(keys.code)
        .for_pages_at(listener.local_addr()?.port());
    let state = Arc::new(ServerState::new(review, stop.clone()));
    tokio::select! {
        () = http::serve(listener, router(&state, access), &stop, GRACE) => {}
        () = state.watch(POLL, reviewed) => {}
    }
    Ok(())
}

/// Creates the routes. Each request is first checked for access by the `access`; one over `MAX_REQUEST_BYTES` is
/// refused, and an unknown path gives the page for that.
fn router(state: &Arc<ServerState>, access: Access) -> Router {
    Router::new()
        .route("/", get(answer::page))
        .route("/{file}", get(answer::file))
        .merge(api(state))
        .fallback(runner_pages::not_found)
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        // The last layer is the first that any request meets.
        .layer(from_fn_with_state(Arc::new(access), runner_pages::guarded))
}

/// Returns the routes by which a page reads the review and decides (accept, reject, undo, mask); the studio's page
/// uses them too. They check no access and limit no body: the caller must.
pub fn api<S: Clone + Send + Sync + 'static>(state: &Arc<ServerState>) -> Router<S> {
    Router::new()
        .route("/api/queue", get(answer::queue))
        .route("/api/changes/{since}", get(answer::changes))
        .route("/api/case/{*key}", get(answer::case))
        .route("/api/picture/{side}/{*key}", get(answer::picture))
        .route("/api/thumbnail/{*key}", get(answer::thumbnail))
        .route("/api/accept", post(answer::accept))
        .route("/api/reject", post(answer::reject))
        .route("/api/undo", post(answer::undo))
        .route("/api/mask", post(answer::mask))
        .with_state(Arc::clone(state))
}
