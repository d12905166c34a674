//! Records what a run writes and matches when several devices or turns take part in it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use camino::{Utf8Path, Utf8PathBuf};

use super::GoldenKey;
use super::golden::hash;
use super::turn_proposals::TurnProposals;

/// Files that the run has decided about so far, by path below the root.
#[derive(Debug, Clone, Default)]
pub(super) struct RunLog {
    files: Arc<Mutex<BTreeMap<Utf8PathBuf, DecidedFile>>>,
    proposals: TurnProposals,
    /// Turn of a flow on a device, for which this log is used. Its attempts may replace what it wrote or
    /// matched; another turn may not.
    pub writer: Arc<str>,
}

/// File of a golden that the run decided about.
#[derive(Debug, Clone, Default)]
pub(super) struct DecidedFile {
    /// Bytes before the run; `None` if the file did not exist.
    pub before: Option<Vec<u8>>,
    /// Hash of the present bytes; `none` if the file does not exist.
    pub now: String,
    /// Hash of the bytes that these turns observed. It differs from `now` if a variant goes on sharing the
    /// file and has none of its own, or if rows that matched were rewritten.
    pub observed: String,
    /// Turns that wrote or matched these bytes, each with the key whose rows or picture this is.
    pub by: BTreeSet<(GoldenKey, Arc<str>)>,
}

impl DecidedFile {
    /// Returns true if a turn that observed bytes of this hash agrees with those before it.
    pub(super) fn agrees_with(&self, version: &str) -> bool {
        self.observed == version || self.now == version
    }
}

impl RunLog {
    /// Returns a log for another turn, which shares all records and proposals with this one.
    pub(super) fn for_writer(&self, writer: &str) -> Self {
        Self {
            files: Arc::clone(&self.files),
            proposals: self.proposals.clone(),
            writer: writer.into(),
        }
    }

    /// Claims the place of a golden's proposal for these files, by path and bytes, in place of what this turn claimed
    /// there before; `folder` is empty for the store's own. Returns `None` if the place is claimed, also together
    /// with turns that propose the same files. If another turn proposes other files there, returns that turn, and
    /// this one has no claim any more. Writes no file.
    pub(super) fn claim_proposal<'a>(
        &self,
        key: &GoldenKey,
        folder: &str,
        files: impl Iterator<Item = (&'a Utf8PathBuf, &'a [u8])>,
    ) -> Option<String> {
        let versions = files.map(|(path, bytes)| (path.clone(), hash(bytes)));
        let place = (key.clone(), folder.to_owned());
        let other = self
            .proposals
            .claim(place, &self.writer, versions.collect());
        other.map(|other| other.to_string())
    }

    /// Takes back what this turn proposed for a golden in the folder. Returns true if no other turn proposes anything
    /// there.
    pub(super) fn withdraw_proposal(&self, key: &GoldenKey, folder: &str) -> bool {
        let place = (key.clone(), folder.to_owned());
        self.proposals.withdraw(&place, &self.writer)
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<Utf8PathBuf, DecidedFile>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the bytes with which the device of `key` compares. If only other devices of the run wrote or matched
    /// the file, these are the bytes before the run; `None` if it did not exist. For a file that this device wrote or
    /// matched too, since it may retry a flow, and for one that the run has not decided about, they are `now`, the
    /// file's bytes, read just before.
    pub(super) fn before(
        &self,
        path: &Utf8Path,
        key: &GoldenKey,
        now: Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        match self.files().get(path) {
            Some(written) if !written.by.iter().any(|(by, _)| by == key) => written.before.clone(),
            _ => now,
        }
    }

    pub(super) fn get(&self, path: &Utf8Path) -> Option<DecidedFile> {
        self.files().get(path).cloned()
    }

    /// Records files that are about to be written, in place of their earlier records, and returns those for
    /// [`Self::restore`]. It comes before the writing, so that a reader of the new file finds the old bytes here.
    /// Writes no file.
    pub(super) fn record(&self, written: Vec<(Utf8PathBuf, DecidedFile)>) -> PreviousRecords {
        let mut files = self.files();
        written
            .into_iter()
            .map(|(path, written)| (path.clone(), files.insert(path, written)))
            .collect()
    }

    /// Restores the records after the writing failed. Files that had no record have none again.
    pub(super) fn restore(&self, previous: PreviousRecords) {
        let mut files = self.files();
        for (path, known) in previous {
            match known {
                Some(known) => files.insert(path, known),
                None => files.remove(&path),
            };
        }
    }

    /// Forgets the old bytes of files below the folder of a flow's goldens, and the flow's proposals.
    pub(super) fn forget(&self, folder: &Utf8Path, flow: &Utf8Path) {
        self.proposals.forget(flow);
        self.files().retain(|path, _| !path.starts_with(folder));
    }

    /// Returns the files of this run for which `holds` is true, in order of their paths. Nothing may use the log in
    /// `holds`, since it is locked. They are copies.
    pub(super) fn files_where(
        &self,
        holds: impl Fn(&Utf8Path, &DecidedFile) -> bool,
    ) -> Vec<(Utf8PathBuf, DecidedFile)> {
        self.files()
            .iter()
            .filter(|(path, file)| holds(path, file))
            .map(|(path, file)| (path.clone(), file.clone()))
            .collect()
    }
}

/// Recorded files, each with the record that it replaced.
pub(super) type PreviousRecords = Vec<(Utf8PathBuf, Option<DecidedFile>)>;
