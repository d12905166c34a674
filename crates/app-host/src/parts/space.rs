//! Free space of a disk.

use camino::Utf8Path;

/// Returns the bytes that this user may still write where `folder` is, or will be; `None` if the system does
/// not say.
#[cfg(unix)]
pub(super) fn free(folder: &Utf8Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.is_dir())?;
    let about = rustix::fs::statvfs(there.as_std_path()).ok()?;
    about.f_bavail.checked_mul(about.f_frsize)
}

#[cfg(not(unix))]
pub(super) fn free(_: &Utf8Path) -> Option<u64> {
    None
}
