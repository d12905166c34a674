//! Runtime of commands that talk to devices.

use super::error::CliError;

/// Builds the runtime for commands that talk to devices. It has two threads, which are enough to wait on sockets,
/// and at most 32 for blocking work. An error if the system gives no thread.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // Each costs memory of its own; what blocks is disks and pixels, for which more threads are of no use.
        .max_blocking_threads(32)
        .enable_all()
        .build()?)
}
