//! The event stream as NDJSON: writing it, and reading it back so that reports can be made again.

use std::io::{BufRead, Write};

use camino::{Utf8Path, Utf8PathBuf};

use super::{ReportError, Subscriber};
use runner_base::output_file::OutputFile;
use runner_event::{Event, EventKind, SCHEMA};
use runner_text::harmless;

/// The stream of a project's last run, below its root.
pub const LAST_RUN: &str = ".runner/last-run.ndjson";

/// Writes one event a line; each line is flushed, so that a reader follows the run and a kill loses nothing.
pub struct JsonStream {
    out: Box<dyn Write + Send>,
    path: Option<Utf8PathBuf>,
    /// Errors of writing it are not reported.
    is_spare: bool,
}

impl JsonStream {
    /// To `out`, such as standard output: what is read there is made harmless, and means the same.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self {
            out,
            path: None,
            is_spare: false,
        }
    }

    /// The stream that a project keeps of its last run, for `runner report`; none where it cannot be written.
    ///
    /// It takes the place of the one before at once: a run that goes on beside this one writes on into its own.
    pub fn of_last_run(root: &Utf8Path) -> Option<Self> {
        let path = root.join(LAST_RUN);
        let folder = path.parent()?;
        fs_err::create_dir_all(folder).ok()?;
        let file = runner_base::files::temporary_in(folder).ok()?;
        let file = file.persist(&path).ok()?;
        Some(Self {
            out: Box::new(file),
            path: Some(path),
            is_spare: true,
        })
    }

    /// To a file, which is made anew, its folders too.
    pub fn create(output: &OutputFile) -> Result<Self, ReportError> {
        let path = output.path().to_owned();
        match output.create() {
            Ok(file) => Ok(Self {
                out: Box::new(file),
                path: Some(path),
                is_spare: false,
            }),
            Err(source) => Err(ReportError::File { path, source }),
        }
    }
}

impl Subscriber for JsonStream {
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        let mut line = serde_json::to_string(event)?;
        // A terminal and CI's log act on what they read. A file is for programs.
        if self.path.is_none() {
            line = harmless::json(&line);
        }
        line.push('\n');
        // One write a line: two processes that share a pipe do not mix within a line.
        let written = self
            .out
            .write_all(line.as_bytes())
            .and_then(|()| self.out.flush());
        if self.is_spare {
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

/// Errors of a saved stream.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// Reading.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// A line that is not an event.
    #[error("line {line} is not an event: {source}; the file is damaged")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// Something else.
    #[error(
        "it does not begin as an event stream does; name a file that `runner test --json` wrote"
    )]
    NoStart,
    /// A folder without any.
    #[error(
        "there is no event stream (*.ndjson) in this folder; `runner test --json FILE` writes one"
    )]
    NoneBelow,
    /// A flow that ends after its end.
    #[error(
        "it says twice how {flow} ended on '{device}', and the later word may hide a failure; the file is damaged"
    )]
    EndsTwice {
        /// Its path.
        flow: Utf8PathBuf,
        /// The device's label.
        device: String,
    },
    /// Made by a later program.
    #[error(
        "it has schema {found}, this program reads up to {SCHEMA}; use the version that wrote it"
    )]
    Schema {
        /// Its number.
        found: u32,
    },
}

/// The events of a saved stream. Fields and events it does not know are passed over, as are empty lines; a last line
/// that was cut off by a kill ends the stream.
pub fn read_stream(reader: impl BufRead) -> impl Iterator<Item = Result<Event, StreamError>> {
    Lines::new(reader).filter(is_known)
}

/// All events of a saved stream, as [`read_stream`] gives them, and whether the last line was cut off.
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
    done: bool,
    is_cut_off: bool,
}

impl<R> Lines<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            number: 0,
            buffer: Vec::new(),
            done: false,
            is_cut_off: false,
        }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<Event, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            self.buffer.clear();
            self.number += 1;
            match self.reader.read_until(b'\n', &mut self.buffer) {
                Ok(0) => self.done = true,
                Ok(_) if self.buffer.trim_ascii().is_empty() => {}
                Ok(_) => return self.event(),
                Err(error) => {
                    self.done = true;
                    return Some(Err(error.into()));
                }
            }
        }
        None
    }
}

impl<R> Lines<R> {
    fn event(&mut self) -> Option<Result<Event, StreamError>> {
        let whole = self.buffer.ends_with(b"\n");
        match serde_json::from_slice::<Event>(&self.buffer) {
            Ok(event) => {
                if let EventKind::Start { schema, .. } = event.kind
                    && schema > SCHEMA
                {
                    self.done = true;
                    return Some(Err(StreamError::Schema { found: schema }));
                }
                Some(Ok(event))
            }
            // Only a kill cuts the last line off. A line before it that does not read is damage.
            Err(_) if !whole => {
                self.done = true;
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

/// The JSON Schema of one line of the stream, kept in `docs/events.schema.json`.
pub fn events_schema() -> schemars::Schema {
    // As readers see it: fields with a default may be missing.
    schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<Event>()
}

#[cfg(test)]
mod tests;
