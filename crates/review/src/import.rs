//! Takes proposals out of a CI run's artifacts, from a ZIP archive or a folder, without running again.
//!
//! A run that may write no goldens leaves what it would have written as pending files under
//! `proposed-goldens/DEVICE/` among its artifacts. That folder is looked for anywhere inside, as CI servers
//! nest artifacts. Nothing about an archive is trusted: names, sizes and contents are checked before anything
//! is stored, and the cause that it states is compared with its files. One golden at a time is in memory.

mod archive;
mod folder;
mod proposals;

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::ReviewError;
use proposals::{Budget, FileLocation, FoundProposals, ProposedFile, ProposedFileError};
use runner_mend::{Evidence, MAX_PACKED, MAX_TOTAL, PendingFolder};
use runner_snapshot::{Digest, GoldenKey, ProposalFile, SnapshotError, Store};
use runner_text::input_file::{MAX_PICTURE, open_regular};

#[derive(Debug)]
pub struct ImportResult {
    /// Digest of all files of the goldens that were taken or are the golden already, with pictures that were refused
    /// alone, and of the evidence: the same for an archive and for the folder that it was made of.
    pub digest: Digest,
    /// Pending keys of the goldens that were taken. Other classes of them that waited before are among these.
    pub keys: Vec<GoldenKey>,
    /// Keys among them that cannot be accepted, as the project's golden is not the one that the run compared with.
    pub changed: Vec<GoldenKey>,
    /// Keys among them for which something else was pending before, which is gone.
    pub replaced: Vec<GoldenKey>,
    /// Goldens without class that were not taken, as their files are those that the archive proposes.
    pub already: BTreeSet<GoldenKey>,
    /// Names of the files that were left out, with the reasons.
    pub refused: Vec<(String, String)>,
    /// Evidence of selectors that matched nothing, one for each selector. Patches are never taken from an
    /// archive.
    pub evidence: Vec<Evidence>,
    /// Number of selectors with evidence, also after `evidence` was taken out.
    pub selectors: usize,
}

impl ImportResult {
    /// Stores the evidence in the project at `root`, for a review there.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn keep_evidence(&self, root: &Utf8Path) -> std::io::Result<()> {
        let folder = PendingFolder::new(root);
        self.evidence.iter().try_for_each(|one| folder.keep(one))
    }

    /// Returns true if there was something, and nothing of it was taken.
    pub fn is_all_refused(&self) -> bool {
        let is_empty = self.keys.is_empty() && self.already.is_empty() && self.selectors == 0;
        is_empty && !self.refused.is_empty()
    }
}

/// Stores the pending goldens of `archive`, a ZIP file or a folder, in `store`, in place of what was pending for the
/// same goldens and classes; the result says what that was. Of each golden all files are taken or none, and none if the
/// golden has them already; the result says what was refused. Evidence of selectors is in the result and not stored. An
/// archive without proposals is no error.
///
/// # Errors
/// The archive cannot be read, or is made to do harm. Goldens that were stored before that was seen stay pending.
pub fn import(store: &Store, archive: &Utf8Path) -> Result<ImportResult, ReviewError> {
    let ListedProposals { mut source, found } = list(archive)?;
    file(store, &mut source, found, true)
}

/// Lists the proposals in `archive`, a ZIP file or a folder, without reading their contents or storing anything.
/// Files of other kinds are ignored; those with a bad name are noted as refused. There may be none.
///
/// # Errors
/// Returns an error if the archive cannot be read, or is made to do harm.
pub(super) fn list(archive: &Utf8Path) -> Result<ListedProposals, ReviewError> {
    let (source, found) = if archive.is_dir() {
        (Source::Folder, folder::list(archive)?)
    } else {
        let (archive, found) = archive::list(archive)?;
        (Source::Archive(Box::new(archive)), found)
    };
    Ok(ListedProposals { source, found })
}

/// Archive whose proposals were listed.
pub(super) struct ListedProposals {
    source: Source,
    found: FoundProposals,
}

impl ListedProposals {
    /// Returns the goldens that it has proposals for.
    pub fn keys(&self) -> BTreeSet<GoldenKey> {
        self.found.keys()
    }

    /// Stores the proposals as pending goldens, also those that are the golden already.
    ///
    /// # Errors
    /// The same as those of [`import`].
    pub fn file(mut self, store: &Store) -> Result<ImportResult, ReviewError> {
        file(store, &mut self.source, self.found, false)
    }
}

