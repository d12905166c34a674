//! Golden snapshots: the store, normalising, comparison, pending files and the journal of accept and reject.
//!
//! The contract is the project's snapshot design. What this module is trusted with: no golden is ever lost.

mod model;

pub use model::{
    Check, Golden, PendingEntry, RenderClass, SnapshotError, SnapshotName, StepOptions, Store,
    Subject, UpdateMode, Verdict,
};
