//! State of the installed parts, in words.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartsState {
    Missing,
    /// Some parts are missing, or only the jar that is built from them; then `files` is empty.
    Partial {
        /// Missing files.
        files: Vec<&'static str>,
        /// Sum of their bytes.
        bytes: u64,
    },
    Damaged {
        /// Wrong files.
        files: Vec<&'static str>,
    },
    Complete,
}

impl std::fmt::Display for PartsState {
    /// Writes the state in words: with the number and size of missing files, or the names of damaged ones.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("they are not there"),
            Self::Partial { files, bytes } => {
                write!(
                    f,
                    "{} of them are not there ({})",
                    files.len(),
                    megabytes(*bytes)
                )
            }
            Self::Damaged { files } => write!(f, "damaged: {}", files.join(", ")),
            Self::Complete => f.write_str("all are there"),
        }
    }
}

/// Formats bytes in decimal units, rounded up, as disks are labelled: below a megabyte as `12 kB`, else as `400 MB`.
pub fn megabytes(bytes: u64) -> String {
    match bytes {
        ..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}
