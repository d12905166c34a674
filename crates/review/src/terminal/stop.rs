//! Ends the review when a signal asks for it, or when the terminal went away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runner_base::interrupt::Requests;

/// Time that the review gets to end by itself after a signal. Chosen: an accept that is being written can
/// finish.
const END_TIMEOUT: Duration = Duration::from_secs(30);

/// Flag that is set once a signal asked the program to end.
#[derive(Debug, Clone)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Starts a thread that listens for the first signal that asks the program to end, and returns the flag that it
    /// sets then. If the program has not ended after `END_TIMEOUT`, the thread ends it with exit code 1. Fails if no
    /// thread can be started; if the signals cannot be listened for, the flag is never set.
    pub fn listen() -> std::io::Result<Self> {
        let stop = Self(Arc::new(AtomicBool::new(false)));
        let requested = stop.clone();
        // A thread with a runtime of its own: the review itself blocks on the terminal.
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name("signals".into())
            .spawn(move || {
                let asked_to_end = async { Requests::new()?.next().await };
                if runtime.block_on(asked_to_end).is_ok() {
                    requested.0.store(true, Ordering::Relaxed);
                    std::thread::sleep(END_TIMEOUT);
                    end();
                }
            })?;
        Ok(stop)
    }

    /// Returns true if the program was asked to end.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends the process. The library that reads the terminal may never return from one that is gone.
#[expect(
    clippy::exit,
    reason = "nothing else ends a process whose thread hangs"
)]
fn end() {
    std::process::exit(1);
}
