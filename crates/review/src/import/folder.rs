//! Lists the proposals in a folder of artifacts.

use camino::Utf8Path;

use super::proposals::{EntryKind, FileLocation, FoundProposals, MAX_ENTRIES, classify};
use crate::ReviewError;

/// Lists the proposals and the evidence in the folder, at any depth; it may be that of proposals itself or that of
/// one device in it. Other files are ignored, and contents are not read. Links are not followed: one in the place of
/// a proposal is refused, other links are ignored. Returns an error if the folder or one in it cannot be read, or it
/// has more than `MAX_ENTRIES` files and folders.
pub(super) fn list(folder: &Utf8Path) -> Result<FoundProposals, ReviewError> {
    let fail = |why: String| ReviewError::Usage(format!("nothing was taken from {folder}: {why}"));
    // The given folder may be that of proposals itself, or that of one device in it.
    let real = folder.canonicalize_utf8()?;
    let base = real
        .ancestors()
        .find(|part| part.file_name() == Some(runner_run::PROPOSED_GOLDENS))
        .and_then(Utf8Path::parent)
        .unwrap_or(&real);
    let mut found = FoundProposals::default();
    for (count, entry) in walkdir::WalkDir::new(&real)
        .sort_by_file_name()
        .into_iter()
        .enumerate()
    {
        if count > MAX_ENTRIES {
            return Err(fail(format!("it holds more than {MAX_ENTRIES} files")));
        }
        let entry = entry.map_err(|error| fail(error.to_string()))?;
        let Some(real_path) = Utf8Path::from_path(entry.path()).map(Utf8Path::to_owned) else {
            if entry.file_type().is_file() {
                found.refuse(&entry.path().to_string_lossy(), "its name is not Unicode");
            }
            continue;
        };
        let Ok(below) = real_path.strip_prefix(base) else {
            continue;
        };
        let given = below.as_str().replace(std::path::MAIN_SEPARATOR, "/");
        let (device, path) = match classify(&given) {
            EntryKind::Proposed { device, path } => (device, path),
            EntryKind::Evidence if entry.file_type().is_file() => {
                found.list_evidence(&given, FileLocation::File(real_path));
                continue;
            }
            _ => continue,
        };
        if entry.path_is_symlink() {
            found.refuse(&given, "a link");
        } else if entry.file_type().is_file() {
            found.list(&given, (device, &path), FileLocation::File(real_path));
        }
    }
    Ok(found)
}
