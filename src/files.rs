//! Writing files so that a reader finds the old bytes or the new ones, never half of them; and where they may stand.

use std::io::Write as _;

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Writes `bytes` to a temporary name beside `path` and renames.
///
/// It does not wait for the disk: reports and artifacts can be made again. Goldens cannot, and are written by
/// `snapshot`, which syncs.
///
/// # Errors
/// The file system's.
pub fn write_atomic(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_str().is_empty() => folder,
        _ => Utf8Path::new("."),
    };
    fs_err::create_dir_all(folder)?;
    // Beside it, because a rename does not lead to another file system.
    let mut file = temporary_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// XXH3-64 of a file's bytes, 16 hex digits: tells whether it is still the file that was written.
pub fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}

/// The path without its root, its prefix, `.` and `..`: joined to a folder, it stays below it.
pub fn normal_parts(path: &Utf8Path) -> Utf8PathBuf {
    let normal = |part: &Utf8Component<'_>| matches!(part, Utf8Component::Normal(_));
    path.components().filter(normal).collect()
}

/// A file of a temporary name in `folder`, as readable as any other file of the project: what the umask leaves of 0644.
///
/// # Errors
/// The file system's.
pub(crate) fn temporary_in(folder: &Utf8Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_parts_stay_below() {
        for (path, below) in [
            ("/a/b", "a/b"),
            ("../a", "a"),
            ("a/./../b", "a/b"),
            ("a", "a"),
        ] {
            assert_eq!(normal_parts(Utf8Path::new(path)), below);
        }
    }

    #[test]
    fn replaces_a_file_and_leaves_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path())
            .unwrap()
            .join("sub/a.txt");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
    }
}
