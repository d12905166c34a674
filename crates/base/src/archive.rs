//! ZIP archives of unknown origin: what is checked of the whole and of an entry's header before anything is taken out.

use std::io::{Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

/// Why nothing may be taken from an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is not an archive, or a damaged one.
    #[error("it cannot be read as a ZIP archive: {0}")]
    Zip(#[from] ZipError),
    /// It has more entries than the caller takes.
    #[error("it holds more than {0} files")]
    TooMany(usize),
    /// Each reader might take the other one.
    #[error("it holds two files of the same name")]
    Duplicates,
    /// A small archive that unpacks to a huge one.
    #[error("its files share bytes, as in an archive made to fill a disk")]
    Overlapping,
}

/// Why an entry may not be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// It points to another file.
    #[error("a link")]
    Link,
    /// Nobody has its password.
    #[error("it is encrypted")]
    Encrypted,
    /// Systems read such a name differently.
    #[error("its name is not UTF-8 text")]
    Name,
}

/// What the header of an entry says.
#[derive(Debug)]
pub struct EntryHeader {
    /// Its name; what is not UTF-8 text is replaced.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Bytes that it takes in the archive.
    pub packed: u64,
    /// Why it may not be taken.
    pub error: Option<EntryError>,
}

/// Opens an archive of at most so many entries.
///
/// # Errors
/// [`ArchiveError`]: nothing may be taken from it.
pub fn open<R: Read + Seek>(file: R, most: usize) -> Result<ZipArchive<R>, ArchiveError> {
    let mut archive = ZipArchive::new(file)?;
    if archive.len() > most {
        return Err(ArchiveError::TooMany(most));
    }
    if archive.has_duplicate_names() {
        return Err(ArchiveError::Duplicates);
    }
    if archive.has_overlapping_files()? {
        return Err(ArchiveError::Overlapping);
    }
    Ok(archive)
}

/// Reads the header of an entry.
///
/// # Errors
/// The archive's list of files is broken.
pub fn header<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
) -> Result<EntryHeader, ZipError> {
    // Raw: to open an entry fails where it is encrypted, and the others may still be taken.
    let raw = archive.by_index_raw(index)?;
    let error = if raw.is_symlink() {
        Some(EntryError::Link)
    } else if raw.encrypted() {
        Some(EntryError::Encrypted)
    } else if std::str::from_utf8(raw.name_raw()).is_err() {
        Some(EntryError::Name)
    } else {
        None
    };
    Ok(EntryHeader {
        name: String::from_utf8_lossy(raw.name_raw()).into_owned(),
        is_folder: raw.is_dir(),
        packed: raw.compressed_size(),
        error,
    })
}
