//! The file service `sync:`: stat, list, receive and send, in their first and second forms.

use std::sync::Arc;

use super::stream::{StreamClosedError, StreamReader, StreamWriter};
use crate::state::DeviceState;
use crate::storage::{Stat, StorageError};
use crate::virtual_files::is_null;
use runner_adb::wire::sync::{MAX_CHUNK, MAX_PATH, SyncId, head, message, word};

/// Reason why a stream ends. `Wrong` is a bad request, whose text is sent to the peer as `FAIL` first.
enum StreamEnd {
    Gone,
    Wrong(String),
}

impl From<StreamClosedError> for StreamEnd {
    fn from(_: StreamClosedError) -> Self {
        Self::Gone
    }
}

/// Serves one `sync:` stream until the peer quits or leaves. A malformed request is answered with `FAIL` and
/// ends the stream.
pub(super) async fn run(
    state: Arc<DeviceState>,
    reader: StreamReader,
    writer: StreamWriter,
) -> Result<(), StreamClosedError> {
    let mut service = Files {
        state,
        reader,
        writer,
        buffer: Vec::new(),
        start: 0,
    };
    match service.serve().await {
        Ok(()) => Ok(()),
        Err(StreamEnd::Gone) => Err(StreamClosedError),
        Err(StreamEnd::Wrong(text)) => service.fail(&text).await,
    }
}

struct Files {
    state: Arc<DeviceState>,
    reader: StreamReader,
    writer: StreamWriter,
    buffer: Vec<u8>,
    start: usize,
}

impl Files {
    /// Answers requests until `QUIT`. Each begins with a path. A file that is missing or refused is answered, and the
    /// next request follows. Fails for a path that is too long, an unknown request, and flags that the device does not
    /// announce.
    async fn serve(&mut self) -> Result<(), StreamEnd> {
        loop {
            let (id, length) = self.head().await?;
            if id == SyncId::Quit {
                return Ok(());
            }
            let length = length as usize;
            if length > MAX_PATH {
                return Err(StreamEnd::Wrong("path too long".to_owned()));
            }
            let path = String::from_utf8_lossy(&self.take(length).await?).into_owned();
            match id {
                SyncId::Stat => self.stat(&path).await?,
                SyncId::Stat2 | SyncId::Lstat2 => self.stat2(id, &path).await?,
                SyncId::List => self.list(&path, false).await?,
                SyncId::List2 => self.list(&path, true).await?,
                SyncId::Recv => self.receive(&path).await?,
                SyncId::Recv2 => {
                    let (setup, flags) = self.head().await?;
                    check_setup(SyncId::Recv2, setup, flags)?;
                    self.receive(&path).await?;
                }
                SyncId::Send => {
                    let (path, mode) = path.rsplit_once(',').unwrap_or((&path, ""));
                    let mode = mode.trim().parse().unwrap_or(0o100_644);
                    let path = path.to_owned();
                    self.send(&path, mode).await?;
                }
                SyncId::Send2 => {
                    let (setup, mode) = self.head().await?;
                    let flags = self.take(4).await?;
                    let flags = flags.try_into().map_or(0, u32::from_le_bytes);
                    check_setup(SyncId::Send2, setup, flags)?;
                    self.send(&path, mode).await?;
                }
                other => {
                    let letters = other.letters();
                    let name = String::from_utf8_lossy(&letters);
                    return Err(StreamEnd::Wrong(format!("unknown command {name}")));
                }
            }
        }
    }

