//! Taking what CI rendered, out of a ZIP archive or a folder of artifacts, without running again.
//!
//! A run that may write no goldens leaves what it would have written as pending files under
//! `proposed-goldens/DEVICE/` among its artifacts. That folder is looked for anywhere inside, for CI servers nest what
//! they keep. Nothing about an archive is believed: names, sizes and contents are checked before anything is filed, and
//! the reason it gives for a change is looked for in the files.

mod archive;
mod folder;
mod found;

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::ReviewError;
use crate::snapshot::{GoldenKey, Store};
use found::Found;

/// What an archive brought.
#[derive(Debug, Default)]
pub struct Imported {
    /// What waits now because of it.
    pub keys: Vec<GoldenKey>,
    /// Of these, what cannot be accepted: its golden is not the one that the other run compared with.
    pub changed: Vec<GoldenKey>,
    /// What was left out, and why.
    pub refused: Vec<(String, String)>,
}

/// Files the pending goldens of `archive`, a ZIP file or a folder, in `store`. Of each golden all files are taken or
/// none.
///
/// # Errors
/// The archive cannot be read, or is made to do harm: nothing was taken then.
pub fn import(store: &Store, archive: &Utf8Path) -> Result<Imported, ReviewError> {
    let found = if archive.is_dir() {
        folder::read(archive)?
    } else {
        archive::read(archive)?
    };
    file(store, found)
}

/// Files what was found, golden by golden.
fn file(store: &Store, found: Found) -> Result<Imported, ReviewError> {
    let mut imported = Imported::default();
    let mut goldens: BTreeSet<GoldenKey> = BTreeSet::new();
    let mut changed: BTreeSet<GoldenKey> = BTreeSet::new();
    let (groups, refused) = found.groups();
    imported.refused = refused;
    for files in groups {
        let looked: Result<Vec<_>, _> = files
            .iter()
            .map(|file| {
                let read = store.read_proposal(&file.path, &file.bytes);
                read.map_err(|error| (file.name.clone(), error.to_string()))
            })
            .collect();
        let looked = match looked {
            Ok(looked) => looked,
            Err((name, why)) => {
                let others = files.iter().filter(|file| file.name != name);
                let beside = format!("{name} belongs to the same golden and was refused");
                imported
                    .refused
                    .extend(others.map(|file| (file.name.clone(), beside.clone())));
                imported.refused.push((name, why));
                continue;
            }
        };
        let proposed = files.iter();
        store.import_pending(proposed.map(|file| (file.path.as_path(), file.bytes.as_slice())))?;
        for file in looked {
            let golden = file.key.shared();
            if !file.is_current {
                changed.insert(golden.clone());
            }
            goldens.insert(golden);
        }
    }
    let waiting = store.pending()?.into_iter().map(|entry| entry.key);
    imported.keys = waiting
        .filter(|key| goldens.contains(&key.shared()))
        .collect();
    let is_changed = |key: &&GoldenKey| changed.contains(&key.shared());
    imported.changed = imported.keys.iter().filter(is_changed).cloned().collect();
    imported.refused.sort();
    Ok(imported)
}

#[cfg(test)]
mod tests;
