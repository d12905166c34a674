//! Checks ZIP archives of unknown origin, as a whole and entry by entry, before anything is unpacked.

use std::io::{Read, Seek};

use zip::ZipArchive;
use zip::result::ZipError;

/// Reason to refuse a whole archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The file is no ZIP archive, or a damaged one.
    #[error("it cannot be read as a ZIP archive: {0}")]
    Zip(#[from] ZipError),
    /// The archive has more entries than the caller allows; holds that limit.
    #[error("it holds more than {0} files")]
    TooMany(usize),
    /// Two entries have one name; programs differ in which of the two they unpack.
    #[error("it holds two files of the same name")]
    Duplicates,
    /// Entries share compressed bytes, so that a small archive unpacks to a huge one.
    #[error("its files share bytes, as in an archive made to fill a disk")]
    Overlapping,
}

/// Reason to refuse one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// The entry is a symbolic link, which may lead out of the folder that is unpacked to.
    #[error("a link")]
    Link,
    #[error("it is encrypted")]
    Encrypted,
    /// The name is not UTF-8, so systems read it differently.
    #[error("its name is not UTF-8 text")]
    Name,
}

/// Header of an entry, as the archive's list of files gives it.
#[derive(Debug)]
pub struct EntryHeader {
    /// Name of the entry; bytes that are not UTF-8 are replaced by U+FFFD.
    pub name: String,
    pub is_folder: bool,
    /// Compressed size in bytes.
    pub packed: u64,
    /// Reason to refuse the entry, if there is one.
    pub error: Option<EntryError>,
}

/// Opens an archive of at most `max_entries` entries.
///
/// # Errors
/// Returns an [`ArchiveError`] if it is no archive, has more entries, two of the same name, or ones that
/// overlap: nothing may be unpacked from it then.
pub fn open<R: Read + Seek>(file: R, max_entries: usize) -> Result<ZipArchive<R>, ArchiveError> {
    let mut archive = ZipArchive::new(file)?;
    if archive.len() > max_entries {
        return Err(ArchiveError::TooMany(max_entries));
    }
    if archive.has_duplicate_names() {
        return Err(ArchiveError::Duplicates);
    }
    if archive.has_overlapping_files()? {
        return Err(ArchiveError::Overlapping);
    }
    Ok(archive)
}

/// Reads the header of the entry `index`, without opening its content. An entry that may not be unpacked (a
/// link, encrypted, a name that is not UTF-8) is no error here; its `error` says why.
///
/// # Errors
/// Returns an error if there is no such entry, or the archive's list of files is broken.
pub fn header<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
) -> Result<EntryHeader, ZipError> {
    // Raw, as opening an encrypted entry fails, and the other entries may still be unpacked.
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
