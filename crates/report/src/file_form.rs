//! Extensions and media types under which reports give out the files of a run.

/// Extension of a file in a report, and its media type.
pub(crate) type FileForm = (&'static str, &'static str);

const FORMS: [FileForm; 13] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("txt", "text/plain"),
    ("log", "text/plain"),
    ("tsv", "text/tab-separated-values"),
    ("csv", "text/csv"),
    ("json", "application/json"),
    ("xml", "application/xml"),
];

/// Form of all other files, which no browser opens.
const UNKNOWN: FileForm = ("bin", "application/octet-stream");

/// Returns the form of a file by the extension of its name, in any case. An unknown or missing one has the form
/// `bin`.
pub(crate) fn form(extension: Option<&str>) -> FileForm {
    let given = extension.unwrap_or_default().to_ascii_lowercase();
    let mut forms = FORMS.into_iter();
    forms.find(|(known, _)| *known == given).unwrap_or(UNKNOWN)
}

/// Returns the form of a file that a page links to, by its extension in any case. No browser runs code in it: XML,
/// and what is not in the list, such as HTML and SVG, has the form `bin`. Texts and JSON keep their extension and are
/// plain text, as a browser offers others for download.
pub(crate) fn form_in_page(extension: Option<&str>) -> FileForm {
    match form(extension) {
        ("xml", _) => UNKNOWN,
        (known, kind) if kind.starts_with("text/") || known == "json" => {
            (known, "text/plain;charset=utf-8")
        }
        known => known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_runs_no_code_in_a_file_of_a_page() {
        for (extension, expected) in [
            (Some("PNG"), ("png", "image/png")),
            (Some("tsv"), ("tsv", "text/plain;charset=utf-8")),
            (Some("json"), ("json", "text/plain;charset=utf-8")),
            (Some("xml"), UNKNOWN),
            (Some("html"), UNKNOWN),
            (Some("svg"), UNKNOWN),
            (None, UNKNOWN),
        ] {
            assert_eq!(form_in_page(extension), expected, "{extension:?}");
        }
        assert_eq!(form(Some("xml")), ("xml", "application/xml"));
    }
}
