//! The review in a browser: a page of this program, on this machine only. It holds no state of its own: a decision goes
//! to [`Review`], and every page asks for the queue again once the folder changed.

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

/// How long requests may go on after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(1);

/// How often the folder of goldens is looked at.
const LOOK: Duration = Duration::from_millis(400);

/// Bytes of the longest request: the keys of ten thousand goldens.
const LONGEST: usize = 1 << 20;

/// Serves the page until `stop`. Requests need one of the `keys`; calls `reviewed` each time nothing waits any more.
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
        () = state.watch(LOOK, reviewed) => {}
    }
    Ok(())
}

fn router(state: &Arc<ServerState>, access: Access) -> Router {
    Router::new()
        .route("/", get(answer::page))
        .route("/{file}", get(answer::file))
        .merge(api(state))
        .fallback(runner_pages::not_found)
        .layer(DefaultBodyLimit::max(LONGEST))
        // The last layer is the first that a request meets, whatever it asks for.
        .layer(from_fn_with_state(Arc::new(access), runner_pages::guarded))
}

/// What a page asks of the review and decides with it; the studio's page does so too.
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
