//! What another run proposed, beside copies of the goldens that it is about. The project is not touched until decisions
//! are made, and then by all of them together.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;
use tempfile::TempDir;

use super::decisions::{Choice, Decisions, SnapshotDecision};
use super::import::{self, ImportResult};
use super::patches::{EvidenceSource, PatchGroup, Patches, is_patch_key};
use super::{Review, ReviewError};
use runner_config::Config;
use runner_mend::{Evidence, PendingFolder};
use runner_snapshot::{
    AcceptResult, ApartStore, Decision, Digest, GoldenKey, PendingEntry, Sides, SnapshotError,
};

/// An archive that was laid out.
#[derive(Debug)]
pub struct Archived {
    config: Config,
    goldens: ApartStore,
    imported: ImportResult,
    evidence: Arc<Vec<Evidence>>,
    patches: Patches,
    /// Removed with it.
    _folder: TempDir,
}

/// What came of decisions.
#[derive(Debug, Default)]
pub struct Applied {
    /// What became goldens, and why it waited.
    pub accepted: AcceptResult,
    /// Keys of what was accepted, and was the golden already.
    pub golden_already: Vec<GoldenKey>,
    /// Keys of what was rejected.
    pub rejected: Vec<GoldenKey>,
    /// What does not hold any more. If there is any, nothing was done.
    pub stale: Vec<(GoldenKey, StaleDecision)>,
}

/// Why a decision does not hold.
#[derive(Debug, thiserror::Error)]
pub enum StaleDecision {
    /// Another archive, or one of which a file was refused.
    #[error("the archive does not propose it")]
    NotProposed,
    /// What the archive has.
    #[error("what the archive has is not what was decided about")]
    OtherActual,
    /// What the project has.
    #[error("its golden is not the one that was compared with; run the flow on today's version")]
    OtherGolden,
    /// It is rejected, and is the golden.
    #[error("it was accepted already: it is the golden")]
    Golden,
    /// The store refuses it.
    #[error(transparent)]
    Refused(#[from] SnapshotError),
}

impl Archived {
    /// Lays out `archive`, a ZIP file or a folder.
    ///
    /// # Errors
    /// It cannot be read, or is made to do harm.
    pub fn open(config: &Config, archive: &Utf8Path) -> Result<Self, ReviewError> {
        let folder = TempDir::new()?;
        let root = Utf8Path::from_path(folder.path()).ok_or_else(|| {
            ReviewError::Usage(format!(
                "the folder for temporary files, {}, is not UTF-8; set TMPDIR to another",
                folder.path().display()
            ))
        })?;
        let project = config.store();
        // One that was cut short would be finished first, and write goldens that nobody decided about here.
        if project.is_unfinished() {
            return Err(ReviewError::Usage(
                "an accept was cut short here: run `runner pending`, which finishes it, and look at what it wrote; in a fresh checkout remove the folder .runner".to_owned(),
            ));
        }
        let mut goldens = ApartStore::new(&project, root);
        let listed = import::list(archive)?;
        goldens.copy(&listed.keys())?;
        let mut imported = listed.file(goldens.store())?;
        let evidence = Arc::new(std::mem::take(&mut imported.evidence));
        let patches = EvidenceSource::Archive(Arc::clone(&evidence)).patches(config);
        imported.refused.extend(patches.refused.iter().cloned());
        Ok(Self {
            evidence,
            patches,
            config: config.clone(),
            goldens,
            imported,
            _folder: folder,
        })
    }

    /// What was taken and what was refused.
    pub fn imported(&self) -> &ImportResult {
        &self.imported
    }

    /// What names all that the run proposed.
    pub fn digest(&self) -> &Digest {
        &self.imported.digest
    }

    /// What waits in it, as a review.
    pub fn review(&self) -> Review {
        let store = self.goldens.store().clone();
        Review::of_proposals(&self.config, store, Arc::clone(&self.evidence))
    }

    /// What waits in it.
    ///
    /// # Errors
    /// The copies do not read.
    pub fn pending(&self) -> Result<Vec<PendingEntry>, ReviewError> {
        Ok(self.goldens.store().pending()?)
    }

    /// The patches that its evidence makes today.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Both sides of what waits.
    ///
    /// # Errors
    /// Files that do not read.
    pub fn sides(&self, entry: &PendingEntry) -> Result<Sides, ReviewError> {
        Ok(self.goldens.sides(entry)?)
    }

