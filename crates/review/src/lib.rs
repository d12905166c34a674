//! Reviews goldens: the queue of pending ones, their causes, and decisions. The terminal and the browser are
//! two interfaces of [`Review`].
//!
//! All functions here block on files or on pixels: a server calls them through `spawn_blocking`. Several
//! processes may review one folder: every decision takes the store's lock, and the queue is always read from
//! the folder.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod archive_review;
mod decisions;
mod error;
mod flows;
mod import;
mod mask;
mod merges;
mod patches;
mod queue;
mod session;
mod stamp;
pub mod terminal;
mod thumbnail;
pub mod web;

pub use archive_review::{ApplyResult, ArchiveReview, StaleDecision};
pub use decisions::{Choice, Decisions, DecisionsError};
pub use error::ReviewError;
pub use import::{ImportResult, import};
pub use mask::{MaskResult, MaskTarget};
pub use merges::{Merges, after_decision, merges, unmerged};
pub use patches::{PatchGroup, Patches, SELECTORS, is_patch_key, patches};
pub use queue::{FlowPlace, Group, Item, Queue};
pub use session::{Case, ObservedVersions, RejectResult, Review, UndoResult};
