//! Files that a run left, as resources: `runner://artifacts/PATH`, below the artifact folder only.

use camino::Utf8Path;

use super::Workspace;
use super::resources::resource;
use runner_text::input_file::{InputProblem, read_regular};
use runner_text::percent;
use runner_tools::paths::below;
use runner_tools::{Body, Contents, Failure, Reading, Resource, blocking};

/// The pattern of all of them.
pub(super) const PATTERN: &str = "runner://artifacts/{path}";

/// What an address begins with.
const PREFIX: &str = "runner://artifacts/";

/// Largest file that is read, in bytes.
const LARGEST: u64 = 8 * 1024 * 1024;

/// What is shown, by the end of the name. A file of another kind may hold secrets that nobody could mask.
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

/// How a client reads this file of a run; `None` where it may not.
pub(super) fn link(folder: &Utf8Path, file: &Utf8Path, description: &str) -> Option<Resource> {
    let relative = file.strip_prefix(folder).ok()?;
    let media_type = media_type(file)?;
    let path = relative.as_str().replace('\\', "/");
    let uri = format!("{PREFIX}{}", percent::encoded(&path, b"/"));
    Some(resource(&uri, file.file_name()?, description, media_type))
}

/// Reads one of them. A text may hold secrets: the code that sends it to a client scrubs it.
pub(super) async fn read(workspace: &Workspace, path: &str) -> Reading {
    let file = below(&workspace.config.artifacts.value, path)?;
    let Some(media_type) = media_type(&file) else {
        let known = KINDS.map(|(end, _)| end).join(", ");
        return Err(Failure::usage(format!(
            "only files that end in {known} are shown; open {path} where it is"
        )));
    };
    let displayed = path.to_owned();
    let Some(bytes) = blocking(move || bytes_of(&file, &displayed)).await?? else {
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

/// The bytes of a file; nothing where there is none.
fn bytes_of(file: &Utf8Path, displayed: &str) -> Result<Option<Vec<u8>>, Failure> {
    if !file.is_file() {
        return Ok(None);
    }
    match read_regular(file, LARGEST) {
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
