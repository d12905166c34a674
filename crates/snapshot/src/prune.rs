//! Finds goldens that no flow names.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::GoldenFolder;
use super::{FileKind, GoldenKey, SnapshotError};

type Files = BTreeSet<(GoldenKey, FileKind, bool)>;

/// Returns the keys of goldens, and of their pending files, for which `keeps` is false: one for each class,
/// and one without class where there is none, in order. `keeps` is asked with the key without class. Files
/// that are not goldens are ignored. Nothing is removed.
pub(super) fn obsolete(
    folder: &GoldenFolder,
    keeps: impl Fn(&GoldenKey) -> bool,
) -> Result<Vec<GoldenKey>, SnapshotError> {
    let mut classes: BTreeMap<GoldenKey, BTreeSet<GoldenKey>> = BTreeMap::new();
    for (key, ..) in folder.files()? {
        let of = classes.entry(key.shared()).or_default();
        if key.class().is_some() {
            of.insert(key);
        }
    }
    Ok(classes
        .into_iter()
        .filter(|(shared, _)| !keeps(shared))
        .flat_map(|(shared, classes)| {
            if classes.is_empty() {
                BTreeSet::from([shared])
            } else {
                classes
            }
        })
        .collect())
}

/// Returns the files to remove with `key`, pending ones too, if all keys of `removed` are removed: those of
/// its class, and the shared ones with the last class. A key without class takes the files of all classes.
/// Returns none if the golden does not exist.
pub(super) fn files_of(files: &Files, key: &GoldenKey, removed: &[GoldenKey]) -> Files {
    let shared = key.shared();
    let of_golden = files.iter().filter(|(of, ..)| of.shared() == shared);
    let stays = |of: &GoldenKey| {
        of.class().is_some() && !removed.contains(of) && !removed.contains(&shared)
    };
    let is_last = !of_golden.clone().any(|(of, ..)| stays(of));
    of_golden
        .filter(|(of, ..)| match of.class() {
            Some(_) => key.class().is_none() || of == key,
            None => is_last,
        })
        .cloned()
        .collect()
}
