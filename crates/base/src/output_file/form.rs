//! Formats of outputs, and what is in a file's place already: each is recognised by the first bytes.

use std::io::Read as _;

use camino::{Utf8Path, Utf8PathBuf};
use runner_text::input_file::open_regular;

/// First line of a log. A file that begins with it may be replaced by a log.
pub const LOG_HEAD: &str = "runner log\n";

/// First line of a recorded flow. A file that begins with it may be replaced by a recording.
pub const RECORDING_HEAD: &str = "# Recorded by `runner mcp --record`, which writes it anew.\n";

/// First lines of an HTML report of one file. A file that begins with them may be replaced by a report.
pub const REPORT_HEAD: &str =
    "<!doctype html>\n<!-- A report of `runner`, which writes it anew. -->\n";

/// Bytes read to recognise a file's form. Chosen: more than the longest heading of a [`Form`].
const HEAD_BYTES: u64 = 512;

/// Format of an output, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Junit,
    /// Event stream: JSON lines.
    Events,
    Log,
    Archive,
    /// PNG or JPEG.
    Picture,
    /// Flow that an agent's session records.
    Recording,
    /// HTML report of one file.
    Report,
}

impl Form {
    /// Names the form with its article, for messages.
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Junit => "a JUnit report",
            Self::Events => "an event stream",
            Self::Log => "a log",
            Self::Archive => "a ZIP archive",
            Self::Picture => "a picture",
            Self::Recording => "a recording",
            Self::Report => "an HTML report",
        }
    }

    /// Returns a usual name of such a file.
    pub(super) fn example(self) -> &'static str {
        match self {
            Self::Junit => "junit.xml",
            Self::Events => "events.ndjson",
            Self::Log => "runner.log",
            Self::Archive => "report.zip",
            Self::Picture => "screen.png",
            Self::Recording => "recorded.yaml",
            Self::Report => "report.html",
        }
    }

    /// Returns the path with a usual extension of this form if its own says another format; `None` for any other.
    pub fn rename_foreign(self, path: &Utf8Path) -> Option<Utf8PathBuf> {
        let is_foreign = self.is_foreign(path.extension().unwrap_or_default());
        is_foreign.then(|| self.renamed(path))
    }

    /// Returns true for an extension that says another format; letter case does not count. Logs, recordings and reports
    /// may have any. Meant for new files only: of an existing one the first bytes count.
    pub(super) fn is_foreign(self, extension: &str) -> bool {
        /// Extensions of other formats that people expect.
        const PICTURES: [&str; 9] = [
            "gif", "webp", "bmp", "svg", "tif", "tiff", "heic", "avif", "pdf",
        ];
        const ARCHIVES: [&str; 8] = ["gz", "tgz", "tar", "7z", "rar", "bz2", "xz", "zst"];
        const NO_XML: [&str; 11] = [
            "pdf", "yaml", "yml", "json", "jsonl", "ndjson", "html", "htm", "csv", "md", "zip",
        ];
        const NO_JSON: [&str; 9] = [
            "pdf", "yaml", "yml", "xml", "html", "htm", "csv", "md", "zip",
        ];
        let extension = extension.to_lowercase();
        let known: &[&str] = match self {
            Self::Picture => &PICTURES,
            Self::Archive => &ARCHIVES,
            Self::Junit => &NO_XML,
            Self::Events => &NO_JSON,
            Self::Log | Self::Recording | Self::Report => &[],
        };
        known.contains(&extension.as_str())
    }

    /// Returns the path with the extension of this form. Of `out.tar.gz` both extensions are replaced.
    pub(super) fn renamed(self, path: &Utf8Path) -> Utf8PathBuf {
        let usual = Utf8Path::new(self.example())
            .extension()
            .unwrap_or_default();
        // `out.tar.gz` has two.
        let bare = path.with_extension("");
        match bare.extension() {
            Some("tar") => bare.with_extension(usual),
            _ => path.with_extension(usual),
        }
    }

    /// Returns true if the first bytes of a file are those of this form. Spaces and an XML declaration may stand
    /// before a JUnit report; an empty file has no form.
    pub(super) fn has_head(self, head: &[u8]) -> bool {
        match self {
            Self::Junit => {
                let text = String::from_utf8_lossy(head);
                let text = text.split_once("?>").map_or(&*text, |(_, rest)| rest);
                text.trim_start().starts_with("<testsuite")
            }
            Self::Events => head.starts_with(b"{\"seq\":0,"),
            Self::Log => head.starts_with(LOG_HEAD.as_bytes()),
            Self::Recording => head.starts_with(RECORDING_HEAD.as_bytes()),
            Self::Report => head.starts_with(REPORT_HEAD.as_bytes()),
            Self::Archive => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
            Self::Picture => {
                head.starts_with(b"\x89PNG\r\n\x1a\n") || head.starts_with(b"\xff\xd8\xff")
            }
        }
    }
}

/// Returns true for a `.yaml` or `.yml` file with a line in `head` that begins with `steps:`, `app:` or `appId:`, as a
/// flow of ours or of Maestro's does.
pub(super) fn is_flow(path: &Utf8Path, head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let begins = |line: &str| {
        ["steps:", "app:", "appId:"]
            .iter()
            .any(|key| line.starts_with(key))
    };
    matches!(path.extension(), Some("yaml" | "yml")) && text.lines().any(begins)
}

/// Describes a file other than a flow that this program may not replace, with its article, for messages. The
/// extension decides first (`yaml`, `tsv`), then the first bytes; else it is "a file that this program did not write".
pub(super) fn describe_foreign(path: &Utf8Path, head: &[u8]) -> &'static str {
    match path.extension() {
        Some("yaml" | "yml") => "a file of YAML",
        Some("tsv") => "a golden",
        _ if Form::Archive.has_head(head) => "a ZIP archive",
        _ if Form::Picture.has_head(head) => "a picture",
        _ if Form::Events.has_head(head) => "an event stream",
        _ if Form::Junit.has_head(head) => "a JUnit report",
        _ if Form::Log.has_head(head) => "a log",
        _ if Form::Report.has_head(head) => "an HTML report",
        _ => "a file that this program did not write",
    }
}

/// Returns up to `HEAD_BYTES` from the start of a regular file. Anything else at the path is an error.
pub(super) fn head(path: &Utf8Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let file = open_regular(path, u64::MAX)?;
    file.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}
