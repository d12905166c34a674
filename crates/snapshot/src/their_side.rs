//! What a merge left for a person: ours is the golden, and the other side's files wait as a run's proposals do.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};
use runner_git::Pointer;

use super::confirm::{Changes, confirm_causes};
use super::folder::GoldenFolder;
use super::golden::hash;
use super::journal::{self, DecisionKind};
use super::load::text;
use super::pending::{self, Mark};
use super::{FileKind, GoldenKey, SnapshotError, stale, tsv};

/// A file of a golden as both sides of a merge have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BothSides {
    /// Whose.
    pub key: GoldenKey,
    /// Which of its files.
    pub kind: FileKind,
    /// What the golden is, or becomes where git wrote something else.
    pub ours: Vec<u8>,
    /// What waits.
    pub theirs: Vec<u8>,
}

/// Makes one golden ours, and proposes theirs; says whether it did. What else waits for the golden stays, and then nothing is
/// written.
pub(super) fn propose(folder: &GoldenFolder, sides: &[BothSides]) -> Result<bool, SnapshotError> {
    for side in sides {
        let path = folder.path(&side.key, side.kind, false);
        for bytes in [&side.ours, &side.theirs] {
            if Pointer::read(bytes).is_some() {
                return Err(SnapshotError::LfsPointer(path));
            }
            // Both must read, or nothing can be shown of them.
            if side.kind == FileKind::Rows {
                readable(&path, bytes.clone())?;
            }
        }
    }
    // Held from the look to the writing: a run may propose at the same time.
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
            cause: None,
            masked: None,
        };
        let path = folder.path(&side.key, side.kind, true);
        let change = folder.put(&path, pending::mark(&side.theirs, &mark))?;
        changes.insert(path, change);
    }
    let written: Vec<Utf8PathBuf> = changes.keys().cloned().collect();
    // What a run left waits against a golden that is another by now.
    for side in sides {
        for change in stale::stale(folder, &side.key, &written)? {
            changes.insert(change.path.clone(), change);
        }
    }
    confirm_causes(folder, &mut changes)?;
    let changes: Vec<_> = changes.into_values().collect();
    journal::commit(&folder.disk, &lock, &changes, DecisionKind::Run)?;
    Ok(true)
}

/// Whether something waits for the golden of these files that is not one of them.
fn is_other_pending(folder: &GoldenFolder, sides: &[BothSides]) -> Result<bool, SnapshotError> {
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
