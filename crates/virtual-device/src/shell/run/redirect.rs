//! Redirections: where a command reads and writes.

use std::sync::Arc;

use super::{Shell, Streams};
use crate::shell::ast::{Redirect, RedirectKind};
use crate::shell::streams::{Sink, Source};
use crate::storage::{Storage, StorageError};
use crate::virtual_files::NULL;

/// Error of a redirection, in the words of Android's shell.
#[derive(Debug, thiserror::Error)]
enum RedirectError {
    #[error("can't open {target}: {source}")]
    Open {
        target: String,
        source: StorageError,
    },
    #[error("can't create {target}: {source}")]
    Create {
        target: String,
        source: StorageError,
    },
    #[error("{0}: bad file descriptor")]
    Descriptor(String),
}

impl Shell {
    /// Returns the streams after redirections, from left to right. Files are opened or emptied even if a later one
    /// fails. Returns `Err` after an error message, with status 1.
    pub(super) async fn redirect(
        &mut self,
        redirects: &[Redirect],
        streams: &Streams,
    ) -> Result<Streams, ()> {
        let mut streams = streams.clone();
        for redirect in redirects {
            let target = self.one_text(&redirect.target, &streams).await?;
            if let Err(error) = self.redirect_one(redirect, &target, &mut streams) {
                self.complain(&error.to_string(), &streams).await;
                self.status = 1;
                return Err(());
            }
        }
        Ok(streams)
    }

    /// Applies one redirection. `0<&N` and descriptors above 2 change nothing, but files of the latter are made. `>&-`
    /// drops the output; `>&N` fails unless N is 1 or 2. A file that cannot be opened fails too.
    fn redirect_one(
        &self,
        redirect: &Redirect,
        target: &str,
        streams: &mut Streams,
    ) -> Result<(), RedirectError> {
        let sink = match redirect.kind {
            RedirectKind::Here => {
                streams.stdin = Source::bytes(target.as_bytes().to_vec());
                return Ok(());
            }
            RedirectKind::Read => {
                let path = Storage::absolute(&self.cwd, target);
                let bytes = self
                    .device
                    .read(&path)
                    .map_err(|source| RedirectError::Open {
                        target: target.to_owned(),
                        source,
                    })?;
                streams.stdin = Source::bytes(bytes);
                return Ok(());
            }
            RedirectKind::Duplicate => match (redirect.descriptor, target) {
                (0, _) => return Ok(()),
                (_, "1") => streams.out.clone(),
                (_, "2") => streams.err.clone(),
                (_, "-") => Sink::Null,
                _ => return Err(RedirectError::Descriptor(target.to_owned())),
            },
            RedirectKind::Write | RedirectKind::Append => {
                let append = redirect.kind == RedirectKind::Append;
                self.open_sink(target, append, streams)
                    .map_err(|source| RedirectError::Create {
                        target: target.to_owned(),
                        source,
                    })?
            }
        };
        match redirect.descriptor {
            1 => streams.out = sink,
            2 => streams.err = sink,
            _ => {}
        }
        Ok(())
    }

    /// Opens a file for output. `/dev/null`, the terminal and standard error are no files; `/dev/stdout` is the
    /// terminal too. Every other path is made, and emptied unless `append`.
    fn open_sink(
        &self,
        target: &str,
        append: bool,
        streams: &Streams,
    ) -> Result<Sink, StorageError> {
        let path = Storage::absolute(&self.cwd, target);
        match path.as_str() {
            NULL => return Ok(Sink::Null),
            "/dev/tty" | "/dev/stdout" | "/proc/self/fd/1" => return Ok(streams.terminal.clone()),
            "/dev/stderr" | "/proc/self/fd/2" => return Ok(streams.err.clone()),
            _ => {}
        }
        // Another thread would cost more than the file.
        self.device.take_storage_fault();
        let file = self.device.storage.create(&path, append)?;
        Ok(Sink::File(
            Arc::new(std::sync::Mutex::new(file)),
            Arc::clone(&self.device),
        ))
    }
}
