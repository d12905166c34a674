//! What is kept of a failure: the screen as rows, its picture plain and with boxes, the app's last log lines.

use std::time::Duration;

use super::artifacts::ArtifactFolder;
use super::{Artifact, ArtifactKind};
use crate::device::logs::{self, LogQuery};
use crate::engine::{Capture, CaptureOptions, Session};
use crate::screen::RowFilter;
use crate::screen::annotate::annotate_full_size;
use crate::snapshot::picture::{Compression, encode};

/// Longest time for gathering it all; a device in trouble must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);
/// Log lines that are kept.
const LOG_LINES: usize = 200;
/// A look with its picture.
const LOOK: CaptureOptions = CaptureOptions {
    limit: LIMIT,
    picture: true,
};

/// Gathers what can be had; the screen with its picture only where `screen` says so. What cannot be had is left out: the
/// failure itself is what matters.
pub(super) async fn collect(
    session: &Session,
    app: Option<&str>,
    folder: &ArtifactFolder,
    screen: bool,
) -> Vec<Artifact> {
    tokio::time::timeout(LIMIT, gather(session, app, folder, screen))
        .await
        .unwrap_or_default()
}

async fn gather(
    session: &Session,
    app: Option<&str>,
    folder: &ArtifactFolder,
    screen: bool,
) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    if screen {
        keep_screen(session, folder, &mut artifacts).await;
    }
    if let Some(app) = app {
        let query = LogQuery {
            package: Some(app.to_owned()),
            since: session.began().await,
            ..LogQuery::default()
        };
        if let Ok(lines) = logs::read(session.device(), &query).await {
            let newest = &lines[lines.len().saturating_sub(LOG_LINES)..];
            let text: String = newest
                .iter()
                .map(|line| format!("{}\n", line.raw))
                .collect();
            if !text.is_empty() {
                artifacts.extend(folder.write_text(ArtifactKind::Log, "app.log", &text).ok());
            }
        }
    }
    artifacts
}

async fn keep_screen(session: &Session, folder: &ArtifactFolder, artifacts: &mut Vec<Artifact>) {
    if let Ok(capture) = session.capture(LOOK).await {
        let tsv = capture.screen.tsv(crate::screen::Profile::Golden);
        artifacts.extend(
            folder
                .write_text(ArtifactKind::Tsv, "failure.tsv", &tsv)
                .ok(),
        );
        keep_picture(&capture, folder, "failure", artifacts);
    }
}

/// The screen's picture, plain and with boxes, under `name`; nothing where it cannot be had.
pub(super) async fn picture(
    session: &Session,
    folder: &ArtifactFolder,
    name: &str,
) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    if let Ok(Ok(capture)) = tokio::time::timeout(LIMIT, session.capture(LOOK)).await {
        keep_picture(&capture, folder, name, &mut artifacts);
    }
    artifacts
}

fn keep_picture(
    capture: &Capture,
    folder: &ArtifactFolder,
    name: &str,
    artifacts: &mut Vec<Artifact>,
) {
    let Ok(Some(picture)) = capture.storable_picture() else {
        return;
    };
    let plain = folder.write(
        ArtifactKind::Screenshot,
        &format!("{name}.png"),
        picture.png(),
    );
    artifacts.extend(plain.ok());
    let boxes = picture
        .pixels()
        .map(|pixels| annotate_full_size(&pixels, &capture.screen, &RowFilter::default()));
    if let Ok(Ok(png)) = boxes.map(|boxes| encode(&boxes, Compression::Fast)) {
        let name = format!("{name}.annotated.png");
        artifacts.extend(folder.write(ArtifactKind::Annotated, &name, &png).ok());
    }
}
