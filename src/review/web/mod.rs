//! The review in a browser: a page of this program, on this machine only.

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{Review, ReviewError};

/// Serves the page until `stop`. Requests need `token`.
pub async fn serve(
    _: Review,
    _: TcpListener,
    _: &str,
    stop: CancellationToken,
) -> Result<(), ReviewError> {
    stop.cancelled().await;
    Ok(())
}
