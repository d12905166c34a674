//! Writes the HTML report: a folder, or one file, that opens from disk and in an artifact viewer, without
//! network or server.
//!
//! In a folder, `index.html` holds a summary of all flows. The data of each flow is a script that the page
//! loads when it is needed. Names of data and pictures are hashes of their contents, so that an index never
//! finds the data of another run. The index is written last.

mod counting_writer;
mod detail;
mod embedded_files;
mod files;
mod film;
mod one_file;
#[cfg(test)]
mod one_file_tests;
mod page;
#[cfg(test)]
pub(crate) mod page_reader;
mod problem_view;
mod summary;
#[cfg(test)]
mod tests;
mod trace;
pub mod view;
mod written_scripts;

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};

use super::rewrite_schedule::RewriteSchedule;
use super::{FlowRecord, ReportError, Results, Subscriber};
use files::ArtifactStore;
pub use one_file::{MAX_ONE_FILE, is_one_file};
#[cfg(test)]
pub(crate) use problem_view::views as problem_views;
use runner_base::output_file::OutputFile;
use runner_base::own_folder::{FolderKind, OwnFolder};
use runner_event::{Artifact, Event, EventKind, FlowId, ResultKey};
use runner_history::Trends;
pub use trace::{COLUMNS, read_screen, rows_of};
use view::{Detail, Summary};
use written_scripts::{Script, WrittenScripts};

/// Kind of folder that holds a report.
pub const REPORT: FolderKind = FolderKind {
    list: "report-files.txt",
    header: "Files of a report that `runner` made. The next report into this folder replaces them.",
    noun: "a report",
    files: &["index.html"],
    parts: &[],
    folders: &["assets", "data", "files"],
};

/// Time between two rewrites of the index. Chosen: a person who reloads the page notices no delay.
const MIN_PAUSE: Duration = Duration::from_secs(1);

/// Rewriting takes at most one part in this number of the run's time. Chosen: 1 %, as the index of a large
/// run is large.
const MAX_TIME_SHARE: u32 = 100;

/// Subscriber that writes the report. It writes flows as they end, so that a killed run leaves a report too.
#[derive(Debug)]
pub struct Html {
    target: Target,
    results: Results,
    schedule: RewriteSchedule,
}

/// Place of the report.
#[derive(Debug)]
enum Target {
    Folder(OwnFolder, WrittenScripts),
    OneFile(OutputFile),
}

impl Html {
    /// Creates a report in `folder`, which is created if it is missing.
    ///
    /// # Errors
    /// Returns an error if the folder holds other files, or cannot be written.
    pub fn create(folder: Utf8PathBuf) -> Result<Self, ReportError> {
        let folder = OwnFolder::open(folder, REPORT)?;
        Ok(Self::new(Target::Folder(folder, WrittenScripts::new())))
    }

    /// Creates a report of one file.
    pub fn in_one_file(output: OutputFile) -> Self {
        Self::new(Target::OneFile(output))
    }

    fn new(target: Target) -> Self {
        Self {
            target,
            results: Results::default(),
            schedule: RewriteSchedule::new(MIN_PAUSE, MAX_TIME_SHARE),
        }
    }

    /// Sets the trends of the flows from earlier runs.
    #[must_use]
    pub fn with_trends(mut self, trends: Trends) -> Self {
        self.results.trends = trends;
        self
    }

    /// Writes the results so far and tells the schedule how long that took. Writes nothing into a pipe, which
    /// cannot be rewritten.
    fn write(&mut self) -> Result<(), ReportError> {
        let began = Instant::now();
        match &mut self.target {
            Target::Folder(folder, written) => write_index(folder, &self.results, written)?,
            // A pipe cannot be rewritten: it gets the report once, at the end.
            Target::OneFile(output) if output.is_stream() => {}
            Target::OneFile(output) => write_one_file(&self.results, output)?,
        }
        self.schedule.written(began);
        Ok(())
    }

    /// Writes the data of a flow that ended, if the report is a folder.
    fn write_flow(&mut self, id: &FlowId) -> Result<(), ReportError> {
        let key = self.results.key(id);
        if let Target::Folder(folder, written) = &mut self.target
            && let Some(record) = self.results.flows.get(&key)
        {
            let script = write_flow(folder, &self.results, &key, record)?;
            written.insert(key, script);
        }
        Ok(())
    }
}

