//! Requests to stop the program: Ctrl-C, and on Unix also SIGTERM of CI systems and supervisors, and SIGHUP
//! of a closed terminal or connection.

/// Listener for requests to stop, one after another. None is lost between two waits.
pub struct Requests {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// SIGHUP; `None` for a program that was started to outlive its terminal, as by `nohup`.
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
    /// Set once a request has arrived.
    #[cfg(unix)]
    requested: bool,
}

#[cfg(unix)]
impl Requests {
    /// Starts listening for SIGINT and SIGTERM, and for SIGHUP unless the process was started with that
    /// ignored, as by `nohup`. These signals no longer end the process by themselves.
    ///
    /// # Errors
    /// Returns the system's error if it cannot listen.
    pub fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let hangup = (!ignores_hangup()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: hangup.transpose()?,
            requested: false,
        })
    }

    /// Waits for the next request. SIGHUP counts only as the first one, as a closed terminal sends it twice.
    /// Requests by one signal between two waits count as one. A wait may be dropped without losing a request.
    ///
    /// # Errors
    /// None on Unix.
    pub async fn next(&mut self) -> std::io::Result<()> {
        let is_requested = self.requested;
        let hung_up = async {
            match &mut self.hangup {
                // The shell and the system both send SIGHUP for a closed terminal, so two signals count as one.
                Some(hangup) if !is_requested => hangup.recv().await,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hung_up => {}
        }
        self.requested = true;
        Ok(())
    }
}

/// Returns true if the process was started with SIGHUP ignored, by Linux's `/proc`; false on systems without
/// it.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status =
        runner_text::input_file::read_text("/proc/self/status", 64 * 1024).unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is signal 1.
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
impl Requests {
    /// Does nothing: listening begins with [`Self::next`].
    ///
    /// # Errors
    /// None on this system.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next request.
    ///
    /// # Errors
    /// Returns the system's error if it cannot listen.
    pub async fn next(&mut self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
