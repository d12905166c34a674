//! What earlier runs came to: one small file a run, for rates, trends, `--last-failed` and durations.
//!
//! Nothing here knows a run's events: `report` makes the files from them. Whatever is wrong with a file is a
//! [`HistoryWarning`], never an error: a damaged history must not keep anybody from testing.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod durations;
mod folder;
mod format;
mod last_failed;
mod met;
mod parse;
mod read;
mod stability;
mod trend;
mod warning;
mod writer;

pub use durations::Durations;
pub use folder::{HISTORY_FOLDER, MOST_RUNS, RECORDINGS_FOLDER};
pub use format::{
    CaseKey, FailureNote, FlowResult, Met, Outcome, ResultId, StepOutcome, StepResult,
};
pub use last_failed::LastFailed;
pub use met::MetByFlow;
pub use read::{Details, History, MAX_BYTES_NAMED, PastRun, RunState};
pub use stability::{Stability, stability};
pub use trend::{BadSince, Point, StepTrend, Trend, Trends, failures_by_step, step_trends};
pub use warning::{HistoryWarning, Trouble};
pub use writer::{RunLine, Writer};

#[cfg(test)]
mod tests;
