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
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    make_readable(&file)?;
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

/// Temporary files are private; what takes their place is as readable as any other file of the project.
#[cfg(unix)]
fn make_readable(file: &tempfile::NamedTempFile) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "twin of the Unix function")]
fn make_readable(_: &tempfile::NamedTempFile) -> std::io::Result<()> {
    Ok(())
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