impl Subscriber for Html {
    /// Keeps the event. Writes the data of a flow after its last attempt, everything at the end of the run, and
    /// otherwise the index or page if it is due.
    fn on(&mut self, event: &Event) -> Result<(), ReportError> {
        self.results.add(event);
        self.schedule.on(event);
        match &event.kind {
            EventKind::FlowFinished { id, last: true, .. } => self.write_flow(id),
            EventKind::Finish { .. } => {
                match &mut self.target {
                    Target::Folder(folder, written) => finish(folder, &self.results, written)?,
                    Target::OneFile(output) => write_one_file(&self.results, output)?,
                }
                self.schedule.written(Instant::now());
                Ok(())
            }
            _ => self.idle(),
        }
    }

    /// Writes the results so far if the schedule says so.
    fn idle(&mut self) -> Result<(), ReportError> {
        if self.schedule.is_due() {
            self.write()
        } else {
            Ok(())
        }
    }
}

/// Writes the report of `results` as one file.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_one_file(results: &Results, output: &OutputFile) -> Result<(), ReportError> {
    one_file::write(results, output, MAX_ONE_FILE)
}

/// Writes the report of `results` into `folder`.
///
/// # Errors
/// Returns an error if the folder holds other files, or cannot be written.
pub fn write(results: &Results, folder: &Utf8Path) -> Result<(), ReportError> {
    let mut folder = OwnFolder::open(folder.to_owned(), REPORT)?;
    finish(&mut folder, results, &mut WrittenScripts::new())
}

/// Returns the number of frames of a video that the page shows by its frames; 0 for another kind of video.
pub fn frames_of_film(video: &[u8]) -> usize {
    film::read(video).map_or(0, |film| film.frames.len())
}

/// Returns the report's data of one flow on one device, with only times and sizes of the screens of its
/// trace. Writes no file. Returns `None` for an unknown key.
///
/// # Errors
/// Returns the errors of a report's files. None is written here, so there are none.
pub fn detail(results: &Results, key: &ResultKey) -> Result<Option<Detail>, ReportError> {
    let Some(record) = results.flows.get(key) else {
        return Ok(None);
    };
    let mut store = ArtifactStore::in_place(results);
    Detail::new(results, &key.id.flow, record, &mut store).map(Some)
}

/// Returns the report's summary of these results, without links to the data of flows.
pub fn summary(results: &Results) -> Summary {
    Summary::new(results, &WrittenScripts::new())
}

/// Returns the bytes of an artifact if they are still those of the run.
///
/// # Errors
/// Returns the reason why they are missing.
pub fn artifact_bytes(results: &Results, artifact: &Artifact) -> Result<Vec<u8>, &'static str> {
    ArtifactStore::in_place(results).bytes(artifact)
}

/// Writes data that is not written yet, then the index, and removes files of an earlier report.
fn finish(
    folder: &mut OwnFolder,
    results: &Results,
    reported: &mut WrittenScripts,
) -> Result<(), ReportError> {
    for (key, record) in &results.flows {
        if !reported.contains_key(key) && !record.attempts.is_empty() {
            let script = write_flow(folder, results, key, record)?;
            reported.insert(key.clone(), script);
        }
    }
    write_index(folder, results, reported)?;
    // Removed last: the old index needed its files until now.
    Ok(folder.remove_earlier()?)
}

/// Writes all attempts of a flow as a script, named by its hash, and stores their files. Returns its address and
/// the picture for the overview.
fn write_flow(
    folder: &mut OwnFolder,
    results: &Results,
    key: &ResultKey,
    record: &FlowRecord,
) -> Result<Script, ReportError> {
    let mut store = ArtifactStore::new(results, folder);
    let detail = Detail::new(results, &key.id.flow, record, &mut store)?;
    let script = page::flow_script(key, &detail)?;
    let href = format!("data/{}.js", runner_base::files::hash(script.as_bytes()));
    folder.write(&href, script.as_bytes())?;
    Ok(Script {
        href,
        picture: detail.picture().map(str::to_owned),
    })
}

/// Writes the index, in place of an earlier one, and the assets if this report has not written them yet.
fn write_index(
    folder: &mut OwnFolder,
    results: &Results,
    reported: &WrittenScripts,
) -> Result<(), ReportError> {
    for (name, text) in page::assets() {
        if !folder.has_written(name) {
            folder.write(name, text.as_bytes())?;
        }
    }
    let summary = Summary::new(results, reported);
    Ok(folder.write("index.html", page::index(&summary)?.as_bytes())?)
}
