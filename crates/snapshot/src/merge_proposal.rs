//! Proposes the other side of a merge: our side is the golden, and theirs becomes pending like a run's
//! proposal.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use runner_git::Pointer;

use super::confirm::{Changes, confirm_causes};
use super::folder::GoldenFolder;
use super::golden::hash;
use super::journal::{self, DecisionKind};
use super::load::text;
use super::parts::PartsOfClasses;
use super::pending::{self, Mark};
use super::{FileKind, GoldenKey, SnapshotError, stale_files, tsv};

/// File of a golden on both sides of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeSides {
    pub key: GoldenKey,
    pub kind: FileKind,
    /// Bytes of the golden, which are written if git wrote others.
    pub ours: Vec<u8>,
    /// Bytes that become pending.
    pub theirs: Vec<u8>,
}

/// Makes our side the golden and proposes theirs as pending, all files as one step. Returns true if it did. If
/// something else is pending for one of the goldens, see [`is_other_pending`], nothing is written and it returns
/// false. Pending files of earlier runs for the same goldens are removed.
///
/// # Errors
/// A side is a pointer of Git LFS, or its rows cannot be read; then nothing is written.
pub(super) fn propose(folder: &GoldenFolder, sides: &[MergeSides]) -> Result<bool, SnapshotError> {
    for side in sides {
        let path = folder.path(&side.key, side.kind, false);
        for bytes in [&side.ours, &side.theirs] {
            if Pointer::read(bytes).is_some() {
                return Err(SnapshotError::LfsPointer(path));
            }
            // Both sides must be readable, or the review could not show them.
            if side.kind == FileKind::Rows {
                readable(&path, bytes.clone())?;
            }
        }
    }
    // Locked from the check to the writing, because a run may propose at the same time.
    let lock = folder.lock()?;
    if is_other_pending(folder, sides)? {
        return Ok(false);
    }
    let classes = sides.iter().filter_map(|side| side.key.class());
    let by: BTreeSet<String> = classes.map(ToString::to_string).collect();
    let mut changes = Changes::new();
    for side in sides {
        let golden = folder.path(&side.key, side.kind, false);
        let against = hash(&side.ours);
        if folder.disk.hash(&golden)? != against {
            changes.insert(golden.clone(), folder.put(&golden, side.ours.clone())?);
        }
        let own = side.key.class().map(ToString::to_string);
        let mark = Mark {
            against,
            by: own.map_or_else(|| by.clone(), |own| BTreeSet::from([own])),
            parts: PartsOfClasses::new(),
            cause: None,
            masked: None,
        };
        let path = folder.path(&side.key, side.kind, true);
        let change = folder.put(&path, pending::mark(&side.theirs, &mark))?;
        changes.insert(path, change);
    }
    let written: Vec<Utf8PathBuf> = changes.keys().cloned().collect();
    // A run's pending files were compared with a golden that is replaced now.
    for side in sides {
        for change in stale_files::stale_changes(folder, &side.key, &written)? {
            changes.insert(change.path.clone(), change);
        }
    }
    confirm_causes(folder, &mut changes)?;
    let changes: Vec<_> = changes.into_values().collect();
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)?;
    Ok(true)
}

/// Returns true if a file is pending for one of these goldens, of any class, that is not a file of their side with
/// the same bytes. One without a valid mark counts as such a file. Annotated pictures do not count.
fn is_other_pending(folder: &GoldenFolder, sides: &[MergeSides]) -> Result<bool, SnapshotError> {
    let goldens: BTreeSet<GoldenKey> = sides.iter().map(|side| side.key.shared()).collect();
    for (of, kind, is_pending) in folder.files()? {
        // Annotated pictures are drawn from the other files.
        if !is_pending || kind == FileKind::Annotated || !goldens.contains(&of.shared()) {
            continue;
        }
        let Some(marked) = folder.disk.read(&folder.path(&of, kind, true))? else {
            continue;
        };
        let waits = pending::unmark(&marked).map(|(_, bytes)| bytes);
        let own = sides
            .iter()
            .find(|side| side.key == of && side.kind == kind);
        if own.is_none_or(|side| waits.as_ref() != Some(&side.theirs)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Fails unless the bytes are rows that can be read, of any schema. The error is [`SnapshotError::BrokenGolden`] with
/// the line that is wrong.
fn readable(path: &Utf8Path, bytes: Vec<u8>) -> Result<(), SnapshotError> {
    let text = text(path, Some(bytes))?.unwrap_or_default();
    tsv::read(&text)
        .map(drop)
        .map_err(|error| SnapshotError::BrokenGolden {
            path: path.to_owned(),
            line: error.line,
            why: error.why.to_string(),
        })
}
