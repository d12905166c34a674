//! Golden snapshots: the store, normalising, comparison, pending files and the journal of accept and reject.
//!
//! `docs/guide/snapshots.md` is the contract. This crate guarantees that no golden is ever lost, and that no
//! visible change passes unnoticed. All functions block on files or on pixels: call them through
//! `spawn_blocking`.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod annotated_picture;
mod areas;
mod caret;
mod cause;
mod check;
mod colours;
mod confirm;
mod conflict_marker;
mod decide;
mod difference;
mod digest;
mod disagreement;
mod disk;
mod error;
mod expected_picture;
#[cfg(any(test, debug_assertions))]
mod fault;
mod folder;
mod golden;
mod golden_screen;
mod hints;
mod history;
mod journal;
mod key_names;
mod load;
mod mask_coverage;
mod mask_limit;
mod merge_proposal;
mod moved_content;
mod name;
mod numbered_rows;
mod options;
mod parts;
mod pending;
mod pending_diff;
mod picture_check;
mod pointers;
mod proposal_check;
mod proposal_file;
mod propose;
mod prune;
mod redact;
mod review;
mod row;
mod row_lines;
mod row_map;
mod rows_diff;
mod run_log;
mod stale_files;
mod store;
mod subject;
mod temporary_store;
mod tsv;
mod turn_proposals;
mod undo;
mod update;
mod variant;
mod words;

pub use runner_picture as picture;

pub use areas::Areas;
pub use cause::{Cause, ChangeKind};
pub use check::{Check, Options, Verdict, check};
pub use conflict_marker::is_conflict_marker;
pub use decide::{AcceptResult, Decision, DecisionResult};
pub use digest::{Digest, DigestError};
pub use disagreement::Disagreement;
pub use error::SnapshotError;
pub use golden::Golden;
pub use golden_screen::GoldenScreen;
pub use key_names::KeyNames;
pub use mask_coverage::MaskCoverage;
pub use mask_limit::MASK_LIMIT_PERCENT;
pub use merge_proposal::MergeSides;
pub use moved_content::MovedContent;
pub use name::{FileKind, GoldenKey, RenderClass, SnapshotName};
pub use options::{Image, Mask, StepOptions, Tolerance, Windows};
pub use pending_diff::PendingDiff;
pub use picture_check::{ChangedArea, PictureCheck, PictureVerdict, Similarity};
pub use proposal_file::ProposalFile;
pub use redact::{Column, Redaction, RedactionError, Redactions};
pub use review::{PendingEntry, PendingFile, Selection};
pub use row::{MASKED, Row};
pub use row_lines::{RowLine, row_lines};
pub use rows_diff::{Change, RowChange};
pub use store::Store;
pub use subject::Subject;
pub use temporary_store::{Sides, TemporaryStore};
pub use tsv::{Metadata, Table};
pub use undo::UndoneDecision;
pub use update::{UpdateMode, UpdateResult};
pub use variant::Variants;
pub use words::{TextPart, words};

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

/// Returns true if a text can be parsed as a golden's table; for fuzzing.
#[doc(hidden)]
pub fn reads_as_table(text: &str) -> bool {
    tsv::read(text).is_ok()
}
