//! Reports a run to agents, and finds the pictures and files of its failure.

use camino::{Utf8Path, Utf8PathBuf};
use serde::Serialize;

use super::RunOutcome;
use super::screen::FailureScreen;
use crate::{links, picture};
use runner_event::{
    Artifact, ArtifactKind, FlowStatus, LogLevel, ResultKey, SnapshotResult, StepStatus,
};
use runner_flow::StepPath;
use runner_report::{Attempt, End, FlowRecord, StepRecord};
use runner_text::input_file::{MAX_PICTURE, read_text};
use runner_tools::{Failure, Resource};

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

/// Run as agents read it. Durations are in milliseconds.
#[derive(Debug, Serialize)]
pub(crate) struct RunReport<'a> {
    passed: bool,
    duration_ms: u64,
    flows: Vec<FlowReport<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableFlow<'a>>,
}

/// Flow that could not be parsed.
#[derive(Debug, Serialize)]
struct UnreadableFlow<'a> {
    path: &'a Utf8Path,
    message: &'a str,
}

/// Flow on a device, with its last attempt.
#[derive(Debug, Serialize)]
struct FlowReport<'a> {
    path: &'a Utf8Path,
    name: Option<&'a str>,
    device: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    /// `not run` for a flow without an attempt. That of an attempt is in its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(flatten)]
    last: Option<AttemptReport<'a>>,
}

#[derive(Debug, Serialize)]
struct AttemptReport<'a> {
    /// Number of attempts at the flow.
    attempts: usize,
    /// `None` while the attempt runs, or if the stream breaks off.
    #[serde(flatten)]
    end: Option<EndReport<'a>>,
    steps: Vec<StepReport<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    steps_left_out: usize,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    snapshots: &'a [SnapshotResult],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactReport>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    log: &'a [(LogLevel, String)],
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[derive(Debug, Serialize)]
struct EndReport<'a> {
    status: FlowStatus,
    duration_ms: u64,
    round_trips: u64,
    dumps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureReport<'a>>,
}

/// Failure of an attempt, with the line of the flow.
#[derive(Debug, Serialize)]
struct FailureReport<'a> {
    #[serde(flatten)]
    failure: &'a Failure,
    #[serde(flatten)]
    at: Option<FailedLine<'a>>,
}

#[derive(Debug, Serialize)]
struct FailedLine<'a> {
    file: &'a Utf8Path,
    line: usize,
    column: usize,
    /// Text of the line, without white space at its ends.
    source: &'a str,
}

#[derive(Debug, Serialize)]
struct StepReport<'a> {
    step: &'a StepPath,
    title: &'a str,
    /// Place, such as `flows/login.yaml:4:5`.
    at: String,
    status: Option<StepStatus>,
    duration_ms: u64,
    round_trips: u64,
    dumps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct ArtifactReport {
    kind: ArtifactKind,
    path: Utf8PathBuf,
}

impl RunOutcome {
    /// Returns the run's text, shortened to its first 60 and last 140 lines.
    pub(crate) fn to_message(&self) -> String {
        shortened(&self.text)
    }

    /// Returns flows with their steps, failures, snapshots and files, in the order of the run.
    pub(crate) fn report(&self) -> RunReport<'_> {
        let flows = self.results.flows.iter();
        let unreadable = self.results.unreadable.iter();
        RunReport {
            passed: self.passed(),
            duration_ms: self.results.elapsed_ms,
            flows: flows.map(|(key, flow)| self.flow(key, flow)).collect(),
            unreadable: unreadable
                .map(|flow| UnreadableFlow {
                    path: &flow.flow,
                    message: &flow.message,
                })
                .collect(),
        }
    }

    /// Returns a flow's report, with its last attempt only; `not run` without one.
    fn flow<'a>(&'a self, key: &'a ResultKey, flow: &'a FlowRecord) -> FlowReport<'a> {
        let last = flow.attempts.last();
        FlowReport {
            path: &key.id.flow,
            name: flow.name.as_deref(),
            device: flow.device().unwrap_or(&key.device),
            case: key.id.distinction(),
            status: last.is_none().then_some("not run"),
            last: last.map(|last| self.attempt(flow.attempts.len(), last)),
        }
    }

    /// Returns an attempt's report. Long lists of steps are shortened.
    fn attempt<'a>(&'a self, attempts: usize, attempt: &'a Attempt) -> AttemptReport<'a> {
        let (reported, steps_left_out) = summarized_steps(&attempt.steps);
        AttemptReport {
            attempts,
            end: attempt.end.as_ref().map(|end| EndReport::new(attempt, end)),
            steps: reported.into_iter().map(StepReport::new).collect(),
            steps_left_out,
            snapshots: &attempt.snapshots,
            artifacts: attempt
                .artifacts()
                .into_iter()
                .map(|artifact| ArtifactReport {
                    kind: artifact.kind,
                    path: self.path(artifact),
                })
                .collect(),
            log: &attempt.log,
        }
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

    /// Returns links to the pictures, rows and log of the first flow that failed, at most 10 in a fixed order
    /// of kinds, and always one more to the JSON report of the last run. A flow in quarantine counts too.
    /// Empty if no flow failed.
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
                    links::artifact_link(&run.artifacts, &path, description)
                })
            })
            .take(MAX_LINKS)
            .collect();
        links.push(links::last_report_link());
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

/// Shortens a text of more than 200 lines to the first 60, a line such as `… 12 lines left out`, and
/// the last 140, as the end shows the failure. A line keeps its length. White space at the end of the
/// text is removed in any case.
fn shortened(text: &str) -> String {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let left_out = lines.len().saturating_sub(HEAD_LINES + TAIL_LINES);
    let note = format!("… {left_out} lines left out");
    if left_out > 0 {
        lines.splice(HEAD_LINES..HEAD_LINES + left_out, [note.as_str()]);
    }
    lines.join("\n")
}

