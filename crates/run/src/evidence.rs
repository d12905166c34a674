//! Evidence of a failure: the screen as rows, its picture with and without boxes, and the last log lines of
//! the app.

use std::sync::Arc;
use std::time::Duration;

use super::artifacts::ArtifactFolder;
use super::context::AttemptContext;
use super::evaluate::picture_work;
use super::liveness::silence_for;
use runner_device::logs::{self, LogQuery};
use runner_device::{ATTEMPTS, DeviceError};
use runner_engine::{
    Capture, DeviceRequest, EngineError, MIN_REQUEST_LIMIT, RESTLESS_LOOK_LIMIT, Session,
};
use runner_event::{Artifact, ArtifactKind};
use runner_screen::annotate::annotate_full_size;
use runner_screen::{RowFilter, Screen};
use runner_snapshot::picture::{Compression, encode};
use runner_tools::{Failure, FailureKind};

/// Chosen: limits the evidence of one failure; a device in trouble must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);
/// Time beyond a flow's limit that the evidence may take: [`MIN_REQUEST_LIMIT`] for the screen and as much for its
/// picture.
const OVERTIME: Duration = MIN_REQUEST_LIMIT.saturating_mul(2);
/// Chosen: a device that answers nothing for this long is asked for no evidence. A flow's limit does not
/// change it.
const SILENCE: Duration = Duration::from_secs(2);
/// Chosen: covers the last seconds of a chatty app, and fits a page of a report.
const LOG_LINES: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvidenceLimits {
    /// Time for all parts together.
    all: Duration,
    /// Time for each part.
    part: Duration,
    attempts: usize,
    /// Request that hangs. The evidence leaves it out.
    hangs: Option<DeviceRequest>,
}

impl EvidenceLimits {
    /// Limits for a healthy device.
    pub(super) const USUAL: Self = Self {
        all: LIMIT,
        // Time that a screen takes which never rests.
        part: RESTLESS_LOOK_LIMIT,
        attempts: ATTEMPTS,
        hangs: None,
    };
    /// Limits for a device with a fault, or after a timeout: each part is tried once.
    pub(super) const ONCE: Self = Self {
        all: LIMIT,
        part: MIN_REQUEST_LIMIT,
        attempts: 1,
        hangs: None,
    };

    /// Chooses the limits after a failure: [`Self::ONCE`] for one of the infrastructure, or for a device whose last
    /// look took too long. Otherwise [`Self::USUAL`].
    pub(super) fn after_failure(failure: &Failure, session: &Session) -> Self {
        if failure.kind == FailureKind::Infrastructure || session.is_slow() {
            Self::ONCE
        } else {
            Self::USUAL
        }
    }

    /// Shortens the limits so that the evidence ends soon after a flow's limit of which `left` remains: 6 s
    /// after it at most, and each part gets what is left, but at least 3 s. Without `left` they stay.
    pub(super) fn within(self, left: Option<Duration>) -> Self {
        let Some(left) = left else {
            return self;
        };
        Self {
            all: self.all.min(left + OVERTIME),
            part: self.part.min(left.max(MIN_REQUEST_LIMIT)),
            ..self
        }
    }

    /// Shortens the limit of the remaining parts to 3 s, with one try each, if the error is a device's timeout. Other
    /// errors change nothing.
    fn after(&mut self, error: &EngineError) {
        if matches!(error, EngineError::Device(DeviceError::Timeout { .. })) {
            self.part = self.part.min(MIN_REQUEST_LIMIT);
            self.attempts = 1;
        }
    }

    /// Leaves out a request that hangs.
    pub(super) fn without(self, hangs: Option<DeviceRequest>) -> Self {
        Self { hangs, ..self }
    }
}

