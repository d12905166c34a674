//! The events gathered into what reports print: the run, its devices, and the [records](super::records) of its flows.

use std::collections::HashSet;

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::{IndexMap, IndexSet};

use super::records::{Attempt, End, Finish, FlowRecord, InvalidFlow, LogLine, RunInfo, StepRecord};
use super::text::dialog_line;
use runner_base::files::{hash, normal_parts};
use runner_device::{Cost, DeviceInfo};
use runner_event::{
    Artifact, Event, EventKind, FlowId, ResultKey, ResultKeys, RunFailure, StopReason,
};
use runner_history::Trends;
use runner_snapshot::KeyNames;
use runner_text::input_file::{MAX_STREAM, read_regular};

/// All that is known of a run so far.
#[derive(Debug, Default)]
pub struct Results {
    /// From the first event.
    pub run: Option<RunInfo>,
    /// Devices by label.
    pub devices: IndexMap<String, DeviceInfo>,
    /// The flows' files by their path below the root.
    pub sources: IndexMap<Utf8PathBuf, String>,
    /// Flows that do not read.
    pub unreadable: Vec<InvalidFlow>,
    /// Case × device, in the order of the plan; a case that runs on any device is one result.
    pub flows: IndexMap<ResultKey, FlowRecord>,
    keys: ResultKeys,
    /// Labels of the devices on any of which flows run.
    shared_devices: Vec<String>,
    /// When each device was there: from when until when, if it was lost then.
    pub presence: IndexMap<String, Vec<(u64, Option<u64>)>>,
    /// Lines for people that are of no flow.
    pub log: Vec<LogLine>,
    /// Why the run ends early.
    pub stopped: Option<StopReason>,
    /// What fails the run beside its flows.
    pub because: Vec<RunFailure>,
    /// Totals and exit code, of a run that came to its end.
    pub finish: Option<Finish>,
    /// Milliseconds since the run began, as of the last event.
    pub elapsed_ms: u64,
    /// Where artifacts are looked for, in order; the folder of [`RunInfo`] where there is none.
    pub folders: Vec<Utf8PathBuf>,
    /// How the flows did in earlier runs, where that is known.
    pub trends: Trends,
    /// How people read the keys of its snapshots.
    pub names: KeyNames,
}

impl Results {
    /// Takes the next event.
    pub fn add(&mut self, event: &Event) {
        self.elapsed_ms = self.elapsed_ms.max(event.t_ms);
        match &event.kind {
            EventKind::Start {
                schema: _,
                run_id,
                version,
                started,
                root,
                artifacts,
                host,
                shard: _,
                shuffle: _,
                changed_since: _,
            } => {
                self.run = Some(RunInfo {
                    host: host.clone(),
                    run_id: run_id.clone(),
                    version: version.clone(),
                    started: started.clone(),
                    root: root.clone(),
                    artifacts: artifacts.clone(),
                });
            }
            EventKind::Source { file, text } => {
                self.sources.insert(file.clone(), text.clone());
            }
            EventKind::Plan {
                flows,
                devices,
                names,
                properties,
            } => {
                self.keys.plan(flows);
                self.shared_devices.clone_from(devices);
                for id in flows {
                    // So that flows that never begin are shown by their names too.
                    let flow = self.flow(id);
                    flow.name = names.get(&id.flow).cloned();
                    flow.properties = properties.get(&id.flow).cloned().unwrap_or_default();
                }
            }
            EventKind::Device { label, info } => {
                let times = self.presence.entry(label.clone()).or_default();
                times.push((event.t_ms, None));
                self.devices.insert(label.clone(), (**info).clone());
            }
            EventKind::Unreadable { flow, message, at } => self.unreadable.push(InvalidFlow {
                flow: flow.clone(),
                message: message.clone(),
                at: at.clone(),
            }),
            EventKind::Stopping { because } => self.stopped = Some(*because),
            EventKind::Finish {
                totals,
                duration_ms,
                exit_code,
                because,
            } => {
                self.elapsed_ms = *duration_ms;
                self.because.extend(because.iter().cloned());
                self.finish = Some(Finish {
                    totals: *totals,
                    exit_code: *exit_code,
                });
            }
            EventKind::Log {
                id: None,
                level,
                message,
            } => self.log.push(LogLine {
                t_ms: event.t_ms,
                level: *level,
                message: message.clone(),
            }),
            EventKind::DeviceLost { label, .. } => {
                let times = self.presence.get_mut(label);
                if let Some((_, until)) = times.and_then(|times| times.last_mut()) {
                    *until = Some(event.t_ms);
                }
            }
            EventKind::Unknown => {}
            EventKind::FlowStarted { .. }
            | EventKind::Session { .. }
            | EventKind::StepStarted { .. }
            | EventKind::StepFinished { .. }
            | EventKind::Snapshot { .. }
            | EventKind::Dialog { .. }
            | EventKind::Log { .. }
            | EventKind::FlowFinished { .. } => self.add_to_flow(event.t_ms, &event.kind),
            EventKind::Trace { .. } | EventKind::Video { .. } => self.add_recorded(&event.kind),
        }
    }

