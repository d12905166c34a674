//! Rehearsal: runs an edited flow on the recorded screens of an earlier run, with the engine of every run.
//!
//! It judges the edit only. A step that the recording has at the same place is skipped with its recorded
//! result; any other step runs on the screens that were there. So it never claims that a flow passes, and it
//! reports what it cannot know.

mod edit;
mod finding;
mod goldens;
mod judge;
mod recorded_run;
mod steps;

pub use edit::{EditError, EditResult, judge_edit};
pub use finding::{Finding, FindingKind, RehearsalResult};
pub use recorded_run::rehearse;
