//! What a merge left for a person: the other side's files wait as a run's proposals do, against what is there.

use std::collections::BTreeSet;

use camino::Utf8PathBuf;
use runner_git::Pointer;

use super::confirm::{Changes, confirm_causes};
use super::folder::GoldenFolder;
use super::golden::hash;
use super::journal::{self, DecisionKind, Lock};
use super::load::{load, text};
use super::pending::{self, Mark};
use super::picture::{self, Compression};
use super::{
    Cause, ChangeKind, FileKind, GoldenKey, Row, SnapshotError, annotated, merged, stale, tsv,
};
use runner_device::Picture;
use runner_picture::Frame;

type TheirFile = (GoldenKey, FileKind, Vec<u8>);

/// Proposes files of one golden that the other side has; says whether it did. What else waits for the golden stays.
pub(super) fn propose(folder: &GoldenFolder, theirs: &[TheirFile]) -> Result<bool, SnapshotError> {
    for (key, kind, bytes) in theirs {
        let path = folder.path(key, *kind, false);
        if Pointer::read(bytes).is_some() {
            return Err(SnapshotError::LfsPointer(path));
        }
        // What is there must read too, or nothing can be shown beside it.
        if *kind == FileKind::Rows {
            let there = folder.disk.read(&path)?;
            for bytes in [Some(bytes.clone()), there] {
                text(&path, bytes)?.map_or(Ok(()), |text| readable(&path, &text))?;
            }
        }
    }
    let classes: BTreeSet<&GoldenKey> = theirs
        .iter()
        .map(|(key, ..)| key)
        .filter(|key| key.class().is_some())
        .collect();
    for key in &classes {
        load(folder, None, key)?;
    }
    let mut files: Vec<TheirFile> = theirs.to_vec();
    for key in &classes {
        files.extend(drawn(folder, key, theirs)?);
    }
    let by: BTreeSet<String> = classes
        .iter()
        .filter_map(|key| key.class().map(ToString::to_string))
        .collect();
    // Held from the look to the writing: a run may propose at the same time.
    let lock = folder.lock()?;
    if is_other_pending(folder, theirs)? {
        return Ok(false);
    }
    file(folder, &lock, &files, &by, None)?;
    Ok(true)
}

