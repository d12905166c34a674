//! What is kept of a failure: the screen as rows, its picture plain and with boxes, the app's last log lines.

use std::sync::Arc;
use std::time::Duration;

use super::artifacts::ArtifactFolder;
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

/// Longest time for gathering it all; a device in trouble must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);
/// So much beyond a flow's limit it may take: the screen and its picture, three seconds each.
const OVERTIME: Duration = MIN_REQUEST_LIMIT.saturating_mul(2);
/// A device that answers nothing within this time is not asked for more. No flow's limit changes that.
const SILENCE: Duration = Duration::from_secs(2);
/// Log lines that are kept.
const LOG_LINES: usize = 200;

/// How it is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EvidenceLimits {
    /// Longest time for all.
    all: Duration,
    /// Longest time for each part.
    part: Duration,
    attempts: usize,
    /// What hangs, as was just seen: it is not asked for.
    hangs: Option<DeviceRequest>,
}

impl EvidenceLimits {
    /// From a device that is well.
    pub(super) const USUAL: Self = Self {
        all: LIMIT,
        // What a screen that never stands still takes.
        part: RESTLESS_LOOK_LIMIT,
        attempts: ATTEMPTS,
        hangs: None,
    };
    /// From a device with a fault, or after a limit: each part is tried once.
    pub(super) const ONCE: Self = Self {
        all: LIMIT,
        part: MIN_REQUEST_LIMIT,
        attempts: 1,
        hangs: None,
    };

    /// So that it does not go far beyond a limit of which so much is left.
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

    /// What is left is tried once where a part took too long.
    fn after(&mut self, error: &EngineError) {
        if matches!(error, EngineError::Device(DeviceError::Timeout { .. })) {
            self.part = self.part.min(MIN_REQUEST_LIMIT);
            self.attempts = 1;
        }
    }

    /// Without what hangs.
    pub(super) fn without(self, hangs: Option<DeviceRequest>) -> Self {
        Self { hangs, ..self }
    }
}

/// Whose evidence it is, and where it goes.
pub(super) struct Evidence<'a> {
    pub(super) session: &'a Session,
    pub(super) app: Option<&'a str>,
    /// A process of the app that crashed: its lines are kept too.
    pub(super) ended: Option<u32>,
    pub(super) folder: &'a ArtifactFolder,
    pub(super) manner: EvidenceLimits,
}

impl Evidence<'_> {
    /// Gathers what can be had under `name`; the screen with its picture only where `screen` says so. What cannot be had
    /// is left out: the failure itself is what matters.
    pub(super) async fn collect(&self, name: &str, screen: bool) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        // What was gathered before the limit is kept.
        let gathering = async {
            let mut manner = self.manner;
            if screen {
                self.keep_screen(name, true, &mut manner, &mut artifacts)
                    .await;
            }
            self.keep_log(name, manner, &mut artifacts).await;
        };
        self.within_limits(gathering).await;
        artifacts
    }

    async fn within_limits(&self, gathering: impl Future<Output = ()>) {
        let requested = async {
            let device = self.session.device();
            if silence_for(device, SILENCE).await.is_none() {
                gathering.await;
            }
        };
        let _ = tokio::time::timeout(self.manner.all, requested).await;
    }

    /// The screen's picture, plain and with boxes, under `name`; nothing where it cannot be had.
    pub(super) async fn picture(&self, name: &str) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        let mut manner = self.manner;
        let keeping = self.keep_screen(name, false, &mut manner, &mut artifacts);
        self.within_limits(keeping).await;
        artifacts
    }

    async fn keep_screen(
        &self,
        name: &str,
        rows: bool,
        manner: &mut EvidenceLimits,
        artifacts: &mut Vec<Artifact>,
    ) {
        let screen = self.look(manner).await;
        if let Some(screen) = screen.as_ref().filter(|_| rows) {
            let tsv = screen.tsv(runner_screen::Profile::Golden);
            let stored = self
                .folder
                .write_text(ArtifactKind::Tsv, &format!("{name}.tsv"), &tsv);
            artifacts.extend(stored.ok());
        }
        let has_rows = screen.is_some();
        // Where passwords are must be known before a picture is kept: else of the last look.
        let Some(screen) = screen.or_else(|| self.session.last_screen()) else {
            return;
        };
        if manner.hangs == Some(DeviceRequest::Picture) {
            return;
        }
        let picture = self.session.picture_within(manner.part, manner.attempts);
        match picture.await {
            Ok(picture) => {
                let capture = Capture::new(screen, Some(picture));
                picture_work(|| self.keep_picture(&capture, name, has_rows, artifacts));
            }
            Err(error) => manner.after(&error),
        }
    }

    async fn look(&self, manner: &mut EvidenceLimits) -> Option<Arc<Screen>> {
        if manner.hangs == Some(DeviceRequest::Look) {
            return None;
        }
        let looked = self.session.glimpse(manner.part, manner.attempts).await;
        looked.inspect_err(|error| manner.after(error)).ok()
    }

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
        // The boxes of an earlier look may lie beside what the picture shows.
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

    async fn keep_log(&self, name: &str, manner: EvidenceLimits, artifacts: &mut Vec<Artifact>) {
        let Some(app) = self.app else {
            return;
        };
        let query = LogQuery {
            package: Some(app.to_owned()),
            since: self.session.began().await,
            ended: self.ended,
            ..LogQuery::default()
        };
        let reading = logs::read(self.session.device(), &query);
        let Ok(Ok(lines)) = tokio::time::timeout(manner.part, reading).await else {
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

/// Name of the evidence of what failed a flow.
pub(super) const FAILURE: &str = "failure";

#[cfg(test)]
mod tests {
    use super::*;

    /// Before a flow's limit it may take what is left, and no more than two parts beyond.
    #[test]
    fn all_parts_together_keep_near_the_flows_limit() {
        for (manner, left, all, part) in [
            (EvidenceLimits::USUAL, None, 20, 12),
            (EvidenceLimits::USUAL, Some(60), 20, 12),
            (EvidenceLimits::USUAL, Some(5), 11, 5),
            (EvidenceLimits::USUAL, Some(0), 6, 3),
            (EvidenceLimits::ONCE, Some(1), 7, 3),
        ] {
            let manner = manner.within(left.map(Duration::from_secs));
            let seconds = (manner.all.as_secs(), manner.part.as_secs());
            assert_eq!(seconds, (all, part), "{left:?}");
        }
    }

    #[test]
    fn after_a_part_that_took_too_long_the_rest_is_tried_once() {
        let mut manner = EvidenceLimits::USUAL;
        manner.after(&EngineError::NoFocus);
        assert_eq!(manner, EvidenceLimits::USUAL);
        let hung = DeviceError::Timeout {
            what: "`screencap`".to_owned(),
            limit: RESTLESS_LOOK_LIMIT,
        };
        manner.after(&hung.into());
        assert_eq!(manner, EvidenceLimits::ONCE);
    }
}
