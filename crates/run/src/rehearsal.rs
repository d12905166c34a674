//! Rehearsal: runs an edited flow on the recorded screens of an earlier run, with the engine of every run.
//!
//! It judges the edit only. A step that the recording has at the same place is skipped with its recorded
//! result; any other step runs on the screens that were there. So it never claims that a flow passes, and it
//! reports what it cannot know.

mod edit;
mod goldens;
mod judge;
mod steps;

use std::sync::Arc;

use runner_base::context::Context;
use runner_config::Config;
use runner_event::SourceLocation;
use runner_flow::Flow;
use runner_recording::{RecordedDevice, Recording};
use runner_snapshot::UpdateMode;
use runner_text::diagnostic::Source;
use tokio_util::sync::CancellationToken;

use super::devices::{Address, Target};
use super::{Options, Plan, PlannedCase};
pub use edit::{EditError, EditResult, judge_edit};
use judge::Judge;

/// Finding of a rehearsal about one step.
#[derive(Debug, Clone)]
pub struct Finding {
    pub kind: FindingKind,
    /// File of the step.
    pub source: Arc<Source>,
    /// Byte range of the step.
    pub span: std::ops::Range<usize>,
    /// Message of one line.
    pub message: String,
    /// Near misses, and what to do.
    pub details: Vec<String>,
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// The step fails on every recorded screen from the place of the step that it replaces on.
    Breaks,
    /// Its selector matches several elements there.
    Several,
    /// The step touches another element than the recorded step.
    OtherElement,
    /// The step is new, and no recorded screen has what it needs.
    NotRecorded,
    /// The recording cannot answer it.
    NotChecked,
}

/// Result of a rehearsal.
#[derive(Debug, Default)]
pub struct RehearsalResult {
    /// Findings, in the order of the steps.
    pub findings: Vec<Finding>,
    /// Number of steps that the recording has unchanged.
    pub unchanged: usize,
    /// Number of steps that ran on recorded screens.
    pub judged: usize,
}

/// Runs a case of a flow on the screens of a recording, and returns what would fail there. It asks no device,
/// sends nothing, and writes nothing but temporary files. Teardown, hooks, retries and conditions for the
/// device are left out.
///
/// # Errors
/// The folder for temporary files cannot be made.
pub async fn rehearse(
    config: &Config,
    context: &Context,
    case: &PlannedCase,
    recording: Recording,
) -> std::io::Result<RehearsalResult> {
    let recording = Arc::new(recording);
    let device = RecordedDevice::new(Arc::clone(&recording));
    let judge = Arc::new(Judge::new(Arc::clone(&device), recording, &case.flow));
    // A run needs an artifact folder of its own.
    let folder = tempfile::tempdir()?;
    let mut config = config.clone();
    if let Some(path) = camino::Utf8Path::from_path(folder.path()) {
        path.clone_into(&mut config.artifacts.value);
    }
    config.update.value = UpdateMode::None;
    config.spread.value = false;
    config.retries.value = 0;
    config.trace.value = runner_config::RecordMode::Off;
    config.video.value = runner_config::RecordMode::Off;
    let plan = Plan {
        cases: vec![PlannedCase {
            flow: Arc::new(without_ends(&case.flow)),
            case: case.case.clone(),
            repeat: None,
        }],
        ..Plan::default()
    };
    let options = Options {
        debugger: Some(Arc::<Judge>::clone(&judge)),
        allow_unfit: true,
        ..Options::default()
    };
    let (sink, events) = std::sync::mpsc::channel();
    let run = super::runner::Run::begin(
        config,
        context,
        plan,
        options,
        sink,
        CancellationToken::new(),
    );
    let target = Target::with_defaults(&judge.label(), Address::Virtual);
    let device: Arc<dyn runner_device::Device> = device;
    Box::pin(run.on_open_device(&target, &device)).await;
    drop(run);
    Ok(judge.result(&case.flow, events.try_iter()))
}

/// Returns the flow without teardown, hooks, retries and quarantine, as these may act elsewhere than on the
/// screen, and without `needs` and `skip`, so that it runs in any case.
fn without_ends(flow: &Flow) -> Flow {
    Flow {
        teardown: Vec::new(),
        on_failure: Vec::new(),
        retries: Some(0),
        quarantine: None,
        needs: None,
        skip: None,
        ..flow.clone()
    }
}

impl Finding {
    /// Returns the place of the step.
    pub fn place(&self) -> SourceLocation {
        SourceLocation::from_offset(&self.source, self.span.start)
    }
}
