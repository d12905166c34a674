//! The step `snapshot`: takes the screen once it is stable, compares it, updates goldens, and keeps the
//! evidence.

use super::baseline;
use super::call_stack::CallStack;
use super::context::AttemptContext;
use super::evaluate::picture_work;
use super::evidence::{Evidence, EvidenceLimits};
use super::soft_failures::CollectedFailures;
use super::step_result::{FailedTry, StepResult};
use runner_device::{DeviceError, DeviceInfo, Reading};
use runner_engine::{Capture, CaptureOptions, EngineError, StableCapture};
use runner_event::{Artifact, ArtifactKind, EventKind, SnapshotResult, SnapshotVerdict};
use runner_flow::{Combination, SnapshotStep, Step, StepPath};
use runner_screen::annotate::annotate_full_size;
use runner_screen::{Orientation, RowFilter};
use runner_snapshot::picture::{Compression, encode};
use runner_snapshot::{
    self, Check, Golden, GoldenKey, Image, Redactions, RenderClass, SnapshotError, StepOptions,
    Store, Subject, UpdateMode, UpdateResult, Verdict,
};
use runner_tools::{Failure, FailureKind};

/// Advice for a picture that is black because the app forbids pictures.
const BLACKED_OUT: &str = "the picture is black wherever the screen has text: the app forbids pictures of this screen (FLAG_SECURE); use a build that allows them, or compare its rows alone with `image: none`";

/// Capture of the screen, with the result of its comparison.
struct CheckedCapture {
    capture: Capture,
    check: Check,
    /// Elements that still moved when the time was up.
    moving: Vec<String>,
}

