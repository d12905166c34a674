//! Finds files of goldens that Git LFS did not download.

use camino::Utf8PathBuf;

use super::SnapshotError;
use super::folder::GoldenFolder;
use runner_git::Pointer;

/// Number of bytes that are read of a file. Git LFS requires pointers to be shorter (`docs/spec.md` of its
/// repository), so a file of this length is none.
const HEAD: usize = 1024;

/// Returns the pointers of Git LFS among the files of all goldens, by their paths below the root. Pending
/// files are not searched.
pub(super) fn all(folder: &GoldenFolder) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
    let mut found = Vec::new();
    for (key, kind, is_pending) in folder.files()? {
        if is_pending {
            continue;
        }
        let path = folder.path(&key, kind, false);
        let head = folder.disk.read_head(&path, HEAD)?;
        if head.as_deref().and_then(Pointer::read).is_some() {
            found.push(path);
        }
    }
    Ok(found)
}
