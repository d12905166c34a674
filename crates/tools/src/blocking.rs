//! Work that would hold up the runtime.

use super::Failure;

/// Does work on pixels or files away from the threads that serve, and gives what it came to.
///
/// # Errors
/// The work panicked, which is a bug.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::infrastructure(format!("{error}; this is a bug")))
}
