//! Runs the project's steps once a device: before its first flow, and after its last.
//!
//! They run as an attempt at a flow that stands in `runner.yaml`. A success is reported in one line, a
//! failure with all its steps, like that of a flow.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::state::{Run, now};
use crate::app_versions::AppVersions;
use crate::attempt::{Attempt, AttemptEnd, CLEAN_UP_LIMIT};
use crate::call_stack::CallStack;
use crate::context::AttemptContext;
use crate::devices::{Address, Target};
use crate::emit::Emitter;
use crate::evaluate::block_in_place;
use crate::reporter::Reporter;
use crate::typed_secrets::TypedSecrets;
use crate::{PlannedCase, names};
use runner_device::settings::Setting;
use runner_device::{Device, DeviceError, apps};
use runner_engine::{EngineError, Session};
use runner_event::{Event, EventKind, FlowId, FlowStatus};
use runner_flow::{CaseName, Flow};
use runner_text::units::HumanDuration;
use runner_tools::Caller;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Setup,
    Teardown,
}

/// Steps of an open device.
pub(super) struct DeviceSteps {
    /// Session of the setup. Settings that setup changed are put back only after teardown.
    session: Session,
    typed_secrets: Arc<TypedSecrets>,
    has_begun: bool,
    /// Animation setting before the run. It outlives the loss of the device, as animations are off when the
    /// device comes back.
    pub(super) animations: Option<Setting>,
}

impl DeviceSteps {
    /// Creates the steps with a session of their own for setup and teardown. Nothing runs yet.
    pub(super) fn new(run: &Run, device: &Arc<dyn Device>) -> Self {
        let typed_secrets = Arc::new(TypedSecrets::new(run.emitter.scrubber().clone()));
        let session = run.session(device);
        Self {
            session: session.with_observer(Arc::<TypedSecrets>::clone(&typed_secrets)),
            typed_secrets,
            has_begun: false,
            animations: None,
        }
    }

    /// Runs the setup before the device's first flow: turns animations off, installs the APKs that the command
    /// line names, and runs the project's steps. Later calls do nothing and succeed, also after a failure. An
    /// error if the device is lost, or an APK or a step fails.
    pub(super) async fn set_up(
        &mut self,
        run: &Run,
        target: &Target,
        apps: &AppVersions,
    ) -> Result<(), DeviceError> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        // First, so that the session knows what to put back whatever fails.
        self.stop_animations(run, target).await?;
        self.install_named(run, target).await?;
        let Some(flow) = &run.plan.device_setup else {
            return Ok(());
        };
        let ended = self.attempt(run, flow, Side::Setup, target, apps).await;
        let (serial, cause) = (target.label.clone(), cause(&ended));
        match ended.status {
            _ if ended.gone => Err(DeviceError::Lost { serial, cause }),
            FlowStatus::Failed | FlowStatus::Error => Err(DeviceError::NotSetUp { serial, cause }),
            _ => Ok(()),
        }
    }

    /// Turns animations off. That happens once a device and not once a flow, as a phone takes time for each
    /// of the commands. A device that refuses is only a warning; one that cannot be reached is an error.
    async fn stop_animations(&mut self, run: &Run, target: &Target) -> Result<(), DeviceError> {
        match self.session.stop_animations(&mut self.animations).await {
            Ok(()) => Ok(()),
            Err(EngineError::Device(error)) if error.is_unreachable() => Err(error),
            Err(error) => {
                let serial = &target.label;
                let why = format!("animations of '{serial}' could not be turned off: {error}");
                run.emitter.warn(None, why);
                Ok(())
            }
        }
    }

    /// Installs the APKs that the command line names, in order, with a note for each and at most five minutes for each.
    /// The first that fails is the error. The built-in device has them from its start.
    async fn install_named(&self, run: &Run, target: &Target) -> Result<(), DeviceError> {
        if target.address == Address::Virtual {
            return Ok(());
        }
        let device = self.session.device();
        for apk in run.settings.config.named_apks() {
            let began = Instant::now();
            apps::install(device, apk.as_std_path())
                .await
                .map_err(|error| DeviceError::NotSetUp {
                    serial: target.label.clone(),
                    cause: format!("{apk} cannot be installed: {error}"),
                })?;
            let took = HumanDuration(began.elapsed());
            let message = format!("{apk} installed on '{}': {took}", target.label);
            run.emitter.info(None, message);
        }
        Ok(())
    }

    /// Runs the teardown after the last flow, also after an interruption, or without one puts the settings
    /// back. Its failure is reported only. If the setup never began, it puts back only the animations that
    /// were turned off before the device was lost.
    pub(super) async fn tear_down(mut self, run: &Run, target: &Target, apps: &AppVersions) {
        if !self.has_begun {
            if self.animations.is_some() {
                // The session learns what they were by turning them off again. What fails is told after it.
                let _ = self.stop_animations(run, target).await;
                self.restore(run, target).await;
            }
            return;
        }
        if let Some(flow) = &run.plan.device_teardown {
            self.attempt(run, flow, Side::Teardown, target, apps).await;
        } else {
            self.restore(run, target).await;
        }
    }

    /// Puts the settings back, within 20 s. A failure is a warning.
    async fn restore(&self, run: &Run, target: &Target) {
        let why = match tokio::time::timeout(CLEAN_UP_LIMIT, self.session.restore()).await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => format!(": {error}"),
            Err(_) => " in time".to_owned(),
        };
        let serial = &target.label;
        run.emitter.warn(
            None,
            format!("settings of '{serial}' could not be put back{why}"),
        );
    }

    /// Runs the steps of one side as an attempt. Their events are held back: a failure is reported like a flow's,
    /// of a success only notes and the duration. Settings are put back after the teardown only.
    async fn attempt(
        &self,
        run: &Run,
        flow: &Arc<Flow>,
        side: Side,
        target: &Target,
        apps: &AppVersions,
    ) -> AttemptEnd {
        let (began, started) = (Instant::now(), now());
        let device = self.session.device();
        let cost_before = device.counters().read();
        let id = id_of(run, side, target);
        let (sink, events) = channel();
        let emitter = Emitter::new(sink, run.emitter.scrubber().clone());
        let case = PlannedCase {
            flow: Arc::clone(flow),
            case: None,
            repeat: None,
        };
        let scope = block_in_place(|| {
            names::initial_scope(&run.settings, &emitter, &case, &id, device.info())
        });
        let ended = match scope {
            Err(failed) => AttemptEnd::unstarted(failed),
            Ok(scope) => {
                let context = AttemptContext {
                    flow,
                    case: None,
                    reporter: Reporter::new(&emitter, id.clone()),
                    session: &self.session,
                    settings: &run.settings,
                    target,
                    app_versions: apps,
                    folder: run.artifact_folder(&id, &emitter),
                    caller: Caller::that_ends(),
                    trace: None,
                    recorder: None,
                    typed_secrets: Arc::clone(&self.typed_secrets),
                };
                let mut attempt = Attempt::new(&context, CallStack::new(scope, None), None);
                let ended = Box::pin(attempt.run_on_device(&run.cancel)).await;
                if side == Side::Teardown {
                    attempt.restore().await;
                }
                ended
            }
        };
        drop(emitter);
        let (cost, duration_ms) = (
            device.counters().read() - cost_before,
            began.elapsed().as_millis() as u64,
        );
        if !matches!(ended.status, FlowStatus::Failed | FlowStatus::Error) {
            report_success(
                run,
                &format!("{} of '{}'", flow.name, target.label),
                duration_ms,
                events,
            );
            return ended;
        }
        run.sources
            .emit(flow, &run.settings.config.secrets, &run.emitter);
        let is_source = |kind: &EventKind| matches!(kind, EventKind::Source { .. });
        let reported = events.into_iter().map(|event| event.kind);
        reported
            .filter(|kind| !is_source(kind))
            .for_each(|kind| run.emitter.emit(kind));
        run.emitter.emit(EventKind::FlowFinished {
            id,
            status: ended.status,
            last: true,
            started,
            duration_ms,
            cost,
            failure: ended.failure.clone(),
            failed_at: ended.failed_at.clone(),
            artifacts: ended.artifacts.clone(),
            app_version: None,
            quarantine: None,
            met: None,
        });
        ended
    }
}

