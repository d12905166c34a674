//! Serves the files of runs as resources: `runner://artifacts/PATH`, below the artifact folder only.

use camino::Utf8Path;

use super::Workspace;
use super::links::{KINDS, media_type};
use runner_text::input_file::{InputProblem, read_regular};
use runner_tools::paths::below;
use runner_tools::{Body, Contents, Failure, Reading, blocking};

/// Bytes of the largest file that is served. Chosen: pictures and usual logs fit; larger ones would fill an
/// agent's context and the client's memory.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Reads an artifact by its path below the artifact folder. `None` if there is no such file. Bytes of a text
/// that are not UTF-8 are replaced. The text may hold secrets, which the code that sends it to a client
/// masks.
///
/// # Errors
/// The path leads out of the folder, the kind is not served, or the file is larger than 8 MiB.
pub(super) async fn read(workspace: &Workspace, path: &str) -> Reading {
    let file = below(&workspace.config.artifacts.value, path)?;
    let Some(media_type) = media_type(&file) else {
        let known = KINDS.map(|(end, _)| end).join(", ");
        return Err(Failure::usage(format!(
            "only files that end in {known} are shown; open {path} where it is"
        )));
    };
    let displayed = path.to_owned();
    let Some(bytes) = blocking(move || read_file(&file, &displayed)).await?? else {
        return Ok(None);
    };
    let body = if media_type.starts_with("image/") {
        Body::Bytes(bytes)
    } else {
        Body::Text(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Some(Contents {
        media_type,
        body,
        lasts: false,
    }))
}

/// Reads a regular file; `None` if there is none, also for a folder. Fails if it is larger than 8 MiB. `displayed` is
/// its path in messages.
fn read_file(file: &Utf8Path, displayed: &str) -> Result<Option<Vec<u8>>, Failure> {
    if !file.is_file() {
        return Ok(None);
    }
    match read_regular(file, MAX_FILE_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => Err(Failure::usage(match error.problem {
            InputProblem::TooLarge(most) => {
                let most = most / 1024 / 1024;
                format!("{displayed} is larger than {most} MiB; open it where it is")
            }
            problem => format!("{displayed} {problem}"),
        })),
    }
}
