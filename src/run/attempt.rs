//! One attempt at one flow on one device: setup, steps, teardown, and what is kept of a failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::app_versions::AppVersions;
use super::artifacts::ArtifactFolder;
use super::control::Depth;
use super::emit::Emitter;
use super::settings::Settings;
use super::step::aside;
use super::{Artifact, EventKind, FlowId, FlowStatus, Recorded, evidence};
use crate::device::{DeviceError, Script};
use crate::engine::Session;
use crate::flow::{self, Flow, Limits, Scope, Step, StepPath};
use crate::tools::{Caller, Failure, FailureKind};

/// Longest time that teardown and putting settings back may take after an interruption.
const CLEAN_UP_LIMIT: Duration = Duration::from_secs(20);

/// How long a device may take to answer a command that does nothing before it counts as hung.
const ANSWER_LIMIT: Duration = Duration::from_secs(3);

/// All an attempt needs. Steps change `scope` and `artifacts`, nothing else.
pub(super) struct Attempt<'a> {
    pub(super) flow: &'a Arc<Flow>,
    pub(super) id: FlowId,
    pub(super) session: &'a Session,
    pub(super) settings: &'a Settings,
    pub(super) emitter: &'a Emitter,
    /// Name of the pixels the device draws, where `runner.yaml` gives one.
    pub(super) render_class: Option<String>,
    /// Variant of the device's goldens, where `runner.yaml` gives it one.
    pub(super) variant: Option<String>,
    /// Versions of apps on the device.
    pub(super) app_versions: &'a AppVersions,
    pub(super) folder: ArtifactFolder,
    pub(super) scope: Scope,
    /// Scopes of the flows that run the current sub-flow, outermost first.
    pub(super) outer: Vec<Scope>,
    /// Folders of the `run:` steps that lead to the current step; they file a sub-flow's goldens.
    pub(super) callers: Vec<String>,
    /// Rounds of the `repeat` steps around the current step, from 1.
    pub(super) rounds: Vec<u32>,
    /// The step that began last was a snapshot that failed: it has kept the screen and its picture.
    pub(super) screen_kept: bool,
    /// A snapshot that is not its golden fails the flow but does not end it, so that one run tells of all of them.
    pub(super) goes_on: bool,
    /// Those snapshots.
    pub(super) differed: Vec<StepFailed>,
    /// For whom its tools keep what they keep.
    pub(super) caller: Caller,
    /// Where the step stands that began last: where the flow is when its time is up.
    pub(super) begun: Option<Recorded>,
}

/// A step that failed and is not optional.
#[derive(Debug, Clone)]
pub(super) struct StepFailed {
    pub(super) failure: Failure,
    pub(super) at: Recorded,
}

/// How an attempt ended.
pub(super) struct Ended {
    pub(super) status: FlowStatus,
    pub(super) failure: Option<Failure>,
    pub(super) failed_at: Option<Recorded>,
    pub(super) artifacts: Vec<Artifact>,
    /// A snapshot was not its golden, whatever else failed.
    pub(super) differed: bool,
}

impl Ended {
    fn plain(status: FlowStatus) -> Self {
        Self {
            status,
            failure: None,
            failed_at: None,
            artifacts: Vec::new(),
            differed: false,
        }
    }

    /// An attempt that could not begin.
    pub(super) fn unstarted(failure: Failure, at: Recorded) -> Self {
        Self::failed(FlowStatus::Error, StepFailed { failure, at }, Vec::new())
    }

    fn failed(status: FlowStatus, failed: StepFailed, artifacts: Vec<Artifact>) -> Self {
        Self {
            status,
            failure: Some(failed.failure),
            failed_at: Some(failed.at),
            artifacts,
            differed: false,
        }
    }
}