/// Reports a success: the notes and warnings of its steps, each behind `what` and without a flow, then
/// one line with `what` and the duration. Drops other events. Reads until all senders of `events` are
/// gone.
fn report_success(run: &Run, what: &str, duration_ms: u64, events: Receiver<Event>) {
    for event in events {
        if let EventKind::Log { level, message, .. } = event.kind {
            let message = format!("{what}: {message}");
            let id = None;
            run.emitter.emit(EventKind::Log { id, level, message });
        }
    }
    let took = HumanDuration(Duration::from_millis(duration_ms));
    run.emitter.info(None, format!("{what}: {took}"));
}

/// Returns the identity of a failure: the flow `runner.yaml`, the case `device-setup` or
/// `device-teardown`, the label of the target as device, attempt 1. With `spread`, where a flow runs on
/// any device, the case is `device-setup-LABEL`, made safe by [`CaseName::new`], as the steps of
/// several devices would else count as attempts at one flow.
fn id_of(run: &Run, side: Side, target: &Target) -> FlowId {
    let side = match side {
        Side::Setup => "device-setup",
        Side::Teardown => "device-teardown",
    };
    let name = if run.spreads() {
        format!("{side}-{}", target.label)
    } else {
        side.to_owned()
    };
    FlowId {
        flow: "runner.yaml".into(),
        case: Some(CaseName::new(&name)),
        repeat: None,
        device: target.label.clone(),
        attempt: 1,
    }
}

/// Returns place and first line of the failure in one line: `FILE:LINE: MESSAGE`. Without a message it is
/// that the setup failed.
fn cause(ended: &AttemptEnd) -> String {
    let failure = ended.failure.as_ref();
    let first = failure.map(|failure| failure.message.first_line());
    let first = first.filter(|line| !line.is_empty());
    let why = first.unwrap_or_else(|| "its setup failed".into());
    match &ended.failed_at {
        Some(at) => format!("{}:{}: {why}", at.file, at.line),
        None => why.to_string(),
    }
}