/// Context of a step that stays the same for all its looks.
struct CheckContext<'a> {
    options: &'a StepOptions,
    class: &'a RenderClass,
    redactions: Redactions,
}

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
        // Both writing the golden and the look for black windows decode it: held here, it is decoded once.
        let _decoded = (capture.check.verdict != Verdict::Passed)
            .then(|| picture_work(|| capture.capture.picture.as_ref()?.pixels().ok()));
        // A screen that still moves is neither proposed nor written.
        let id = self.reporter.id();
        let writer = format!("{} on {}", id.case_id(), id.device);
        let store = self.settings.store.for_writer(&writer);
        let applied = if capture.moving.is_empty() {
            picture_work(|| store.apply(self.settings.config.update.value, &golden, &capture.check))
                .map_err(|error| broken(&error))?
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
            .map_err(|error| store_error(&error))?;
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
        let mut golden =
            picture_work(|| self.settings.store.load(&key)).map_err(|error| broken(&error))?;
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

    /// Evaluates the step's options. Those that it does not give come from `runner.yaml`, one by one. With `each` the
    /// name gets the numbers of the surrounding rounds. Wrong options are a failure of usage.
    async fn snapshot_options(
        &self,
        stack: &CallStack,
        snapshot: &SnapshotStep,
    ) -> Result<StepOptions, Failure> {
        let mut value = stack.resolve(&snapshot.options).await?;
        if let (Some(options), Some(defaults)) = (
            value.as_object_mut(),
            self.settings.config.snapshot_defaults.as_object(),
        ) {
            for (name, default) in defaults {
                options
                    .entry(name.as_str())
                    .or_insert_with(|| default.clone());
            }
        }
        let mut options: StepOptions = serde_json::from_value(value)
            .map_err(|error| Failure::new(FailureKind::Usage, format!("snapshot: {error}")))?;
        if options.each {
            for round in stack.rounds() {
                options.name = options.name.nth(*round);
            }
        }
        Ok(options)
    }

    /// Returns the key of the golden. Goldens belong to the flow that was started; those of a sub-flow are below the
    /// label of the step that runs it, and those of a row of data below its name. The variant is the step's, else the
    /// device's, else the one that `runner.yaml` gives, followed by that of the case's matrix. Asks the device for its
    /// render class. A name that cannot be a key is a failure.
    async fn golden_key(
        &self,
        stack: &CallStack,
        options: &StepOptions,
    ) -> Result<GoldenKey, Failure> {
        let mut flow = self.settings.golden_folder(&self.flow.key);
        if let Some(row) = self.case.and_then(|case| case.row.as_ref()) {
            flow.push(row.name.as_str());
        }
        for caller in stack.callers() {
            flow.push(caller);
        }
        let (info, class) = self.render_class_now().await?;
        let variant = options
            .variant
            .as_deref()
            .or(self.target.variant.as_deref())
            .or_else(|| self.settings.config.variants.find(&info, &class));
        let of_case = self.combination().map(Combination::variant);
        let parts: Vec<&str> = variant.into_iter().chain(of_case.as_deref()).collect();
        let variant = (!parts.is_empty()).then(|| parts.join("-"));
        GoldenKey::new(&flow, &options.name, variant.as_deref(), Some(&class))
            .map_err(|error| broken(&error))
    }

    /// Returns the device and its current render class: theme, language, font and orientation may have changed since
    /// the flow began. The orientation is that of the last look; without one, a look is taken. A class that
    /// `runner.yaml` names for the device takes precedence, with the variant of the case's matrix added. An error if
    /// the display's size, or a part of the class, is unknown.
    async fn render_class_now(&self) -> Result<(DeviceInfo, RenderClass), Failure> {
        let screen = match self.session.last_screen() {
            Some(screen) => screen,
            None => self.session.look().await?,
        };
        if screen.display().bounds().is_empty() {
            // The orientation is part of every class, also of one that is named.
            let why = "neither `dumpsys window displays` nor `wm size` says its size".to_owned();
            return Err(DeviceError::NotAnswered(why).into());
        }
        let landscape = screen.display().orientation() == Orientation::Landscape;
        let mut info = self.session.current_info().await;
        let combination = self.combination();
        // Where only the app's language can be set, the system does not report it.
        if let Some(locale) = combination.and_then(|it| it.locale.clone()) {
            info.locale = Reading::Said(locale);
        }
        let named = self
            .target
            .render_class
            .as_ref()
            .map(|named| match combination {
                Some(combination) => format!("{named}-{}", combination.variant()),
                None => named.clone(),
            });
        let class = RenderClass::from_device(&info, landscape, named.as_deref())?;
        Ok((info, class))
    }

    /// Looks until the screen matches its golden or stands still, within the step's limit but at least twice, and
    /// returns the last look with its comparison. Dialogs are not answered. A screen that still moves is returned with
    /// what moved; a look that cannot be compared is a failure only if it is the last. Secrets are masked before
    /// anything is compared.
    async fn take(
        &self,
        step: &Step,
        options: &StepOptions,
        golden: &Golden,
    ) -> Result<CheckedCapture, FailedTry> {
        let limits = self.settings.snapshot_options;
        let Some(class) = golden.key.class() else {
            return Err(
                Failure::new(FailureKind::Snapshot, "a golden without a render class").into(),
            );
        };
        let redactions = self.settings.config.redactions.clone();
        let redactions = redactions.and(&options.redactions).map_err(|error| {
            Failure::new(FailureKind::Usage, format!("snapshot: redactions: {error}"))
        })?;
        let ready = CheckContext {
            options,
            class,
            // Goldens are files of the project: no secret may get into one.
            redactions: redactions.with_secrets(self.reporter.scrubber().clone()),
        };
        let compare = |capture: &Capture| {
            picture_work(|| {
                runner_snapshot::check(&self.subject(capture, &ready)?, golden, &limits)
            })
        };
        let capture_options = CaptureOptions {
            limit: self.timeout(step),
            picture: options.image != Image::None,
        };
        // Keeps the result of the last look, so that it need not be compared again.
        let mut compared = None;
        let captured = self
            .session
            .capture_stable(
                capture_options,
                |capture| {
                    // A screen that cannot be compared now, as the app is not in front yet, may be
                    // comparable later.
                    compared = compare(capture).ok();
                    compared.as_ref().is_some_and(Check::passed)
                },
                |before, now| {
                    let subject = |capture| self.subject(capture, &ready).ok();
                    picture_work(|| {
                        let both = subject(before).zip(subject(now));
                        both.is_some_and(|(before, now)| is_at_rest(&before, &now))
                    })
                },
            )
            .await
            .map_err(Failure::from)?;
        let failed = |error: SnapshotError| FailedTry::from(broken(&error));
        let check_of = |capture: &Capture| match compared {
            Some(check) => Ok(check),
            None => compare(capture).map_err(|error| match (error, &options.of) {
                (SnapshotError::Several { nodes, .. }, Some(of)) => {
                    let several = EngineError::several(of, &capture.screen, &nodes);
                    FailedTry::from(Failure::from(several))
                }
                (error, _) => failed(error),
            }),
        };
        match captured {
            StableCapture::Accepted(capture) | StableCapture::Stable(capture) => {
                Ok(CheckedCapture {
                    check: check_of(&capture)?,
                    capture,
                    moving: Vec::new(),
                })
            }
            StableCapture::Unstable { before, last } => {
                let check = check_of(&last)?;
                let mut moving = picture_work(|| {
                    self.subject(&last, &ready)?
                        .moved_since(&self.subject(&before, &ready)?)
                })
                .map_err(failed)?;
                if moving.is_empty() {
                    moving.push("the screen changed between two looks".to_owned());
                }
                Ok(CheckedCapture {
                    capture: *last,
                    check,
                    moving,
                })
            }
        }
    }

    /// Returns the subject to compare, with passwords painted over. Without a picture if the capture has
    /// none; an undecodable one is an error, as the rows alone would pass.
    fn subject(
        &self,
        capture: &Capture,
        ready: &CheckContext<'_>,
    ) -> Result<Subject, SnapshotError> {
        let picture = capture.storable_picture().map_err(|error| {
            SnapshotError::Picture(match error {
                DeviceError::NoPicture(why) => why,
                error => error.to_string(),
            })
        })?;
        Ok(Subject {
            screen: std::sync::Arc::clone(&capture.screen),
            picture,
            app: self.flow.app.clone(),
            app_version: self.app_version(),
            class: ready.class.clone(),
            bars: capture.screen.bars().to_vec(),
            options: ready.options.clone(),
            redactions: ready.redactions.clone(),
        })
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

    /// Writes the proposed golden among the artifacts if the run writes no pending files, so that a person
    /// can accept it elsewhere. Removes proposals of earlier attempts first. Nothing is written if the
    /// snapshot passes or the screen still moved, nor where another turn of the run proposes another screen:
    /// then returns that turn, also for pending files.
    fn propose(
        &self,
        store: &Store,
        golden: &Golden,
        capture: &CheckedCapture,
        applied: &UpdateResult,
    ) -> Result<(Vec<Artifact>, Option<String>), Failure> {
        if self.settings.config.update.value == UpdateMode::Pending {
            return Ok((Vec::new(), applied.other_turn.clone()));
        }
        let (key, device) = (&golden.key, &self.reporter.id().device);
        if applied.passes || !capture.moving.is_empty() {
            if store.withdraw_proposal(key, device) {
                self.remove_proposal(key)?;
            }
            return Ok((Vec::new(), None));
        }
        let files = Store::proposal(golden, &capture.check).map_err(|error| broken(&error))?;
        if let Some(turn) = store.claim_proposal(key, device, &files) {
            return Ok((Vec::new(), Some(turn)));
        }
        self.remove_proposal(key)?;
        let written = files
            .iter()
            .map(|(path, bytes)| self.folder.write_proposal(path, bytes))
            .collect::<std::io::Result<_>>()
            .map_err(|error| store_error(&error))?;
        Ok((written, None))
    }

    /// Removes what earlier attempts and runs proposed for a golden among the artifacts.
    fn remove_proposal(&self, key: &GoldenKey) -> Result<(), Failure> {
        Store::proposal_paths(key)
            .iter()
            .try_for_each(|path| self.folder.remove_proposal(path))
            .map_err(|error| store_error(&error))
    }

    /// Writes actual, difference and golden as artifacts that outlive the run: rows always, pictures if there
    /// are any. The annotated picture is left out for a part of the screen. Stops at the first file that
    /// cannot be written.
    fn keep(
        &self,
        name: &str,
        options: &StepOptions,
        golden: &Golden,
        captured: &CheckedCapture,
    ) -> std::io::Result<Vec<Artifact>> {
        let mut stored = Vec::new();
        stored.push(self.folder.write_text(
            ArtifactKind::Tsv,
            &format!("{name}.actual.tsv"),
            &captured.check.actual_numbered_tsv(),
        )?);
        if let Some(pixels) = captured.check.actual_pixels() {
            stored.extend(self.keep_picture(
                ArtifactKind::Screenshot,
                &format!("{name}.actual.png"),
                &pixels,
            )?);
            // The boxes are for the whole screen and do not fit the picture of one element.
            if options.of.is_none() {
                let boxes =
                    annotate_full_size(&pixels, &captured.capture.screen, &RowFilter::default());
                stored.extend(self.keep_picture(
                    ArtifactKind::Annotated,
                    &format!("{name}.annotated.png"),
                    &boxes,
                )?);
            }
        }
        if let Some(difference) = captured.check.difference() {
            stored.extend(self.keep_picture(
                ArtifactKind::Difference,
                &format!("{name}.difference.png"),
                &difference,
            )?);
        }
        if let Ok(Some(rows)) = captured.check.row_difference(golden) {
            stored.push(self.folder.write_text(
                ArtifactKind::Rows,
                &format!("{name}.rows.tsv"),
                &rows,
            )?);
        }
        if let Some(picture) = &golden.picture {
            stored.push(self.folder.write(
                ArtifactKind::Golden,
                &format!("{name}.golden.png"),
                picture.png(),
            )?);
        }
        Ok(stored)
    }

    fn keep_picture(
        &self,
        kind: ArtifactKind,
        name: &str,
        pixels: &image::RgbaImage,
    ) -> std::io::Result<Option<Artifact>> {
        let png = encode(pixels, Compression::Fast).map_err(std::io::Error::other)?;
        self.folder.write(kind, name, &png).map(Some)
    }
}

/// Returns true if nothing moves between two looks. If `of` matches several elements, the whole screen
/// decides whether it is a transition. Any other error counts as movement.
fn is_at_rest(before: &Subject, now: &Subject) -> bool {
    let moved = match now.moved_since(before) {
        Err(SnapshotError::Several { .. }) => now.full_screen().moved_since(&before.full_screen()),
        moved => moved,
    };
    moved.is_ok_and(|moved| moved.is_empty())
}

/// Returns the base name of the artifacts: the snapshot's name below the labels of its callers, as sub-flows
/// may take snapshots of the same name.
fn artifact_name(stack: &CallStack, options: &StepOptions) -> String {
    let parts: Vec<&str> = stack.callers().chain([options.name.as_str()]).collect();
    parts.join("/")
}

/// Returns the failure, one of usage, that artifacts cannot be written.
fn store_error(error: &std::io::Error) -> Failure {
    Failure::new(
        FailureKind::Usage,
        format!("artifacts of the snapshot could not be written: {error}"),
    )
}

/// Returns the failure for an error of the store or comparison. An undecodable picture is the device's fault; all else
/// has the kind `Snapshot`.
fn broken(error: &SnapshotError) -> Failure {
    match error {
        // The device took the picture, so the app is not at fault.
        SnapshotError::Picture(_) => Failure::device(error.to_string()),
        error => Failure::new(FailureKind::Snapshot, error.to_string()),
    }
}
