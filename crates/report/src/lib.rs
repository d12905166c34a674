//! Reports of a run: terminal, JUnit, JSON, HTML, Allure, GitHub. Each is made from the run's events only.
//!
//! A report is a [`Subscriber`], and [`Reports`] passes it every event. The run's [`Summary`] counts results
//! and computes the exit code. Nothing here talks to a device, reads a flow or hides secrets: events arrive
//! scrubbed.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

#[cfg(test)]
mod agreement;
mod allure;
mod archive;
#[cfg(test)]
mod cause_laws;
mod failure;
mod file_form;
mod github;
mod history;
pub mod html;
mod json;
mod junit;
mod merge;
mod places;
mod problem;
mod records;
mod results;
mod rewrite_schedule;
mod saved_stream;
mod shards;
mod stream_error;
mod subscriber;
mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod text;
mod thread;
mod unpack;

pub use allure::{ALLURE, Allure, write_allure};
pub use archive::write_archive;
pub use github::{GitHub, ReportLink};
pub use history::{HistoryFile, HistoryWarningCell};
pub use html::Html;
pub use json::{JsonStream, LAST_RUN, events_schema, read_stream};
pub use junit::{Junit, JunitOptions, junit_xml};
pub use merge::merge;
pub use records::{
    Attempt, End, Finish, FlowRecord, InvalidFlow, LogLine, Phase, RunInfo, StepRecord,
};
pub use results::Results;
pub use runner_event::Summary;
pub use saved_stream::{SavedStream, closing, find_streams, is_finished, lack_a_plan};
pub use shards::{ShardProblem, report_shard_problems, shard_problems};
pub use stream_error::StreamError;
pub use subscriber::{ReportError, Reports, Subscriber};
pub use terminal::{Repetition, Terminal, TerminalStyle, Verbosity};
pub use thread::ReportThread;
pub use unpack::{UnpackError, unpack};
