//! Writes a run as JSON, and finds the pictures and files of its failure.

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::RunOutcome;
use super::screen::FailureScreen;
use crate::{artifacts, picture, resources};
use runner_event::{Artifact, ArtifactKind, FlowStatus, ResultKey, SourceLocation, StepStatus};
use runner_report::{Attempt, End, FlowRecord, StepRecord};
use runner_text::input_file::{MAX_PICTURE, read_text};
use runner_tools::Resource;

/// Steps of a flow that an answer holds. Chosen: usual flows fit; an agent reads all of them.
const MAX_STEPS: usize = 200;

/// Artifacts of a failure that an answer links to. Chosen: one of each kind fits, with some to spare for
/// several snapshots.
const MAX_LINKS: usize = 10;
const LINKED_KINDS: [(ArtifactKind, &str); 6] = [
    (ArtifactKind::Screenshot, "The screen at the failure."),
    (ArtifactKind::Annotated, "The same with the rows' boxes."),
    (ArtifactKind::Tsv, "The same as rows."),
    (ArtifactKind::Difference, "What differs from the golden."),
    (ArtifactKind::Rows, "The rows that differ from the golden."),
    (ArtifactKind::Log, "The app's log."),
];

/// Lines at the beginning of a run's text that an answer holds. Chosen: with [`TAIL_LINES`], usual flows fit
/// whole; the end gets more, as it shows the failure.
const HEAD_LINES: usize = 60;
const TAIL_LINES: usize = 140;

impl RunOutcome {
    /// Returns the run's text, shortened for an answer.
    pub(crate) fn to_message(&self) -> String {
        shortened(&self.text)
    }

    /// Returns flows with their steps, failures, snapshots and files as JSON, in the order of the run.
    /// `unreadable` is there only if a flow could not be read. Durations are in milliseconds.
    pub(crate) fn value(&self) -> Value {
        let flows: Vec<Value> = self
            .results
            .flows
            .iter()
            .map(|(key, flow)| self.flow(key, flow))
            .collect();
        let unreadable: Vec<Value> = self
            .results
            .unreadable
            .iter()
            .map(|flow| json!({ "path": flow.flow, "message": flow.message }))
            .collect();
        let mut value = json!({
            "passed": self.passed(),
            "duration_ms": self.results.elapsed_ms,
            "flows": flows,
        });
        if !unreadable.is_empty() {
            value["unreadable"] = unreadable.into();
        }
        value
    }

    fn flow(&self, key: &ResultKey, flow: &FlowRecord) -> Value {
        let mut value = json!({ "path": key.id.flow, "name": flow.name, "device": flow.device().unwrap_or(&key.device) });
        if let Some(case) = key.id.distinction() {
            value["case"] = case.into();
        }
        let Some(attempt) = flow.attempts.last() else {
            value["status"] = "not run".into();
            return value;
        };
        value["attempts"] = flow.attempts.len().into();
        if let Some(end) = &attempt.end {
            value["status"] = json!(end.status);
            value["duration_ms"] = end.duration_ms.into();
            value["round_trips"] = json!(end.cost.round_trips);
            value["dumps"] = json!(end.cost.dumps);
            if let Some(failure) = failure(attempt, end) {
                value["failure"] = failure;
            }
        }
        let (reported, left_out) = summarized_steps(&attempt.steps);
        value["steps"] = reported.into_iter().map(step).collect();
        if left_out > 0 {
            value["steps_left_out"] = left_out.into();
        }
        if !attempt.snapshots.is_empty() {
            value["snapshots"] = json!(attempt.snapshots);
        }
        let files: Vec<Value> = attempt
            .artifacts()
            .into_iter()
            .map(|artifact| json!({ "kind": artifact.kind, "path": self.path(artifact) }))
            .collect();
        if !files.is_empty() {
            value["artifacts"] = files.into();
        }
        if !attempt.log.is_empty() {
            value["log"] = json!(attempt.log);
        }
        value
    }

    /// Returns an artifact's path: relative if it is below the project's root, else absolute.
    fn path(&self, artifact: &Artifact) -> Utf8PathBuf {
        let whole = self.results.artifact_path(&artifact.path);
        let root = self.results.run.as_ref().map(|run| &run.root);
        match root.and_then(|root| whole.strip_prefix(root).ok()) {
            Some(below) => below.to_owned(),
            None => whole,
        }
    }

    /// Returns the last attempt of the first flow whose last attempt failed, also of one in quarantine.
    /// `None` if there is none.
    fn failed(&self) -> Option<&Attempt> {
        self.results.flows.values().find_map(|flow| {
            let attempt = flow.attempts.last()?;
            let status = attempt.end.as_ref()?.status;
            matches!(
                status,
                FlowStatus::Failed | FlowStatus::Error | FlowStatus::Quarantined
            )
            .then_some(attempt)
        })
    }

