//! Results of earlier runs: one small file a run, read for rates, trends, `--last-failed`, durations and
//! stability.
//!
//! This crate owns the format and the folder, and knows nothing of a run's events: `report` writes the files
//! from them. A problem with a file is a [`HistoryWarning`], never an error: a damaged history must not keep
//! anybody from testing.

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
mod parse;
mod past_run;
mod read;
mod screen_names;
mod stability;
mod trend;
mod warning;
mod writer;

pub use durations::Durations;
pub use folder::{
    HISTORY_FOLDER, MAX_RUNS, RECORDINGS_FOLDER, RUN_ID_SEPARATOR, count_running, is_run_file,
};
pub use format::{
    CaseKey, FailureNote, FlowResult, Outcome, ResultId, ScreenNames, StepOutcome, StepResult,
};
pub use last_failed::LastFailed;
pub use past_run::{Details, PastRun, RunState};
pub use read::{History, MAX_NAMED_FILE_BYTES};
pub use screen_names::ScreenNamesByFlow;
pub use stability::{Stability, stability};
pub use trend::{FailureStreak, Point, StepTrend, Trend, Trends, failures_by_step, step_trends};
pub use warning::{HistoryProblem, HistoryWarning};
pub use writer::{RunLine, Writer};

#[cfg(test)]
mod tests;
