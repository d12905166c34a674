//! Copies a run's files into the folder of Allure results and describes them as attachments.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::json;

use super::model::Attachment;
use crate::file_form::form;
use crate::html::artifact_bytes;
use crate::text::clean;
use crate::{ReportError, Results};
use runner_base::own_folder::OwnFolder;
use runner_event::{Artifact, ArtifactKind};

/// Media type of an attachment with golden, actual picture and difference, which Allure shows side by side.
const IMAGE_DIFF: &str = "application/vnd.allure.image.diff";

/// Links or copies artifacts into the folder and returns their attachments in the same order. A combined picture of
/// golden, actual picture and difference comes first, if all three exist; the three follow on their own too. Left out
/// are proposed goldens and artifacts whose file is gone or has other bytes. The file in the folder is named by the
/// artifact's hash. Fails only if the folder cannot be written.
pub(super) fn attachments(
    results: &Results,
    folder: &mut OwnFolder,
    artifacts: &[Artifact],
) -> Result<Vec<Attachment>, ReportError> {
    let mut attached = Vec::from_iter(image_diff(results, folder, artifacts)?);
    // Proposed goldens are for `runner review --from` only.
    let shown = artifacts
        .iter()
        .filter(|artifact| artifact.kind != ArtifactKind::Proposal);
    for artifact in shown {
        let Some(file) = results.artifact_file(artifact) else {
            continue;
        };
        let (extension, media_type) = form(artifact.path.extension());
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

/// Writes golden, screenshot and difference as one attachment that Allure shows side by side. It takes the first PNG
/// of each kind and holds all three as data URLs. Returns `None`, and writes nothing, if one of them is missing or
/// unreadable. Fails only if the folder cannot be written.
fn image_diff(
    results: &Results,
    folder: &mut OwnFolder,
    artifacts: &[Artifact],
) -> Result<Option<Attachment>, ReportError> {
    let picture = |kind| {
        let is_it = |artifact: &&Artifact| {
            artifact.kind == kind && form(artifact.path.extension()).0 == "png"
        };
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

/// Names the kind of artifact at the start of an attachment's name, such as `Changed rows`. Some kinds share a name:
/// proposals and other files are both `File`.
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
