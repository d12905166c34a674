//! Writes the event stream as NDJSON, and reads it back to make reports again.

use std::io::{BufRead, Write};

use camino::{Utf8Path, Utf8PathBuf};

use super::stream_error::StreamError;
use super::{ReportError, Subscriber};
use runner_base::output_file::OutputFile;
use runner_event::{Event, EventKind, SCHEMA};
use runner_text::harmless;

/// File of the last run's stream, relative to the project's root.
pub const LAST_RUN: &str = ".runner/last-run.ndjson";

/// Subscriber that writes one event a line. Each line is flushed, so that a reader can follow the run and a
/// kill loses nothing.
pub struct JsonStream {
    out: Box<dyn Write + Send>,
    path: Option<Utf8PathBuf>,
    /// True if write errors are ignored.
    ignores_errors: bool,
}

impl JsonStream {
    /// Creates the stream on `out`, such as standard output; nothing is written yet. Characters that terminals or CI
    /// logs act on are escaped; the JSON means the same. Errors of `out` are reported.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self {
            out,
            path: None,
            ignores_errors: false,
        }
    }

    /// Creates the stream that a project keeps of its last run below `root`, for `runner report`, in place of that of
    /// the run before, and its folder. Returns `None` if either cannot be created. Later errors in writing are
    /// ignored, so that they never fail a run.
    pub fn create_last_run(root: &Utf8Path) -> Option<Self> {
        let path = root.join(LAST_RUN);
        let folder = path.parent()?;
        fs_err::create_dir_all(folder).ok()?;
        let file = runner_base::files::temporary_in(folder).ok()?;
        let file = file.persist(&path).ok()?;
        Some(Self {
            out: Box::new(file),
            path: Some(path),
            ignores_errors: true,
        })
    }

    /// Creates a file, and its folders, and returns the stream that writes to it. An earlier file is emptied at once.
    /// Errors in writing are reported.
    ///
    /// # Errors
    /// Returns an error if the file cannot be created.
    pub fn create(output: &OutputFile) -> Result<Self, ReportError> {
        let path = output.path().to_owned();
        match output.create() {
            Ok(file) => Ok(Self {
                out: Box::new(file),
                path: Some(path),
                ignores_errors: false,
            }),
            Err(source) => Err(ReportError::File { path, source }),
        }
    }
}

impl Subscriber for JsonStream {
    /// Writes the event as one line, in one write, and flushes. Escapes characters on which terminals act, but not in
    /// a file. Only a stream of [`Self::create_last_run`] ignores a write that fails.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        let mut line = serde_json::to_string(event)?;
        // Terminals and CI logs act on some characters. A file is read by programs.
        if self.path.is_none() {
            line = harmless::json(&line);
        }
        line.push('\n');
        // One write a line, so that two processes with a common pipe do not mix their lines.
        let written = self
            .out
            .write_all(line.as_bytes())
            .and_then(|()| self.out.flush());
        if self.ignores_errors {
            return Ok(());
        }
        written.map_err(|source| match &self.path {
            Some(path) => ReportError::File {
                path: path.clone(),
                source,
            },
            None => ReportError::Output(source),
        })
    }
}

/// Reads the events of a saved stream one by one, when they are asked for. Skips blank lines and unknown events. A
/// last line that a kill cut off ends the stream without an error. After an error in a line the next ones still come;
/// after a read error or a newer schema nothing does.
pub fn read_stream(reader: impl BufRead) -> impl Iterator<Item = Result<Event, StreamError>> {
    Lines::new(reader).filter(is_known)
}

/// Reads all events like [`read_stream`], and returns true with them if the last line was cut off. That line
/// and events of unknown kinds are left out.
pub(super) fn read_whole(reader: impl BufRead) -> Result<(Vec<Event>, bool), StreamError> {
    let mut lines = Lines::new(reader);
    let events = lines.by_ref().filter(is_known).collect::<Result<_, _>>()?;
    Ok((events, lines.is_cut_off))
}

fn is_known(item: &Result<Event, StreamError>) -> bool {
    !matches!(item, Ok(event) if event.kind == EventKind::Unknown)
}

struct Lines<R> {
    reader: R,
    number: usize,
    buffer: Vec<u8>,
    is_done: bool,
    is_cut_off: bool,
}

impl<R> Lines<R> {
    /// Creates the reader before the first line. Nothing is read yet.
    fn new(reader: R) -> Self {
        Self {
            reader,
            number: 0,
            buffer: Vec::new(),
            is_done: false,
            is_cut_off: false,
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Event, StreamError>;

    /// Returns the next event or error, and skips blank lines. After a line that is no event, reading goes on.
    /// Nothing comes after a read error, a newer schema, or a last line that is cut off, which gives no error.
    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_done {
            self.buffer.clear();
            self.number += 1;
            match self.reader.read_until(b'\n', &mut self.buffer) {
                Ok(0) => self.is_done = true,
                Ok(_) if self.buffer.trim_ascii().is_empty() => {}
                Ok(_) => return self.event(),
                Err(error) => {
                    self.is_done = true;
                    return Some(Err(error.into()));
                }
            }
        }
        None
    }
}

impl<R> Lines<R> {
    /// Parses the line in the buffer. A line that is no event and lacks its line end, as after a kill, gives `None`
    /// and ends the stream; a complete one is an error, after which reading goes on. A start with a newer schema is
    /// an error that ends the stream.
    fn event(&mut self) -> Option<Result<Event, StreamError>> {
        let is_complete = self.buffer.ends_with(b"\n");
        match serde_json::from_slice::<Event>(&self.buffer) {
            Ok(event) => {
                if let EventKind::Start { schema, .. } = event.kind
                    && schema > SCHEMA
                {
                    self.is_done = true;
                    return Some(Err(StreamError::Schema { found: schema }));
                }
                Some(Ok(event))
            }
            // A kill can cut off only the last line. An earlier line that does not parse means damage.
            Err(_) if !is_complete => {
                self.is_done = true;
                self.is_cut_off = true;
                None
            }
            Err(source) => Some(Err(StreamError::Line {
                line: self.number,
                source,
            })),
        }
    }
}

/// Generates the JSON Schema of one line, kept in `docs/reference/events.schema.json`. It is that of a reader: fields
/// with a default may be missing.
pub fn events_schema() -> schemars::Schema {
    // As readers see it: fields with a default may be missing.
    schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Event>()
}

#[cfg(test)]
mod tests;
