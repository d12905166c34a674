//! Serves the files of runs as resources: `runner://artifacts/PATH`, below the artifact folder only.

use camino::Utf8Path;

use super::Workspace;
use super::resources::resource;
use runner_text::input_file::{InputProblem, read_regular};
use runner_text::percent;
use runner_tools::paths::below;
use runner_tools::{Body, Contents, Failure, Reading, Resource, blocking};

/// URI template of all artifacts.
pub(super) const PATTERN: &str = "runner://artifacts/{path}";

/// Prefix of an artifact's URI.
const PREFIX: &str = "runner://artifacts/";

/// Bytes of the largest file that is served. Chosen: pictures and usual logs fit; larger ones would fill an
/// agent's context and the client's memory.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// File extensions that are served, with their media types. A file of another kind may hold secrets that
/// cannot be masked.
const KINDS: [(&str, &str); 9] = [
    ("html", "text/html"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("jsonl", "application/x-ndjson"),
    ("log", "text/plain"),
    ("png", "image/png"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("xml", "application/xml"),
];

fn media_type(path: &Utf8Path) -> Option<&'static str> {
    let end = path.extension()?;
    let known = KINDS.iter().find(|(known, _)| *known == end);
    known.map(|(_, media_type)| *media_type)
}

/// Returns the resource that links to a file of a run. `None` if it is outside the artifact folder or its
/// name ends in no kind that is served. The file need not exist.
pub(super) fn link(folder: &Utf8Path, file: &Utf8Path, description: &str) -> Option<Resource> {
    let relative = file.strip_prefix(folder).ok()?;
    let media_type = media_type(file)?;
    let path = relative.as_str().replace('\\', "/");
    let uri = format!("{PREFIX}{}", percent::encoded(&path, b"/"));
    Some(resource(&uri, file.file_name()?, description, media_type))
}

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

/// Reads a regular file; `None` if there is none. Fails if it is larger than 8 MiB. `displayed` is its path
/// in messages.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_file_below_the_folder_that_may_be_shown() {
        let folder = Utf8Path::new("/p/.runner/artifacts");
        let uri = |file: &str| link(folder, &folder.join(file), "x").map(|link| link.uri);
        assert_eq!(
            uri("a b/50%/ü.png").as_deref(),
            Some("runner://artifacts/a%20b/50%25/%C3%BC.png")
        );
        for other in ["/p/snapshots/a.png", "a.mp4", "a"] {
            assert_eq!(uri(other), None, "{other}");
        }
    }
}
