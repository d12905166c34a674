//! The wish to stop: Ctrl-C, and on Unix also the signal by which CI systems and supervisors end a process.

/// Waits until somebody asks the program to stop.
///
/// # Errors
/// The system's, where it cannot tell.
pub async fn requested() -> std::io::Result<()> {
    Requests::new()?.next().await
}

/// Wishes to stop, one after another. None is lost between two waits.
pub struct Requests {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Requests {
    /// Listens from now on.
    ///
    /// # Errors
    /// The system's, where it cannot tell.
    pub fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for the next.
    ///
    /// # Errors
    /// None on Unix.
    pub async fn next(&mut self) -> std::io::Result<()> {
        tokio::select! {
            _ = self.interrupt.recv() => Ok(()),
            _ = self.terminate.recv() => Ok(()),
        }
    }
}

#[cfg(not(unix))]
impl Requests {
    /// Listens from now on.
    ///
    /// # Errors
    /// None here.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next.
    ///
    /// # Errors
    /// The system's, where it cannot tell.
    pub async fn next(&mut self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
