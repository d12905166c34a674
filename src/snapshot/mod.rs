//! Golden snapshots: the store, normalising, comparison, pending files and the journal of accept and reject.
//!
//! The contract is the project's snapshot design. What this module is trusted with: no golden is ever lost, and no
//! visible change passes unseen. All of it blocks on files or on pixels: call it through `spawn_blocking`.

mod error;
mod name;
mod options;
pub mod picture;
mod redact;
mod row;
mod rows_diff;
mod tsv;

pub use error::SnapshotError;
pub use name::{FileKind, GoldenKey, RenderClass, SnapshotName};
pub use options::{Mask, StepOptions, Tolerance, Windows};
pub use redact::{Column, Redaction, Redactions};
pub use row::{MASKED, Row};
pub use rows_diff::{Change, RowChange};
pub use tsv::{Metadata, Table};
