//! What is kept of a failure: the screen as rows, its picture plain and with boxes, the app's last log lines.

use std::sync::Arc;
use std::time::Duration;

use super::artifacts::ArtifactFolder;
use super::{Artifact, ArtifactKind};
use crate::device::ATTEMPTS;
use crate::device::logs::{self, LogQuery};
use crate::engine::{Asked, Capture, LEAST, Session};
use crate::screen::annotate::annotate_full_size;
use crate::screen::{RowFilter, Screen};
use crate::snapshot::picture::{Compression, encode};

/// Longest time for gathering it all; a device in trouble must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);
/// Longest time for each part of a device that is well: a screen that never stands still takes this long.
const PART: Duration = Duration::from_secs(11);
/// Log lines that are kept.
const LOG_LINES: usize = 200;

/// How it is gathered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Manner {
    /// Longest time for each part.
    part: Duration,
    attempts: usize,
    /// What hangs, as was just seen: it is not asked for.
    hangs: Option<Asked>,
}

impl Manner {
    /// From a device that is well.
    pub(super) const USUAL: Self = Self {
        part: PART,
        attempts: ATTEMPTS,
        hangs: None,
    };
    /// From a device with a fault, or after a limit: each part is tried once.
    pub(super) const ONCE: Self = Self {
        part: LEAST,
        attempts: 1,
        hangs: None,
    };

    /// So that it does not go far beyond a limit of which so much is left.
    pub(super) fn within(self, left: Option<Duration>) -> Self {
        let part = left.map_or(self.part, |left| self.part.min(left.max(LEAST)));
        Self { part, ..self }
    }

    /// Without what hangs.
    pub(super) fn without(self, hangs: Option<Asked>) -> Self {
        Self { hangs, ..self }
    }
}

/// Whose evidence it is, and where it goes.
pub(super) struct Evidence<'a> {
    pub(super) session: &'a Session,
    pub(super) app: Option<&'a str>,
    pub(super) folder: &'a ArtifactFolder,
    pub(super) manner: Manner,
}

impl Evidence<'_> {
    /// Gathers what can be had under `name`; the screen with its picture only where `screen` says so. What cannot be had
    /// is left out: the failure itself is what matters.
    pub(super) async fn collect(&self, name: &str, screen: bool) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        // What was gathered before the limit is kept.
        let _ = tokio::time::timeout(LIMIT, self.gather(name, screen, &mut artifacts)).await;
        artifacts
    }

    async fn gather(&self, name: &str, screen: bool, artifacts: &mut Vec<Artifact>) {
        if screen {
            self.keep_screen(name, true, artifacts).await;
        }
        self.keep_log(name, artifacts).await;
    }

    /// The screen's picture, plain and with boxes, under `name`; nothing where it cannot be had.
    pub(super) async fn picture(&self, name: &str) -> Vec<Artifact> {
        let mut artifacts = Vec::new();
        let keeping = self.keep_screen(name, false, &mut artifacts);
        let _ = tokio::time::timeout(LIMIT, keeping).await;
        artifacts
    }

    async fn keep_screen(&self, name: &str, rows: bool, artifacts: &mut Vec<Artifact>) {
        let screen = self.look().await;
        if let Some(screen) = screen.as_ref().filter(|_| rows) {
            let tsv = screen.tsv(crate::screen::Profile::Golden);
            let kept = self
                .folder
                .write_text(ArtifactKind::Tsv, &format!("{name}.tsv"), &tsv);
            artifacts.extend(kept.ok());
        }
        let has_rows = screen.is_some();
        // Where passwords are must be known before a picture is kept: else of the last look.
        let Some(screen) = screen.or_else(|| self.session.last_screen()) else {
            return;
        };
        if self.manner.hangs == Some(Asked::Picture) {
            return;
        }
        let Manner { part, attempts, .. } = self.manner;
        if let Ok(picture) = self.session.picture_within(part, attempts).await {
            let capture = Capture::new(screen, Some(picture));
            self.keep_picture(&capture, name, has_rows, artifacts);
        }
    }

    async fn look(&self) -> Option<Arc<Screen>> {
        if self.manner.hangs == Some(Asked::Look) {
            return None;
        }
        let Manner { part, attempts, .. } = self.manner;
        self.session.glimpse(part, attempts).await.ok()
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

    async fn keep_log(&self, name: &str, artifacts: &mut Vec<Artifact>) {
        let Some(app) = self.app else {
            return;
        };
        let query = LogQuery {
            package: Some(app.to_owned()),
            since: self.session.began().await,
            ..LogQuery::default()
        };
        let reading = logs::read(self.session.device(), &query);
        let Ok(Ok(lines)) = tokio::time::timeout(self.manner.part, reading).await else {
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
            let kept = self.folder.write_text(ArtifactKind::Log, &name, &text);
            artifacts.extend(kept.ok());
        }
    }
}

/// Name of the evidence of what failed a flow.
pub(super) const FAILURE: &str = "failure";
