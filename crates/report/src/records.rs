//! Records of a run as reports print them: flows, attempts, steps, snapshots and failures.

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

/// Facts from the `finish` event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finish {
    /// Number of flows by result.
    pub totals: Totals,
    /// Exit code of the program.
    pub exit_code: u8,
}

/// Message of the run that is of no flow.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LogLine {
    /// Milliseconds since the run began.
    pub t_ms: u64,
    pub level: LogLevel,
    pub message: String,
}

/// Facts from the `start` event.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// Unique id of the run.
    pub run_id: String,
    /// Version of the program.
    pub version: String,
    /// Start of the run, RFC 3339.
    pub started: String,
    /// Computer and CI system, if the stream holds them.
    pub host: Option<Host>,
    /// Absolute path of the project's root.
    pub root: Utf8PathBuf,
    /// Absolute path of the artifact folder.
    pub artifacts: Utf8PathBuf,
}

/// Flow that could not be parsed.
#[derive(Debug, Clone)]
pub struct InvalidFlow {
    /// Path of the flow's file, relative to the root.
    pub flow: Utf8PathBuf,
    /// Diagnostics, rendered as text.
    pub message: String,
    /// Place of the first diagnostic.
    pub at: Option<SourceLocation>,
}

/// Result of one case on one device.
#[derive(Debug, Default)]
pub struct FlowRecord {
    /// Name of the flow, known from the plan or its start.
    pub name: Option<String>,
    pub tags: Vec<String>,
    /// Package of the tested app, if the header names one.
    pub app: Option<String>,
    /// Properties from the header, for reports.
    pub properties: BTreeMap<String, String>,
    /// Attempts in order.
    pub attempts: Vec<Attempt>,
}

/// One attempt of a flow.
#[derive(Debug, Default)]
pub struct Attempt {
    /// Number from 1.
    pub number: u32,
    /// Label of the device. Empty if no device had taken the flow.
    pub device: String,
    /// True if the attempt began. A skipped one ends without beginning.
    pub began: bool,
    /// Start, in milliseconds since the run began.
    pub t_ms: u64,
    /// Session of a WebDriver server that lent the device; the last one if there were several.
    pub session: Option<RemoteSession>,
    /// Steps in the order of their start: a step comes before its inner steps.
    pub steps: Vec<StepRecord>,
    /// Results of its snapshots.
    pub snapshots: Vec<SnapshotResult>,
    /// Steps of [`Self::snapshots`], in the same order.
    pub snapshot_steps: Vec<StepPath>,
    /// Messages with their level.
    pub log: Vec<(LogLevel, String)>,
    /// Trace, if one was kept.
    pub trace: Option<Trace>,
    /// Pieces of its video.
    pub video: Vec<VideoPiece>,
    /// End of the attempt. `None` while it runs, or if the stream breaks off.
    pub end: Option<End>,
}

/// Step that began.
#[derive(Debug, Clone)]
pub struct StepRecord {
    /// Position of the step in the flow.
    pub step: StepPath,
    /// Label of the step, or its text in the flow.
    pub title: String,
    /// Place in the flow's file.
    pub at: SourceLocation,
    /// Start, in milliseconds since the run began.
    pub t_ms: u64,
    /// Result. `None` while the step runs, or if its end is missing.
    pub status: Option<StepStatus>,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Round trips and screen dumps that it needed.
    pub cost: Cost,
    /// Failure, also of a step that only warned.
    pub failure: Option<Failure>,
    /// Files that the step left.
    pub artifacts: Vec<Artifact>,
    /// Area of the screen on which it acted.
    pub bounds: Option<Rect>,
    /// True for a soft assertion: the flow went on after its failure.
    pub soft: bool,
}

/// End of an attempt.
#[derive(Debug, Clone)]
pub struct End {
    pub status: FlowStatus,
    /// True if the flow has no further attempt, so that this one counts.
    pub last: bool,
    /// Start of the attempt, RFC 3339.
    pub started: String,
    /// Duration in milliseconds.
    pub duration_ms: u64,
    /// Round trips and screen dumps that it needed.
    pub cost: Cost,
    /// Reason why it failed or was skipped.
    pub failure: Option<Failure>,
    /// Place of the failed step.
    pub failed_at: Option<SourceLocation>,
    /// Files that belong to the failure.
    pub artifacts: Vec<Artifact>,
    /// Version of the app, if the device reported it.
    pub app_version: Option<AppVersion>,
    /// Quarantine of the flow, if it has one.
    pub quarantine: Option<QuarantineNote>,
}

