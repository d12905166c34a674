//! Collects the data of one flow on one device for its page.

use std::collections::BTreeMap;

use camino::Utf8Path;
use serde::Serialize;

use super::files::{ArtifactStore, ReportArtifact};
use super::trace::{self, TraceView, VideoView};
use crate::{Attempt, FlowRecord, Phase, ReportError, Results, StepRecord};
use runner_device::Cost;
use runner_device::remote::RemoteSession;
use runner_event::{
    ArtifactKind, FlowStatus, LogLevel, SnapshotResult, SourceLocation, StepStatus,
};
use runner_screen::Rect;
use runner_tools::Failure;

/// Data of one flow on one device.
#[derive(Debug, Serialize)]
pub(super) struct Detail<'a> {
    attempts: Vec<AttemptView<'a>>,
    /// Texts of the files that its steps are in.
    sources: BTreeMap<&'a Utf8Path, &'a str>,
}

/// Attempt as the page shows it.
#[derive(Debug, Serialize)]
struct AttemptView<'a> {
    number: u32,
    /// Label of its device, if the attempts were on several.
    #[serde(skip_serializing_if = "Option::is_none")]
    device: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<FlowStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<&'a str>,
    ms: u64,
    cost: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_at: Option<&'a SourceLocation>,
    /// Index in `steps` of the step that failed the attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_step: Option<usize>,
    /// Session of a WebDriver server that lent the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a RemoteSession>,
    steps: Vec<Step<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    log: &'a [(LogLevel, String)],
    /// Snapshots that did not pass. Those that passed are shown in their steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open: Vec<&'a SnapshotResult>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<ReportArtifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceView<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    video: Vec<VideoView>,
}

/// Step as the page shows it.
#[derive(Debug, Serialize)]
struct Step<'a> {
    /// Position in the flow, such as `setup.0` or `2.then.0`; its name in links.
    path: String,
    depth: usize,
    phase: &'static str,
    title: &'a str,
    /// Start, in milliseconds since the attempt began.
    at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<StepStatus>,
    ms: u64,
    trips: u64,
    dumps: u64,
    file: &'a Utf8Path,
    line: usize,
    column: usize,
    /// Text of the line, if the file's text is missing or has another line there, as after an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snapshot: Option<&'a SnapshotResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Rect>,
    /// Indices of its files in the attempt's `files`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<usize>,
}