/// Collector of evidence for one attempt.
pub(super) struct Evidence<'a> {
    session: &'a Session,
    app: Option<&'a str>,
    folder: &'a ArtifactFolder,
    limits: EvidenceLimits,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(context: &'a AttemptContext<'_>, limits: EvidenceLimits) -> Self {
        Self {
            session: context.session,
            app: context.flow.app.as_deref(),
            folder: &context.folder,
            limits,
        }
    }

    /// Gathers evidence into files that begin with `name`: the screen and its picture only if `screen` is true, then
    /// the log of the app in the flow's header, also with the lines of the process `ended`, which crashed. Leaves out
    /// parts that fail or exceed the limits: the failure itself matters more. Nothing is gathered from a device that
    /// does not answer within 2 s; parts gathered before a limit are kept.
    pub(super) async fn collect(
        &self,
        name: &str,
        screen: bool,
        ended: Option<u32>,
    ) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        // What was gathered before the limit is kept.
        let gathering = async {
            let mut limits = self.limits;
            if screen {
                self.keep_screen(name, true, &mut limits, &mut artifacts)
                    .await;
            }
            self.keep_log(name, ended, limits, &mut artifacts).await;
        };
        self.within_limits(gathering).await;
        artifacts
    }

    /// Gathers within the limit for all, if the device answers within 2 s. What does not end in time is dropped.
    async fn within_limits(&self, gathering: impl Future<Output = ()>) {
        let requested = async {
            let device = self.session.device();
            if silence_for(device, SILENCE).await.is_none() {
                gathering.await;
            }
        };
        let _ = tokio::time::timeout(self.limits.all, requested).await;
    }

    /// Stores the screen's picture, with and without boxes, under `name`. Returns the files that were stored,
    /// none if that fails, exceeds the limits, or the device does not answer within 2 s. Neither rows nor
    /// logs are stored.
    pub(super) async fn picture(&self, name: &str) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        let mut limits = self.limits;
        let keeping = self.keep_screen(name, false, &mut limits, &mut artifacts);
        self.within_limits(keeping).await;
        artifacts
    }

    /// Stores the screen's picture with and without boxes, and its rows if `rows`. If no look succeeds, the last screen
    /// hides passwords in the picture, and there are no boxes. Without any screen no picture is taken, nor if pictures
    /// are known to hang. Failures are ignored.
    async fn keep_screen(
        &self,
        name: &str,
        rows: bool,
        limits: &mut EvidenceLimits,
        artifacts: &mut Vec<Artifact>,
    ) {
        let screen = self.look(limits).await;
        if let Some(screen) = screen.as_ref().filter(|_| rows) {
            let tsv = screen.tsv(runner_screen::Profile::Golden);
            let stored = self
                .folder
                .write_text(ArtifactKind::Tsv, &format!("{name}.tsv"), &tsv);
            artifacts.extend(stored.ok());
        }
        let has_rows = screen.is_some();
        // Password fields must be known before a picture is stored, if need be from the last look.
        let Some(screen) = screen.or_else(|| self.session.last_screen()) else {
            return;
        };
        if limits.hangs == Some(DeviceRequest::Picture) {
            return;
        }
        let picture = self.session.picture_within(limits.part, limits.attempts);
        match picture.await {
            Ok(picture) => {
                let capture = Capture::new(screen, Some(picture));
                picture_work(|| self.keep_picture(&capture, name, has_rows, artifacts));
            }
            Err(error) => limits.after(&error),
        }
    }

    /// Looks at the screen within the limits, without waiting for it to stand still. `None` if that fails, or if a look is
    /// known to hang. A look that takes too long shortens the limits for what follows.
    async fn look(&self, limits: &mut EvidenceLimits) -> Option<Arc<Screen>> {
        if limits.hangs == Some(DeviceRequest::Look) {
            return None;
        }
        let looked = self.session.glimpse(limits.part, limits.attempts).await;
        looked.inspect_err(|error| limits.after(error)).ok()
    }

    /// Stores the picture and, if `has_rows`, one with boxes. A picture that must not be stored is left out.
    /// Failures are ignored.
    fn keep_picture(
        &self,
        capture: &Capture,
        name: &str,
        has_rows: bool,
        artifacts: &mut Vec<Artifact>,
    ) {
        let Ok(Some(picture)) = capture.storable_picture() else {
            return;
        };
        let plain = self.folder.write(
            ArtifactKind::Screenshot,
            &format!("{name}.png"),
            picture.png(),
        );
        artifacts.extend(plain.ok());
        // Boxes of an earlier look may not fit the picture.
        if !has_rows {
            return;
        }
        let boxes = picture
            .pixels()
            .map(|pixels| annotate_full_size(&pixels, &capture.screen, &RowFilter::default()));
        if let Ok(Ok(png)) = boxes.map(|boxes| encode(&boxes, Compression::Fast)) {
            let name = format!("{name}.annotated.png");
            let boxes = self.folder.write(ArtifactKind::Annotated, &name, &png);
            artifacts.extend(boxes.ok());
        }
    }

    /// Stores the app's last 200 lines of the log since the attempt began, as `app.log` for the flow's own failure,
    /// else as `NAME.log`. Nothing if the flow has no app, there are no lines, or reading fails or takes too long.
    async fn keep_log(
        &self,
        name: &str,
        ended: Option<u32>,
        limits: EvidenceLimits,
        artifacts: &mut Vec<Artifact>,
    ) {
        let Some(app) = self.app else {
            return;
        };
        let query = LogQuery {
            package: Some(app.to_owned()),
            since: self.session.began().await,
            ended,
            ..LogQuery::default()
        };
        let reading = logs::read(self.session.device(), &query);
        let Ok(Ok(lines)) = tokio::time::timeout(limits.part, reading).await else {
            return;
        };
        let newest = &lines[lines.len().saturating_sub(LOG_LINES)..];
        let text: String = newest
            .iter()
            .map(|line| format!("{}\n", line.raw))
            .collect();
        if !text.is_empty() {
            let name = if name == FAILURE {
                "app.log".to_owned()
            } else {
                format!("{name}.log")
            };
            let stored = self.folder.write_text(ArtifactKind::Log, &name, &text);
            artifacts.extend(stored.ok());
        }
    }
}

/// Base name of the evidence files of the failure that ended a flow.
pub(super) const FAILURE: &str = "failure";

#[cfg(test)]
mod tests {
    use super::*;

    /// Evidence takes what is left of a flow's limit, and at most two parts beyond it.
    #[test]
    fn all_parts_together_keep_near_the_flows_limit() {
        for (limits, left, all, part) in [
            (EvidenceLimits::USUAL, None, 20, 12),
            (EvidenceLimits::USUAL, Some(60), 20, 12),
            (EvidenceLimits::USUAL, Some(5), 11, 5),
            (EvidenceLimits::USUAL, Some(0), 6, 3),
            (EvidenceLimits::ONCE, Some(1), 7, 3),
        ] {
            let limits = limits.within(left.map(Duration::from_secs));
            let seconds = (limits.all.as_secs(), limits.part.as_secs());
            assert_eq!(seconds, (all, part), "{left:?}");
        }
    }

    #[test]
    fn after_a_part_that_took_too_long_the_rest_is_tried_once() {
        let mut limits = EvidenceLimits::USUAL;
        limits.after(&EngineError::NoFocus { instead: None });
        assert_eq!(limits, EvidenceLimits::USUAL);
        let hung = DeviceError::Timeout {
            what: "`screencap`".to_owned(),
            limit: RESTLESS_LOOK_LIMIT,
        };
        limits.after(&hung.into());
        assert_eq!(limits, EvidenceLimits::ONCE);
    }
}
