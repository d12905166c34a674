//! What happened, as reports print it: flows, their attempts, steps, snapshots and failures.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use runner_device::Cost;
use runner_device::app_version::AppVersion;
use runner_device::remote::RemoteSession;
use runner_event::{
    Artifact, ArtifactKind, FlowStatus, Host, LogLevel, QuarantineNote, SnapshotResult,
    SourceLocation, StepStatus, StopReason, Totals, Trace, VideoPiece,
};
use runner_flow::{StepList, StepPath};
use runner_screen::Rect;
use runner_tools::Failure;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finish {
    /// How many flows ended how.
    pub totals: Totals,
    /// The program's exit code.
    pub exit_code: u8,
}

/// A line for people that is of no flow.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LogLine {
    /// Milliseconds since the run began.
    pub t_ms: u64,
    /// How much it matters.
    pub level: LogLevel,
    /// The text.
    pub message: String,
}

/// What the first event says.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// Unique id.
    pub run_id: String,
    /// The program's version.
    pub version: String,
    /// RFC 3339.
    pub started: String,
    /// Where it ran, as far as the stream says.
    pub host: Option<Host>,
    /// Absolute.
    pub root: Utf8PathBuf,
    /// Absolute.
    pub artifacts: Utf8PathBuf,
}

/// A flow that does not read.
#[derive(Debug, Clone)]
pub struct InvalidFlow {
    /// Its path.
    pub flow: Utf8PathBuf,
    /// Rendered diagnostics.
    pub message: String,
    /// Where the first is.
    pub at: Option<SourceLocation>,
}

/// One case on one device.
#[derive(Debug, Default)]
pub struct FlowRecord {
    /// Its name, once it is known.
    pub name: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Package of the app it tests, where its header names one.
    pub app: Option<String>,
    /// Properties from its header, for reports.
    pub properties: BTreeMap<String, String>,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
}

/// One attempt at a flow.
#[derive(Debug, Default)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// Label of the device; empty where none had taken it.
    pub device: String,
    /// It was begun; else it ended before that.
    pub began: bool,
    /// When it began, in milliseconds since the run did.
    pub t_ms: u64,
    /// The session in which a server lent the device, the last one where there were several.
    pub session: Option<RemoteSession>,
    /// Steps in the order they began: a step stands before those inside it.
    pub steps: Vec<StepRecord>,
    /// What came of its snapshots.
    pub snapshots: Vec<SnapshotResult>,
    /// The steps of [`Self::snapshots`], in the same order.
    pub snapshot_steps: Vec<StepPath>,
    /// Lines for people: level and text.
    pub log: Vec<(LogLevel, String)>,
    /// What was kept of it to be walked through.
    pub trace: Option<Trace>,
    /// Its video, in parts.
    pub video: Vec<VideoPiece>,
    /// How it ended, once it has.
    pub end: Option<End>,
}

/// A step that began.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// Which.
    pub step: StepPath,
    /// As written, or its label.
    pub title: String,
    /// Where.
    pub at: SourceLocation,
    /// When it began, in milliseconds since the run did.
    pub t_ms: u64,
    /// How it ended, once it has.
    pub status: Option<StepStatus>,
    /// Milliseconds.
    pub duration_ms: u64,
    /// What it cost.
    pub cost: Cost,
    /// Its failure, also of a warning.
    pub failure: Option<Failure>,
    /// Files it left.
    pub artifacts: Vec<Artifact>,
    /// Where on the screen it acted.
    pub bounds: Option<Rect>,
    /// It was a soft assertion: the flow went on after its failure.
    pub soft: bool,
}

/// How an attempt ended.
#[derive(Debug, Clone)]
pub struct End {
    /// How.
    pub status: FlowStatus,
    /// Whether it counts.
    pub last: bool,
    /// RFC 3339.
    pub started: String,
    /// Milliseconds.
    pub duration_ms: u64,
    /// What it cost.
    pub cost: Cost,
    /// Why it failed or was skipped.
    pub failure: Option<Failure>,
    /// The step that failed.
    pub failed_at: Option<SourceLocation>,
    /// Files that belong to the failure.
    pub artifacts: Vec<Artifact>,
    /// Version of the app, where the device reported it.
    pub app_version: Option<AppVersion>,
    /// The flow's quarantine, where it has one.
    pub quarantine: Option<QuarantineNote>,
}

/// Part of a flow a step belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// `setup:`.
    Setup,
    /// `steps:`.
    Steps,
    /// `on_failure:`.
    OnFailure,
    /// `teardown:`.
    Teardown,
}

