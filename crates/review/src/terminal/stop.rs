//! The wish of others to end the review: signals, and a terminal that went away.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runner_base::interrupt::Requests;

/// Longest time the review takes to end by itself after it was asked to.
const LIMIT: Duration = Duration::from_secs(30);

/// Set once somebody asked the program to end.
#[derive(Debug, Clone)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Listens from now on.
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
                    std::thread::sleep(LIMIT);
                    end();
                }
            })?;
        Ok(stop)
    }

    /// Whether somebody did.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The library that reads the terminal may never return from one that is gone.
#[expect(clippy::exit, reason = "nothing else ends a thread that hangs")]
fn end() {
    std::process::exit(1);
}
