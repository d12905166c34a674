//! Recordings of attempts: the screens that an attempt at a flow saw, and what its steps did on them.
//!
//! A run writes one file an attempt into the history's folder. [`RecordedDevice`] shows the screens of a
//! recording again, so that an edited flow can be judged without a phone. This crate owns the files, their
//! limits, and the comparison of two recordings of one flow.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod device;
mod element;
mod first_difference;
mod folder;
mod format;
mod match_changes;
mod read;
mod recording;

pub use device::{Divergence, RecordedDevice};
pub use first_difference::{FirstDifference, StepEnd, first_difference};
pub use folder::{
    EXTENSION, EarlierRecordings, MAX_RUN_BYTES, RunFolder, find, find_below, finish, prune,
    run_files,
};
pub use format::{
    ActLine, EndLine, FileDigest, FilePosition, FoundLine, Head, Line, LookContext, LookLine,
    StepEndLine, StepLine, Touch, VERSION,
};
pub use match_changes::{MatchChange, match_changes};
pub use read::{ReadError, read};
pub use recording::{Act, FoundElement, Look, RecordedStep, Recording};
