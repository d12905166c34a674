//! Inputs and outputs of commands.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use crate::state::DeviceState;
use crate::storage::StorageError;

/// Most bytes of a buffer between commands; more is dropped. Chosen: larger than any output here, and several
/// fit into memory.
const MAX_BUFFER: usize = 64 * 1024 * 1024;

/// Bytes that are written without another thread. Chosen: for fewer, a thread would cost more than the write.
const SMALL_WRITE: usize = 64 * 1024;

/// A chunk of output for the peer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// True for standard error, false for standard output.
    pub(crate) error: bool,
    pub(crate) bytes: Vec<u8>,
}

/// Destination of output.
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

    /// Writes bytes to a peer, a buffer, a file or nowhere. Returns false if the peer reads no more. A full
    /// buffer drops the rest without an error. Only files fail.
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

/// Takes the bytes out of a buffer, which is empty afterwards.
pub(super) fn take_buffer(buffer: &Mutex<Vec<u8>>) -> Vec<u8> {
    std::mem::take(&mut *buffer.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Sender of the peer's input to a command. Dropping it ends the input.
#[derive(Debug)]
pub(crate) struct StdinFeed {
    sender: mpsc::Sender<Vec<u8>>,
}

impl StdinFeed {
    /// Passes bytes on, and waits until the command has room for them. They are dropped if it reads no more.
    pub(crate) async fn push(&self, bytes: Vec<u8>) {
        let _ = self.sender.send(bytes).await;
    }
}

/// Makes the peer's input and its sender. The input ends when the sender is dropped.
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

/// Input of a command. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Source(Arc<tokio::sync::Mutex<Input>>);

#[derive(Debug, Default)]
struct Input {
    receiver: Option<mpsc::Receiver<Vec<u8>>>,
    pending: Vec<u8>,
}

impl Source {
    /// Makes an input of these bytes.
    pub(super) fn bytes(pending: Vec<u8>) -> Self {
        Self(Arc::new(tokio::sync::Mutex::new(Input {
            receiver: None,
            pending,
        })))
    }

    /// Waits, without a limit, for the end of the input and returns all of it that was not read before. What comes once
    /// [`MAX_BUFFER`] bytes are unread is lost.
    pub(super) async fn read_all(&self) -> Vec<u8> {
        let mut input = self.0.lock().await;
        while input.more().await {}
        std::mem::take(&mut input.pending)
    }

    /// Reads a line without its end. A last line needs none. Returns `None` at the end of the input.
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

    /// Reads the bytes that are there, and waits until there are some. Returns `None` at the end of the
    /// input.
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
    /// Waits for more bytes. Returns false at the end of the input. It ends too when [`MAX_BUFFER`] bytes are
    /// unread.
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
