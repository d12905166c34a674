//! Warnings about files of the history. They never end the program.

use camino::Utf8PathBuf;

use super::format::VERSION;

/// Problem with a file that cannot be read or written, or only in part.
#[derive(Debug, thiserror::Error)]
#[error("history: {path}: {problem}")]
pub struct HistoryWarning {
    /// The file or folder.
    pub path: Utf8PathBuf,
    pub problem: HistoryProblem,
}

#[derive(Debug, thiserror::Error)]
pub enum HistoryProblem {
    /// The system refused to read it.
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// The system refused to write it.
    #[error("it cannot be written: {0}; this run is not in the history")]
    Unwritable(std::io::Error),
    /// Lines do not parse. The other lines are used.
    #[error("line {line} is damaged and is left out{}", and_others(.others))]
    Damaged {
        /// Number of the first such line, from 1.
        line: usize,
        /// Number of further such lines.
        others: usize,
    },
    /// The file was written by a newer version of the program.
    #[error("it has format {found}, this program reads up to {VERSION}; it is passed over")]
    Newer {
        /// Version of the file's format.
        found: u32,
    },
    /// The file has another name than those of the history, or lines but no run.
    #[error("not a history file; ignored")]
    Foreign,
    #[error("it has more than {} MiB and is passed over", .max_bytes / (1024 * 1024))]
    TooLarge {
        /// Limit in bytes.
        max_bytes: u64,
    },
    /// All runs together have more results than the limit. The runs before this file are not read.
    #[error(
        "the history holds more than {max_results} results; what is older than this run is passed over"
    )]
    TooMany {
        /// Number of results that are read.
        max_results: usize,
    },
}

/// Returns the end of a sentence about that many others; empty for none.
fn and_others(number: &usize) -> String {
    match number {
        0 => String::new(),
        1 => ", and another one".to_owned(),
        more => format!(", and {more} others"),
    }
}
