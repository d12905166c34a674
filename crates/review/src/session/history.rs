//! The steps of a review that undo can take back.

use std::collections::BTreeSet;

use crate::mask::{MaskResult, MaskStep};
use runner_mend::FileEdit;
use runner_snapshot::GoldenKey;

/// Obsolete goldens to keep, with the history of this review.
#[derive(Debug, Default)]
pub(crate) struct RetainedGoldens {
    pub(super) keys: BTreeSet<GoldenKey>,
    /// Steps of this review, oldest first.
    pub(crate) steps: Vec<Step>,
}

/// Step of the review that undo can take back.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Decision that the store can take back, with the obsolete goldens that it kept.
    Decided(Vec<GoldenKey>),
    /// Decision that only kept these obsolete goldens.
    KeepOnly(Vec<GoldenKey>),
    /// Mask in a flow.
    Masked(Box<MaskStep>),
    /// Selectors in flows: the groups that were written together.
    Mended(Vec<GoldenKey>, Vec<FileEdit>),
    /// Patches that are not to be offered again.
    RejectedPatches(GoldenKey, Vec<String>),
}

/// Result of an undo; empty if there was nothing to take back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoResult {
    /// Keys that are pending again.
    pub keys: Vec<GoldenKey>,
    /// Mask that was taken out of its flow.
    pub mask: Option<MaskResult>,
}
