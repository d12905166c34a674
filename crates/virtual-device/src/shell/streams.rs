//! Where a command's input comes from and its output goes.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::state::DeviceState;
use crate::storage::StorageError;

/// Most bytes that a buffer between commands holds; what is more is dropped.
const MAX_BUFFER: usize = 64 * 1024 * 1024;

/// Another thread would cost more than to write so many bytes.
const SMALL_WRITE: usize = 64 * 1024;

/// Bytes for the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// Standard error rather than standard output.
    pub(crate) error: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Where bytes go.
#[derive(Debug, Clone)]
pub(super) enum Sink {
    Null,
    Peer {
        sender: mpsc::Sender<Output>,
        error: bool,
    },
    Buffer(Arc<Mutex<Vec<u8>>>),
    File(Arc<Mutex<File>>, Arc<DeviceState>),
}

impl Sink {
    pub(super) fn buffer() -> (Self, Arc<Mutex<Vec<u8>>>) {
        let buffer = Arc::new(Mutex::new(Vec::new()));
        (Self::Buffer(Arc::clone(&buffer)), buffer)
    }

    /// Takes bytes. `false` when nobody reads any more.
    pub(super) async fn write(&self, bytes: Vec<u8>) -> Result<bool, StorageError> {
        if bytes.is_empty() {
            return Ok(true);
        }
        match self {
            Self::Null => Ok(true),
            Self::Peer { sender, error } => {
                let output = Output {
                    error: *error,
                    bytes,
                };
                Ok(sender.send(output).await.is_ok())
            }
            Self::Buffer(buffer) => {
                let mut buffer = buffer.lock().unwrap_or_else(PoisonError::into_inner);
                let room = MAX_BUFFER.saturating_sub(buffer.len());
                buffer.extend(bytes.into_iter().take(room));
                Ok(true)
            }
            Self::File(file, device) => {
                let (file, device) = (Arc::clone(file), Arc::clone(device));
                let small = bytes.len() <= SMALL_WRITE;
                let write = move || {
                    device.take_storage_fault();
                    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    device.storage.write_open(&mut file, &bytes)
                };
                if small {
                    return write().map(|()| true);
                }
                let written = tokio::task::spawn_blocking(write).await;
                written.unwrap_or(Err(StorageError::Io)).map(|()| true)
            }
        }
    }
}

/// The bytes of a buffer, taken out.
pub(super) fn take_buffer(buffer: &Mutex<Vec<u8>>) -> Vec<u8> {
    std::mem::take(&mut *buffer.lock().unwrap_or_else(PoisonError::into_inner))
}

/// What the peer types, on its way to a command. Dropping it is the end of the input.
#[derive(Debug)]
pub(crate) struct StdinFeed {
    sender: mpsc::Sender<Vec<u8>>,
}

impl StdinFeed {
    /// Gives bytes on, as fast as the command takes them.
    pub(crate) async fn push(&self, bytes: Vec<u8>) {
        let _ = self.sender.send(bytes).await;
    }
}

/// The peer's input with its feed.
pub(crate) fn stdin() -> (StdinFeed, Source) {
    let (sender, receiver) = mpsc::channel(16);
    let input = Input {
        receiver: Some(receiver),
        pending: Vec::new(),
    };
    (
        StdinFeed { sender },
        Source(Arc::new(tokio::sync::Mutex::new(input))),
    )
}

/// Where bytes come from. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Source(Arc<tokio::sync::Mutex<Input>>);

#[derive(Debug, Default)]
struct Input {
    receiver: Option<mpsc::Receiver<Vec<u8>>>,
    pending: Vec<u8>,
}

impl Source {
    /// Just these bytes.
    pub(super) fn bytes(pending: Vec<u8>) -> Self {
        Self(Arc::new(tokio::sync::Mutex::new(Input {
            receiver: None,
            pending,
        })))
    }

    /// Everything to the end.
    pub(super) async fn read_all(&self) -> Vec<u8> {
        let mut input = self.0.lock().await;
        while input.more().await {}
        std::mem::take(&mut input.pending)
    }

    /// A line without its end; `None` at the end.
    pub(super) async fn read_line(&self) -> Option<Vec<u8>> {
        let mut input = self.0.lock().await;
        loop {
            if let Some(end) = input.pending.iter().position(|byte| *byte == b'\n') {
                let mut line: Vec<u8> = input.pending.drain(..=end).collect();
                line.pop();
                return Some(line);
            }
            if !input.more().await {
                let rest = std::mem::take(&mut input.pending);
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }

    /// Some bytes as they come; `None` at the end.
    pub(super) async fn read_some(&self) -> Option<Vec<u8>> {
        let mut input = self.0.lock().await;
        while input.pending.is_empty() {
            if !input.more().await {
                return None;
            }
        }
        Some(std::mem::take(&mut input.pending))
    }
}

impl Input {
    async fn more(&mut self) -> bool {
        let Some(receiver) = &mut self.receiver else {
            return false;
        };
        match receiver.recv().await {
            Some(bytes) if self.pending.len() < MAX_BUFFER => {
                self.pending.extend(bytes);
                true
            }
            _ => {
                self.receiver = None;
                false
            }
        }
    }
}
