//! Collects events into what reports print: the run, its devices, and the [records](super::records) of its
//! flows.

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

/// State of a run after the events so far.
#[derive(Debug, Default)]
pub struct Results {
    /// Facts from the `start` event.
    pub run: Option<RunInfo>,
    /// Descriptions of devices by label.
    pub devices: IndexMap<String, DeviceInfo>,
    /// Texts of the flows' files by path relative to the root.
    pub sources: IndexMap<Utf8PathBuf, String>,
    /// Flows that could not be parsed.
    pub unreadable: Vec<InvalidFlow>,
    /// Results of each case and device, in the order of the plan. A case that runs on any device is one
    /// result.
    pub flows: IndexMap<ResultKey, FlowRecord>,
    keys: ResultKeys,
    /// Labels of the devices that share flows: each flow runs on any of them.
    shared_devices: Vec<String>,
    /// Times in which each device was there, in milliseconds since the run began. The end is `None` unless it
    /// was lost.
    pub presence: IndexMap<String, Vec<(u64, Option<u64>)>>,
    /// Messages that are of no flow.
    pub log: Vec<LogLine>,
    /// Reason why the run stops early.
    pub stopped: Option<StopReason>,
    /// Failures of the run that are of no flow.
    pub because: Vec<RunFailure>,
    /// Totals and exit code, once the run ended.
    pub finish: Option<Finish>,
    /// Latest time of any event, in milliseconds since the run began; after the end the duration of the run.
    pub elapsed_ms: u64,
    /// Folders in which artifacts are searched, in order. If it is empty, [`RunInfo::artifacts`] is searched.
    pub folders: Vec<Utf8PathBuf>,
    /// Trends of the flows from earlier runs, if they are known.
    pub trends: Trends,
    /// Short names for the keys of snapshots.
    pub names: KeyNames,
}

impl Results {
    /// Adds the next event, which must come in the order of the stream. A flow, attempt or step whose start is
    /// missing is created. A later `start`, device or end of the same attempt replaces the earlier one; sources too,
    /// by path. Unreadable flows, messages, snapshots and failures of the run are collected. Events that no report
    /// shows are ignored.
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
                    // Creates records too, so that flows that never begin are shown.
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

    /// Adds dialogs and messages to the log of a flow's attempt, which is created if it is missing. Messages of no
    /// flow and all other events are ignored.
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

    /// Adds an event of a flow to its attempt, which is created if it is missing. Ignores events of no flow, traces
    /// and videos. The last `FlowStarted` decides name, tags, app and properties, in place of those of the plan.
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
                // Used only if the stream lacks the step's start.
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

    /// Stores trace or video of an attempt, in place of an earlier one. Ignores other events.
    fn add_recorded(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Trace { id, trace } => {
                self.attempt(id).trace = Some((**trace).clone());
            }
            EventKind::Video { id, pieces } => self.attempt(id).video.clone_from(pieces),
            _ => {}
        }
    }

    /// Returns the record of a result, creates it if it is missing.
    fn flow(&mut self, id: &FlowId) -> &mut FlowRecord {
        self.flows.entry(self.keys.result_key(id)).or_default()
    }

    /// Returns the attempt of `id`, found by its flow and number. Creates flow and attempt if they are missing; only
    /// then the device of `id` counts.
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

    /// Returns the key of the result that an attempt belongs to.
    pub fn key(&self, id: &FlowId) -> ResultKey {
        self.keys.result_key(id)
    }

    /// Registers the planned flows for [`Self::key`], without creating records.
    pub(super) fn register_plan(&mut self, flows: &[FlowId]) {
        self.keys.plan(flows);
    }

    /// Removes and returns the record of a flow. `None` if no event named it. The order of the others changes.
    pub(super) fn take_flow(&mut self, id: &FlowId) -> Option<FlowRecord> {
        self.flows.swap_remove(&self.keys.result_key(id))
    }

    /// Returns the record and the attempt of `id`. `None` if no event of this attempt came; a planned flow has none
    /// yet.
    pub fn find(&self, id: &FlowId) -> Option<(&FlowRecord, &Attempt)> {
        let flow = self.flows.get(&self.keys.result_key(id))?;
        let attempt = flow
            .attempts
            .iter()
            .find(|attempt| attempt.number == id.attempt)?;
        Some((flow, attempt))
    }

    /// Returns the labels of all devices, each once: those of the planned flows, then the devices shared by flows
    /// without one, then all others. That is the order of the plan: the order in which they are ready differs from
    /// run to run. It may hold devices that were never ready. Empty before the plan and the first device.
    pub fn labels(&self) -> IndexSet<&str> {
        let planned = self.flows.keys().map(|key| &key.device);
        planned
            .filter(|label| !label.is_empty())
            .chain(&self.shared_devices)
            .chain(self.devices.keys())
            .map(String::as_str)
            .collect()
    }

    /// Returns the apps that flows tested on a device, each version once, for example `com.example.notes` with
    /// `1.4.2 (31)`. A flow with any attempt on the device counts, with the version of its last attempt. The version
    /// is `None` only if no flow reported one for the app. The order is that of the flows; empty if none names an
    /// app.
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
        // A flow that was cut off may lack the version that others have.
        let reported: HashSet<&str> = apps
            .iter()
            .filter_map(|(app, version)| version.as_ref().map(|_| *app))
            .collect();
        apps.into_iter()
            .filter(|(app, version)| version.is_some() || !reported.contains(app))
            .collect()
    }

    /// Returns the absolute path to which the run wrote an artifact, without `.` and `..`. Only joins paths: the file
    /// may not exist, and [`Self::folders`] do not count. Before the run has started, the path stays relative.
    pub fn artifact_path(&self, path: &Utf8Path) -> Utf8PathBuf {
        match &self.run {
            Some(run) => run.artifacts.join(normal_parts(path)),
            None => normal_parts(path),
        }
    }

    /// Finds the first file in [`Self::artifact_folders`] that still has the bytes that the run wrote. It is read
    /// whole for that.
    ///
    /// A later run may have overwritten it, and streams of several machines use the same paths, so only the bytes
    /// identify a file. Returns `None` if there is no such file, and for paths that lead out of the folders.
    pub fn artifact_file(&self, artifact: &Artifact) -> Option<Utf8PathBuf> {
        find_artifact(self.artifact_folders(), artifact)
    }

    /// Returns the folders in which artifacts are searched, in order: the given ones, or without any the
    /// run's own.
    pub fn artifact_folders(&self) -> impl Iterator<Item = &Utf8PathBuf> {
        let of_run = self.run.as_ref().map(|run| &run.artifacts);
        let of_run = of_run.filter(|_| self.folders.is_empty());
        self.folders.iter().chain(of_run)
    }

    /// Returns the path of an artifact to show: the file found in [`Self::folders`], else the path that the
    /// run wrote.
    pub fn artifact_place(&self, artifact: &Artifact) -> Utf8PathBuf {
        find_artifact(&self.folders, artifact).unwrap_or_else(|| self.artifact_path(&artifact.path))
    }
}

/// Finds the first file below `folders` that has the artifact's path and bytes, and reads it whole for that. A file
/// with other bytes, over `MAX_STREAM`, or that cannot be read, is passed over; links are followed. `None` if there
/// is none, and for a path that leads out of the folder, as with `..`.
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
