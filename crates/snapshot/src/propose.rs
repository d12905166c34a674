//! Writes pending files: the changes that a run proposes, kept beside the goldens until a person decides.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::check::Check;
use super::confirm::{Changes, confirm_causes};
use super::folder::GoldenFolder;
use super::golden::{ABSENT, Golden, hash};
use super::journal::{self, Change, DecisionKind};
use super::parts::{Parts, PartsOfClasses};
use super::pending::{self, Mark};
use super::picture::{self, Compression};
use super::{FileKind, GoldenKey, RenderClass, SnapshotError, annotated_picture, stale_files, tsv};

/// File of a golden and its new bytes.
pub(super) struct NewFile {
    /// Kind; [`FileKind::Shared`] for the shared rows.
    kind: FileKind,
    /// Path below the folder of goldens.
    pub golden: Utf8PathBuf,
    pub pending: Utf8PathBuf,
    pub bytes: Vec<u8>,
}

/// Returns the files that an update would write, as pending files: path below the folder of goldens, and bytes with the
/// mark; none for a golden that needs no change. Nothing is written. They are for the artifacts of a run that writes
/// nothing itself; [`import_pending`] reads them. Shared rows get their common path, whatever other classes propose.
pub(super) fn proposal(
    golden: &Golden,
    check: &Check,
) -> Result<Vec<(Utf8PathBuf, Vec<u8>)>, SnapshotError> {
    let by = golden.key.class().map(ToString::to_string);
    let files = new_files(golden, check)?;
    let parts = parts(golden, &files);
    let files = files.into_iter().map(|file| {
        let mark = Mark {
            by: by.iter().cloned().collect(),
            parts: parts.clone(),
            against: against(golden, &file.golden),
            cause: check.cause.clone(),
            masked: Some(check.proposal.masked.clone()),
        };
        (file.pending, pending::mark(&file.bytes, &mark))
    });
    Ok(files.collect())
}

/// Imports the pending files that another run made for one golden, by their paths below the folder of goldens, as one
/// step. Shared rows that differ from those that another class proposed get a file of their own. Wrong causes are
/// corrected, but rows and pictures are not checked, see [`super::proposal_file::read_proposal`]. Earlier pending files
/// of the same classes are removed, since files of two runs do not belong together.
///
/// # Errors
/// [`SnapshotError::NotPending`] if one of them is no pending file; then nothing is written.
pub(super) fn import_pending<'a>(
    folder: &GoldenFolder,
    files: impl IntoIterator<Item = (&'a Utf8Path, &'a [u8])>,
) -> Result<(), SnapshotError> {
    let lock = folder.lock()?;
    let mut changes = Changes::new();
    let mut classes: BTreeSet<GoldenKey> = BTreeSet::new();
    for (path, bytes) in files {
        let file = GoldenKey::from_file(path).filter(|(.., is_pending)| *is_pending);
        let (Some((key, kind, _)), Some((mark, bytes))) = (file, pending::unmark(bytes)) else {
            return Err(SnapshotError::NotPending(path.to_owned()));
        };
        // Outside of a store a proposal belongs to one run, so its mark names one class.
        let class = mark.by.first().cloned();
        let class = class.and_then(|class| RenderClass::try_from(class).ok());
        let proposer = match class {
            Some(class) if key.class().is_none() => key.with_class(&class),
            _ => key.clone(),
        };
        let (path, mark) = if proposer == key {
            (folder.path(&key, kind, true), mark)
        } else {
            place_of_shared(folder, &proposer, &bytes, mark)?
        };
        // Also where the shared rows are all that a class proposes.
        classes.extend(proposer.class().is_some().then_some(proposer));
        let change = folder.put(&path, pending::mark(&bytes, &mark))?;
        changes.insert(path, change);
    }
    let written: Vec<Utf8PathBuf> = changes.keys().cloned().collect();
    for key in &classes {
        for change in stale_files::stale_changes(folder, key, &written)? {
            changes.insert(change.path.clone(), change);
        }
    }
    confirm_causes(folder, &mut changes)?;
    let changes: Vec<Change> = changes.into_values().collect();
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)
}

/// Writes the files of an update, from [`new_files`], as pending files beside the goldens, as one step, and returns
/// their paths below the root. Shared rows get a file of the class's own if another class proposes different ones.
/// Earlier pending files of the same class are removed. No golden is changed.
pub(super) fn write_pending(
    folder: &GoldenFolder,
    golden: &Golden,
    check: &Check,
    files: Vec<NewFile>,
) -> Result<Vec<Utf8PathBuf>, SnapshotError> {
    let key = &golden.key;
    let parts = parts(golden, &files);
    let lock = folder.lock()?;
    let mut changes = Vec::new();
    for file in files {
        let mut path = folder.join(&file.pending);
        let mut mark = Mark {
            by: key.class().iter().map(ToString::to_string).collect(),
            parts: parts.clone(),
            against: against(golden, &file.golden),
            cause: check.cause.clone(),
            masked: Some(check.proposal.masked.clone()),
        };
        if file.pending == key.shared().file(FileKind::Rows, true) {
            (path, mark) = place_of_shared(folder, key, &file.bytes, mark)?;
        }
        changes.push(folder.put(&path, pending::mark(&file.bytes, &mark))?);
    }
    let written: Vec<Utf8PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
    changes.extend(stale_files::stale_changes(folder, key, &written)?);
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)?;
    Ok(written)
}

