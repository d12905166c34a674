//! Runs a case of a flow on the screens of a recording.

use std::sync::Arc;

use runner_base::context::Context;
use runner_config::Config;
use runner_flow::Flow;
use runner_recording::{RecordedDevice, Recording};
use runner_snapshot::UpdateMode;
use tokio_util::sync::CancellationToken;

use super::finding::RehearsalResult;
use super::judge::Judge;
use crate::devices::{Address, Target};
use crate::runner::Run;
use crate::{Options, Plan, PlannedCase};

/// Runs a case of a flow on the screens of a recording, and returns what would fail there. It asks no device, sends
/// nothing, and writes nothing but temporary files. Teardown, `on_failure`, retries, `needs` and `skip` are left out.
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
    let run = Run::begin(
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

/// Returns the flow without teardown, `on_failure`, retries and quarantine, as these may act elsewhere than on the
/// screen. Without `needs` and `skip` it always runs.
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
