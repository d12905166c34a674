//! Errors of reading a saved event stream.

use camino::Utf8PathBuf;
use runner_event::SCHEMA;

/// Returns what to do about line number `line`, from 1, that is no event. A file whose first line is none was never a
/// stream; any other is damaged.
fn line_advice(line: usize) -> &'static str {
    if line == 1 {
        "name a file that `runner test --json` wrote"
    } else {
        "the file is damaged"
    }
}

/// Errors of reading a saved stream.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// A line that has its line end is no event. One without it was cut off, which is no error.
    #[error("line {line} is not an event: {source}; {}", line_advice(*line))]
    Line {
        /// Number of the line, from 1.
        line: usize,
        source: serde_json::Error,
    },
    /// The file has no `start` event first.
    #[error(
        "it does not begin as an event stream does; name a file that `runner test --json` wrote"
    )]
    NoStart,
    /// The folder has no stream.
    #[error(
        "there is no event stream (*.ndjson) in this folder; `runner test --json FILE` writes one"
    )]
    NoneBelow,
    /// Two attempts of a flow claim to be the last.
    #[error(
        "it says twice how {flow} ended on '{device}', and the later word may hide a failure; the file is damaged"
    )]
    EndsTwice {
        flow: Utf8PathBuf,
        /// Label of the device.
        device: String,
    },
    /// The stream was written by a newer version of the program.
    #[error(
        "it has schema {found}, this program reads up to {SCHEMA}; use the version that wrote it"
    )]
    Schema {
        /// Version of the stream's schema.
        found: u32,
    },
}
