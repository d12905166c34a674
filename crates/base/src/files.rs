//! Writes files in one step: a reader finds the old bytes or the new ones, never a part. Also resolves and
//! cleans paths.
//!
//! [`crate::output_file`] asks first whether what a person names may be replaced.

#![cfg_attr(
    not(test),
    expect(
        clippy::disallowed_methods,
        reason = "this is the module that writes what a project or a person names"
    )
)]

use std::io::{Error, ErrorKind, Write as _};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};

/// Writes `bytes` to a temporary file beside `path` and renames it, so that a reader finds the old or the new content
/// whole. Creates missing folders. A link at `path` is replaced, and the permissions of an old file are not kept.
///
/// It does not sync to disk: reports and artifacts can be made again. Goldens cannot, and are written by
/// `runner-snapshot`, which syncs; neither can flows, see [`write_durable`].
///
/// # Errors
/// Returns the file system's error.
pub fn write_atomic(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = temporary_sibling(path, bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes bytes as [`write_atomic`] does, but replaces no file: see [`unused`]. Returns the path it took. Two
/// writers of the same name at the same time may still replace each other's file.
///
/// # Errors
/// Returns the file system's error.
pub fn write_beside(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<Utf8PathBuf> {
    let path = unused(path);
    write_atomic(&path, bytes)?;
    Ok(path)
}

/// Returns the path, or if something of that name is there, the first of `NAME-2`, `NAME-3`, … that is not. The
/// number stands before all extensions: `home-2.actual.png`. A link that leads nowhere is something too. Nothing is
/// created.
pub fn unused(path: &Utf8Path) -> Utf8PathBuf {
    let name = path.file_name().unwrap_or_default();
    // A dot in front begins a name, no extension.
    let end = name
        .char_indices()
        .skip(1)
        .find_map(|(at, letter)| (letter == '.').then_some(at))
        .unwrap_or(name.len());
    let (stem, extensions) = name.split_at(end);
    let mut free = path.to_owned();
    let mut number = 2_u64;
    // A link that leads nowhere is there too.
    while free.symlink_metadata().is_ok() {
        free.set_file_name(format!("{stem}-{number}{extensions}"));
        number += 1;
    }
    free
}

/// Creates or truncates a file that is written piece by piece. A pipe of that name is opened, which waits without limit
/// for its reader. A link is followed; the folder must exist.
///
/// # Errors
/// Returns the file system's error.
pub fn create(path: &Utf8Path) -> std::io::Result<std::fs::File> {
    std::fs::File::create(path)
}

/// Opens an existing pipe or device for writing. A pipe waits without limit for its reader. A regular file is not
/// truncated.
///
/// # Errors
/// Returns the file system's error.
pub fn open_stream(path: &Utf8Path) -> std::io::Result<std::fs::File> {
    std::fs::OpenOptions::new().write(true).open(path)
}

/// Resolves links in the part of the path that exists, and appends the rest. A link to a missing file resolves to that
/// file; of several such links in a row only the first is followed. `..` behind a missing folder takes that folder
/// away. Never fails: what cannot be resolved stays as it is. A relative path of which no part exists stays relative.
pub fn real_path(path: &Utf8Path) -> Utf8PathBuf {
    if let Ok(real) = path.canonicalize_utf8() {
        return real;
    }
    // A link to a missing file: the file will be made at its target.
    if let Ok(target) = path.read_link_utf8() {
        let target = path
            .parent()
            .map_or_else(|| target.clone(), |folder| folder.join(&target));
        return match target.parent().map(Utf8Path::canonicalize_utf8) {
            Some(Ok(folder)) => folder.join(target.file_name().unwrap_or_default()),
            _ => target,
        };
    }
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => real_path(folder).join(name),
        (Some(folder), None) if path.ends_with("..") => {
            let folder = real_path(folder);
            folder.parent().unwrap_or(&folder).to_owned()
        }
        _ => path.to_owned(),
    }
}

/// Opens a file for appending, and creates it if it is missing. The folder must exist; a link is followed. Other
/// processes may append too.
///
/// # Errors
/// Returns the file system's error.
pub fn append(path: &Utf8Path) -> std::io::Result<std::fs::File> {
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
}

/// Replaces a file that a person wrote, or creates it. Follows a link, keeps the file's permissions, and syncs to
/// disk before the rename, as nobody can make the content again. Creates missing folders. After a failure the old
/// file is as it was.
///
/// # Errors
/// Returns the file system's error; `NotFound` if `path` is a link to a missing file.
pub fn write_durable(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let real = match path.canonicalize_utf8() {
        Ok(real) => real,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Err(_) if path.is_symlink() => {
            let why = format!("{path} is a link to a file that is not there; put the file there");
            return Err(Error::new(ErrorKind::NotFound, why));
        }
        Err(_) => path.to_owned(),
    };
    let file = synced_sibling(&real, bytes)?;
    if let Ok(about) = fs_err::metadata(&real) {
        file.as_file().set_permissions(about.permissions())?;
    }
    file.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

/// Replaces several existing files, each synced to disk before its rename and with its permissions: all or none. If
/// one rename fails, the files before it get their old content back. Unlike [`write_durable`] it does not follow
/// links: a link is replaced by a file. Nothing is replaced before all are written beside.
///
/// # Errors
/// Returns the file system's error, also if a file is missing.
pub fn write_all_durable(files: &[(Utf8PathBuf, &[u8])]) -> std::io::Result<()> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        let file = synced_sibling(path, bytes)?;
        file.as_file()
            .set_permissions(fs_err::metadata(path)?.permissions())?;
        staged.push((path, fs_err::read(path)?, file));
    }
    let mut written: Vec<(&Utf8PathBuf, Vec<u8>)> = Vec::new();
    for (path, before, file) in staged {
        if let Err(error) = file.persist(path) {
            return Err(restore(&written, error.error));
        }
        written.push((path, before));
    }
    Ok(())
}

/// Writes the old content of all files back, also if some of them fail. Returns `error`, which then names
/// those.
fn restore(written: &[(&Utf8PathBuf, Vec<u8>)], error: Error) -> Error {
    let failed = written.iter().filter_map(|(path, before)| {
        let why = write_durable(path, before).err()?;
        Some(format!("{path} has the new content ({why})"))
    });
    let failed: Vec<String> = failed.collect();
    if failed.is_empty() {
        return error;
    }
    let failed = failed.join("; ");
    let why = format!("{error}; {failed}; restore it from version control");
    Error::new(error.kind(), why)
}

/// Writes a file, synced to disk, if nothing has its name yet. Creates missing folders.
///
/// # Errors
/// Returns the file system's error; `AlreadyExists` if something has the name.
pub fn write_new(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = synced_sibling(path, bytes)?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a temporary file beside `path` and syncs it to disk.
fn synced_sibling(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
    let file = temporary_sibling(path, bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Writes a temporary file in the folder of `path`, as a rename cannot cross file systems. Creates missing
/// folders. The file is removed when it is dropped.
fn temporary_sibling(path: &Utf8Path, bytes: &[u8]) -> std::io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_str().is_empty() => folder,
        _ => Utf8Path::new("."),
    };
    fs_err::create_dir_all(folder)?;
    let mut file = temporary_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Returns the XXH3-64 hash of the bytes as 16 hex digits, to notice that a file was changed since it was
/// written.
pub fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(bytes))
}

/// Removes the root, the prefix, `.` and `..` from a path, so that joined to a folder it stays below it. A `..`
/// takes nothing else away: `a/../b` becomes `a/b`. The result may be empty.
pub fn normal_parts(path: &Utf8Path) -> Utf8PathBuf {
    let normal = |part: &Utf8Component<'_>| matches!(part, Utf8Component::Normal(_));
    path.components().filter(normal).collect()
}

/// Creates a temporary file in the existing `folder` with mode 0644 less the umask. The default of `tempfile`
/// is 0600, which others could not read. The file is removed when it is dropped.
///
/// # Errors
/// Returns the file system's error.
pub fn temporary_in(folder: &Utf8Path) -> std::io::Result<tempfile::NamedTempFile> {
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
    fn two_dots_take_a_missing_folder_away() {
        let folder = tempfile::tempdir().unwrap();
        let folder = real_path(Utf8Path::from_path(folder.path()).unwrap());
        for (path, real) in [
            ("a", "a"),
            ("none/..", ""),
            ("none/../a", "a"),
            ("none/b/../../a", "a"),
            ("none/../../a", "../a"),
        ] {
            let above = folder.parent().unwrap();
            let expected = match real.strip_prefix("../") {
                Some(rest) => above.join(rest),
                None => folder.join(real),
            };
            assert_eq!(real_path(&folder.join(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let names: Vec<String> = ["home.actual.png", "a/.env", "home-2.actual.png", "plain"]
            .into_iter()
            .flat_map(|name| [name, name])
            .map(|name| write_beside(&folder.join(name), b"x").unwrap())
            .map(|path| path.strip_prefix(folder).unwrap().to_string())
            .collect();
        assert_eq!(
            names,
            [
                "home.actual.png",
                "home-2.actual.png",
                "a/.env",
                "a/.env-2",
                "home-2-2.actual.png",
                "home-2-3.actual.png",
                "plain",
                "plain-2",
            ]
        );
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

    #[cfg(unix)]
    #[test]
    fn a_persons_file_keeps_its_link_and_its_mode() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let (real, link) = (folder.join("real.yaml"), folder.join("link.yaml"));
        std::fs::write(&real, "one").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real.yaml", &link).unwrap();
        write_durable(&link, b"two").unwrap();
        assert!(link.is_symlink(), "the link is a file now");
        assert_eq!(std::fs::read(&real).unwrap(), b"two");
        let mode = std::fs::metadata(&real).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        symlink("away.yaml", folder.join("none.yaml")).unwrap();
        let refused = write_durable(&folder.join("none.yaml"), b"x").unwrap_err();
        assert!(refused.to_string().contains("is a link"), "{refused}");
    }

    #[test]
    fn a_file_that_cannot_be_restored_does_not_keep_others_from_it() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let (lost, kept) = (folder.join("lost.yaml"), folder.join("kept.yaml"));
        // No file can be renamed over a folder.
        std::fs::create_dir(&lost).unwrap();
        std::fs::write(&kept, "new").unwrap();
        let why = || Error::other("the disk is full");
        let error = restore(&[(&lost, b"1".to_vec()), (&kept, b"2".to_vec())], why());
        assert_eq!(std::fs::read(&kept).unwrap(), b"2");
        let text = error.to_string();
        assert!(text.starts_with("the disk is full; "), "{text}");
        assert!(text.contains("lost.yaml") && !text.contains("kept.yaml"));
        let error = restore(&[(&kept, b"3".to_vec())], why());
        assert_eq!(error.to_string(), "the disk is full");
    }

    #[test]
    fn a_new_file_replaces_none() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let path = folder.join("flows/a.yaml");
        write_new(&path, b"one").unwrap();
        let refused = write_new(&path, b"two").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
    }
}