    /// Returns the rows of the screen at the failure of the first flow that failed. `None` if there is none,
    /// it left no rows or their file cannot be read.
    pub(crate) fn failure_screen(&self) -> Option<FailureScreen> {
        let attempt = self.failed()?;
        let file = attempt
            .artifacts()
            .into_iter()
            .find(|artifact| artifact.kind == ArtifactKind::Tsv)?;
        let tsv = read_text(self.results.artifact_path(&file.path), MAX_PICTURE).ok()?;
        Some(FailureScreen {
            tsv,
            path: self.path(file),
        })
    }

    /// Returns a small copy of the picture of what differs from the golden, of the first flow that failed.
    /// `None` if there is none.
    pub(crate) fn failure_difference(&self) -> Option<(String, Vec<u8>)> {
        self.picture_of(self.failed()?, ArtifactKind::Difference)
    }

    /// Returns a small copy of the screenshot of the first flow that failed. `None` if there is none.
    pub(crate) fn failure_picture(&self) -> Option<(String, Vec<u8>)> {
        self.picture_of(self.failed()?, ArtifactKind::Screenshot)
    }

    /// Returns links to the first failure's pictures, rows and log, at most 10 in a fixed order of kinds, and
    /// to the report. Empty if no flow failed.
    pub(crate) fn failure_links(&self) -> Vec<Resource> {
        let (Some(attempt), Some(run)) = (self.failed(), &self.results.run) else {
            return Vec::new();
        };
        let files = attempt.artifacts();
        let mut links: Vec<Resource> = LINKED_KINDS
            .iter()
            .flat_map(|(kind, description)| {
                let of_kind = files.iter().filter(move |file| file.kind == *kind);
                of_kind.filter_map(move |file| {
                    let path = self.results.artifact_path(&file.path);
                    artifacts::link(&run.artifacts, &path, description)
                })
            })
            .take(MAX_LINKS)
            .collect();
        links.push(resources::last_report_link());
        links
    }

    /// Returns a small copy of the first picture of this kind that an attempt left. `None` if there is none
    /// or its file cannot be read.
    pub(crate) fn picture_of(
        &self,
        attempt: &Attempt,
        kind: ArtifactKind,
    ) -> Option<(String, Vec<u8>)> {
        let artifacts = attempt.artifacts();
        let file = artifacts.iter().find(|artifact| artifact.kind == kind)?;
        picture::small_file(&self.results.artifact_path(&file.path))
    }
}

/// Returns the steps that an answer holds, in order, and the number of the others. The flow's own steps and
/// those that did not pass are always in it, even if they are more than 200; nested steps fill the rest, the
/// last ones first.
fn summarized_steps(steps: &[StepRecord]) -> (Vec<&StepRecord>, usize) {
    let weighty = |step: &StepRecord| step.depth() == 0 || step.status != Some(StepStatus::Passed);
    let mut room = MAX_STEPS.saturating_sub(steps.iter().filter(|step| weighty(step)).count());
    let mut reported: Vec<&StepRecord> = steps
        .iter()
        .rev()
        .filter(|step| {
            let inner = !weighty(step);
            let fits = !inner || room > 0;
            room -= usize::from(inner && fits);
            fits
        })
        .collect();
    reported.reverse();
    let left_out = steps.len() - reported.len();
    (reported, left_out)
}

/// Leaves the middle of a long text out, with a line that says how many: it keeps the first 60 lines and the
/// last 140, as the end shows the failure.
fn shortened(text: &str) -> String {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(HEAD_LINES + TAIL_LINES);
    let note = format!("… {left_out} lines left out");
    if left_out > 0 {
        lines.splice(HEAD_LINES..HEAD_LINES + left_out, [note.as_str()]);
    }
    lines.join("\n")
}

fn step(step: &StepRecord) -> Value {
    let mut value = json!({
        "step": step.step,
        "title": step.title,
        "at": place(&step.at),
        "status": step.status,
        "duration_ms": step.duration_ms,
        "round_trips": step.cost.round_trips,
        "dumps": step.cost.dumps,
    });
    if let Some(failure) = &step.failure {
        value["failure"] = failure.message.to_text().into();
    }
    value
}

fn failure(attempt: &Attempt, end: &End) -> Option<Value> {
    let mut value = json!(end.failure.as_ref()?);
    let at = end
        .failed_at
        .as_ref()
        .or_else(|| attempt.failed_step().map(|step| &step.at));
    if let Some(at) = at {
        value["file"] = at.file.as_str().into();
        value["line"] = at.line.into();
        value["column"] = at.column.into();
        value["source"] = at.text.trim().into();
    }
    Some(value)
}

fn place(at: &SourceLocation) -> String {
    format!("{}:{}:{}", at.file, at.line, at.column)
}