/// Whether something waits for the golden of these files that is not one of them.
fn is_other_pending(folder: &GoldenFolder, theirs: &[TheirFile]) -> Result<bool, SnapshotError> {
    let goldens: BTreeSet<GoldenKey> = theirs.iter().map(|(key, ..)| key.shared()).collect();
    for (of, kind, is_pending) in folder.files()? {
        // Annotated pictures are drawn from the other files.
        if !is_pending || kind == FileKind::Annotated || !goldens.contains(&of.shared()) {
            continue;
        }
        let Some(marked) = folder.disk.read(&folder.path(&of, kind, true))? else {
            continue;
        };
        let waits = pending::unmark(&marked).map(|(_, bytes)| bytes);
        let own = theirs
            .iter()
            .find(|(key, its, _)| *key == of && *its == kind);
        if own.is_none_or(|(.., bytes)| waits.as_ref() != Some(bytes)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Asks a person to look at what a merge wrote.
pub(super) fn propose_merged(folder: &GoldenFolder, key: &GoldenKey) -> Result<(), SnapshotError> {
    let mut files = Vec::new();
    let mut by = BTreeSet::new();
    for (of, kind, is_pending) in folder.files()? {
        if is_pending || kind != FileKind::Rows || of.shared() != key.shared() {
            continue;
        }
        let there = folder.disk.read(&folder.path(&of, kind, false))?;
        if let Some(bytes) = there.and_then(|bytes| merged::unmarked(&bytes)) {
            by.extend(of.class().map(ToString::to_string));
            files.push((of, kind, bytes));
        }
    }
    if files.is_empty() {
        return Ok(());
    }
    let title = "a merge wrote its rows, and nobody has looked at them".to_owned();
    let cause = Cause::new(ChangeKind::Text, &[title]);
    let lock = folder.lock()?;
    file(folder, &lock, &files, &by, Some(&cause))
}

/// Writes pending files, against what is there.
fn file(
    folder: &GoldenFolder,
    lock: &Lock,
    files: &[TheirFile],
    by: &BTreeSet<String>,
    cause: Option<&Cause>,
) -> Result<(), SnapshotError> {
    let mut changes = Changes::new();
    for (key, kind, bytes) in files {
        let own = key.class().map(|class| BTreeSet::from([class.to_string()]));
        let mark = Mark {
            against: folder.disk.hash(&folder.path(key, *kind, false))?,
            by: own.unwrap_or_else(|| by.clone()),
            cause: cause.cloned(),
            masked: None,
        };
        let path = folder.path(key, *kind, true);
        let change = folder.put(&path, pending::mark(bytes, &mark))?;
        changes.insert(path, change);
    }
    let written: Vec<Utf8PathBuf> = changes.keys().cloned().collect();
    // What a run left waits against a golden that is another by now.
    for (key, ..) in files {
        for change in stale::stale(folder, key, &written)? {
            changes.insert(change.path.clone(), change);
        }
    }
    confirm_causes(folder, &mut changes)?;
    let changes: Vec<_> = changes.into_values().collect();
    journal::commit(&folder.disk, lock, &changes, DecisionKind::Run)
}

/// The annotated picture of what `theirs` would make of a class, where it has one.
fn drawn(
    folder: &GoldenFolder,
    key: &GoldenKey,
    theirs: &[TheirFile],
) -> Result<Option<TheirFile>, SnapshotError> {
    if !folder
        .disk
        .exists(&folder.path(key, FileKind::Annotated, false))
    {
        return Ok(None);
    }
    let side = |kind| -> Result<_, SnapshotError> {
        let own = theirs.iter().find(|(of, its, _)| of == key && *its == kind);
        match own {
            Some((.., bytes)) => Ok(Some(bytes.clone())),
            None => folder.disk.read(&folder.path(key, kind, false)),
        }
    };
    let (Some(rows), Some(picture)) = (side(FileKind::Rows)?, side(FileKind::Picture)?) else {
        return Ok(None);
    };
    let path = folder.path(key, FileKind::Rows, false);
    let Some(text) = text(&path, Some(rows))? else {
        return Ok(None);
    };
    let table = tsv::read(&text).map_err(|error| SnapshotError::BrokenGolden {
        path: path.clone(),
        line: error.line,
        why: error.why.to_string(),
    })?;
    let picture_path = folder.path(key, FileKind::Picture, false);
    if Pointer::read(&picture).is_some() {
        return Err(SnapshotError::LfsPointer(picture_path));
    }
    let pixels = Picture::from_png(picture).pixels();
    let pixels = pixels.map_err(|error| SnapshotError::BrokenPicture {
        path: picture_path,
        error,
    })?;
    let bytes = encoded(&pixels, &table.rows)?;
    Ok(Some((key.clone(), FileKind::Annotated, bytes)))
}

fn encoded(pixels: &Frame, rows: &[Row]) -> Result<Vec<u8>, SnapshotError> {
    let drawn = annotated::draw(pixels, rows);
    picture::encode(&drawn, Compression::Small).map_err(SnapshotError::Encoding)
}

/// Draws the annotated picture of a class anew, where it is there.
pub(super) fn draw_annotated(
    folder: &GoldenFolder,
    key: &GoldenKey,
) -> Result<Option<Utf8PathBuf>, SnapshotError> {
    let Some((key, kind, bytes)) = drawn(folder, key, &[])? else {
        return Ok(None);
    };
    let path = folder.path(&key, kind, false);
    if folder.disk.hash(&path)? != hash(&bytes) {
        let lock = folder.lock()?;
        let change = folder.put(&path, bytes)?;
        journal::commit(&folder.disk, &lock, &[change], DecisionKind::Run)?;
    }
    Ok(Some(path))
}

fn readable(path: &camino::Utf8Path, text: &str) -> Result<(), SnapshotError> {
    tsv::read(text)
        .map(drop)
        .map_err(|error| SnapshotError::BrokenGolden {
            path: path.to_owned(),
            line: error.line,
            why: error.why.to_string(),
        })
}
