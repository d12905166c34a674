//! Runs flows on the server's own device for agents. A run locks the device, reports each step, and does its
//! teardown even if nobody waits for it any more.

mod gather;
mod last_run;
mod report;
mod screen;

pub use gather::RunOutcome;
pub use last_run::LastRun;
pub(crate) use screen::FailureScreen;

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Workspace, add_secret_variables};
use runner_base::context::Context;
use runner_config::Config;
use runner_run::{Options, Plan};
use runner_tools::{Failure, Progress};

/// Flows to run, with their settings.
pub(super) struct RunRequest {
    pub plan: Plan,
    /// Settings of the project, with those that the call changes.
    pub config: Config,
    /// Environment of the server, with the variables that the call sets.
    pub context: Context,
    /// True if `runner://report/last` shows this run.
    pub is_report: bool,
}

/// Runs flows one after the other until the first that fails. Waits without a limit until it has the device alone, and
/// completes an interrupted accept before the first flow. With `is_report`, the result becomes the server's last run.
/// If the returned future is dropped, the run still does its teardown and puts the device's settings back, and only
/// then others get the device.
///
/// # Errors
/// There is no device, or the goldens cannot be read. A flow that fails is not an error.
pub(super) async fn run_flows(
    workspace: &Workspace,
    request: RunRequest,
    progress: &Progress,
) -> Result<Arc<RunOutcome>, Failure> {
    let alone = workspace.connection.lock_exclusive().await;
    recover(&request.config).await?;
    let opened = workspace.connection.opened().await?;
    let cancel = CancellationToken::new();
    // Dropped with this future. The run is a task of its own, and then does its teardown.
    let _ends_with_the_call = cancel.clone().drop_guard();
    let (sink, events) = std::sync::mpsc::channel();
    let gathering = {
        let progress = progress.clone();
        tokio::task::spawn_blocking(move || gather::gather(&events, &progress))
    };
    let (connection, runs) = (
        Arc::clone(&workspace.connection),
        Arc::clone(&workspace.runs),
    );
    let options = Options {
        max_failures: Some(1),
        shuffle: None,
        known: Some(workspace.scrubber.clone()),
        ..Options::default()
    };
    let run = tokio::spawn(async move {
        let RunRequest {
            plan,
            mut config,
            context,
            is_report,
        } = request;
        add_secret_variables(&mut config, &context);
        runner_run::run_on(&opened, config, &context, plan, options, sink, cancel).await;
        let ran = Arc::new(gathering.await?);
        if ran.may_have_lost_device() {
            connection.forget_if_lost(&opened.session).await;
        }
        if is_report {
            runs.keep(Arc::clone(&ran));
        }
        // Unlocked only now that the device's settings are put back.
        drop(alone);
        Ok::<_, tokio::task::JoinError>(ran)
    });
    run.await.and_then(|ran| ran).map_err(|error| {
        Failure::infrastructure(format!("the run stopped: {error}; this is a bug"))
    })
}

/// Completes an accept that was interrupted, before anything is compared with its goldens.
async fn recover(config: &Config) -> Result<(), Failure> {
    let config = config.clone();
    blocking(move || config.recovered_store()).await?;
    Ok(())
}

/// Runs work on the store of goldens on a thread for blocking work. Errors of the store become usage errors.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, runner_snapshot::SnapshotError> + Send + 'static,
) -> Result<T, Failure> {
    runner_tools::blocking(work)
        .await?
        .map_err(|error| Failure::usage(error.to_string()))
}
