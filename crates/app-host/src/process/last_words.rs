//! Buffer of a process's last output, for errors.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinSet;

/// Size of the buffer in bytes. Chosen: several stack traces.
const MAX_BYTES: usize = 64 * 1024;

/// The last 64 KiB of a process's standard output and standard error, in order of arrival.
#[derive(Debug, Clone, Default)]
pub struct LastWords {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    listeners: Arc<Mutex<JoinSet<()>>>,
}

impl LastWords {
    /// Returns the buffered output as text, at most its last 64 KiB. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = bytes.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// Appends output. Beyond 64 KiB the oldest bytes are dropped.
    pub fn add(&self, written: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(&written[written.len().saturating_sub(MAX_BYTES)..]);
        let over = bytes.len().saturating_sub(MAX_BYTES);
        bytes.drain(..over);
    }

    /// Reads a stream in the background until it ends, even if nobody needs it, as its writer would block
    /// otherwise. Only the end of the output is kept. `None` does nothing.
    pub(super) fn listen(&self, stream: Option<impl AsyncRead + Unpin + Send + 'static>) {
        let Some(mut stream) = stream else { return };
        let bytes = Self {
            bytes: Arc::clone(&self.bytes),
            listeners: Arc::default(),
        };
        let listen = async move {
            let mut buffer = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                bytes.add(&buffer[..length]);
            }
        };
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.spawn(listen);
    }

    /// Waits until the streams have ended, so that no output is missing, at most for `limit`. After that they
    /// are not read any more.
    pub(super) async fn wait_for_end(&self, limit: Duration) {
        let mut listeners = std::mem::take(
            &mut *self
                .listeners
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let ended = async { while listeners.join_next().await.is_some() {} };
        // An orphaned child process may hold the streams open.
        let _ = tokio::time::timeout(limit, ended).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_64_kib_are_kept() {
        let words = LastWords::default();
        words.add(b"first");
        words.add(&vec![b'x'; MAX_BYTES - 2]);
        words.add(b"end");
        let text = words.text();
        assert_eq!(text.len(), MAX_BYTES);
        assert!(
            text.starts_with('x') && text.ends_with("xend"),
            "{}",
            &text[..9]
        );
        words.add(&vec![b'y'; 3 * MAX_BYTES]);
        assert_eq!(words.text(), "y".repeat(MAX_BYTES));
    }
}
