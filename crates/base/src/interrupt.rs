//! The wish to stop: Ctrl-C, and on Unix also the signals by which CI systems and supervisors end a process, and by which
//! a terminal or a connection that goes away ends what ran in it.

/// Wishes to stop, one after another. None is lost between two waits.
pub struct Requests {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// Of a program that is to outlive its terminal (`nohup`) it is not a wish.
    #[cfg(unix)]
    hangup: Option<tokio::signal::unix::Signal>,
    /// Somebody asked already.
    #[cfg(unix)]
    requested: bool,
}

#[cfg(unix)]
impl Requests {
    /// Listens from now on.
    ///
    /// # Errors
    /// The system's, if it cannot listen.
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

    /// Waits for the next.
    ///
    /// # Errors
    /// None on Unix.
    pub async fn next(&mut self) -> std::io::Result<()> {
        let is_requested = self.requested;
        let hung_up = async {
            match &mut self.hangup {
                // The shell and the system both signal that a terminal went away: two signals count as one.
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

/// Whether the program was started so that it ignores its terminal's end, as far as the system shows.
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
    /// The system's, if it cannot listen.
    pub async fn next(&mut self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await
    }
}