impl<'a> Detail<'a> {
    /// Collects the data, and adds the files to the report. The sources are the flow's file and those of all
    /// steps, as far as the run sent their text. Attempts name their device only if they ran on several.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written to the report. A missing artifact is no error.
    pub fn new(
        results: &'a Results,
        flow: &Utf8Path,
        record: &'a FlowRecord,
        store: &mut ArtifactStore<'_>,
    ) -> Result<Self, ReportError> {
        let mut sources = BTreeMap::new();
        let mut add = |file: &Utf8Path| {
            if let Some((file, text)) = results.sources.get_key_value(file) {
                sources.insert(file.as_path(), text.as_str());
            }
        };
        add(flow);
        for attempt in &record.attempts {
            attempt.steps.iter().for_each(|step| add(&step.at.file));
        }
        let is_on_several = record
            .attempts
            .windows(2)
            .any(|pair| pair[0].device != pair[1].device);
        let attempts = record
            .attempts
            .iter()
            .map(|attempt| {
                let view = AttemptView::new(attempt, results, store)?;
                let device = is_on_several.then_some(attempt.device.as_str());
                Ok::<_, ReportError>(AttemptView { device, ..view })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { attempts, sources })
    }

    /// Returns the link to the picture that represents the last attempt: the first plain screenshot, else the
    /// first annotated one, else the first difference. Pictures without a link are passed over. `None` if
    /// there is none or no attempt.
    pub fn picture(&self) -> Option<&str> {
        let files = &self.attempts.last()?.files;
        let find = |kind| {
            files
                .iter()
                .find(|file| file.kind == kind && file.href.is_some())
        };
        [
            ArtifactKind::Screenshot,
            ArtifactKind::Annotated,
            ArtifactKind::Difference,
        ]
        .into_iter()
        .find_map(find)?
        .href
        .as_deref()
    }
}

impl<'a> AttemptView<'a> {
    fn new(
        attempt: &'a Attempt,
        results: &Results,
        store: &mut ArtifactStore<'_>,
    ) -> Result<Self, ReportError> {
        let files = attempt
            .artifacts()
            .into_iter()
            .map(|artifact| store.keep(artifact))
            .collect::<Result<Vec<_>, _>>()?;
        let failed = attempt.failed_step();
        let end = attempt.end.as_ref();
        Ok(Self {
            number: attempt.number,
            device: None,
            status: end.map(|end| end.status),
            started: end.map(|end| end.started.as_str()),
            ms: end.map_or(0, |end| end.duration_ms),
            cost: end.map_or_else(Cost::default, |end| end.cost),
            failure: end.and_then(|end| end.failure.as_ref()),
            failed_at: end
                .and_then(|end| end.failed_at.as_ref())
                .or(failed.map(|step| &step.at)),
            failed_step: failed.and_then(|failed| {
                // Steps of a loop may be equal in all fields.
                let same = |step: &StepRecord| std::ptr::eq(step, failed);
                attempt.steps.iter().position(same)
            }),
            session: attempt.session.as_ref(),
            steps: attempt
                .steps
                .iter()
                .enumerate()
                .map(|(index, step)| Step {
                    at: step.t_ms.saturating_sub(attempt.t_ms),
                    snapshot: step_snapshot(attempt, index),
                    ..Step::new(step, results, &files)
                })
                .collect(),
            log: &attempt.log,
            open: attempt.open_snapshots().collect(),
            files,
            trace: trace::trace(attempt, store)?,
            video: trace::video(attempt, store)?,
        })
    }
}

impl<'a> Step<'a> {
    fn new(step: &'a StepRecord, results: &Results, files: &[ReportArtifact]) -> Self {
        let place = |path: &Utf8Path| files.iter().position(|file| file.path == path);
        Self {
            path: step.step.to_string(),
            depth: step.depth(),
            phase: match step.phase() {
                Phase::Setup => "setup",
                Phase::Steps => "steps",
                Phase::OnFailure => "on_failure",
                Phase::Teardown => "teardown",
            },
            title: &step.title,
            at: 0,
            status: step.status,
            ms: step.duration_ms,
            trips: step.cost.round_trips,
            dumps: step.cost.dumps,
            file: &step.at.file,
            line: step.at.line,
            column: step.at.column,
            text: (!is_line_unchanged(results, &step.at)).then_some(&step.at.text),
            failure: step.failure.as_ref(),
            snapshot: None,
            bounds: step.bounds,
            files: step
                .artifacts
                .iter()
                .filter_map(|artifact| place(&artifact.path))
                .collect(),
        }
    }
}

/// Returns true if the file's text still has the line that was recorded with the place. Of a long line, which
/// is recorded with `…` at its end, only the beginning counts. A line that holds `***`, as a masked secret,
/// counts as equal. Returns false if the text is unknown or has no such line.
fn is_line_unchanged(results: &Results, at: &SourceLocation) -> bool {
    let text = results.sources.get(&at.file);
    let line = text.and_then(|text| text.lines().nth(at.line.saturating_sub(1)));
    // Only the beginning of a long line is recorded.
    let begins = |line: &str| {
        at.text
            .strip_suffix('…')
            .is_some_and(|head| line.starts_with(head))
    };
    line.is_some_and(|line| line == at.text || line.contains("***") || begins(line))
}

/// Returns the result of the snapshot of the step at `index`, or `None` if the step took none. A step that
/// ran several times has as many results: the first run gets the first, and a run beyond the results the
/// last.
fn step_snapshot(attempt: &Attempt, index: usize) -> Option<&SnapshotResult> {
    let path = &attempt.steps[index].step;
    let places: Vec<&SnapshotResult> = attempt
        .snapshot_steps
        .iter()
        .zip(&attempt.snapshots)
        .filter(|(step, _)| *step == path)
        .map(|(_, snapshot)| snapshot)
        .collect();
    let last = *places.last()?;
    let before = attempt.steps[..index]
        .iter()
        .filter(|step| step.step == *path)
        .count();
    Some(places.get(before).copied().unwrap_or(last))
}