    /// Does what was decided: writes goldens of the project, all of them or none.
    ///
    /// # Errors
    /// The decisions are about another archive; a golden changed while this went on.
    pub fn apply(self, decisions: &Decisions) -> Result<Applied, ReviewError> {
        if decisions.archive != *self.digest() {
            return Err(ReviewError::OtherArchive {
                decided: decisions.archive.clone(),
                found: self.digest().clone(),
            });
        }
        let mut applied = Applied::default();
        let mut accept = Vec::new();
        let mut mended = Vec::new();
        let pending = self.goldens.store().pending()?.into_iter();
        let mut pending: BTreeMap<GoldenKey, PendingEntry> =
            pending.map(|entry| (entry.key.clone(), entry)).collect();
        for (key, decision) in &decisions.snapshots {
            if is_patch_key(key) {
                match (self.check_patches(key, decision), decision.choice) {
                    (Err(why), _) => applied.stale.push((key.clone(), why)),
                    (Ok(group), Choice::Accept) => mended.push(group),
                    (Ok(group), Choice::Reject) => {
                        let folder = PendingFolder::new(&self.config.root);
                        folder.reject(&group.rejections(), true)?;
                        applied.rejected.push(key.clone());
                    }
                }
                continue;
            }
            let entry = pending.remove(key).ok_or(StaleDecision::NotProposed);
            let is_golden = entry.and_then(|entry| self.check(&entry, decision));
            let is_golden = match is_golden {
                Ok(is_golden) => is_golden,
                Err(why) => {
                    applied.stale.push((key.clone(), why));
                    continue;
                }
            };
            match decision.choice {
                Choice::Reject if is_golden => {
                    applied.stale.push((key.clone(), StaleDecision::Golden));
                }
                Choice::Reject => applied.rejected.push(key.clone()),
                Choice::Accept if is_golden => {
                    applied.golden_already.push(key.clone());
                }
                Choice::Accept => accept.push(key.clone()),
            }
        }
        if !applied.stale.is_empty() {
            return Ok(applied);
        }
        let mut applied = self.accept(accept, applied)?;
        if applied.stale.is_empty() {
            for group in mended {
                group.accept(&self.config)?;
                let accepted = &mut applied.accepted;
                accepted.accepted.push(group.key.clone());
                accepted.causes.insert(group.key.clone(), group.cause());
            }
        }
        Ok(applied)
    }

    /// The group of a key, if the decision is about just what it writes.
    fn check_patches(
        &self,
        key: &GoldenKey,
        decision: &SnapshotDecision,
    ) -> Result<&PatchGroup, StaleDecision> {
        let group = self.patches.group(key).ok_or(StaleDecision::NotProposed)?;
        match &decision.seen {
            Some(seen) if seen.golden != group.sides.golden => Err(StaleDecision::OtherGolden),
            Some(seen) if seen.actual != group.sides.actual => Err(StaleDecision::OtherActual),
            _ => Ok(group),
        }
    }

    fn accept(&self, accept: Vec<GoldenKey>, mut applied: Applied) -> Result<Applied, ReviewError> {
        let done = self.goldens.store().decide(&Decision {
            accept,
            ..Decision::default()
        })?;
        if !done.refused.is_empty() {
            let refused = done.refused.into_iter();
            applied.stale = refused.map(|(key, why)| (key, why.into())).collect();
            return Ok(applied);
        }
        self.goldens.take_over(&done)?;
        applied.accepted = AcceptResult {
            accepted: done.accepted,
            causes: done.causes,
            refused: Vec::new(),
        };
        Ok(applied)
    }

    /// Whether what waits is the golden already, if the decision is about just that.
    fn check(
        &self,
        entry: &PendingEntry,
        decision: &SnapshotDecision,
    ) -> Result<bool, StaleDecision> {
        let sides = self.goldens.sides(entry)?;
        // Accepted before, by somebody else: there is nothing left to disagree about.
        let is_golden = sides.golden.as_ref() == Some(&sides.actual);
        if let Some(seen) = &decision.seen {
            if seen.actual != sides.actual {
                return Err(StaleDecision::OtherActual);
            }
            let is_done = is_golden && decision.choice == Choice::Accept;
            if seen.golden != sides.golden && !is_done {
                return Err(StaleDecision::OtherGolden);
            }
        }
        if self.imported.changed.contains(&entry.key) {
            return Err(StaleDecision::OtherGolden);
        }
        Ok(is_golden)
    }
}
