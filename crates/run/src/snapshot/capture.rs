//! The look of a snapshot step: waits until the screen matches its golden or stands still.

use super::error::snapshot_failure;
use crate::context::AttemptContext;
use crate::evaluate::picture_work;
use crate::step_result::FailedTry;
use runner_device::DeviceError;
use runner_engine::{Capture, CaptureOptions, EngineError, StableCapture};
use runner_flow::Step;
use runner_snapshot::{
    Check, Golden, Image, Redactions, RenderClass, SnapshotError, StepOptions, Subject,
};
use runner_tools::{Failure, FailureKind};

/// Capture of the screen, with the result of its comparison.
pub(super) struct CheckedCapture {
    pub(super) capture: Capture,
    pub(super) check: Check,
    /// Elements that still moved when the time was up.
    pub(super) moving: Vec<String>,
}

/// Context of a step that stays the same for all its looks.
struct CheckContext<'a> {
    options: &'a StepOptions,
    class: &'a RenderClass,
    redactions: Redactions,
}

impl AttemptContext<'_> {
    /// Looks until the screen matches its golden or stands still, within the step's limit but at least twice, and
    /// returns the last look with its comparison. Dialogs are not answered. A screen that still moves is returned with
    /// what moved; a look that cannot be compared is a failure only if it is the last. Secrets are masked before
    /// anything is compared.
    pub(super) async fn take(
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
        let failed = |error: SnapshotError| FailedTry::from(snapshot_failure(&error));
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