    /// Waits, without a limit, until the buffer has `length` bytes that are not taken yet.
    async fn fill(&mut self, length: usize) -> Result<(), StreamClosedError> {
        while self.buffer.len() - self.start < length {
            if self.start > 0 {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            self.buffer.extend(self.reader.read().await?);
        }
        Ok(())
    }

    /// Takes the next `length` bytes, waiting for them.
    async fn take(&mut self, length: usize) -> Result<Vec<u8>, StreamClosedError> {
        self.fill(length).await?;
        let bytes = self.buffer[self.start..self.start + length].to_vec();
        self.start += length;
        Ok(bytes)
    }

    async fn head(&mut self) -> Result<(SyncId, u32), StreamEnd> {
        let bytes = self.take(8).await?;
        let bytes = <[u8; 8]>::try_from(bytes).map_err(|_| StreamEnd::Gone)?;
        head(bytes).map_err(|error| StreamEnd::Wrong(error.to_string()))
    }

    async fn fail(&self, text: &str) -> Result<(), StreamClosedError> {
        self.writer
            .write(&message(SyncId::Fail, text.as_bytes()))
            .await
    }

    /// Runs a storage operation on a thread that may block. An operation that panics gives an I/O error.
    async fn storage<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&DeviceState) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let state = Arc::clone(&self.state);
        tokio::task::spawn_blocking(move || operation(&state))
            .await
            .unwrap_or(Err(StorageError::Io))
    }

    async fn look(&self, path: &str) -> Result<Stat, StorageError> {
        let path = path.to_owned();
        self.storage(move |state| state.stat(&path)).await
    }

    async fn stat(&self, path: &str) -> Result<(), StreamClosedError> {
        let mut bytes = SyncId::Stat.letters().to_vec();
        bytes.extend(stat_words(self.look(path).await.ok().as_ref()));
        self.writer.write(&bytes).await
    }

    async fn stat2(&self, id: SyncId, path: &str) -> Result<(), StreamClosedError> {
        let mut bytes = id.letters().to_vec();
        bytes.extend(stat2_words(&self.look(path).await));
        self.writer.write(&bytes).await
    }

    /// Answers `LIST`, or `LIS2` if `second`, sorted by name, with `.` and `..` last. A folder that cannot be read
    /// gives an empty list; an entry that cannot be read gives zeroes, or with `second` its error.
    async fn list(&self, path: &str, second: bool) -> Result<(), StreamClosedError> {
        let path = path.to_owned();
        let entries = self
            .storage(move |state| {
                let mut entries = Vec::new();
                for name in state.list(&path)? {
                    let stat = state.stat(&format!("{path}/{name}"));
                    entries.push((name, stat));
                }
                // adbd lists them too.
                for name in [".", ".."] {
                    entries.push((name.to_owned(), state.stat(&format!("{path}/{name}"))));
                }
                Ok(entries)
            })
            .await
            .unwrap_or_default();
        let mut bytes = Vec::new();
        for (name, stat) in entries {
            if second {
                bytes.extend(SyncId::Dent2.letters());
                bytes.extend(stat2_words(&stat));
            } else {
                bytes.extend(SyncId::Dent.letters());
                bytes.extend(stat_words(stat.ok().as_ref()));
            }
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        // The end has the shape of an entry, with nothing in it.
        bytes.extend(SyncId::Done.letters());
        bytes.extend(std::iter::repeat_n(0, if second { 72 } else { 16 }));
        self.writer.write(&bytes).await
    }

    /// Sends a whole file in chunks, or, as `FAIL`, the reason why it cannot be read. In both cases the stream goes on.
    async fn receive(&self, path: &str) -> Result<(), StreamClosedError> {
        let path = path.to_owned();
        match self.storage(move |state| state.read(&path)).await {
            Ok(data) => {
                let mut bytes = Vec::with_capacity(data.len() + 64);
                for piece in data.chunks(MAX_CHUNK) {
                    bytes.extend(message(SyncId::Data, piece));
                }
                bytes.extend(word(SyncId::Done, 0));
                self.writer.write(&bytes).await
            }
            Err(StorageError::IsFolder) => self.fail("read failed: Is a directory").await,
            Err(error) => self.fail(&format!("open failed: {error}")).await,
        }
    }

    /// Receives a file, makes missing parent folders and replaces a file that exists. Its time of change is the peer's;
    /// its mode is ignored, except that a link is refused. Data for `/dev/null` is dropped. A refused file is read to
    /// its end before `FAIL`, and what was written of it before an error is removed. Only malformed packets end the
    /// stream.
    async fn send(&mut self, path: &str, mode: u32) -> Result<(), StreamEnd> {
        let link = mode & 0o170_000 == 0o120_000;
        let mut result = if link {
            // The storage has no symbolic links.
            Err("symlink failed: Permission denied".to_owned())
        } else {
            let path = path.to_owned();
            self.storage(move |state| {
                state.take_storage_fault();
                // `/dev/null` is no file of the storage.
                if is_null(&path) {
                    return Ok(None);
                }
                // adbd makes missing parent folders. If that fails, opening the file gives the error.
                if let Some((parent, _)) = path.rsplit_once('/')
                    && !parent.is_empty()
                {
                    let _ = state.storage.make_folder(parent, true);
                }
                state.storage.create(&path, false).map(Some)
            })
            .await
            .map_err(|error| format!("couldn't create file: {error}"))
        };
        let seconds = loop {
            let (id, value) = self.head().await?;
            match id {
                SyncId::Data if value as usize <= MAX_CHUNK => {
                    let data = self.take(value as usize).await?;
                    if let Ok(mut file) = result {
                        result = self
                            .storage(move |state| {
                                if let Some(file) = &mut file {
                                    state.storage.write_open(file, &data)?;
                                }
                                Ok(file)
                            })
                            .await
                            .map_err(|error| format!("write failed: {error}"));
                    }
                }
                SyncId::Data => return Err(StreamEnd::Wrong("oversize data message".to_owned())),
                SyncId::Done => break value,
                _ => return Err(StreamEnd::Wrong("invalid data message".to_owned())),
            }
        };
        match result {
            Ok(None) => self.writer.write(&word(SyncId::Okay, 0)).await?,
            Ok(Some(file)) => {
                drop(file);
                let path = path.to_owned();
                let _ = self
                    .storage(move |state| state.storage.touch(&path, Some(seconds)))
                    .await;
                self.writer.write(&word(SyncId::Okay, 0)).await?;
            }
            Err(text) => {
                let path = path.to_owned();
                // adbd removes incomplete files.
                if text.starts_with("write failed") {
                    let _ = self
                        .storage(move |state| state.storage.remove(&path, false))
                        .await;
                }
                self.fail(&text).await?;
            }
        }
        Ok(())
    }
}