/// Source of the proposals' bytes.
enum Source {
    Folder,
    Archive(Box<archive::Archive>),
}

impl Source {
    /// Reads the proposed file whole, and takes its size off the budget. Fails if it cannot be read, is larger than
    /// the budget allows, or is an entry of an archive while the source is a folder.
    fn read(
        &mut self,
        file: &ProposedFile,
        budget: &mut Budget,
    ) -> Result<Vec<u8>, ProposedFileError> {
        match (&file.at, self) {
            (FileLocation::File(path), _) => {
                let content = open_regular(path, MAX_PICTURE)
                    .map_err(|error| ProposedFileError::Open(error.into()))?;
                budget.read(file, content)
            }
            (FileLocation::Entry { index, .. }, Self::Archive(archive)) => {
                let content = archive.by_index(*index).map_err(ProposedFileError::Entry)?;
                budget.read(file, content)
            }
            (FileLocation::Entry { .. }, Self::Folder) => Err(ProposedFileError::NoArchive),
        }
    }
}

/// Reads the evidence, which is what a run recorded about a selector that found nothing, by file name with the digest
/// of the file. There is one for each selector of a flow: if several devices failed at it, the file with the smallest
/// digest, whatever the order. Files that cannot be read or parsed or are too large are refused in `found`, which has
/// no evidence any more afterwards.
fn read_evidence(
    source: &mut Source,
    found: &mut FoundProposals,
    budget: &mut Budget,
) -> BTreeMap<String, (Evidence, String)> {
    let mut evidence = BTreeMap::new();
    let mut unpacked = MAX_TOTAL;
    for file in found.take_evidence() {
        budget.next_golden();
        let read = source.read(&file, budget).map_err(|why| why.to_string());
        let read = read.and_then(|bytes| {
            if bytes.len() as u64 > MAX_PACKED {
                return Err(format!("it has more than {MAX_PACKED} bytes"));
            }
            let one = Evidence::read(&bytes, &mut unpacked).map_err(|why| why.to_string())?;
            Ok((one, digest(&bytes)))
        });
        match read {
            Ok((one, digest)) => {
                let known = evidence.entry(one.file_name());
                // Several devices may have failed at it. The smallest digest wins, whatever the archive's order.
                let known: &mut (Evidence, String) =
                    known.or_insert_with(|| (one.clone(), digest.clone()));
                if digest < known.1 {
                    *known = (one, digest);
                }
            }
            Err(why) => found.refuse(&file.name, why),
        }
    }
    evidence
}

/// Proposed files of one golden of one device, with their bytes.
#[derive(Debug, Default)]
struct ReadGolden {
    contents: Vec<Vec<u8>>,
    proposals: Vec<ProposalFile>,
}

impl ReadGolden {
    /// Reads and checks the files. Returns the name of the first one that is refused, with the reason.
    fn read(
        store: &Store,
        source: &mut Source,
        budget: &mut Budget,
        files: &[ProposedFile],
    ) -> Result<Self, (String, String)> {
        budget.next_golden();
        let mut read = Self::default();
        for file in files {
            let content = source.read(file, budget).and_then(|bytes| {
                let proposal = store.read_proposal(&file.path, &bytes)?;
                Ok((bytes, proposal))
            });
            let (bytes, proposal) = content.map_err(|why| (file.name.clone(), why.to_string()))?;
            read.contents.push(bytes);
            read.proposals.push(proposal);
        }
        Ok(read)
    }

    /// Replaces annotated pictures that were not drawn from the other files by those that are, or empties them, and
    /// returns their indexes.
    fn redraw(&mut self, store: &Store) -> Result<BTreeSet<usize>, SnapshotError> {
        let contents = self.contents.iter().map(Vec::as_slice);
        let files: Vec<_> = self.proposals.iter().zip(contents).collect();
        let strangers = store.check_one_screen(&files)?;
        let redrawn = strangers.keys().copied().collect();
        for (at, drawn) in strangers {
            self.contents[at] = drawn.unwrap_or_default();
        }
        Ok(redrawn)
    }
}

