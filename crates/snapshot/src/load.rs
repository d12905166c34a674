//! Loads a golden from its files.

use std::collections::BTreeMap;

use camino::Utf8Path;

use super::conflict_marker::is_conflict_marker;
use super::folder::{GoldenFolder, files};
use super::golden::{Golden, hash};
use super::run_log::RunLog;
use super::{FileKind, GoldenKey, SnapshotError};
use runner_device::Picture;
use runner_git::Pointer;

/// Loads the golden for `key`; a missing file is `None`, and no picture is decoded. Each file that the variant does not
/// have is that without variant. Without a class there are only the shared rows. With a `run`, files that only other
/// devices of it wrote or matched count as they were before the run, except for the hashes in [`Golden::against`].
///
/// # Errors
/// A file cannot be read, is a pointer of Git LFS, is not UTF-8 text, or holds both sides of a merge conflict. The rows
/// are not parsed.
pub(super) fn load(
    folder: &GoldenFolder,
    run: Option<&RunLog>,
    key: &GoldenKey,
) -> Result<Golden, SnapshotError> {
    let plain = key.without_variant();
    let read = |path: &Utf8Path| -> Result<_, SnapshotError> {
        let now = folder.disk.read(path)?;
        if now.as_deref().and_then(Pointer::read).is_some() {
            return Err(SnapshotError::LfsPointer(path.to_owned()));
        }
        Ok(match run {
            Some(run) => run.before(path, key, now),
            None => now,
        })
    };
    let mut compared = BTreeMap::new();
    let mut first = |own: GoldenKey, fallback: GoldenKey, kind| -> Result<_, SnapshotError> {
        let mut path = folder.path(&own, kind, false);
        let mut bytes = read(&path)?;
        if bytes.is_none() {
            path = folder.path(&fallback, kind, false);
            bytes = read(&path)?;
        }
        if let Some(bytes) = &bytes {
            compared.insert(own.file(kind, false), (path.clone(), hash(bytes)));
        }
        Ok((path, bytes))
    };
    let (shared_path, shared) = first(key.shared(), plain.shared(), FileKind::Rows)?;
    let mut golden = Golden {
        key: key.clone(),
        shared: text(&shared_path, shared)?,
        rows: None,
        picture: None,
        baseline: None,
        found: [shared_path.clone(), shared_path],
        compared: BTreeMap::new(),
        against: BTreeMap::new(),
    };
    if key.class().is_some() {
        let (path, rows) = first(key.clone(), plain.clone(), FileKind::Rows)?;
        golden.rows = text(&path, rows)?;
        golden.found[1] = path;
        let (_, picture) = first(key.clone(), plain, FileKind::Picture)?;
        golden.picture = picture.map(Picture::from_png);
    }
    golden.compared = compared;
    // The hashes are of the files that an update would write. A variant may have read others.
    for (key, kind) in files(key) {
        let hash = folder.disk.hash(&folder.path(&key, kind, false))?;
        golden.against.insert(key.file(kind, false), hash);
    }
    Ok(golden)
}

/// Turns bytes into text; `None` stays `None`. Fails with [`SnapshotError::BrokenGolden`] if they are not UTF-8, and
/// at the first line of a merge conflict. Rows are not parsed.
pub(super) fn text(
    path: &Utf8Path,
    bytes: Option<Vec<u8>>,
) -> Result<Option<String>, SnapshotError> {
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    let broken = |line: usize, why: &str| SnapshotError::BrokenGolden {
        path: path.to_owned(),
        line,
        why: why.to_owned(),
    };
    let text = String::from_utf8(bytes).map_err(|_| broken(1, "it is not UTF-8 text"))?;
    match text.lines().position(is_conflict_marker) {
        Some(before) => Err(broken(
            before + 1,
            "it holds both sides of a merge conflict; decide with `runner review`",
        )),
        None => Ok(Some(text)),
    }
}
