//! The folder of an HTML report: the data of its pages are JSON in scripts, which are read and never run.

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::Value;

use super::super::StudioError;
use super::super::timeline::{LookNumber, RecordedLook, look_of_page};
use runner_text::input_file::read_regular;

/// Bytes of its index, and of the data of one flow.
const LARGEST: u64 = 64 << 20;
/// How deep it is looked for in an archive.
const DEPTH: usize = 6;
/// The list of a report's files; it marks the folder.
const MARK: &str = "report-files.txt";

/// A folder that holds an HTML report.
pub(crate) struct ReportFolder {
    /// Without links.
    root: Utf8PathBuf,
    summary: Value,
    /// The flow that was looked at last.
    last: Option<(usize, Value)>,
}

impl ReportFolder {
    /// The report at `folder` or below it; none where there is none.
    pub(super) fn find(folder: &Utf8Path) -> Result<Option<Self>, StudioError> {
        let files = walkdir::WalkDir::new(folder).max_depth(DEPTH);
        let mark = files
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .find(|entry| entry.file_type().is_file() && entry.file_name() == MARK);
        let Some(root) = mark.and_then(|mark| Some(mark.path().parent()?.to_owned())) else {
            return Ok(None);
        };
        let root = Utf8PathBuf::from_path_buf(root)
            .map_err(|_| StudioError::Recorded("the report's path is not UTF-8".to_owned()))?;
        let root = root.canonicalize_utf8()?;
        let index = text(&root, "index.html")?;
        let data = index.split_once("id=\"summary\">").map(|(_, data)| data);
        let data = data.and_then(|data| data.split_once("</script>"));
        let summary = data.and_then(|(data, _)| serde_json::from_str(data).ok());
        let summary: Value = summary.ok_or_else(|| damaged("index.html"))?;
        Ok(Some(Self {
            root,
            summary,
            last: None,
        }))
    }

    /// As its page has it.
    pub(crate) fn summary(&self) -> &Value {
        &self.summary
    }

    /// All that its page knows of a flow.
    pub(crate) fn detail(&mut self, flow: usize) -> Result<&Value, StudioError> {
        if self.last.as_ref().is_none_or(|(known, _)| *known != flow) {
            let entry = &self.summary["flows"][flow];
            let name = entry["data"].as_str().ok_or(StudioError::NoRun)?.to_owned();
            let script = text(&self.root, &name)?;
            // `Report.take(KEY, DATA);` – two values behind each other.
            let inner = script.trim_end().strip_prefix("Report.take(");
            let inner = inner.and_then(|inner| inner.strip_suffix(");"));
            let inner = inner.ok_or_else(|| damaged(&name))?;
            let values: Result<[Value; 2], _> = serde_json::from_str(&format!("[{inner}]"));
            let [_, detail] = values.map_err(|_| damaged(&name))?;
            self.last = Some((flow, detail));
        }
        let last = self.last.as_ref();
        last.map(|(_, detail)| detail).ok_or(StudioError::NoRun)
    }

    /// A look of a trace.
    pub(crate) fn look(&mut self, number: &LookNumber) -> Result<RecordedLook, StudioError> {
        let root = self.root.clone();
        let detail = self.detail(number.flow)?;
        let trace = &detail["attempts"][number.attempt]["trace"];
        let frame = &trace["frames"][number.frame];
        let picture = frame["picture"].as_str();
        let picture = picture.and_then(|name| bytes(&root, name).ok());
        look_of_page(trace, frame, picture).ok_or(StudioError::NoFrame)
    }
}

fn text(root: &Utf8Path, name: &str) -> Result<String, StudioError> {
    String::from_utf8(bytes(root, name)?).map_err(|_| damaged(name))
}

/// A file of the report; what leads out of its folder is none.
fn bytes(root: &Utf8Path, name: &str) -> Result<Vec<u8>, StudioError> {
    let path = root.join(name).canonicalize_utf8();
    let path = path.map_err(|error| StudioError::Recorded(format!("{name}: {error}")))?;
    if !path.starts_with(root) {
        return Err(StudioError::Recorded(format!(
            "{name} leads out of the report's folder, and is not read"
        )));
    }
    read_regular(&path, LARGEST)
        .map_err(|error| StudioError::Recorded(format!("{name} {}", error.problem)))
}

fn damaged(name: &str) -> StudioError {
    StudioError::Recorded(format!(
        "{name} of the report does not read: it is damaged, or no report of `runner`; make it again with `runner report --html`"
    ))
}