/// Stores the proposals as pending goldens, in place of what was pending for the same classes, and returns what was
/// taken and refused, the refusals sorted by name. All files of a golden of one device are taken or none; only a
/// picture of a difference that does not belong to the others is refused alone, and drawn anew from them. With
/// `skips_goldens` none is taken that equals the golden. Goldens that changed since the run are taken and listed as
/// changed. Evidence is returned, not stored. Fails only if the store does; what was stored before stays.
fn file(
    store: &Store,
    source: &mut Source,
    mut found: FoundProposals,
    skips_goldens: bool,
) -> Result<ImportResult, ReviewError> {
    let mut budget = Budget::new();
    let evidence = read_evidence(source, &mut found, &mut budget);
    let mut taken: Vec<(String, String)> = Vec::new();
    let mut goldens: BTreeSet<GoldenKey> = BTreeSet::new();
    let mut changed: BTreeSet<GoldenKey> = BTreeSet::new();
    let mut already: BTreeSet<GoldenKey> = BTreeSet::new();
    let before = pending_versions(store)?;
    let (groups, mut refused) = found.groups();
    for files in groups {
        let mut read = match ReadGolden::read(store, source, &mut budget, &files) {
            Ok(read) => read,
            Err((name, why)) => {
                // A golden is taken whole or not at all, so that rows and picture show one screen.
                let others = files.iter().filter(|file| file.name != name);
                let beside = format!("{name} belongs to the same golden and was refused");
                refused.extend(others.map(|file| (file.name.clone(), beside.clone())));
                refused.push((name, why));
                continue;
            }
        };
        let digests = read.contents.iter().map(|bytes| digest(bytes));
        let digests: Vec<String> = digests.collect();
        let strangers = match read.redraw(store) {
            Ok(strangers) => strangers,
            Err(why) => {
                let why = why.to_string();
                refused.extend(files.iter().map(|file| (file.name.clone(), why.clone())));
                continue;
            }
        };
        for at in &strangers {
            let why = "it is not drawn from the rows and the picture beside it";
            refused.push((files[*at].name.clone(), why.to_owned()));
        }
        for (file, digest) in files.iter().zip(digests) {
            taken.push((format!("{}/{}", file.device, file.path), digest));
        }
        let own = read.proposals.iter().enumerate();
        let own = own.filter(|(at, _)| !strangers.contains(at));
        let own: Vec<&ProposalFile> = own.map(|(_, file)| file).collect();
        if skips_goldens && own.iter().all(|file| file.is_golden) {
            already.extend(own.iter().map(|file| file.key.shared()));
            continue;
        }
        let proposed = files.iter().zip(&read.contents);
        let proposed = proposed.filter(|(_, bytes)| !bytes.is_empty());
        store.import_pending(
            proposed.map(|(file, bytes)| (file.path.as_path(), bytes.as_slice())),
        )?;
        let other = own.iter().filter(|file| !file.is_current);
        changed.extend(other.map(|file| file.key.shared()));
        goldens.extend(read.proposals.iter().map(|file| file.key.shared()));
    }
    let mut now = pending_versions(store)?;
    now.retain(|key, _| goldens.contains(&key.shared()));
    let is_replaced = |(key, version): &(&GoldenKey, &String)| {
        let old = before.get(*key);
        old.is_some_and(|old| old != *version)
    };
    let replaced = now.iter().filter(is_replaced).map(|(key, _)| key.clone());
    let replaced = replaced.collect();
    let keys: Vec<GoldenKey> = now.into_keys().collect();
    let is_changed = |key: &&GoldenKey| changed.contains(&key.shared());
    refused.sort();
    for (name, (_, digest)) in &evidence {
        taken.push((name.clone(), digest.clone()));
    }
    let taken = taken
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_bytes()));
    Ok(ImportResult {
        digest: Digest::from_parts(taken),
        changed: keys.iter().filter(is_changed).cloned().collect(),
        keys,
        replaced,
        already,
        refused,
        selectors: evidence.len(),
        evidence: evidence.into_values().map(|(one, _)| one).collect(),
    })
}

/// Returns the versions of all that is pending, by key.
fn pending_versions(store: &Store) -> Result<BTreeMap<GoldenKey, String>, SnapshotError> {
    let pending = store.pending()?.into_iter();
    Ok(pending.map(|entry| (entry.key, entry.version)).collect())
}

fn digest(bytes: &[u8]) -> String {
    Digest::from_parts([("", bytes)]).to_string()
}

#[cfg(test)]
mod tests;
