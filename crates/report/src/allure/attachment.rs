//! Files of a run beside the results that name them.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::json;

use super::model::Attachment;
use crate::html::artifact_bytes;
use crate::text::clean;
use crate::{ReportError, Results};
use runner_base::own_folder::OwnFolder;
use runner_event::{Artifact, ArtifactKind};

/// How a snapshot's pictures are shown beside each other.
const IMAGE_DIFF: &str = "application/vnd.allure.image.diff";

/// Takes these artifacts into the folder. One that is not there any more is left out.
pub(super) fn attachments(
    results: &Results,
    folder: &mut OwnFolder,
    artifacts: &[Artifact],
) -> Result<Vec<Attachment>, ReportError> {
    let mut attached = Vec::from_iter(image_diff(results, folder, artifacts)?);
    // What is there for `runner review --from` only tells nothing here.
    let shown = artifacts
        .iter()
        .filter(|artifact| artifact.kind != ArtifactKind::Proposal);
    for artifact in shown {
        let Some(file) = results.artifact_file(artifact) else {
            continue;
        };
        let (extension, media_type) = form(artifact);
        let source = format!("{}-attachment.{extension}", artifact.hash);
        folder.link(&source, &file)?;
        let name = artifact.path.file_name().unwrap_or_default();
        attached.push(Attachment {
            name: format!("{}: {}", noun(artifact.kind), clean(name)),
            source,
            media_type,
        });
    }
    Ok(attached)
}

/// Golden, actual and difference in one attachment, which Allure shows beside each other.
fn image_diff(
    results: &Results,
    folder: &mut OwnFolder,
    artifacts: &[Artifact],
) -> Result<Option<Attachment>, ReportError> {
    let picture = |kind| {
        let is_it = |artifact: &&Artifact| artifact.kind == kind && form(artifact).0 == "png";
        let bytes = artifact_bytes(results, artifacts.iter().find(is_it)?).ok()?;
        let data = BASE64_STANDARD.encode(bytes);
        Some(format!("data:image/png;base64,{data}"))
    };
    let [Some(expected), Some(actual), Some(diff)] = [
        ArtifactKind::Golden,
        ArtifactKind::Screenshot,
        ArtifactKind::Difference,
    ]
    .map(picture) else {
        return Ok(None);
    };
    let pictures = json!({ "expected": expected, "actual": actual, "diff": diff });
    let text = serde_json::to_vec(&pictures)?;
    let source = format!("{}-attachment.imagediff", runner_base::files::hash(&text));
    folder.write(&source, &text)?;
    Ok(Some(Attachment {
        name: "What changed".to_owned(),
        source,
        media_type: IMAGE_DIFF,
    }))
}

fn noun(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::Screenshot => "Screenshot",
        ArtifactKind::Annotated => "Screenshot with boxes",
        ArtifactKind::Tsv | ArtifactKind::Screen => "Hierarchy",
        ArtifactKind::Difference => "Difference",
        ArtifactKind::Golden => "Golden",
        ArtifactKind::Rows => "Changed rows",
        ArtifactKind::Log => "Log",
        ArtifactKind::Video => "Video",
        ArtifactKind::Proposal | ArtifactKind::File => "File",
    }
}

/// Extension and media type. What is none of these is not looked into.
fn form(artifact: &Artifact) -> (&'static str, &'static str) {
    let extension = artifact.path.extension().unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "png" => ("png", "image/png"),
        "jpg" | "jpeg" => ("jpg", "image/jpeg"),
        "mp4" => ("mp4", "video/mp4"),
        "webm" => ("webm", "video/webm"),
        "tsv" => ("tsv", "text/tab-separated-values"),
        "txt" | "log" => ("txt", "text/plain"),
        "csv" => ("csv", "text/csv"),
        "json" => ("json", "application/json"),
        "xml" => ("xml", "application/xml"),
        _ => ("bin", "application/octet-stream"),
    }
}