impl End {
    /// Returns true if the attempt failed or had an error, in quarantine too.
    pub(super) fn has_failed(&self) -> bool {
        matches!(
            self.status,
            FlowStatus::Failed | FlowStatus::Error | FlowStatus::Quarantined
        )
    }
}

/// Part of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Steps of `setup:`.
    Setup,
    /// Steps of `steps:`.
    #[default]
    Steps,
    /// Steps of `on_failure:`.
    OnFailure,
    /// Steps of `teardown:`.
    Teardown,
}

impl StepRecord {
    /// Returns the part of the flow that the step belongs to; for an inner step that of its outermost step. Never
    /// fails: an unknown part is `Steps`.
    pub fn phase(&self) -> Phase {
        match self.step.first_list() {
            Some(StepList::Setup) => Phase::Setup,
            Some(StepList::OnFailure) => Phase::OnFailure,
            Some(StepList::Teardown) => Phase::Teardown,
            _ => Phase::Steps,
        }
    }

    /// Returns the depth of nesting; 0 for a flow's own steps.
    pub fn depth(&self) -> usize {
        self.step.depth()
    }
}

impl Attempt {
    /// Returns the step that failed the attempt: the last failed step with the place and the message that the end
    /// names, else the step at this place that a timeout cut off, else the innermost failed step within the first failed
    /// step of the flow, of several inner ones the last. Steps of `on_failure` never count, and if a timeout cut off a
    /// step, neither do those of teardown in the last case. `None` if no step failed.
    ///
    /// A step that failed inside one that passed, as in `retry`, did not fail the flow. A flow goes on after a
    /// snapshot that differs, so a later step may have ended it.
    pub fn failed_step(&self) -> Option<&StepRecord> {
        // Steps after the failure did not cause it.
        let steps = || {
            let steps = self.steps.iter();
            steps.filter(|step| step.phase() != Phase::OnFailure)
        };
        let failed = || steps().filter(|step| step.status == Some(StepStatus::Failed));
        let message = |failure: Option<&Failure>| failure.map(|failure| failure.message.clone());
        let end = self.end.as_ref();
        let has_place =
            |step: &&StepRecord| end.is_some_and(|end| end.failed_at.as_ref() == Some(&step.at));
        let named = |step: &&StepRecord| {
            // The flow's failure may have more details, such as the seed of its data.
            let failure = end.and_then(|end| end.failure.as_ref());
            has_place(step) && message(failure) == message(step.failure.as_ref())
        };
        if let Some(step) = failed().rfind(named) {
            return Some(step);
        }
        let cut_off = || steps().filter(|step| step.status.is_none());
        let has_failed = end.is_some_and(|end| end.failure.is_some());
        // Of a place to which teardown came too, the first.
        if let Some(step) = cut_off().find(has_place).filter(|_| has_failed) {
            return Some(step);
        }
        // The flow's timeout cut off this step; a failure of teardown came later.
        let was_cut_off = cut_off().any(|step| step.phase() != Phase::Teardown);
        let mut found = failed()
            .find(|step| step.depth() == 0 && !(was_cut_off && step.phase() == Phase::Teardown))?;
        while let Some(inner) = failed()
            .rfind(|step| step.depth() == found.depth() + 1 && found.step.leads_to(&step.step))
        {
            found = inner;
        }
        Some(found)
    }

    /// Returns the steps with failed soft assertions (those after which the flow goes on), in order, except the step
    /// that failed the attempt. Empty if there are none.
    pub fn soft_failures(&self) -> impl Iterator<Item = &StepRecord> {
        let reported = self.failed_step().map(|step| &step.step);
        let soft = self.steps.iter().filter(|step| step.soft);
        soft.filter(move |step| Some(&step.step) != reported)
    }

    /// Returns the milliseconds from the attempt's start until the last reported step ended; a step without an end
    /// counts with its start. `None` without steps. An end of the attempt does not count.
    pub fn reported_ms(&self) -> Option<u64> {
        let ends = self
            .steps
            .iter()
            .map(|step| step.t_ms.saturating_add(step.duration_ms));
        Some(ends.max()?.saturating_sub(self.t_ms))
    }