impl StepRecord {
    /// The part of the flow it belongs to.
    pub fn phase(&self) -> Phase {
        match self.step.first_list() {
            Some(StepList::Setup) => Phase::Setup,
            Some(StepList::OnFailure) => Phase::OnFailure,
            Some(StepList::Teardown) => Phase::Teardown,
            _ => Phase::Steps,
        }
    }

    /// How deep it stands; 0 for a flow's own steps.
    pub fn depth(&self) -> usize {
        self.step.depth()
    }
}

impl Attempt {
    /// The step at which it failed: where the run says so, else of the first of the flow's own steps that failed the
    /// innermost.
    ///
    /// A step that failed inside one that passed, as in `retry`, did not fail the flow. A flow goes on after a snapshot that
    /// is not its golden, so what ended it may be a later step.
    pub fn failed_step(&self) -> Option<&StepRecord> {
        // What comes after the failure did not cause it.
        let failed = |step: &&StepRecord| {
            step.status == Some(StepStatus::Failed) && step.phase() != Phase::OnFailure
        };
        let end = self.end.as_ref();
        let message = |failure: Option<&Failure>| failure.map(|failure| failure.message.clone());
        let named = |step: &&StepRecord| {
            end.is_some_and(|end| {
                // The flow's may say more, such as the seed of its data.
                end.failed_at.as_ref() == Some(&step.at)
                    && message(end.failure.as_ref()) == message(step.failure.as_ref())
            })
        };
        if let Some(step) = self.steps.iter().filter(failed).rfind(named) {
            return Some(step);
        }
        // The flow's limit cut this one off; a failure of teardown came after it.
        let is_cut_off =
            |step: &StepRecord| step.status.is_none() && step.phase() != Phase::Teardown;
        let was_cut_off = self.steps.iter().any(is_cut_off);
        let mut found =
            self.steps.iter().filter(failed).find(|step| {
                step.depth() == 0 && !(was_cut_off && step.phase() == Phase::Teardown)
            })?;
        while let Some(inner) = self
            .steps
            .iter()
            .filter(failed)
            .rfind(|step| step.depth() == found.depth() + 1 && found.step.leads_to(&step.step))
        {
            found = inner;
        }
        Some(found)
    }

    /// Soft assertions that failed beside the step that failed it.
    pub fn soft_failures(&self) -> impl Iterator<Item = &StepRecord> {
        let reported = self.failed_step().map(|step| &step.step);
        let soft = self.steps.iter().filter(|step| step.soft);
        soft.filter(move |step| Some(&step.step) != reported)
    }

    /// Milliseconds until the last report of its steps; for one that has not ended.
    pub fn reported_ms(&self) -> Option<u64> {
        let ends = self
            .steps
            .iter()
            .map(|step| step.t_ms.saturating_add(step.duration_ms));
        Some(ends.max()?.saturating_sub(self.t_ms))
    }

    /// What the snapshot of a step came to; of its last try, where there were several.
    pub fn snapshot_of(&self, step: &StepPath) -> Option<&SnapshotResult> {
        let at = self.snapshot_steps.iter().rposition(|of| of == step)?;
        self.snapshots.get(at)
    }

    /// Snapshots that did not pass, each with its step, where the run named it.
    pub fn open_snapshots_by_step(
        &self,
    ) -> impl Iterator<Item = (Option<&StepRecord>, &SnapshotResult)> {
        let step_of = |at: usize| {
            let path = self.snapshot_steps.get(at)?;
            self.steps.iter().rfind(|step| step.step == *path)
        };
        let all = self.snapshots.iter().enumerate();
        all.filter(|(_, snapshot)| snapshot.is_open())
            .map(move |(at, snapshot)| (step_of(at), snapshot))
    }

    /// Notes that a step ended; its beginning may be missing.
    pub(super) fn end_step(&mut self, mut ended: StepRecord) {
        let begun = self
            .steps
            .iter_mut()
            .rfind(|step| step.status.is_none() && step.step == ended.step);
        match begun {
            Some(step) => {
                ended.t_ms = step.t_ms;
                *step = ended;
            }
            None => self.steps.push(ended),
        }
    }

    /// Snapshots that did not pass.
    pub fn open_snapshots(&self) -> impl Iterator<Item = &SnapshotResult> {
        self.snapshots.iter().filter(|snapshot| snapshot.is_open())
    }

    /// The files of its trace and its video.
    pub fn recorded(&self) -> impl Iterator<Item = &Artifact> {
        let trace = self.trace.iter();
        let of_frames = trace
            .clone()
            .flat_map(|trace| &trace.frames)
            .flat_map(|frame| std::iter::once(&frame.screen).chain(&frame.picture));
        let logs = trace.filter_map(|trace| trace.log.as_ref());
        let pieces = self.video.iter().map(|piece| &piece.file);
        of_frames.chain(logs).chain(pieces)
    }

