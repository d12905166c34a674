//! The service `log:`: log entries in the format of the kernel log of Android before 5, sent until the peer
//! leaves.

use std::sync::Arc;

use super::stream::{StreamClosedError, StreamWriter};
use crate::log::EntryHeader;
use crate::state::DeviceState;

/// Names of the log's buffers. All entries of this device are in the first.
pub(super) const BUFFERS: [&str; 4] = ["main", "system", "radio", "events"];

/// Sends all entries that the log still has, then each new one, until the peer leaves. Only the first of [`BUFFERS`]
/// has entries here; for another it sends nothing and never returns.
pub(super) async fn run(
    state: Arc<DeviceState>,
    buffer: &str,
    writer: StreamWriter,
) -> Result<(), StreamClosedError> {
    if buffer != BUFFERS[0] {
        std::future::pending::<()>().await;
    }
    let mut changes = state.log_changes();
    let mut next = 0;
    loop {
        // Before the log is read: a line that comes meanwhile is a change.
        changes.borrow_and_update();
        let mut bytes = Vec::new();
        {
            // Not held while the peer is waited for.
            let log = state.log();
            for line in log.since(next) {
                bytes.extend(line.entry(EntryHeader::First));
            }
            next = log.next_number();
        }
        writer.write(&bytes).await?;
        changes.changed().await.map_err(|_| StreamClosedError)?;
    }
}
