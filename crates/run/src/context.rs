//! Fixed context of an attempt: its flow, its device, and the settings that apply to them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::app_versions::AppVersions;
use super::artifacts::ArtifactFolder;
use super::devices::Target;
use super::recorder::Recorder;
use super::reporter::Reporter;
use super::settings::Settings;
use super::trace::{TraceRecorder, VideoRecorder};
use super::typed_secrets::TypedSecrets;
use runner_engine::Session;
use runner_event::EventKind;
use runner_flow::{Case, Combination, Flow, Step};
use runner_tools::{Call, Caller, Progress};

/// Context of an attempt. Nothing in it changes while the attempt runs.
pub(super) struct AttemptContext<'a> {
    pub(super) flow: &'a Arc<Flow>,
    /// Case of the flow, if it has several.
    pub(super) case: Option<&'a Case>,
    pub(super) reporter: Reporter,
    pub(super) session: &'a Session,
    pub(super) settings: &'a Settings,
    /// Device, with the settings that `runner.yaml` has for it.
    pub(super) target: &'a Target,
    pub(super) app_versions: &'a AppVersions,
    pub(super) folder: ArtifactFolder,
    /// Owner of the state that tools keep between the attempt's calls.
    pub(super) caller: Caller,
    /// Recorder of the trace, if one is wanted.
    pub(super) trace: Option<Arc<TraceRecorder>>,
    /// Recorder of the screens for the history.
    pub(super) recorder: Option<Arc<Recorder>>,
    pub(super) typed_secrets: Arc<TypedSecrets>,
}

/// Returns the properties for reports in the header of a Maestro flow; none for other flows. Of equal names the last
/// counts.
pub(super) fn header_properties(flow: &Flow) -> BTreeMap<String, String> {
    let header = flow.maestro();
    let properties = header.map(|header| header.properties.iter().cloned());
    properties.into_iter().flatten().collect()
}

impl AttemptContext<'_> {
    /// Reports the attempt's beginning, with the number of steps in the flow's setup, main list and teardown.
    /// `on_failure` and nested steps are not counted. Each call reports it once more.
    pub(super) fn emit_start(&self) {
        let flow = self.flow;
        self.reporter.emit(|id| EventKind::FlowStarted {
            id,
            name: flow.name.clone(),
            tags: flow.tags.clone(),
            app: flow.app.clone(),
            properties: header_properties(flow),
            steps: flow.setup.len() + flow.steps.len() + flow.teardown.len(),
        });
    }

    /// Begins trace and video, each only if wanted; the video's setting may depend on the attempt's number. Returns
    /// the video's recorder, if one is wanted and could be started. Never fails.
    pub(super) async fn record(&self) -> Option<VideoRecorder> {
        let began_ms = self.reporter.elapsed_ms();
        if let Some(trace) = &self.trace {
            trace.begin(
                self.session.shared_device(),
                self.flow.app.as_deref(),
                began_ms,
            );
        }
        if !self
            .settings
            .config
            .video
            .value
            .records(self.reporter.id().attempt)
        {
            return None;
        }
        let device = self.session.shared_device();
        VideoRecorder::start(device, &self.reporter, &self.folder, began_ms).await
    }

    /// Ends trace and video, and reports the files that are kept: `passed` and the setting of each decide. Files that
    /// are not kept are removed. Without `video` only the trace ends.
    pub(super) async fn keep_record(&self, video: Option<VideoRecorder>, passed: bool) {
        let settings = self.settings;
        if let Some(trace) = &self.trace
            && let Some(trace) = trace
                .finish(settings.config.trace.value.keeps(passed))
                .await
        {
            let trace = Box::new(trace);
            self.reporter.emit(|id| EventKind::Trace { id, trace });
        }
        if let Some(video) = video {
            let pieces = video
                .finish(settings.config.video.value.keeps(passed))
                .await;
            if !pieces.is_empty() {
                self.reporter.emit(|id| EventKind::Video { id, pieces });
            }
        }
    }

    /// Returns the device settings of the case's matrix; `None` for a flow without cases or a case without a matrix.
    pub(super) fn combination(&self) -> Option<&Combination> {
        self.case?.combination.as_deref()
    }

    /// Returns the time that a step may wait: its own `timeout`, else the flow's or the run's `step_timeout`.
    pub(super) fn timeout(&self, step: &Step) -> Duration {
        let own = step.modifiers.timeout.or(self.flow.step_timeout);
        own.map_or(self.settings.config.step_timeout.value, |timeout| timeout.0)
    }

    /// Returns the `step_timeout` of the flow or the run, which limits a condition.
    pub(super) fn usual_timeout(&self) -> Duration {
        let usual = self.flow.step_timeout.map(|timeout| timeout.0);
        usual.unwrap_or(self.settings.config.step_timeout.value)
    }

    /// Returns the context of a step's tool call: its limit, the flow's app, folders, and permissions for shell and
    /// HTTP hosts from the configuration. The progress is new for each call. Calls nothing.
    pub(super) fn call(&self, step: &Step) -> Call {
        Call {
            timeout: self.timeout(step),
            app: self.flow.app.clone(),
            root: self.settings.config.root.clone(),
            artifacts: self.folder.path().to_owned(),
            allow_shell: self.settings.config.allow_shell.value,
            http_hosts: Arc::clone(&self.settings.config.http_hosts.value),
            progress: Progress::default(),
            caller: self.caller.clone(),
        }
    }

    /// Returns true if the flow or the configuration declares a secret of this name, case included. It need not have
    /// a value; secrets of sub-flows do not count.
    pub(super) fn is_secret(&self, name: &str) -> bool {
        let secrets = self
            .flow
            .secrets
            .iter()
            .chain(&self.settings.config.secrets);
        secrets.into_iter().any(|secret| secret == name)
    }

    /// Returns the app version for goldens: the version name, or the version code of an app without a name. `None`
    /// for a flow without an app and if the version is not known. Does not ask the device.
    pub(super) fn app_version(&self) -> Option<String> {
        let version = self.app_versions.get(self.flow.app.as_deref()?)?;
        version.name.or(version.code.map(|code| code.to_string()))
    }
}
