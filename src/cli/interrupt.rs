//! The wish to stop: Ctrl-C, and on Unix also the signal by which CI systems and supervisors end a process.

/// Waits until somebody asks the program to stop.
///
/// # Errors
/// The system's, where it cannot tell.
#[cfg(unix)]
pub async fn requested() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}

/// Waits until somebody asks the program to stop.
///
/// # Errors
/// The system's, where it cannot tell.
#[cfg(not(unix))]
pub async fn requested() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
