//! Unpacks another run's proposals beside copies of their goldens, and applies decisions about them. The
//! project is not touched before, and then all decisions are applied or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8Path;
use tempfile::TempDir;

use super::decisions::{Choice, Decisions, SnapshotDecision};
use super::import::{self, ImportResult};
use super::patches::{self, EvidenceSource, PatchGroup, Patches, is_patch_key};
use super::{Review, ReviewError};
use runner_config::Config;
use runner_mend::{Evidence, PendingFolder};
use runner_snapshot::{
    AcceptResult, Decision, DecisionResult, Digest, GoldenKey, PendingEntry, Sides, SnapshotError,
    TemporaryStore,
};

/// Archive that was unpacked into a temporary folder.
#[derive(Debug)]
pub struct ArchiveReview {
    config: Config,
    goldens: TemporaryStore,
    imported: ImportResult,
    evidence: Arc<Vec<Evidence>>,
    patches: Patches,
    /// Removed when this is dropped.
    _folder: TempDir,
}

/// Result of applying decisions.
#[derive(Debug, Default)]
pub struct ApplyResult {
    /// Accepted goldens with their causes.
    pub accepted: AcceptResult,
    /// Keys of accepted proposals that were the golden already.
    pub golden_already: Vec<GoldenKey>,
    pub rejected: Vec<GoldenKey>,
    /// Decisions that are not valid any more. If there are any, nothing was done.
    pub stale: Vec<(GoldenKey, StaleDecision)>,
}

/// Decisions about patches, checked and not written yet.
#[derive(Default)]
struct PatchDecisions<'a> {
    accepted: Vec<&'a PatchGroup>,
    /// Keys under which the rejected ones are remembered.
    rejections: Vec<String>,
}

