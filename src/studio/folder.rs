//! The studio's folder below `.runner/`: what need not stay in memory. It goes when the studio ends; what a killed one left
//! goes at the next start.

use std::fs::File;

use camino::{Utf8Path, Utf8PathBuf};

/// Below the project's root.
const FOLDERS: &str = ".runner/studio";

/// The folder of this studio. Dropping it removes it.
#[derive(Debug)]
pub(super) struct StudioFolder {
    path: Utf8PathBuf,
    lock: Utf8PathBuf,
    /// Locked as long as the program lives, however it ends.
    _locked: File,
}

impl StudioFolder {
    /// Makes it, and removes those whose programs are gone.
    ///
    /// # Errors
    /// The file system's.
    pub(super) fn open(root: &Utf8Path) -> std::io::Result<Self> {
        let folders = root.join(FOLDERS);
        make_own(&folders)?;
        sweep(&folders)?;
        let begun = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
        let name = format!("{}-{}", std::process::id(), begun.as_nanos());
        let lock = folders.join(format!("{name}.lock"));
        let locked = File::create_new(&lock)?;
        locked.try_lock()?;
        let path = folders.join(name);
        make_own(&path)?;
        Ok(Self {
            path,
            lock,
            _locked: locked,
        })
    }

    /// Where it is, absolute.
    pub(super) fn path(&self) -> &Utf8Path {
        &self.path
    }
}

impl Drop for StudioFolder {
    fn drop(&mut self) {
        // What stays is removed at the next start.
        if fs_err::remove_dir_all(&self.path).is_ok() {
            let _ = fs_err::remove_file(&self.lock);
        }
    }
}

/// What it holds is nobody else's: screens as they were shown.
fn make_own(path: &Utf8Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path)
}

/// Removes the folders of studios that are gone: nobody holds their locks.
fn sweep(folders: &Utf8Path) -> std::io::Result<()> {
    for entry in folders.read_dir_utf8()? {
        let lock = entry?.into_path();
        if lock.extension() != Some("lock") {
            continue;
        }
        let is_gone = File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
        // One that cannot be removed now is tried again at the next start.
        if is_gone && is_removed(&lock.with_extension("")) {
            let _ = fs_err::remove_file(&lock);
        }
    }
    Ok(())
}

fn is_removed(folder: &Utf8Path) -> bool {
    let gone = std::io::ErrorKind::NotFound;
    fs_err::remove_dir_all(folder).is_ok()
        || fs_err::symlink_metadata(folder).is_err_and(|error| error.kind() == gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_studio_left_goes_and_what_a_living_one_has_stays() {
        let root = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(root.path()).unwrap();
        let first = StudioFolder::open(root).unwrap();
        fs_err::write(first.path().join("a.jpg"), "a").unwrap();
        let folders = root.join(FOLDERS);
        // As a kill leaves it: a lock that nobody holds.
        fs_err::create_dir_all(folders.join("7-7/trace")).unwrap();
        fs_err::write(folders.join("7-7.lock"), "").unwrap();
        fs_err::write(folders.join("7-7/trace/a"), "").unwrap();
        fs_err::write(folders.join("8-8.lock"), "").unwrap();
        let second = StudioFolder::open(root).unwrap();
        assert!(first.path().join("a.jpg").is_file() && second.path().is_dir());
        assert!(!folders.join("7-7").exists() && !folders.join("7-7.lock").exists());
        assert!(!folders.join("8-8.lock").exists());
        drop((first, second));
        assert_eq!(fs_err::read_dir(&folders).unwrap().count(), 0);
    }
}
