//! Runs a whole plan: devices, retries, and totals.

mod device_mismatch;
mod device_steps;
mod fit;
mod flow_attempt;
mod order;
mod pool;
mod queue;
mod retries;
mod schedule;
mod skip;
mod state;
mod work_item;
mod workers;

#[cfg(test)]
mod debugger_tests;
#[cfg(test)]
mod tests;

use std::sync::mpsc::Sender;

use tokio_util::sync::CancellationToken;

use super::settings::Options;
use super::{OpenConnection, Plan};
use runner_base::context::Context;
use runner_base::exit_code::ExitCode;
use runner_config::Config;
use runner_event::Event;

pub(super) use state::Run;

/// Runs a plan and sends all events to `sink`. Returns the exit code.
pub async fn run(
    config: Config,
    context: &Context,
    plan: Plan,
    options: Options,
    sink: Sender<Event>,
    cancel: CancellationToken,
) -> ExitCode {
    let run = Run::begin(config, context, plan, options, sink, cancel);
    run.on_all_devices().await;
    run.finish()
}

/// Runs a plan as [`run`] does, on a device that is open already and stays open. Flows are not spread over
/// devices. The caller must have exclusive access to it. Returns the exit code.
pub async fn run_on(
    opened: &OpenConnection,
    mut config: Config,
    context: &Context,
    plan: Plan,
    options: Options,
    sink: Sender<Event>,
    cancel: CancellationToken,
) -> ExitCode {
    // There is only one device.
    config.spread.value = false;
    let run = Run::begin(config, context, plan, options, sink, cancel);
    run.emit_plan(std::slice::from_ref(&opened.target));
    // Boxed, as the future of a whole run is large.
    Box::pin(run.on_open_device(&opened.target, opened.device())).await;
    run.finish()
}
