//! Links to the resources of this server, for the results of tools.

use camino::Utf8Path;

use runner_text::percent;
use runner_tools::Resource;

/// URI template of all artifacts.
pub(super) const ARTIFACTS: &str = "runner://artifacts/{path}";

/// Prefix of an artifact's URI.
const PREFIX: &str = "runner://artifacts/";

/// File extensions that are served, with their media types. A file of another kind may hold secrets that
/// cannot be masked.
pub(super) const KINDS: [(&str, &str); 9] = [
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

/// Returns the media type of a file that is served, by its extension, whose letter case counts. `None` for any other
/// kind.
pub(super) fn media_type(path: &Utf8Path) -> Option<&'static str> {
    let end = path.extension()?;
    let known = KINDS.iter().find(|(known, _)| *known == end);
    known.map(|(_, media_type)| *media_type)
}

/// Returns the resource that links to a file of a run. `None` if it is outside the artifact folder or its
/// name ends in no kind that is served. The file need not exist.
pub(super) fn artifact_link(
    folder: &Utf8Path,
    file: &Utf8Path,
    description: &str,
) -> Option<Resource> {
    let relative = file.strip_prefix(folder).ok()?;
    let media_type = media_type(file)?;
    let path = relative.as_str().replace('\\', "/");
    let uri = format!("{PREFIX}{}", percent::encoded(&path, b"/"));
    Some(resource(&uri, file.file_name()?, description, media_type))
}

/// URI of the last run's report.
pub(super) const REPORT: &str = "runner://report/last";

/// Returns the link to the last run's report.
pub(super) fn last_report_link() -> Resource {
    resource(REPORT, "last-report", "The whole run.", "application/json")
}

/// Describes a resource with a fixed address.
pub(super) fn resource(
    uri: &str,
    name: &str,
    description: &str,
    media_type: &'static str,
) -> Resource {
    Resource {
        uri: uri.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        media_type,
        template: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_a_file_below_the_folder_that_may_be_shown() {
        let folder = Utf8Path::new("/p/.runner/artifacts");
        let uri = |file: &str| artifact_link(folder, &folder.join(file), "x").map(|link| link.uri);
        assert_eq!(
            uri("a b/50%/ü.png").as_deref(),
            Some("runner://artifacts/a%20b/50%25/%C3%BC.png")
        );
        for other in ["/p/snapshots/a.png", "a.mp4", "a"] {
            assert_eq!(uri(other), None, "{other}");
        }
    }
}
