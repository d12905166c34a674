//! Proposals in a ZIP archive.

use std::io::{Read, Seek};

use camino::Utf8Path;
use zip::ZipArchive;
use zip::result::ZipError;

use super::found::{FileLocation, FoundProposals, MAX_ENTRIES, Name, name};
use crate::review::ReviewError;

/// An archive that is read entry by entry.
pub(super) type Archive = ZipArchive<fs_err::File>;

/// Lists what is in the archive.
pub(super) fn list(path: &Utf8Path) -> Result<(Archive, FoundProposals), ReviewError> {
    let file = fs_err::File::open(path)?;
    list_of(file).map_err(|why| ReviewError::Usage(format!("nothing was taken from {path}: {why}")))
}

/// Lists what is in an archive.
///
/// # Errors
/// Why nothing may be taken from it.
fn list_of<R: Read + Seek>(file: R) -> Result<(ZipArchive<R>, FoundProposals), String> {
    let unreadable = |error: ZipError| format!("it cannot be read as a ZIP archive: {error}");
    let mut archive = ZipArchive::new(file).map_err(unreadable)?;
    if archive.len() > MAX_ENTRIES {
        return Err(format!("it holds more than {MAX_ENTRIES} files"));
    }
    // Each reader might take the other one.
    if archive.has_duplicate_names() {
        return Err("it holds two files of the same name".to_owned());
    }
    if archive.has_overlapping_files().map_err(unreadable)? {
        return Err("its files share bytes, as in an archive made to fill a disk".to_owned());
    }
    let mut found = FoundProposals::default();
    for index in 0..archive.len() {
        entry(&mut archive, index, &mut found)?;
    }
    Ok((archive, found))
}

fn entry(
    archive: &mut ZipArchive<impl Read + Seek>,
    index: usize,
    found: &mut FoundProposals,
) -> Result<(), String> {
    let raw = archive
        // Raw: to open an entry fails where it is encrypted, and the others may still be taken.
        .by_index_raw(index)
        .map_err(|error| format!("its list of files is broken: {error}"))?;
    let given = String::from_utf8_lossy(raw.name_raw()).into_owned();
    let is_utf8 = std::str::from_utf8(raw.name_raw()).is_ok();
    let (is_link, is_encrypted, packed) =
        (raw.is_symlink(), raw.encrypted(), raw.compressed_size());
    drop(raw);
    let (device, path) = match name(&given) {
        Name::Other => return Ok(()),
        Name::Hostile(why) => {
            found.refuse(&given, why);
            return Ok(());
        }
        Name::Proposed { device, path } => (device, path),
    };
    let why = if is_link {
        Some("a link")
    } else if is_encrypted {
        Some("it is encrypted")
    } else if !is_utf8 {
        Some("its name is no UTF-8 text")
    } else {
        None
    };
    if let Some(why) = why {
        found.refuse(&given, why);
        return Ok(());
    }
    found.list(
        &given,
        (device, &path),
        FileLocation::Entry { index, packed },
    );
    Ok(())
}