/// Reason why a decision is not valid any more.
#[derive(Debug, thiserror::Error)]
pub enum StaleDecision {
    /// Archive lacks the proposal, or a file of it was refused.
    #[error("the archive does not propose it")]
    NotProposed,
    /// Archive has another proposal.
    #[error("what the archive has is not what was decided about")]
    OtherActual,
    /// Project has another golden.
    #[error("its golden is not the one that was compared with; run the flow on today's version")]
    OtherGolden,
    /// Rejected proposal is already the golden.
    #[error("it was accepted already: it is the golden")]
    Golden,
    /// Store refuses the decision.
    #[error(transparent)]
    Refused(#[from] SnapshotError),
}

impl ArchiveReview {
    /// Unpacks the proposals of `archive`, a ZIP file or a folder, into a temporary folder, with copies of the
    /// project's goldens that they are about. The project is only read. Files that are no valid proposals are refused
    /// one by one, which is no error, see [`Self::imported`]. The folder goes when this is dropped. Computes the
    /// patches of selectors too.
    ///
    /// # Errors
    /// Returns an error if the archive cannot be read or is made to do harm, or if an accept was interrupted in the
    /// project.
    pub fn open(config: &Config, archive: &Utf8Path) -> Result<Self, ReviewError> {
        let folder = TempDir::new()?;
        let root = Utf8Path::from_path(folder.path()).ok_or_else(|| {
            ReviewError::Usage(format!(
                "the folder for temporary files, {}, is not UTF-8; set TMPDIR to another",
                folder.path().display()
            ))
        })?;
        let project = config.store();
        // An interrupted accept would be completed first, and write goldens that these decisions are not about.
        if project.is_unfinished() {
            return Err(ReviewError::Usage(
                "an accept was cut short here: run `runner pending`, which finishes it, and look at what it wrote; in a fresh checkout remove the folder .runner".to_owned(),
            ));
        }
        let mut goldens = TemporaryStore::new(&project, root);
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

    /// Returns what was taken and what was refused.
    pub fn imported(&self) -> &ImportResult {
        &self.imported
    }

    /// Returns the digest by which decisions name the archive, see [`ImportResult::digest`].
    pub fn digest(&self) -> &Digest {
        &self.imported.digest
    }

    /// Returns the archive's pending goldens and the patches from its evidence as a review. Decisions about goldens
    /// in it change only the temporary copies, those about selectors the project.
    pub fn review(&self) -> Review {
        let store = self.goldens.store().clone();
        Review::from_proposals(&self.config, store, Arc::clone(&self.evidence))
    }

    /// Returns the archive's pending goldens.
    ///
    /// # Errors
    /// The copies cannot be read.
    pub fn pending(&self) -> Result<Vec<PendingEntry>, ReviewError> {
        Ok(self.goldens.store().pending()?)
    }

    /// Returns the patches that its evidence yields for the present flows.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Returns the digests of both sides of a pending golden.
    ///
    /// # Errors
    /// Files cannot be read.
    pub fn sides(&self, entry: &PendingEntry) -> Result<Sides, ReviewError> {
        Ok(self.goldens.sides(entry)?)
    }

    /// Applies decisions to the project's goldens and flows, all or none: if one is stale, nothing is written, and the
    /// result names the stale ones. Stale are decisions about what the archive does not propose or now proposes
    /// otherwise, about another golden, and a reject of what is the golden already; its accept counts as accepted.
    /// Rejected patches are remembered in the project; a rejected golden changes nothing. Proposals without a decision
    /// stay as they are.
    ///
    /// # Errors
    /// Returns an error if the decisions are about another archive, or a file cannot be read or written. Then goldens
    /// and flows are as before, unless the error is [`SnapshotError::Unfinished`].
    pub fn apply(self, decisions: &Decisions) -> Result<ApplyResult, ReviewError> {
        if decisions.archive != *self.digest() {
            return Err(ReviewError::OtherArchive {
                decided: decisions.archive.clone(),
                found: self.digest().clone(),
            });
        }
        let mut applied = ApplyResult::default();
        let mut accept = Vec::new();
        let mut decided = PatchDecisions::default();
        let pending = self.goldens.store().pending()?.into_iter();
        let mut pending: BTreeMap<GoldenKey, PendingEntry> =
            pending.map(|entry| (entry.key.clone(), entry)).collect();
        for (key, decision) in &decisions.snapshots {
            if is_patch_key(key) {
                match (self.check_patches(key, decision), decision.choice) {
                    (Err(why), _) => applied.stale.push((key.clone(), why)),
                    (Ok(group), Choice::Accept) => decided.accepted.push(group),
                    (Ok(group), Choice::Reject) => {
                        decided.rejections.extend(group.rejections());
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
        // In the copies, so that a refusal leaves the project as it is.
        let done = self.goldens.store().decide(&Decision {
            accept,
            ..Decision::default()
        })?;
        if !done.refused.is_empty() {
            let refused = done.refused.into_iter();
            applied.stale = refused.map(|(key, why)| (key, why.into())).collect();
            return Ok(applied);
        }
        self.write(&done, &decided)?;
        let accepted = &mut applied.accepted;
        accepted.accepted = done.accepted;
        accepted.causes = done.causes;
        for group in decided.accepted {
            accepted.accepted.push(group.key.clone());
            accepted.causes.insert(group.key.clone(), group.cause());
        }
        Ok(applied)
    }

    /// Writes rejections, flows and goldens into the project, the goldens last. On an error what was written before
    /// it is taken back, except for [`SnapshotError::Unfinished`]: the next command completes the goldens then, so
    /// the rest stays.
    fn write(
        &self,
        done: &DecisionResult,
        decided: &PatchDecisions<'_>,
    ) -> Result<(), ReviewError> {
        let root = &self.config.root;
        let folder = PendingFolder::new(root);
        let known = folder.rejected();
        let mut added = decided.rejections.clone();
        // What was rejected before must stay so if the rest fails.
        added.retain(|rejection| !known.contains(rejection));
        let remember = |is_rejected| match added.as_slice() {
            [] => Ok(()),
            added => folder.reject(added, is_rejected),
        };
        remember(true)?;
        let files = match patches::accept(&self.config, &decided.accepted) {
            Ok(files) => files,
            Err(why) => {
                remember(false)?;
                return Err(why);
            }
        };
        match self.goldens.take_over(done) {
            // The next command completes the goldens, so the rest stays too.
            Err(why @ SnapshotError::Unfinished(_)) => Err(why.into()),
            Err(why) => {
                patches::write(root, &patches::invert(&files))?;
                remember(false)?;
                Err(why.into())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Returns the group of a key, if the decision is about exactly the patches that it writes now. A decision that
    /// does not say what the person saw is taken for any version. Fails if the archive has no such group, or its
    /// files or patches are others now. Writes nothing.
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

    /// Returns true if the proposal is the golden already. Fails if the decision is about another proposal or golden.
    /// If the same was accepted before, an accept does not fail because of another golden than the person saw. A
    /// decision that does not say what the person saw is only checked against changes since the run, as every
    /// decision is.
    fn check(
        &self,
        entry: &PendingEntry,
        decision: &SnapshotDecision,
    ) -> Result<bool, StaleDecision> {
        let sides = self.goldens.sides(entry)?;
        // Somebody else accepted the same before, so the golden's digest need not match.
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