impl<'a> StepReport<'a> {
    fn new(step: &'a StepRecord) -> Self {
        let at = &step.at;
        let failure = step.failure.as_ref();
        Self {
            step: &step.step,
            title: &step.title,
            at: format!("{}:{}:{}", at.file, at.line, at.column),
            status: step.status,
            duration_ms: step.duration_ms,
            round_trips: step.cost.round_trips,
            dumps: step.cost.dumps,
            failure: failure.map(|failure| failure.message.masked_text()),
        }
    }
}

impl<'a> EndReport<'a> {
    /// Collects how an attempt ended. The place is that of the failure, or else of the failed step.
    fn new(attempt: &'a Attempt, end: &'a End) -> Self {
        let failed_step = || attempt.failed_step().map(|step| &step.at);
        let at = end.failed_at.as_ref().or_else(failed_step);
        Self {
            status: end.status,
            duration_ms: end.duration_ms,
            round_trips: end.cost.round_trips,
            dumps: end.cost.dumps,
            failure: end.failure.as_ref().map(|failure| FailureReport {
                failure,
                at: at.map(|at| FailedLine {
                    file: &at.file,
                    line: at.line,
                    column: at.column,
                    source: at.text.trim(),
                }),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use runner_event::Event;
    use serde_json::{Value, json};

    use super::*;

    /// Returns the JSON of a run with these events after its start.
    fn report(events: &[Value]) -> String {
        let start = json!({ "event": "start", "schema": 1, "run_id": "r", "version": "1",
            "started": "2026-01-02T03:04:05Z", "root": "/p", "artifacts": "/p/a" });
        let events = std::iter::once(&start).chain(events).map(|event| {
            let mut event = event.clone();
            event["seq"] = 0.into();
            event["t_ms"] = 7.into();
            serde_json::from_value::<Event>(event).unwrap()
        });
        json!(RunOutcome::from_events(events).report()).to_string()
    }

    #[test]
    fn a_failed_flow_has_its_fields_in_order() {
        let id = json!({ "flow": "a.yaml", "device": "d", "attempt": 1 });
        let at = json!({ "file": "a.yaml", "line": 3, "column": 5, "text": "  - click: OK" });
        let failure = json!({ "kind": "assertion", "message": "no element matches" });
        let cost = json!({ "round_trips": 3, "dumps": 1 });
        let shot = json!({ "kind": "screenshot", "path": "a/fail.png", "hash": "0" });
        let snapshot = json!({ "key": "a/home", "verdict": "new", "changes": [] });
        let events = [
            json!({ "event": "flow_started", "id": id, "name": "A", "tags": [], "steps": 2 }),
            json!({ "event": "step_started", "id": id, "step": [1], "title": "sleep: 1s", "at": at }),
            json!({ "event": "step_finished", "id": id, "step": [0], "title": "click: OK", "at": at,
                "status": "failed", "duration_ms": 4, "cost": cost, "failure": failure }),
            json!({ "event": "snapshot", "id": id, "step": [0], "result": snapshot }),
            json!({ "event": "log", "id": id, "level": "info", "message": "hm" }),
            json!({ "event": "flow_finished", "id": id, "last": true, "status": "failed",
                "started": "2026-01-02T03:04:05Z", "duration_ms": 5, "cost": cost, "failure": failure,
                "artifacts": [shot] }),
        ];
        let expected = concat!(
            r#"{"passed":false,"duration_ms":7,"flows":[{"path":"a.yaml","name":"A","device":"d","attempts":1,"#,
            r#""status":"failed","duration_ms":5,"round_trips":3,"dumps":1,"#,
            r#""failure":{"kind":"assertion","message":"no element matches","#,
            r#""file":"a.yaml","line":3,"column":5,"source":"- click: OK"},"#,
            r#""steps":[{"step":[1],"title":"sleep: 1s","at":"a.yaml:3:5","status":null,"duration_ms":0,"#,
            r#""round_trips":0,"dumps":0},"#,
            r#"{"step":[0],"title":"click: OK","at":"a.yaml:3:5","status":"failed","duration_ms":4,"#,
            r#""round_trips":3,"dumps":1,"failure":"no element matches"}],"#,
            r#""snapshots":[{"key":"a/home","verdict":"new","changes":[]}],"#,
            r#""artifacts":[{"kind":"screenshot","path":"a/a/fail.png"}],"log":[["info","hm"]]}]}"#,
        );
        assert_eq!(report(&events), expected);
    }

    #[test]
    fn a_flow_that_did_not_end_has_only_what_is_known() {
        let id = |flow: &str| json!({ "flow": flow, "device": "d", "attempt": 1 });
        let events = [
            json!({ "event": "plan", "flows": [id("a.yaml"), id("b.yaml")] }),
            json!({ "event": "unreadable", "flow": "c.yaml", "message": "odd", "at": null }),
            json!({ "event": "flow_started", "id": id("a.yaml"), "name": "A", "tags": [], "steps": 2 }),
        ];
        let expected = concat!(
            r#"{"passed":false,"duration_ms":7,"flows":["#,
            r#"{"path":"a.yaml","name":"A","device":"d","attempts":1,"steps":[]},"#,
            r#"{"path":"b.yaml","name":null,"device":"d","status":"not run"}],"#,
            r#""unreadable":[{"path":"c.yaml","message":"odd"}]}"#,
        );
        assert_eq!(report(&events), expected);
    }
}
