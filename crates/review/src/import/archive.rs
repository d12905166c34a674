//! Lists the proposals in a ZIP archive.

use std::io::{Read, Seek};

use camino::Utf8Path;
use zip::ZipArchive;

use super::proposals::{EntryKind, FileLocation, FoundProposals, MAX_ENTRIES, classify};
use crate::ReviewError;
use runner_base::archive::{ArchiveError, header, open};
use runner_text::input_file::{MAX_SENT, open_regular};
use std::fs::File;

/// Archive that is read entry by entry.
pub(super) type Archive = ZipArchive<File>;

/// Reason why an archive cannot be listed.
#[derive(Debug, thiserror::Error)]
enum ListError {
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("its list of files is broken: {0}")]
    Entry(#[from] zip::result::ZipError),
}

/// Lists the proposals in an archive file. Returns an error if it is no regular file, too large or no ZIP
/// archive that can be read.
pub(super) fn list(path: &Utf8Path) -> Result<(Archive, FoundProposals), ReviewError> {
    let file = open_regular(path, MAX_SENT).map_err(std::io::Error::from)?;
    list_reader(file)
        .map_err(|why| ReviewError::Usage(format!("nothing was taken from {path}: {why}")))
}

/// Lists the proposals in an archive. Entries with a bad name are refused, all other files are ignored. Contents are
/// not read. Returns an error if it is no ZIP archive, has more than `MAX_ENTRIES` entries or a header cannot be
/// read.
fn list_reader<R: Read + Seek>(file: R) -> Result<(ZipArchive<R>, FoundProposals), ListError> {
    let mut archive = open(file, MAX_ENTRIES)?;
    let mut found = FoundProposals::default();
    for index in 0..archive.len() {
        entry(&mut archive, index, &mut found)?;
    }
    Ok((archive, found))
}

/// Notes the entry at `index` in `found` if it is a proposal or evidence. A hostile or damaged one is refused there
/// with its reason; other files are ignored. Fails only if the header cannot be read.
fn entry(
    archive: &mut ZipArchive<impl Read + Seek>,
    index: usize,
    found: &mut FoundProposals,
) -> Result<(), ListError> {
    let header = header(archive, index)?;
    let (given, packed) = (header.name, header.packed);
    let (device, path) = match classify(&given) {
        EntryKind::Other => return Ok(()),
        EntryKind::Hostile(why) => {
            found.refuse(&given, why);
            return Ok(());
        }
        EntryKind::Evidence => {
            match header.error {
                Some(error) => found.refuse(&given, error.to_string()),
                None => found.list_evidence(&given, FileLocation::Entry { index, packed }),
            }
            return Ok(());
        }
        EntryKind::Proposed { device, path } => (device, path),
    };
    if let Some(error) = header.error {
        found.refuse(&given, error.to_string());
        return Ok(());
    }
    found.list(
        &given,
        (device, &path),
        FileLocation::Entry { index, packed },
    );
    Ok(())
}
