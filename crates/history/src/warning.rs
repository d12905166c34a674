//! What is wrong with a history, said by the file's name. It never ends anything.

use camino::Utf8PathBuf;

use super::format::VERSION;

/// A file that cannot be used, or not whole.
#[derive(Debug, thiserror::Error)]
#[error("history: {path}: {trouble}")]
pub struct HistoryWarning {
    /// The file or folder.
    pub path: Utf8PathBuf,
    /// What is wrong with it.
    pub trouble: Trouble,
}

/// What is wrong with a file of the history.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// The system does not give it.
    #[error("it cannot be read: {0}")]
    Unreadable(std::io::Error),
    /// The system does not take it.
    #[error("it cannot be written: {0}; this run is not in the history")]
    Unwritable(std::io::Error),
    /// A line that does not read.
    #[error("line {line} is damaged and is left out{}", and_others(.others))]
    Damaged {
        /// The first such line, from 1.
        line: usize,
        /// How many more there are.
        others: usize,
    },
    /// A later program wrote it.
    #[error("it has format {found}, this program reads up to {VERSION}; it is passed over")]
    Newer {
        /// Its number.
        found: u32,
    },
    /// It does not begin as a run's file does.
    #[error("not a history file; ignored")]
    Foreign,
    /// It is larger than any run's file.
    #[error("it has more than {} MiB and is passed over", .most / (1024 * 1024))]
    TooLarge {
        /// The most it may have, in bytes.
        most: u64,
    },
    /// All runs together hold more than fits.
    #[error(
        "the history holds more than {most} results; what is older than this run is passed over"
    )]
    TooMany {
        /// The most that are read.
        most: usize,
    },
}

fn and_others(number: &usize) -> String {
    match number {
        0 => String::new(),
        1 => ", and another one".to_owned(),
        more => format!(", and {more} others"),
    }
}
