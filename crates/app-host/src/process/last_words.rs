//! What a process wrote last, for errors.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinSet;

/// How many bytes are kept.
const MOST: usize = 64 * 1024;

/// The last 64 KiB that a process wrote to its output and its errors, in the order in which they came.
#[derive(Debug, Clone, Default)]
pub struct LastWords {
    bytes: Arc<Mutex<VecDeque<u8>>>,
    listeners: Arc<Mutex<JoinSet<()>>>,
}

impl LastWords {
    /// What was written last, as text.
    pub fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = bytes.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }

    /// Adds what was written.
    pub fn add(&self, written: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend(&written[written.len().saturating_sub(MOST)..]);
        let over = bytes.len().saturating_sub(MOST);
        bytes.drain(..over);
    }

    /// Listens to a stream until it ends; it is read on where nobody wants to know, lest its writer waits.
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

    /// Waits until the streams have ended, so that nothing is missing.
    pub(super) async fn wait_for_the_end(&self, limit: Duration) {
        let mut listeners = std::mem::take(
            &mut *self
                .listeners
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let ended = async { while listeners.join_next().await.is_some() {} };
        // A process that it left behind may hold them open.
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
        words.add(&vec![b'x'; MOST - 2]);
        words.add(b"end");
        let text = words.text();
        assert_eq!(text.len(), MOST);
        assert!(
            text.starts_with('x') && text.ends_with("xend"),
            "{}",
            &text[..9]
        );
        words.add(&vec![b'y'; 3 * MOST]);
        assert_eq!(words.text(), "y".repeat(MOST));
    }
}