    /// Returns the result of the last snapshot that a step took. `None` if it took none.
    pub fn snapshot_of(&self, step: &StepPath) -> Option<&SnapshotResult> {
        let at = self.snapshot_steps.iter().rposition(|of| of == step)?;
        self.snapshots.get(at)
    }

    /// Returns snapshots that did not pass, in the order taken, each with its step if the run named it. If that step
    /// ran several times, its last record is returned. Empty if all passed.
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

    /// Records the end of a step: replaces the last open record of the same step, but for its start. A stream may
    /// lack the start; then the step is added at the end, with the start that `ended` has.
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

    /// Returns snapshots that did not pass.
    pub fn open_snapshots(&self) -> impl Iterator<Item = &SnapshotResult> {
        self.snapshots.iter().filter(|snapshot| snapshot.is_open())
    }

    /// Returns the files of the trace (screens and pictures of its frames, then its log) and then of the
    /// video. A file may occur several times. Other artifacts are left out.
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

    /// Returns every file of the attempt once: first those of the failure, then those of its steps. Of files with the
    /// same path the first is taken. Proposed goldens are among them, trace and video are not. Does not check that
    /// the files exist.
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

    /// Returns [`Self::artifacts`] without proposed goldens, which are for `runner review --from` only.
    pub(super) fn visible_files(&self) -> Vec<&Artifact> {
        let mut files = self.artifacts();
        files.retain(|artifact| artifact.kind != ArtifactKind::Proposal);
        files
    }
}

impl FlowRecord {
    /// Says in words why the flow has no end, whether it has one or not. It begins with `not finished:` if an attempt
    /// began, else with `not run:`. `stopped` is the reason for which the run stopped early; `None` reads as
    /// interrupted.
    pub(super) fn unfinished_reason(&self, stopped: Option<StopReason>) -> String {
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

    /// Returns the device of the last attempt. `None` without attempts or if it is unknown.
    pub fn device(&self) -> Option<&str> {
        let device = self.attempts.last()?.device.as_str();
        (!device.is_empty()).then_some(device)
    }

    /// Returns true if any attempt began.
    pub fn has_begun(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.began)
    }

    /// Returns the attempt that counts, once it ended: the last one, if its end says that no other follows.
    pub fn outcome(&self) -> Option<(&Attempt, &End)> {
        let attempt = self.attempts.last()?;
        let end = attempt.end.as_ref().filter(|end| end.last)?;
        Some((attempt, end))
    }

    /// Returns the app's version from the last attempt that ended and reported one, such as `1.4.2 (31)`. `None` if
    /// the flow names no app, or its version is unknown or empty.
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
    use runner_tools::FailureKind;
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

    /// A soft failure before it and a failure of teardown behind it did not fail the attempt.
    #[test]
    fn the_failed_step_is_the_one_that_the_timeout_cut_off() {
        let steps = [
            (json!([0]), Some(StepStatus::Failed)),
            (json!([1]), None),
            (json!([1, "group", 0]), None),
            (json!(["teardown", 0]), Some(StepStatus::Failed)),
        ];
        let steps = (1..).zip(steps).map(|(line, (path, status))| {
            let mut record = step(&path, StepStatus::Failed);
            record.at.line = line;
            record.status = status;
            record.soft = line == 1;
            record
        });
        let mut attempt = Attempt {
            steps: steps.collect(),
            ..Attempt::default()
        };
        for (line, expected, soft) in [(2, 2, 1), (3, 3, 1), (9, 1, 0)] {
            let mut at = attempt.steps[0].at.clone();
            at.line = line;
            attempt.end = Some(End {
                status: FlowStatus::Failed,
                last: true,
                started: String::new(),
                duration_ms: 1,
                cost: Cost::default(),
                failure: Some(Failure::new(FailureKind::Timeout, "it took too long")),
                failed_at: Some(at),
                artifacts: Vec::new(),
                app_version: None,
                quarantine: None,
            });
            let found = attempt.failed_step().map(|step| step.at.line);
            assert_eq!(found, Some(expected), "{line}");
            assert_eq!(attempt.soft_failures().count(), soft, "{line}");
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