impl Attempt<'_> {
    /// Runs it; tells how it began, but not how it ended: only the caller knows whether another attempt follows.
    pub(super) async fn run(&mut self, cancel: &CancellationToken) -> Ended {
        let flow = Arc::clone(self.flow);
        self.emitter.emit(EventKind::FlowStarted {
            id: self.id.clone(),
            name: flow.name.clone(),
            tags: flow.tags.clone(),
            app: flow.app.clone(),
            steps: flow.setup.len() + flow.steps.len() + flow.teardown.len(),
        });
        match self.must_skip(&flow) {
            Ok(None) => {}
            Ok(Some(because)) => {
                let mut ended = Ended::plain(FlowStatus::Skipped);
                ended.failure = Some(Failure::assertion(because));
                return ended;
            }
            Err(failed) => return Ended::failed(FlowStatus::Error, failed, Vec::new()),
        }
        if let Err(error) = self.folder.clean() {
            self.emitter.warn(
                Some(&self.id),
                format!("old artifacts could not be removed: {error}"),
            );
        }
        let ended = self.body(&flow, cancel).await;
        let interrupted = ended.status == FlowStatus::Interrupted;
        let ended = self.finish(&flow, ended, interrupted, cancel).await;
        Ended {
            differed: !self.differed.is_empty(),
            ..ended
        }
    }

    fn must_skip(&self, flow: &Flow) -> Result<Option<String>, StepFailed> {
        let Some((condition, because)) = &flow.skip else {
            return Ok(None);
        };
        let holds = aside(|| flow::condition(condition, &self.scope));
        let holds = holds.map_err(|error| StepFailed {
            failure: Failure::new(FailureKind::Usage, format!("skip: {error}")),
            at: recorded(&flow.source, condition.span.start),
        })?;
        Ok(holds.then(|| {
            because
                .clone()
                .unwrap_or_else(|| format!("{} holds", condition.value))
        }))
    }

    async fn body(&mut self, flow: &Arc<Flow>, cancel: &CancellationToken) -> Ended {
        let limit = flow
            .timeout
            .map_or(self.settings.flow_timeout, |limit| limit.0);
        self.scope.limit(Limits {
            until: Instant::now().checked_add(limit),
            stop: Some(cancel.clone()),
        });
        let result = tokio::select! {
            () = cancel.cancelled() => return Ended::plain(FlowStatus::Interrupted),
            result = tokio::time::timeout(limit, self.setup_and_steps(flow)) => result,
        };
        let (mut status, mut failed) = match result {
            Ok(Ok(())) => return Ended::plain(FlowStatus::Passed),
            Ok(Err((status, failed))) => (status, failed),
            Err(_) => {
                let message = format!(
                    "the flow took longer than its timeout of {}",
                    crate::units::HumanDuration(limit)
                );
                let failure = Failure::new(FailureKind::Timeout, message);
                (
                    FlowStatus::Failed,
                    StepFailed {
                        failure,
                        at: self
                            .begun
                            .clone()
                            .unwrap_or_else(|| recorded(&flow.source, 0)),
                    },
                )
            }
        };
        if failed.failure.kind == FailureKind::Timeout
            && let Some(why) = self.does_not_answer().await
        {
            status = FlowStatus::Error;
            failed.failure.kind = FailureKind::Infrastructure;
            failed.failure.details.push(why);
        }
        let artifacts = if failed.failure.kind == FailureKind::Infrastructure {
            Vec::new()
        } else {
            let screen = failed.failure.kind != FailureKind::Snapshot || !self.screen_kept;
            evidence::collect(self.session, flow.app.as_deref(), &self.folder, screen).await
        };
        Ended::failed(status, failed, artifacts)
    }

    async fn setup_and_steps(&mut self, flow: &Arc<Flow>) -> Result<(), (FlowStatus, StepFailed)> {
        let app = flow.app.as_deref();
        // Beside what has to be waited for anyway.
        let (prepared, ()) = tokio::join!(self.session.prepare(), async {
            if let Some(app) = app {
                self.app_versions.learn(self.session.device(), app).await;
            }
        });
        match prepared.map_err(Failure::from) {
            Err(failure) if failure.kind == FailureKind::Infrastructure => {
                return Err((
                    FlowStatus::Error,
                    StepFailed {
                        failure,
                        at: recorded(&flow.source, 0),
                    },
                ));
            }
            Err(failure) => {
                let message = format!("animations could not be turned off: {}", failure.message);
                self.emitter.warn(Some(&self.id), message);
            }
            Ok(()) => {}
        }
        self.phase("setup", &flow.setup)
            .await
            .map_err(|failed| (FlowStatus::Error, failed))?;
        self.steps_of_the_flow(flow).await.map_err(|failed| {
            let lost = failed.failure.kind == FailureKind::Infrastructure;
            (
                if lost {
                    FlowStatus::Error
                } else {
                    FlowStatus::Failed
                },
                failed,
            )
        })
    }

    /// What ended them early is what failed the flow, else the first snapshot that was not its golden.
    async fn steps_of_the_flow(&mut self, flow: &Flow) -> Result<(), StepFailed> {
        self.goes_on = !self.settings.options.fail_fast;
        self.phase("steps", &flow.steps).await?;
        let Some(first) = self.differed.first() else {
            return Ok(());
        };
        // That snapshot kept its own; by now another screen is shown.
        self.screen_kept = true;
        Err(first.clone())
    }

    async fn phase(&mut self, name: &str, steps: &[Step]) -> Result<(), StepFailed> {
        // Steps of the main list are known by their number alone; those around it say which list they are of.
        let prefix = if name == "steps" {
            StepPath::default()
        } else {
            StepPath(vec![name.into()])
        };
        self.steps(steps, &prefix).await
    }

    /// A limit that ran out may be the app's fault or a device that hangs: asks it for nothing at all.
    async fn does_not_answer(&self) -> Option<String> {
        let nothing = Script::command(["true"]);
        let answer = self.session.device().shell(&nothing, ANSWER_LIMIT).await;
        let error = answer.err()?;
        (error.is_infrastructure() || matches!(error, DeviceError::Timeout { .. })).then(|| {
            format!(
                "device '{}' does not answer any more ({error}); plug it in again or restart it",
                self.id.device
            )
        })
    }

    /// Teardown always runs, but not against a device that is gone.
    async fn finish(
        &mut self,
        flow: &Arc<Flow>,
        mut ended: Ended,
        interrupted: bool,
        cancel: &CancellationToken,
    ) -> Ended {
        let lost = ended
            .failure
            .as_ref()
            .is_some_and(|failure| failure.kind == FailureKind::Infrastructure);
        if lost {
            return ended;
        }
        // A step that was cut short amid a sub-flow or a loop left its surroundings behind.
        self.unwind(Depth::default());
        self.goes_on = false;
        let limit = if interrupted {
            CLEAN_UP_LIMIT
        } else {
            self.settings.flow_timeout
        };
        self.scope.limit(Limits {
            until: Instant::now().checked_add(limit),
            stop: None,
        });
        let hurried = async {
            if interrupted {
                std::future::pending::<()>().await;
            } else {
                cancel.cancelled().await;
                tokio::time::sleep(CLEAN_UP_LIMIT).await;
            }
        };
        let torn_down = tokio::select! {
            result = tokio::time::timeout(limit, self.phase("teardown", &flow.teardown)) => result.ok(),
            () = hurried => None,
        };
        self.unwind(Depth::default());
        let failed = match torn_down {
            Some(Ok(())) => None,
            Some(Err(failed)) => Some(failed),
            None => Some(StepFailed {
                failure: Failure::new(FailureKind::Timeout, "teardown took too long"),
                at: recorded(
                    &flow.source,
                    flow.teardown.first().map_or(0, |step| step.span.start),
                ),
            }),
        };
        if let Some(failed) = failed {
            if ended.status == FlowStatus::Passed {
                ended = Ended::failed(FlowStatus::Error, failed, Vec::new());
            } else {
                self.emitter.warn(
                    Some(&self.id),
                    format!("teardown failed too: {}", failed.failure.message),
                );
            }
        }
        match tokio::time::timeout(CLEAN_UP_LIMIT, self.session.restore()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.emitter.warn(
                Some(&self.id),
                format!("settings could not be put back: {error}"),
            ),
            Err(_) => self
                .emitter
                .warn(Some(&self.id), "settings could not be put back in time"),
        }
        ended
    }
}

/// A place in a source, for events.
pub(super) fn recorded(source: &crate::diagnostic::Source, offset: usize) -> Recorded {
    let (line, column) = crate::diagnostic::line_column(&source.text, offset);
    let text = source
        .text
        .lines()
        .nth(line - 1)
        .unwrap_or_default()
        .to_owned();
    Recorded {
        file: source.path.clone(),
        line,
        column,
        text,
    }
}
