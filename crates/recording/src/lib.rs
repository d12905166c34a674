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
mod folder;
mod format;
mod other_element;
mod parting;
mod read;
mod recording;

pub use device::{Divergence, RecordedDevice};
pub use folder::{EXTENSION, MAX_RUN_BYTES, RunFolder, find, find_below, finish, prune, run_files};
pub use format::{
    ActLine, EndLine, FileDigest, FoundLine, Head, Line, LookLine, Place, StepEndLine, StepLine,
    Surroundings, Touch, VERSION,
};
pub use other_element::{OtherElement, other_elements};
pub use parting::{Parting, parting};
pub use read::{ReadError, read};
pub use recording::{Act, FoundElement, Look, RecordedStep, Recording};
