//! What is kept of a failure: the screen as rows, its picture plain and with boxes, the app's last log lines.

use std::time::Duration;

use super::artifacts::ArtifactFolder;
use super::{Artifact, ArtifactKind};
use crate::device::logs::{self, LogQuery};
use crate::engine::{CaptureOptions, Session};
use crate::screen::RowFilter;
use crate::screen::annotate::annotate_full_size;
use crate::snapshot::picture::{Compression, encode};

/// Longest time for gathering it all; a device in trouble must not hold up the run.
const LIMIT: Duration = Duration::from_secs(20);
/// Log lines that are kept.
const LOG_LINES: usize = 200;

/// Gathers what can be had. What cannot be had is left out: the failure itself is what matters.
pub(super) async fn collect(
    session: &Session,
    app: Option<&str>,
    folder: &ArtifactFolder,
) -> Vec<Artifact> {
    tokio::time::timeout(LIMIT, gather(session, app, folder))
        .await
        .unwrap_or_default()
}

async fn gather(session: &Session, app: Option<&str>, folder: &ArtifactFolder) -> Vec<Artifact> {
    let mut artifacts = Vec::new();
    let options = CaptureOptions {
        limit: LIMIT,
        picture: true,
    };
    if let Ok(capture) = session.capture(options).await {
        let tsv = capture.screen.tsv(crate::screen::Profile::Golden);
        artifacts.extend(
            folder
                .write_text(ArtifactKind::Tsv, "failure.tsv", &tsv)
                .ok(),
        );
        if let Ok(Some(picture)) = capture.storable_picture() {
            artifacts.extend(
                folder
                    .write(ArtifactKind::Screenshot, "failure.png", picture.png())
                    .ok(),
            );
            let boxes = picture
                .pixels()
                .map(|pixels| annotate_full_size(&pixels, &capture.screen, &RowFilter::default()));
            if let Ok(Ok(png)) = boxes.map(|boxes| encode(&boxes, Compression::Fast)) {
                artifacts.extend(
                    folder
                        .write(ArtifactKind::Annotated, "failure.annotated.png", &png)
                        .ok(),
                );
            }
        }
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