    /// Adds what the reports show beside the steps of a flow.
    fn add_note(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Dialog {
                id,
                at,
                when,
                answer,
                failure,
                ..
            } => {
                let (level, message) = dialog_line(at, when, answer, failure.as_deref());
                self.attempt(id).log.push((level, message));
            }
            EventKind::Log {
                id: Some(id),
                level,
                message,
            } => self.attempt(id).log.push((*level, message.clone())),
            _ => {}
        }
    }

    fn add_to_flow(&mut self, t_ms: u64, kind: &EventKind) {
        match kind {
            EventKind::FlowStarted {
                id,
                name,
                tags,
                app,
                properties,
                steps: _,
            } => {
                let flow = self.flow(id);
                flow.name = Some(name.clone());
                flow.tags.clone_from(tags);
                flow.app.clone_from(app);
                flow.properties.clone_from(properties);
                let attempt = self.attempt(id);
                attempt.t_ms = t_ms;
                attempt.began = true;
            }
            EventKind::Session { id, session } => {
                self.attempt(id).session = Some(session.clone());
            }
            EventKind::StepStarted {
                id,
                step,
                title,
                at,
            } => self.attempt(id).steps.push(StepRecord {
                step: step.clone(),
                title: title.clone(),
                at: at.clone(),
                t_ms,
                status: None,
                duration_ms: 0,
                cost: Cost::default(),
                failure: None,
                artifacts: Vec::new(),
                bounds: None,
                soft: false,
            }),
            EventKind::StepFinished {
                id,
                step,
                title,
                at,
                status,
                duration_ms,
                cost,
                failure,
                artifacts,
                bounds,
                soft,
            } => self.attempt(id).end_step(StepRecord {
                step: step.clone(),
                title: title.clone(),
                at: at.clone(),
                // For a step whose beginning was not reported; another keeps the time it began at.
                t_ms: t_ms.saturating_sub(*duration_ms),
                status: Some(*status),
                duration_ms: *duration_ms,
                cost: *cost,
                failure: failure.clone(),
                artifacts: artifacts.clone(),
                bounds: *bounds,
                soft: *soft,
            }),
            EventKind::Snapshot { id, step, result } => {
                self.names.add_text(&result.key);
                let attempt = self.attempt(id);
                attempt.snapshots.push(result.clone());
                attempt.snapshot_steps.push(step.clone());
            }
            EventKind::Dialog { .. } | EventKind::Log { .. } => self.add_note(kind),
            EventKind::FlowFinished {
                id,
                status,
                last,
                started,
                duration_ms,
                cost,
                failure,
                failed_at,
                artifacts,
                app_version,
                quarantine,
                met: _,
            } => {
                self.attempt(id).end = Some(End {
                    status: *status,
                    last: *last,
                    started: started.clone(),
                    duration_ms: *duration_ms,
                    cost: *cost,
                    failure: failure.clone(),
                    failed_at: failed_at.clone(),
                    artifacts: artifacts.clone(),
                    app_version: app_version.clone(),
                    quarantine: quarantine.clone(),
                });
            }
            _ => {}
        }
    }

    fn add_recorded(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Trace { id, trace } => {
                self.attempt(id).trace = Some((**trace).clone());
            }
            EventKind::Video { id, pieces } => self.attempt(id).video.clone_from(pieces),
            _ => {}
        }
    }

    /// The record of a flow on a device, made at need.
    fn flow(&mut self, id: &FlowId) -> &mut FlowRecord {
        self.flows.entry(self.keys.result_key(id)).or_default()
    }

    /// The attempt `id` names, made at need.
    fn attempt(&mut self, id: &FlowId) -> &mut Attempt {
        let attempts = &mut self.flow(id).attempts;
        let at = attempts
            .iter()
            .position(|attempt| attempt.number == id.attempt)
            .unwrap_or_else(|| {
                attempts.push(Attempt {
                    number: id.attempt,
                    device: id.device.clone(),
                    ..Attempt::default()
                });
                attempts.len() - 1
            });
        &mut attempts[at]
    }

    /// Which result an attempt is at.
    pub fn key(&self, id: &FlowId) -> ResultKey {
        self.keys.result_key(id)
    }

    /// Takes what is planned, without making records of it.
    pub(super) fn know_plan(&mut self, flows: &[FlowId]) {
        self.keys.plan(flows);
    }

    /// Forgets a flow, and gives what is known of it.
    pub(super) fn take_flow(&mut self, id: &FlowId) -> Option<FlowRecord> {
        self.flows.swap_remove(&self.keys.result_key(id))
    }

    /// What is known of `id`.
    pub fn find(&self, id: &FlowId) -> Option<(&FlowRecord, &Attempt)> {
        let flow = self.flows.get(&self.keys.result_key(id))?;
        let attempt = flow
            .attempts
            .iter()
            .find(|attempt| attempt.number == id.attempt)?;
        Some((flow, attempt))
    }

    /// Labels of all devices: in the order of the plan, as which is ready first differs from run to run.
    pub fn labels(&self) -> IndexSet<&str> {
        let planned = self.flows.keys().map(|key| &key.device);
        planned
            .filter(|label| !label.is_empty())
            .chain(&self.shared_devices)
            .chain(self.devices.keys())
            .map(String::as_str)
            .collect()
    }

    /// The apps that flows tested on a device with their versions, each once: `com.example.notes`, `1.4.2 (31)`.
    pub fn apps_on(&self, label: &str) -> IndexSet<(&str, Option<String>)> {
        let apps: IndexSet<(&str, Option<String>)> = self
            .flows
            .iter()
            .filter(|(_, record)| {
                record
                    .attempts
                    .iter()
                    .any(|attempt| attempt.device == label)
            })
            .filter_map(|(_, record)| Some((record.app.as_deref()?, record.app_version())))
            .collect();
        // A flow that was cut off may not know the version; others may.
        let reported: HashSet<&str> = apps
            .iter()
            .filter_map(|(app, version)| version.as_ref().map(|_| *app))
            .collect();
        apps.into_iter()
            .filter(|(app, version)| version.is_some() || !reported.contains(app))
            .collect()
    }

    /// The absolute path of an artifact as the run wrote it; whether it is there is not asked.
    pub fn artifact_path(&self, path: &Utf8Path) -> Utf8PathBuf {
        match &self.run {
            Some(run) => run.artifacts.join(normal_parts(path)),
            None => normal_parts(path),
        }
    }

    /// The file of an artifact, where it is to be found and still holds the bytes that the run wrote.
    ///
    /// A later run may have written over it, and the streams of several machines name the same paths: only the bytes
    /// identify the file. A path that leads out of the folders gives none.
    pub fn artifact_file(&self, artifact: &Artifact) -> Option<Utf8PathBuf> {
        find_artifact(self.artifact_folders(), artifact)
    }

    /// Where artifacts are looked for, in order.
    pub fn artifact_folders(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        let of_run = self.run.as_ref().map(|run| &run.artifacts);
        let of_run = of_run.filter(|_| self.folders.is_empty());
        self.folders.iter().chain(of_run)
    }

    /// What is said of where an artifact is: where it is found, of a saved stream; else where the run wrote it.
    pub fn artifact_place(&self, artifact: &Artifact) -> Utf8PathBuf {
        find_artifact(&self.folders, artifact).unwrap_or_else(|| self.artifact_path(&artifact.path))
    }
}

/// The first file of an artifact below `folders` that holds its bytes.
pub(super) fn find_artifact<'a>(
    folders: impl IntoIterator<Item = &'a Utf8PathBuf>,
    artifact: &Artifact,
) -> Option<Utf8PathBuf> {
    let path = normal_parts(&artifact.path);
    if path != artifact.path {
        return None;
    }
    let is_whole = |file: &Utf8PathBuf| {
        read_regular(file, MAX_STREAM).is_ok_and(|bytes| hash(&bytes) == artifact.hash)
    };
    folders
        .into_iter()
        .map(|folder| folder.join(&path))
        .find(is_whole)
}
