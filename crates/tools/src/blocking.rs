//! Runs work that would block the runtime.

use super::Failure;

/// Runs work on pixels or files in the runtime's pool for blocking work.
///
/// # Errors
///
/// If the work panicked, which is a bug.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Failure::infrastructure(format!("{error}; this is a bug")))
}
