//! Collects the data of one flow on one device for its page.

use std::collections::BTreeSet;

use camino::Utf8Path;

use super::files::ArtifactStore;
use super::trace;
use super::view::{AttemptView, Detail, ReportArtifact, StepView};
use crate::{Attempt, FlowRecord, ReportError, Results, StepRecord};
use runner_event::{ArtifactKind, SnapshotResult, SourceLocation};

impl Detail {
    /// Collects the data of all attempts of a flow, and adds their files to the report. The sources are the flow's
    /// file and those of all steps, sorted, as far as the run sent their text. Attempts name their device only if
    /// they ran on several.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written to the report. A missing artifact is no error.
    pub(super) fn new(
        results: &Results,
        flow: &Utf8Path,
        record: &FlowRecord,
        store: &mut ArtifactStore<'_>,
    ) -> Result<Self, ReportError> {
        let steps = record.attempts.iter().flat_map(|attempt| &attempt.steps);
        let files = steps.map(|step| step.at.file.as_path());
        let files: BTreeSet<&Utf8Path> = files.chain([flow]).collect();
        let source = |file: &Utf8Path| Some((file.to_owned(), results.sources.get(file)?.clone()));
        let sources = files.into_iter().filter_map(source).collect();
        let is_on_several = record
            .attempts
            .windows(2)
            .any(|pair| pair[0].device != pair[1].device);
        let attempts = record
            .attempts
            .iter()
            .map(|attempt| {
                let mut view = AttemptView::new(attempt, results, store)?;
                view.device = is_on_several.then(|| attempt.device.clone());
                Ok::<_, ReportError>(view)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { attempts, sources })
    }

    /// Returns the link to the picture that represents the last attempt: the first plain screenshot, else the first
    /// annotated one, else the first difference. Pictures without a link are passed over. `None` if the last attempt
    /// has none, even if an earlier one has, or if there is no attempt.
    pub(super) fn picture(&self) -> Option<&str> {
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

impl AttemptView {
    /// Creates the view of an attempt and stores its files, trace and video. Without an end, status, start and
    /// failure are `None`, and duration and cost are 0. The failed step is an index into `steps`; `None` if it is
    /// unknown. The device is always `None`. Fails only if the report cannot be written.
    fn new(
        attempt: &Attempt,
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
            started: end.map(|end| end.started.clone()),
            ms: end.map_or(0, |end| end.duration_ms),
            cost: end.map(|end| end.cost).unwrap_or_default(),
            failure: end.and_then(|end| end.failure.clone()),
            failed_at: end
                .and_then(|end| end.failed_at.as_ref())
                .or(failed.map(|step| &step.at))
                .cloned(),
            failed_step: failed.and_then(|failed| {
                // Steps of a loop may be equal in all fields.
                let same = |step: &StepRecord| std::ptr::eq(step, failed);
                attempt.steps.iter().position(same)
            }),
            session: attempt.session.clone(),
            steps: attempt
                .steps
                .iter()
                .enumerate()
                .map(|(index, step)| StepView {
                    at: step.t_ms.saturating_sub(attempt.t_ms),
                    snapshot: step_snapshot(attempt, index).cloned(),
                    ..StepView::new(step, results, &files)
                })
                .collect(),
            log: attempt.log.clone(),
            open: attempt.open_snapshots().cloned().collect(),
            files,
            trace: trace::trace(attempt, store)?,
            video: trace::video(attempt, store)?,
            more_steps: None,
        })
    }
}

impl StepView {
    /// Creates the view of a step, without its snapshot and its time. The text of the line is left out if the report
    /// has the same line in the file's text. Artifacts are indexes into `files`, found by path; those not among them
    /// are left out.
    fn new(step: &StepRecord, results: &Results, files: &[ReportArtifact]) -> Self {
        let place = |path: &Utf8Path| files.iter().position(|file| file.path == path);
        Self {
            path: step.step.to_string(),
            depth: step.depth(),
            phase: step.phase(),
            title: step.title.clone(),
            status: step.status,
            ms: step.duration_ms,
            trips: step.cost.round_trips,
            dumps: step.cost.dumps,
            file: step.at.file.clone(),
            line: step.at.line,
            column: step.at.column,
            text: (!is_line_unchanged(results, &step.at)).then(|| step.at.text.clone()),
            failure: step.failure.clone(),
            bounds: step.bounds,
            files: step
                .artifacts
                .iter()
                .filter_map(|artifact| place(&artifact.path))
                .collect(),
            ..Self::default()
        }
    }
}

/// Returns true if the file's text still has the line that was recorded with the place. Of a long line, which is
/// recorded with `…` at its end, only the beginning counts. A line of the file that holds `***`, as a masked secret,
/// counts as equal to any. Returns false if the text is unknown or has no such line.
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

/// Returns the result of the snapshot of the step at `index`, or `None` if the step took none. A step that ran
/// several times has as many results: the first run gets the first, and a run beyond the results the last. Panics if
/// there is no step at `index`.
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