/// Fails if the second part of a request has another id, or any flag: the device announces no compression.
fn check_setup(expected: SyncId, got: SyncId, flags: u32) -> Result<(), StreamEnd> {
    if got != expected {
        return Err(StreamEnd::Wrong("invalid setup message".to_owned()));
    }
    if flags != 0 {
        return Err(StreamEnd::Wrong(format!(
            "unsupported flags: {flags:#x}; this device announces no compression"
        )));
    }
    Ok(())
}

/// Formats the answer of `STAT`: mode, size and time. Each is cut to 32 bits, and all are zero without a file.
fn stat_words(stat: Option<&Stat>) -> Vec<u8> {
    let (mode, size, modified) = stat.map_or((0, 0, 0), |stat| {
        (stat.mode, stat.size as u32, stat.modified as u32)
    });
    [mode, size, modified]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect()
}

/// Formats the answer of `STA2` behind its id: error, device, inode, mode, links, user, group, size and three
/// times. An error has its Linux number, and zeroes for the rest.
fn stat2_words(stat: &Result<Stat, StorageError>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(68);
    match stat {
        Ok(stat) => {
            bytes.extend(0u32.to_le_bytes());
            bytes.extend(1u64.to_le_bytes());
            bytes.extend(1u64.to_le_bytes());
            // 2000 is the shell user.
            for word in [stat.mode, 1, 2000, 2000] {
                bytes.extend(word.to_le_bytes());
            }
            bytes.extend(stat.size.to_le_bytes());
            for _ in 0..3 {
                bytes.extend(stat.modified.to_le_bytes());
            }
        }
        Err(error) => {
            bytes.extend(error.errno().to_le_bytes());
            bytes.resize(68, 0);
        }
    }
    bytes
}