/// Returns the path at which the class of `key` proposes shared rows, and its mark. Usually that is the common file,
/// whose earlier proposal is replaced. If another class proposed different rows there against the same golden, this
/// class gets a file of its own. Equal rows against the same golden share the file, and the mark names the classes of
/// both. Writes nothing; a file without a valid mark counts as none.
fn place_of_shared(
    folder: &GoldenFolder,
    key: &GoldenKey,
    bytes: &[u8],
    mut mark: Mark,
) -> Result<(Utf8PathBuf, Mark), SnapshotError> {
    let path = folder.path(&key.shared(), FileKind::Rows, true);
    let there = folder
        .disk
        .read(&path)?
        .as_deref()
        .and_then(pending::unmark);
    let (Some((theirs, there)), Some(class)) = (there, key.class()) else {
        return Ok((path, mark));
    };
    // If they were compared with different goldens, only one can still be valid: the later proposal replaces
    // the other.
    if theirs.against != mark.against {
        return Ok((path, mark));
    }
    if there == bytes {
        mark.by.extend(theirs.by);
        for (class, parts) in theirs.parts {
            mark.parts.entry(class).or_insert(parts);
        }
        return Ok((path, mark));
    }
    if theirs.by.iter().any(|by| by != class.as_str()) {
        return Ok((folder.path(key, FileKind::Shared, true), mark));
    }
    Ok((path, mark))
}

/// Returns the hashes of the proposed files for the class of the golden. Annotated pictures do not count. Empty
/// without a class.
fn parts(golden: &Golden, files: &[NewFile]) -> PartsOfClasses {
    let files = files.iter().filter(|file| file.kind != FileKind::Annotated);
    let parts: Parts = files.map(|file| (file.kind, hash(&file.bytes))).collect();
    let class = golden.key.class().map(ToString::to_string);
    class.map(|class| (class, parts)).into_iter().collect()
}

/// Returns the hash of the golden's file at the time of the comparison, `none` if it did not exist. `file` is
/// a path below the folder of goldens.
pub(super) fn against(golden: &Golden, file: &Utf8Path) -> String {
    golden
        .against
        .get(file)
        .cloned()
        .unwrap_or_else(|| ABSENT.to_owned())
}

/// Returns the files that an update would write, in their final encoding and without marks: those of the shared rows,
/// the rows, the picture and the annotated picture that the check wants rewritten. Without a class there are only the
/// shared rows, without a picture no pictures. The annotated picture is drawn anew if the rows or the picture are
/// rewritten and the step wants it. Writes nothing.
pub(super) fn new_files(golden: &Golden, check: &Check) -> Result<Vec<NewFile>, SnapshotError> {
    let proposal = &check.proposal;
    let key = &golden.key;
    let mut out = Vec::new();
    let mut push = |key: &GoldenKey, kind, bytes| {
        out.push(NewFile {
            kind: if key.class().is_none() {
                FileKind::Shared
            } else {
                kind
            },
            golden: key.file(kind, false),
            pending: key.file(kind, true),
            bytes,
        });
    };
    if proposal.rewrite.shared {
        push(
            &key.shared(),
            FileKind::Rows,
            check.actual_tsv().into_bytes(),
        );
    }
    if key.class().is_none() {
        return Ok(out);
    }
    if proposal.rewrite.rows {
        push(key, FileKind::Rows, check.actual_class_tsv().into_bytes());
    }
    if let Some(picture) = &proposal.picture {
        let pixels = &picture
            .pixels()
            .map_err(|error| SnapshotError::Picture(error.to_string()))?;
        if proposal.rewrite.picture {
            let png =
                picture::encode(pixels, Compression::Small).map_err(SnapshotError::Encoding)?;
            let line = tsv::metadata_line(&proposal.metadata);
            let png = picture::add_text(&png, "runner", &line).unwrap_or(png);
            push(key, FileKind::Picture, png);
        }
        // The boxes come from the rows, so it is also drawn anew if only the rows changed.
        if proposal.annotated && (proposal.rewrite.picture || proposal.rewrite.rows) {
            let drawn = annotated_picture::draw(pixels, &proposal.rows);
            push(
                key,
                FileKind::Annotated,
                picture::encode(&drawn, Compression::Small).map_err(SnapshotError::Encoding)?,
            );
        }
    }
    Ok(out)
}
