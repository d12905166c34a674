//! Reads the folder of an HTML report. The data of its pages is JSON in scripts, which are parsed and never
//! run.

use camino::{Utf8Path, Utf8PathBuf};
use serde::de::IgnoredAny;

use super::super::StudioError;
use super::super::timeline::{LookNumber, RecordedLook};
use runner_report::html::view::{Detail, Summary};
use runner_text::input_file::read_regular;

/// Bytes of a report's file. Chosen: pages of very large flows fit; it keeps a damaged report from filling
/// the memory.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Levels of folders in which a report is searched. Chosen: artifacts of CI systems are nested a few levels
/// deep.
const MAX_DEPTH: usize = 6;
/// List of a report's files, by which the folder is recognized.
const FILE_LIST: &str = "report-files.txt";

/// Folder of an HTML report.
pub(crate) struct ReportFolder {
    /// Canonical path.
    root: Utf8PathBuf,
    summary: Summary,
    /// Index and data of the flow that was read last.
    last: Option<(usize, Detail)>,
}

impl ReportFolder {
    /// Finds the HTML report at `folder` or below it by its list of files, at most [`MAX_DEPTH`] levels deep, and
    /// reads its summary. If there are several, takes the first of a walk by name. What cannot be listed is
    /// skipped. Returns `None` if there is none, also for a missing folder, and an error if its page is damaged.
    pub(super) fn find(folder: &Utf8Path) -> Result<Option<Self>, StudioError> {
        let files = walkdir::WalkDir::new(folder).max_depth(MAX_DEPTH);
        let mark = files
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .find(|entry| entry.file_type().is_file() && entry.file_name() == FILE_LIST);
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
        let summary = summary.ok_or_else(|| damaged("index.html"))?;
        Ok(Some(Self {
            root,
            summary,
            last: None,
        }))
    }

    pub(crate) fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Returns the data of the flow with this index. The last one read is kept. Returns [`StudioError::NoRun`] if
    /// there is no such flow or it has no data, and an error if its file is missing or damaged; the one kept stays
    /// then.
    pub(crate) fn detail(&mut self, flow: usize) -> Result<&Detail, StudioError> {
        if self.last.as_ref().is_none_or(|(known, _)| *known != flow) {
            let entry = self.summary.flows.get(flow);
            let name = entry.and_then(|entry| entry.data.as_deref());
            let name = name.ok_or(StudioError::NoRun)?;
            let script = text(&self.root, name)?;
            // The script is `Report.take(KEY, DATA);`, so its arguments are an array of two values.
            let inner = script.trim_end().strip_prefix("Report.take(");
            let inner = inner.and_then(|inner| inner.strip_suffix(");"));
            let inner = inner.ok_or_else(|| damaged(name))?;
            let values: Result<(IgnoredAny, Detail), _> =
                serde_json::from_str(&format!("[{inner}]"));
            self.last = Some((flow, values.map_err(|_| damaged(name))?.1));
        }
        let last = self.last.as_ref();
        last.map(|(_, detail)| detail).ok_or(StudioError::NoRun)
    }

    /// Returns a screen of an attempt's trace. Its picture is left out if its file cannot be read. Returns
    /// [`StudioError::NoFrame`] if there is no such attempt, trace or screen, and the error of [`Self::detail`] for
    /// the flow.
    pub(crate) fn look(&mut self, number: &LookNumber) -> Result<RecordedLook, StudioError> {
        let root = self.root.clone();
        let detail = self.detail(number.flow)?;
        let attempt = detail.attempts.get(number.attempt);
        let trace = attempt.and_then(|attempt| attempt.trace.as_ref());
        let trace = trace.ok_or(StudioError::NoFrame)?;
        let frame = trace.frames.get(number.frame);
        let frame = frame.ok_or(StudioError::NoFrame)?;
        let picture = frame.picture.as_ref();
        let picture = picture.and_then(|name| bytes(&root, name).ok());
        Ok(RecordedLook::from_page(trace, frame, picture))
    }
}

fn text(root: &Utf8Path, name: &str) -> Result<String, StudioError> {
    String::from_utf8(bytes(root, name)?).map_err(|_| damaged(name))
}

/// Reads a file of the report by its name relative to the folder.
///
/// # Errors
/// Returns an error if the path leads out of the report's folder, also by a link, or the file is missing, no
/// regular file, longer than [`MAX_FILE_BYTES`], or cannot be read.
fn bytes(root: &Utf8Path, name: &str) -> Result<Vec<u8>, StudioError> {
    let path = root.join(name).canonicalize_utf8();
    let path = path.map_err(|error| StudioError::Recorded(format!("{name}: {error}")))?;
    if !path.starts_with(root) {
        return Err(StudioError::Recorded(format!(
            "{name} leads out of the report's folder, and is not read"
        )));
    }
    read_regular(&path, MAX_FILE_BYTES)
        .map_err(|error| StudioError::Recorded(format!("{name} {}", error.problem)))
}

fn damaged(name: &str) -> StudioError {
    StudioError::Recorded(format!(
        "{name} of the report does not read: it is damaged, or no report of `runner`; make it again with `runner report --html`"
    ))
}
