//! Runs one attempt at a case: its session, names, recording and trace.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use camino::Utf8Path;

use super::state::{Run, now};
use crate::app_versions::AppVersions;
use crate::attempt::{Attempt, AttemptEnd};
use crate::call_stack::CallStack;
use crate::context::AttemptContext;
use crate::devices::Target;
use crate::emit::Emitter;
use crate::evaluate::block_in_place;
use crate::maestro::MaestroState;
use crate::recorder::Recorder;
use crate::reporter::Reporter;
use crate::screen_names::ScreenNameRecorder;
use crate::trace::TraceRecorder;
use crate::typed_secrets::TypedSecrets;
use crate::{PlannedCase, names, sources};
use runner_device::Device;
use runner_event::{FlowId, FlowStatus};
use runner_flow::Flow;
use runner_recording::Head;
use runner_tools::Caller;

impl Run {
    /// Runs one attempt at a case on the device, in a session of its own, and returns how it ended. Records screens
    /// and trace if wanted. Names or an `app` that cannot be evaluated end it before it begins. Does not report its
    /// end.
    pub(super) async fn attempt(
        &self,
        case: &PlannedCase,
        id: FlowId,
        target: &Target,
        device: &Arc<dyn Device>,
        apps: &AppVersions,
        emitter: &Emitter,
    ) -> AttemptEnd {
        let flow = &case.flow;
        let reporter = Reporter::new(emitter, id);
        let id = reporter.id();
        // Each attempt has a session of its own, so that no look or id of an earlier one counts.
        let met = Arc::new(ScreenNameRecorder::default());
        let typed_secrets = Arc::new(TypedSecrets::new(emitter.scrubber().clone()));
        let mut session = self
            .session(device)
            .with_observer(Arc::<ScreenNameRecorder>::clone(&met))
            .with_observer(Arc::<TypedSecrets>::clone(&typed_secrets));
        let info = device.info();
        let folder = self.artifact_folder(id, emitter);
        let trace = self.settings.config.trace.value.records(id.attempt);
        let watch = self.settings.options.trace_watch.as_ref();
        let trace = trace.then(|| {
            let folder = watch.map_or_else(
                || folder.clone(),
                |watch| self.folder_in(watch.folder(), id, emitter),
            );
            Arc::new(TraceRecorder::new(&reporter, &folder))
        });
        if let Some(trace) = &trace {
            if let Some(watch) = watch {
                watch.begins(id, trace);
            }
            session = session.with_observer(Arc::<TraceRecorder>::clone(trace));
        }
        // Before the files are emitted, as this masks the secrets in the header's `env`.
        let scope =
            block_in_place(|| names::initial_scope(&self.settings, emitter, case, id, info));
        self.sources
            .emit(flow, &self.settings.config.secrets, emitter);
        let scope = match scope {
            Ok(scope) => scope,
            Err(failed) => return AttemptEnd::unstarted(failed),
        };
        let secrets = &self.settings.config.secrets;
        let flow = match block_in_place(|| names::resolve_app(flow, &scope, secrets)) {
            Ok(flow) => flow,
            Err(failed) => return AttemptEnd::unstarted(failed),
        };
        let recorder = self.recorder(&flow, id, device, emitter, &typed_secrets);
        if let Some(recorder) = &recorder {
            session = session.with_observer(Arc::<Recorder>::clone(recorder));
        }
        let shard = self.plan.shard.as_ref();
        let maestro = flow
            .maestro()
            .map(|_| MaestroState::new(&self.settings, &flow, id, (info, session.clock()), shard));
        let context = AttemptContext {
            flow: &flow,
            case: case.case.as_deref(),
            reporter,
            session: &session,
            settings: &self.settings,
            target,
            app_versions: apps,
            folder,
            caller: Caller::that_ends(),
            trace,
            recorder: recorder.clone(),
            typed_secrets,
        };
        let stack = CallStack::new(scope, maestro);
        let debugger = self.settings.options.debugger.clone();
        let mut attempt = Attempt::new(&context, stack, debugger);
        let ended = Box::pin(attempt.run(&self.cancel)).await;
        let mut recording = None;
        if let Some(recorder) = recorder {
            let version = context.app_version();
            recording = recorder.finish(ended.status, version).await;
            if ended.status == FlowStatus::Passed
                && let Some(recording) = &recording
            {
                self.note_match_changes(recording, context.reporter.id(), emitter);
            }
        }
        AttemptEnd {
            app: flow.app.clone(),
            met: Some(met.met()),
            recording,
            ..ended
        }
    }

    /// Notes the steps that matched another element than in the last earlier run of the flow that passed. Does
    /// nothing without recordings or such a run. Reads both recordings, and blocks this thread meanwhile.
    fn note_match_changes(&self, recording: &Utf8Path, id: &FlowId, emitter: &Emitter) {
        let Some(run) = &self.recording else {
            return;
        };
        let others = block_in_place(|| {
            let before = run.earlier(&id.case_id())?;
            let now = runner_recording::read(recording).ok()?;
            Some(runner_recording::match_changes(&now, &before))
        });
        for other in others.unwrap_or_default() {
            emitter.info(Some(id), other.to_string());
        }
    }

    /// Starts the recording of an attempt; `None` if the run records nothing. If it fails, warns once in a
    /// run and returns `None`.
    fn recorder(
        &self,
        flow: &Flow,
        id: &FlowId,
        device: &Arc<dyn Device>,
        emitter: &Emitter,
        typed: &Arc<TypedSecrets>,
    ) -> Option<Arc<Recorder>> {
        let run = self.recording.as_ref()?;
        let head = Head {
            version: runner_recording::VERSION,
            run: self.settings.run_id.clone(),
            started: now(),
            program: env!("CARGO_PKG_VERSION").to_owned(),
            id: id.clone(),
            device: device.info().clone(),
            // Outputs show no secret, and a header may take its app from one.
            app: flow
                .app
                .as_deref()
                .map(|app| emitter.scrubber().scrub_name(app).into_owned()),
            files: sources::digests(flow),
        };
        match Recorder::begin(run, head, emitter.scrubber(), typed, device.clock()) {
            Ok(recorder) => Some(recorder),
            Err(error) => {
                if !self.recording_failed.swap(true, Ordering::Relaxed) {
                    emitter.warn(
                        None,
                        format!("flows are not recorded in the history: {error}"),
                    );
                }
                None
            }
        }
    }
}
