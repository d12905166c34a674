//! The step `snapshot`: takes the screen once it is stable, compares it, updates goldens, and keeps the
//! evidence.

mod capture;
mod error;
mod files;
mod former;
mod key;

use super::baseline;
use super::call_stack::CallStack;
use super::context::AttemptContext;
use super::evaluate::picture_work;
use super::evidence::{Evidence, EvidenceLimits};
use super::soft_failures::CollectedFailures;
use super::step_result::{FailedTry, StepResult};
use runner_event::{EventKind, SnapshotResult, SnapshotVerdict};
use runner_flow::{SnapshotStep, Step, StepPath};
use runner_snapshot::{Golden, GoldenKey, Image, StepOptions, UpdateMode, UpdateResult, Verdict};
use runner_tools::{Failure, FailureKind};

use self::capture::CheckedCapture;
use self::error::{artifact_failure, snapshot_failure};
use self::files::artifact_name;

/// Advice for a picture that is black because the app forbids pictures.
const BLACKED_OUT: &str = "the picture is black wherever the screen has text: the app forbids pictures of this screen (FLAG_SECURE); use a build that allows them, or compare its rows alone with `image: none`";

impl AttemptContext<'_> {
    /// Takes a snapshot for a step with looks of its own, compares it, and writes what the run's update mode wants.
    /// Passes with the golden's key as value if the screen equals its golden, or was accepted as such; otherwise the
    /// failure has the evidence as artifacts. Sends the snapshot's event in both cases, and notes and warnings of the
    /// comparison. `stack` has the names for its options and the callers for its golden's path; `failures` say whether
    /// the flow goes on, and learn whether the screen was stored.
    pub(super) async fn snapshot(
        &self,
        stack: &CallStack,
        failures: &mut CollectedFailures,
        step: &Step,
        snapshot: &SnapshotStep,
        path: &StepPath,
    ) -> Result<StepResult, FailedTry> {
        let options = self.snapshot_options(stack, snapshot).await?;
        self.session.begin_step(self.timeout(step));
        // A golden is compared with looks of this step, never with one that an assertion took.
        self.session.forget_look();
        let (mut golden, mut capture) = self.compare(stack, step, &options).await?;
        // The app turned the display after the look from which the render class was computed.
        if golden.key.class() != Some(&self.render_class_now().await?.1) {
            (golden, capture) = self.compare(stack, step, &options).await?;
        }
        let key = golden.key.clone();
        let mode = self.update_mode(&golden);
        // Both writing the golden and the look for black windows decode it: held here, it is decoded once.
        let _decoded = (capture.check.verdict != Verdict::Passed)
            .then(|| picture_work(|| capture.capture.picture.as_ref()?.pixels().ok()));
        // A screen that still moves is neither proposed nor written.
        let id = self.reporter.id();
        let writer = format!("{} on {}", id.case_id(), id.device);
        let store = self.settings.store.for_writer(&writer);
        let applied = if capture.moving.is_empty() {
            picture_work(|| store.apply(mode, &golden, &capture.check))
                .map_err(|error| snapshot_failure(&error))?
        } else {
            UpdateResult::default()
        };
        for warning in &capture.check.warnings {
            self.reporter.warn(format!("snapshot {key}: {warning}"));
        }
        // A passed snapshot equals an accepted golden, so a black picture is intended.
        if capture.check.verdict != Verdict::Passed
            && picture_work(|| capture.capture.is_blacked_out()).unwrap_or(false)
        {
            self.reporter.warn(format!("snapshot {key}: {BLACKED_OUT}"));
        }
        let notes = capture.check.notes(&applied.written);
        for note in notes.filter(|_| applied.passes) {
            let note = format!("snapshot {key}: {note}");
            self.reporter.info(note);
        }
        let result = self.report(&key, path, &capture, &applied);
        let (proposals, other_turn) =
            picture_work(|| self.propose(&store, &golden, &capture, &applied))?;
        if let Some(turn) = other_turn {
            self.reporter.warn(format!("snapshot {key}: {turn} saw another screen in this run, and its proposal stays; what this turn saw is among its artifacts"));
        }
        if applied.passes {
            return Ok(StepResult {
                value: serde_json::json!({ "key": result.key }),
                ..StepResult::default()
            });
        }
        let name = artifact_name(stack, &options);
        let name = self.folder.unused_name(&name, "actual.tsv");
        let mut artifacts = picture_work(|| self.keep(&name, &options, &golden, &capture))
            .map_err(|error| artifact_failure(&error))?;
        artifacts.extend(proposals);
        // The evidence of a failure takes a picture if the snapshot has none. If the flow goes on, it is
        // taken now.
        let has_screen = options.image != Image::None;
        failures.note_screen(has_screen);
        if !has_screen && failures.goes_on_after_snapshots() {
            let name = format!("{name}.actual");
            let evidence = Evidence::new(self, EvidenceLimits::USUAL);
            artifacts.extend(evidence.picture(&name).await);
        }
        Err(FailedTry {
            failure: self.failure(&result, &capture),
            artifacts,
            at: None,
        })
    }

    /// Compares the screen with its golden, in the render class of the last look, and returns both. If there is no
    /// golden yet, the picture that `baseline` names takes its place. Without pictures (`image: none`) only rows are
    /// compared. A difference is not an error here.
    async fn compare(
        &self,
        stack: &CallStack,
        step: &Step,
        options: &StepOptions,
    ) -> Result<(Golden, CheckedCapture), FailedTry> {
        let key = self.golden_key(stack, options).await?;
        let mut golden = picture_work(|| self.settings.store.load(&key))
            .map_err(|error| snapshot_failure(&error))?;
        if options.image == Image::None {
            golden.picture = None;
        } else if let Some(name) = &options.baseline
            && golden.shared.is_none()
        {
            let (path, picture) =
                picture_work(|| baseline::read_baseline(&self.settings.config.root, name))?;
            golden = golden.with_baseline(path, picture);
        }
        let capture = self.take(step, options, &golden).await?;
        Ok((golden, capture))
    }

    /// Sends the snapshot's event, and returns its result. A moving screen is unstable, whatever the comparison says,
    /// and its changes are what moved. Otherwise a file that was written makes it `Written`.
    fn report(
        &self,
        key: &GoldenKey,
        path: &StepPath,
        capture: &CheckedCapture,
        applied: &UpdateResult,
    ) -> SnapshotResult {
        let verdict = match (capture.moving.is_empty(), applied.written.is_empty()) {
            (false, _) => SnapshotVerdict::Unstable,
            (true, false) => SnapshotVerdict::Written,
            (true, true) => capture.check.verdict.into(),
        };
        let changes = if capture.moving.is_empty() {
            &capture.check.changes
        } else {
            &capture.moving
        };
        let result = SnapshotResult {
            key: key.to_string(),
            verdict,
            changes: changes.clone(),
            cause: capture.check.cause.clone(),
            areas: capture.check.areas.clone().filter(|_| !applied.passes),
            pending: applied.pending.clone(),
        };
        self.reporter.emit(|id| EventKind::Snapshot {
            id,
            step: path.clone(),
            result: result.clone(),
        });
        result
    }

    /// Returns the failure of a snapshot, with its changes. A moving screen is a timeout, so that another try may pass;
    /// all else has the kind `Snapshot`.
    fn failure(&self, result: &SnapshotResult, capture: &CheckedCapture) -> Failure {
        let name = &result.key;
        let message = match (capture.moving.is_empty(), capture.check.verdict) {
            (false, _) => {
                format!("snapshot {name} is unstable: the screen did not stand still in time")
            }
            (true, Verdict::New) => format!("snapshot {name} is new"),
            (true, Verdict::MaskChanged) => {
                format!("snapshot {name}: its masks changed since the golden was taken")
            }
            (true, Verdict::MaskTooLarge(percent)) => {
                format!(
                    "snapshot {name}: its masks cover {percent} % of the screen, so hardly anything is compared"
                )
            }
            (true, _) => format!("snapshot {name} differs from its golden"),
        };
        // A moving screen may rest the next time; a difference will be the same again.
        let kind = if capture.moving.is_empty() {
            FailureKind::Snapshot
        } else {
            FailureKind::Timeout
        };
        let mut failure = Failure::new(kind, message)
            .with_details(result.changes.iter().cloned())
            .with_details(capture.check.notes(&[]).cloned());
        let is_masked = matches!(capture.check.verdict, Verdict::MaskTooLarge(_));
        if self.settings.config.update.value == UpdateMode::None && !is_masked {
            failure
                .details
                .push("nothing was written (--update none); run locally to review it, or take this run's artifacts: `runner review --from FILE|DIR`".into());
        }
        failure
    }
}