    /// Every file it left, each once: first those of the failure, then those of its steps.
    pub fn artifacts(&self) -> Vec<&Artifact> {
        let of_failure = self.end.iter().flat_map(|end| &end.artifacts);
        let of_steps = self.steps.iter().flat_map(|step| &step.artifacts);
        let mut all: Vec<&Artifact> = Vec::new();
        for artifact in of_failure.chain(of_steps) {
            if !all.iter().any(|known| known.path == artifact.path) {
                all.push(artifact);
            }
        }
        all
    }

    /// As [`Self::artifacts`], without those that are there for `runner review --from` only.
    pub(super) fn files_to_look_at(&self) -> Vec<&Artifact> {
        let mut files = self.artifacts();
        files.retain(|artifact| artifact.kind != ArtifactKind::Proposal);
        files
    }
}

impl FlowRecord {
    /// Says that it has not ended, and why: what a killed run leaves tells so too.
    pub(super) fn unfinished(&self, stopped: Option<StopReason>) -> String {
        let why = match stopped {
            Some(StopReason::FailFast) => "stopped by --fail-fast",
            Some(StopReason::Unfit) => "a flow fits no device",
            Some(StopReason::User) => "stopped by the user",
            None => "the run was interrupted",
        };
        if self.has_begun() {
            format!("not finished: {why}")
        } else {
            format!("not run: {why}")
        }
    }

    /// The device of the last attempt.
    pub fn device(&self) -> Option<&str> {
        let device = self.attempts.last()?.device.as_str();
        (!device.is_empty()).then_some(device)
    }

    /// Whether an attempt at it was begun.
    pub fn has_begun(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.began)
    }

    /// The attempt that counts, once it ended.
    pub fn outcome(&self) -> Option<(&Attempt, &End)> {
        let attempt = self.attempts.last()?;
        let end = attempt.end.as_ref().filter(|end| end.last)?;
        Some((attempt, end))
    }

    /// Version of the app it tests, as the last attempt that knew it had it: `1.4.2 (31)`.
    pub fn app_version(&self) -> Option<String> {
        self.app.as_ref()?;
        let ends = self
            .attempts
            .iter()
            .filter_map(|attempt| attempt.end.as_ref());
        let version = ends
            .filter_map(|end| end.app_version.as_ref())
            .next_back()?;
        Some(version.to_string()).filter(|version| !version.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn step(path: &Value, status: StepStatus) -> StepRecord {
        StepRecord {
            step: serde_json::from_value(path.clone()).unwrap(),
            title: path.to_string(),
            at: SourceLocation {
                file: "a.yaml".into(),
                line: 1,
                column: 1,
                text: String::new(),
            },
            t_ms: 0,
            status: Some(status),
            duration_ms: 1,
            cost: Cost::default(),
            failure: None,
            artifacts: Vec::new(),
            bounds: None,
            soft: false,
        }
    }

    #[test]
    fn the_failed_step_is_the_innermost_that_failed_the_flow() {
        use StepStatus::{Failed, Passed, Warned};
        let cases = [
            (vec![(json!([0]), Passed)], None),
            (
                vec![(json!([0]), Warned), (json!([1]), Failed)],
                Some(json!([1])),
            ),
            (
                vec![
                    (json!([0]), Passed),
                    (json!([0, "group", 0]), Failed),
                    (json!([0, "group", 0]), Passed),
                    (json!([1]), Failed),
                    (json!([1, "then", 0]), Passed),
                    (json!([1, "then", 1]), Failed),
                    (json!([1, "then", 1, "group", 0]), Failed),
                    (json!(["teardown", 0]), Failed),
                ],
                Some(json!([1, "then", 1, "group", 0])),
            ),
            (
                vec![
                    (json!([0]), Failed),
                    (json!([0, "repeat", 1, 0]), Passed),
                    (json!([0, "repeat", 2, 0]), Failed),
                    (json!([0, "repeat", 2, 0, "retry", 1, 0]), Failed),
                ],
                Some(json!([0, "repeat", 2, 0, "retry", 1, 0])),
            ),
            (
                vec![(json!(["setup", 0]), Failed)],
                Some(json!(["setup", 0])),
            ),
        ];
        for (steps, expected) in cases {
            let attempt = Attempt {
                steps: steps
                    .iter()
                    .map(|(path, status)| step(path, *status))
                    .collect(),
                ..Attempt::default()
            };
            let found = attempt.failed_step().map(|step| json!(step.step));
            assert_eq!(found, expected);
        }
    }
}
