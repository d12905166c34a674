//! Opens saved runs: event streams, folders with some, archives of CI servers, and folders of HTML reports.
//! They need no device.

mod report;
#[cfg(test)]
mod tests;

use std::io::BufReader;

use camino::{Utf8Path, Utf8PathBuf};

pub(super) use report::ReportFolder;

use super::timeline::RunSource;
use super::{StudioError, StudioFolder};
use runner_event::{Event, EventKind};
use runner_report::{Results, find_streams, merge, read_stream, unpack};
use runner_text::input_file::open_regular;

/// Events of all streams, and bytes of one stream. Chosen: large runs fit; more would fill the memory.
const MAX_EVENTS: usize = 500_000;
const MAX_STREAM_BYTES: u64 = 256 << 20;
/// Streams of a run, one for each shard. Chosen: more than CI systems run at the same time.
const MAX_STREAMS: usize = 200;

/// Saved run.
pub struct SavedRun {
    /// Path that it was opened from, for display.
    pub(super) title: String,
    /// Messages about what was left out.
    pub(super) notes: Vec<String>,
    pub(super) source: RunSource,
    /// Folder of the unpacked archive, which is removed with this.
    pub(super) folder: Option<StudioFolder>,
}

/// Returns true if `runner studio` takes the path for a saved run, not for a flow.
pub fn is_saved_run(path: &Utf8Path) -> bool {
    matches!(path.extension(), Some("ndjson" | "zip")) || path.is_dir()
}

impl SavedRun {
    /// Opens the run at `path`; `display` is the path to show. An archive is unpacked below `root`.
    ///
    /// # Errors
    /// Returns the reason, and what to do.
    pub fn open(path: &Utf8Path, display: &str, root: &Utf8Path) -> Result<Self, StudioError> {
        let mut run = Self {
            title: display.to_owned(),
            notes: Vec::new(),
            source: RunSource::Nothing,
            folder: None,
        };
        let archive = path.is_file() && path.extension() == Some("zip");
        let place = if archive {
            let folder = StudioFolder::open(root)?;
            let into = folder.path().join("archive");
            run.notes = unpack(path, &into).map_err(StudioError::recorded)?;
            run.folder = Some(folder);
            fs_err::create_dir_all(&into)?;
            into
        } else {
            path.to_owned()
        };
        if let Some(report) = ReportFolder::find(&place)? {
            run.source = RunSource::Report(Box::new(report));
            return Ok(run);
        }
        let results = run.read(&place, archive)?;
        run.source = RunSource::Results(Box::new(results));
        Ok(run)
    }

    /// Reads all event streams of the place as one run, at most `MAX_EVENTS` events. An error if there is none or
    /// more than `MAX_STREAMS`.
    fn read(&mut self, place: &Utf8Path, is_archive: bool) -> Result<Results, StudioError> {
        let streams = find_streams(place).map_err(|error| {
            StudioError::Recorded(if is_archive {
                format!("{} holds no event stream (*.ndjson) and no HTML report; `runner report --archive FILE` packs a run", self.title)
            } else {
                error.to_string()
            })
        })?;
        if streams.len() > MAX_STREAMS {
            return Err(StudioError::Recorded(format!(
                "{} holds more than {MAX_STREAMS} event streams; name one of them",
                self.title
            )));
        }
        let mut left = MAX_EVENTS;
        let mut parts = Vec::new();
        let mut folders = Vec::new();
        for path in streams {
            let events = self.events(&path, &mut left)?;
            for folder in artifact_folders(&path, &events, is_archive.then_some(place)) {
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
            parts.push(events);
        }
        let mut results = Results::default();
        for event in &merge(parts) {
            results.add(event);
        }
        results.folders = folders;
        Ok(results)
    }

    /// Reads the events of a stream until the first damaged one, at most `left`, and notes why it stops early.
    /// An error if the stream is too large, the first event is damaged or it does not begin a stream.
    fn events(&mut self, path: &Utf8Path, left: &mut usize) -> Result<Vec<Event>, StudioError> {
        let name = path.file_name().unwrap_or_default().to_owned();
        let file = open_regular(path, u64::MAX).map_err(std::io::Error::from)?;
        let size = file.metadata()?.len();
        if size > MAX_STREAM_BYTES {
            return Err(StudioError::Recorded(format!(
                "{name} has {size} bytes; a stream of at most {MAX_STREAM_BYTES} is shown. Run fewer flows into one stream, or look at the HTML report"
            )));
        }
        let mut events = Vec::new();
        for event in read_stream(BufReader::new(file)) {
            if *left == 0 {
                self.notes.push(format!(
                    "{name}: there are more than {MAX_EVENTS} events; the first are here"
                ));
                break;
            }
            match event {
                Ok(event) => events.push(event),
                // The events before the damage are shown.
                Err(error) if !events.is_empty() => {
                    self.notes.push(format!("{name}: {error}"));
                    break;
                }
                Err(error) => return Err(StudioError::Recorded(format!("{name}: {error}"))),
            }
            *left -= 1;
        }
        match events.first().map(|event| &event.kind) {
            Some(EventKind::Start { .. }) => Ok(events),
            _ => Err(StudioError::Recorded(format!(
                "{name} does not begin as an event stream does; name a file that `runner test --json` wrote"
            ))),
        }
    }
}

/// Returns the folders in which a stream's artifacts may be. Those of an archive are only searched in it,
/// whatever its events say.
fn artifact_folders(
    path: &Utf8Path,
    events: &[Event],
    archive: Option<&Utf8Path>,
) -> Vec<Utf8PathBuf> {
    let mut folders = Vec::new();
    if archive.is_none()
        && let Some(EventKind::Start { artifacts, .. }) = events.first().map(|event| &event.kind)
    {
        folders.push(artifacts.clone());
    }
    let beside = match path.parent() {
        Some(folder) if !folder.as_str().is_empty() => folder,
        _ => Utf8Path::new("."),
    };
    for folder in ["artifacts", ".runner/artifacts", ""] {
        folders.push(beside.join(folder));
    }
    if let Some(root) = archive {
        for folder in ["artifacts", ".runner/artifacts", ""] {
            folders.push(root.join(folder));
        }
    }
    folders
}
