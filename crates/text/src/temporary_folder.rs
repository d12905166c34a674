//! Temporary folders that are removed with their process, however it ends. A killed process leaves its
//! folder, and the next process that makes one beside it removes it. A locked file in the folder shows that
//! its process lives; a process number could belong to another process by then.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::input_file::open_regular;
use camino::{Utf8Path, Utf8PathBuf};

/// Prefix of the folders' names.
const PREFIX: &str = "runner-";
/// Name of the lock file. The living process holds a lock on it.
const LOCK: &str = ".held";
/// Subfolder for the contents, so that the lock file is not among them.
const CONTENTS: &str = "files";

/// Folder that only this user can read. Dropping it removes it with all that is in it; an error is ignored.
#[derive(Debug)]
pub struct TemporaryFolder {
    full_path: Utf8PathBuf,
    contents: Utf8PathBuf,
    /// Lock file, locked as long as the process lives.
    _guard: File,
}

impl TemporaryFolder {
    /// Makes a folder in the system's temporary folder, like [`Self::below`].
    ///
    /// # Errors
    /// Errors of the file system, and a path that is not Unicode.
    pub fn new() -> io::Result<Self> {
        let folder = Utf8PathBuf::from_path_buf(std::env::temp_dir());
        let no_text = |path: std::path::PathBuf| {
            io::Error::other(format!("{} is not valid Unicode", path.display()))
        };
        Self::below(&folder.map_err(no_text)?)
    }

    /// Makes a folder for this user only in `parent`, which is created if it is missing. Also removes the
    /// folders of this module there whose processes have ended; those that cannot be removed are left.
    ///
    /// # Errors
    /// Errors of the file system for the new folder.
    pub fn below(parent: &Utf8Path) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        fs_err::create_dir_all(parent)?;
        let began = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let whole = parent.join(format!(
            "{PREFIX}{}-{:x}-{}",
            std::process::id(),
            began.as_nanos(),
            NUMBER.fetch_add(1, Ordering::Relaxed)
        ));
        make_own(&whole)?;
        let held = lock_folder(&whole).and_then(|held| {
            make_own(&whole.join(CONTENTS))?;
            Ok(held)
        });
        let held = held.inspect_err(|_| {
            let _ = fs_err::remove_dir_all(&whole);
        })?;
        // A leftover of another process that cannot be removed is no reason to fail.
        let _ = sweep(parent, &whole);
        Ok(Self {
            contents: whole.join(CONTENTS),
            full_path: whole,
            _guard: held,
        })
    }

    /// Returns the folder for the contents.
    pub fn path(&self) -> &Utf8Path {
        &self.contents
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // The next sweep removes it if this fails.
        let _ = fs_err::remove_dir_all(&self.full_path);
    }
}

/// Creates a folder with access for this user only (on Unix). Fails if it exists or its parent does not. Elsewhere
/// it has the usual access.
fn make_own(path: &Utf8Path) -> io::Result<()> {
    let builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::DirBuilderExt as _;
        let mut builder = builder;
        builder.mode(0o700);
        builder
    };
    builder.create(path)
}

/// Creates and locks the lock file of a new folder; the lock lasts as long as the returned file is open. The
/// file gets its name only after it is locked, so that no [`sweep`] removes the folder in between.
fn lock_folder(folder: &Utf8Path) -> io::Result<File> {
    let begun = folder.join(format!("{LOCK}.new"));
    let file = File::create_new(&begun)?;
    file.try_lock()?;
    fs_err::rename(&begun, folder.join(LOCK))?;
    Ok(file)
}

/// Removes the folders of this module in `parent` that no process has locked and that belong to the owner of
/// `own`. `own` itself and folders without a lock file stay. Fails only if `own` or `parent` cannot be read.
fn sweep(parent: &Utf8Path, own: &Utf8Path) -> io::Result<()> {
    let mine = fs_err::symlink_metadata(own)?;
    for entry in parent.read_dir_utf8()? {
        let Ok(entry) = entry else { continue };
        let path = entry.path();
        if path == own || !entry.file_name().starts_with(PREFIX) {
            continue;
        }
        let is_mine = fs_err::symlink_metadata(path)
            .is_ok_and(|about| about.is_dir() && is_same_user(&about, &mine));
        // Without a lock file it is no folder of this module, or one that is just being made.
        let lock = if is_mine {
            open_regular(path.join(LOCK), u64::MAX).ok()
        } else {
            None
        };
        // Locked during the removal, so that two sweeps do not collide. A later sweep tries again if this fails.
        if let Some(lock) = lock
            && lock.try_lock().is_ok()
        {
            remove(path);
        }
    }
    Ok(())
}

/// Removes a folder, its lock file last, so that an interrupted removal is continued by the next sweep. Errors are
/// ignored.
fn remove(folder: &Utf8Path) {
    let contents = folder.join(CONTENTS);
    if fs_err::remove_dir_all(&contents).is_ok() || !contents.exists() {
        let _ = fs_err::remove_dir_all(folder);
    }
}

#[cfg(unix)]
fn is_same_user(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    one.uid() == other.uid()
}

#[cfg(not(unix))]
fn is_same_user(_: &std::fs::Metadata, _: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v17_what_a_killed_process_left_goes_and_what_a_living_one_has_stays() {
        let parent = tempfile::tempdir().unwrap();
        let parent = Utf8Path::from_path(parent.path()).unwrap();
        let first = TemporaryFolder::below(parent).unwrap();
        fs_err::write(first.path().join("a.jpg"), "a").unwrap();
        // As a kill leaves it: a lock that nobody holds. The number in its name is that of a process that lives.
        let left = parent.join(format!("{PREFIX}{}-7", std::process::id()));
        fs_err::create_dir_all(left.join("files/deep")).unwrap();
        fs_err::write(left.join("files/deep/a"), "").unwrap();
        fs_err::write(left.join(LOCK), "").unwrap();
        // Not made here, or just being made.
        let others = ["runner-others", "mine"].map(|name| parent.join(name));
        for other in &others {
            fs_err::create_dir(other).unwrap();
        }
        fs_err::write(others[1].join(LOCK), "").unwrap();
        let second = TemporaryFolder::below(parent).unwrap();
        assert!(first.path().join("a.jpg").is_file() && second.path().is_dir());
        assert!(!left.exists());
        assert!(others.iter().all(|other| other.is_dir()));
        drop((first, second));
        assert_eq!(fs_err::read_dir(parent).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn v17_a_link_is_not_followed_and_nobody_else_may_look() {
        use std::os::unix::fs::PermissionsExt as _;

        let parent = tempfile::tempdir().unwrap();
        let other_place = tempfile::tempdir().unwrap();
        let parent = Utf8Path::from_path(parent.path()).unwrap();
        let elsewhere = Utf8Path::from_path(other_place.path()).unwrap();
        fs_err::write(elsewhere.join(LOCK), "").unwrap();
        fs_err::write(elsewhere.join("precious"), "").unwrap();
        fs_err::os::unix::fs::symlink(elsewhere, parent.join("runner-1-1-1")).unwrap();
        let own = TemporaryFolder::below(parent).unwrap();
        assert!(elsewhere.join("precious").is_file());
        let mode = fs_err::metadata(own.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
