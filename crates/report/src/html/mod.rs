//! The HTML report: one folder, or one file, that opens from disk and from an artifact viewer, without network or server.
//!
//! Of a folder, `index.html` holds a summary of all flows; what is known of one flow is a script of its own, which the page loads when
//! somebody looks at it. Names of data and pictures are hashes of their contents, so that an index never meets the data of
//! another run; the index takes its place last.

mod detail;
mod embedded;
mod files;
mod film;
mod one_file;
#[cfg(test)]
mod one_file_tests;
#[cfg(test)]
pub(crate) mod opened;
mod page;
mod problem_view;
mod summary;
#[cfg(test)]
mod tests;
mod trace;

use std::time::{Duration, Instant};

use camino::{Utf8Path, Utf8PathBuf};
use indexmap::IndexMap;

use super::rewrite_schedule::RewriteSchedule;
use super::{FlowRecord, ReportError, Results, Subscriber};
use detail::Detail;
use files::ArtifactStore;
pub use one_file::{MAX_ONE_FILE, is_one_file};
#[cfg(test)]
pub(crate) use problem_view::views as problem_views;
use runner_base::output_file::OutputFile;
use runner_base::own_folder::{Kind, OwnFolder};
use runner_event::{Artifact, Event, EventKind, FlowId, ResultKey};
use runner_history::Trends;
use summary::Summary;
pub use trace::{COLUMNS, read_screen, rows_of};

/// The folder of a report.
pub const REPORT: Kind = Kind {
    list: "report-files.txt",
    header: "Files of a report that `runner` made. The next report into this folder replaces them.",
    noun: "a report",
    files: &["index.html"],
    parts: &[],
    folders: &["assets", "data", "files"],
};

/// A flow's end is in the report this long after it at the latest, as long as writing is quick.
const BETWEEN_WRITES: Duration = Duration::from_secs(1);

/// Writing the index takes at most one part in so many of the time.
const SHARE_OF_TIME: u32 = 100;

/// The report as a subscriber. It writes what ended as the run goes on, so that a killed run leaves a report too.
#[derive(Debug)]
pub struct Html {
    target: Target,
    results: Results,
    schedule: RewriteSchedule,
}

/// Where the report is.
#[derive(Debug)]
enum Target {
    Folder(OwnFolder, WrittenScripts),
    OneFile(OutputFile),
}

/// The scripts that were written already, by their results.
type WrittenScripts = IndexMap<ResultKey, Script>;

/// A flow's script: where it is, and the picture that stands for the flow.
#[derive(Debug, Clone)]
struct Script {
    href: String,
    picture: Option<String>,
}

impl Html {
    /// Into `folder`, which is made if need be.
    ///
    /// # Errors
    /// The folder holds something else than a report, or may not be written.
    pub fn create(folder: Utf8PathBuf) -> Result<Self, ReportError> {
        let folder = OwnFolder::open(folder, REPORT)?;
        Ok(Self::new(Target::Folder(folder, WrittenScripts::new())))
    }

    /// As one file.
    pub fn in_one_file(output: OutputFile) -> Self {
        Self::new(Target::OneFile(output))
    }

    fn new(target: Target) -> Self {
        Self {
            target,
            results: Results::default(),
            schedule: RewriteSchedule::new(BETWEEN_WRITES, SHARE_OF_TIME),
        }
    }

    /// With how the flows did in earlier runs.
    #[must_use]
    pub fn with_trends(mut self, trends: Trends) -> Self {
        self.results.trends = trends;
        self
    }

    /// Writes what is known so far.
    fn write(&mut self) -> Result<(), ReportError> {
        let began = Instant::now();
        match &mut self.target {
            Target::Folder(folder, written) => write_index(folder, &self.results, written)?,
            // Nothing written to a pipe can be replaced.
            Target::OneFile(output) if output.is_stream() => {}
            Target::OneFile(output) => write_one_file(&self.results, output)?,
        }
        self.schedule.written(began);
        Ok(())
    }

    /// Writes the data of a flow that ended, into a folder.
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
/// It cannot be written.
pub fn write_one_file(results: &Results, output: &OutputFile) -> Result<(), ReportError> {
    one_file::write(results, output, MAX_ONE_FILE)
}

/// Writes the report of `results` into `folder`.
///
/// # Errors
/// The folder holds something else than a report, or may not be written.
pub fn write(results: &Results, folder: &Utf8Path) -> Result<(), ReportError> {
    let mut folder = OwnFolder::open(folder.to_owned(), REPORT)?;
    finish(&mut folder, results, &mut WrittenScripts::new())
}

/// How many frames a video has that the page shows frame by frame; none of another kind of video.
pub fn frames_of_film(video: &[u8]) -> usize {
    film::read(video).map_or(0, |film| film.frames.len())
}

/// The report's details of one flow on one device, as its pages have them; of the screens of its trace only their times
/// and sizes. Writes no file.
///
/// # Errors
/// It cannot be converted to JSON.
pub fn detail(
    results: &Results,
    key: &ResultKey,
) -> Result<Option<serde_json::Value>, ReportError> {
    let Some(record) = results.flows.get(key) else {
        return Ok(None);
    };
    let mut keeper = ArtifactStore::in_place(results);
    let detail = Detail::of(results, &key.id.flow, record, &mut keeper)?;
    Ok(Some(serde_json::to_value(&detail)?))
}

/// The summary that a report of these results would have, as its page has it.
///
/// # Errors
/// It cannot be converted to JSON.
pub fn summary(results: &Results) -> Result<serde_json::Value, ReportError> {
    Ok(serde_json::to_value(Summary::of(
        results,
        &WrittenScripts::new(),
    ))?)
}

/// The bytes of an artifact that still are those of the run, or why they are not to be had.
///
/// # Errors
/// In words.
pub fn artifact_bytes(results: &Results, artifact: &Artifact) -> Result<Vec<u8>, &'static str> {
    ArtifactStore::in_place(results).bytes(artifact)
}

/// Writes what is not written yet, then the index, and removes what an earlier report left.
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
    // Only now: until the new index stood, the old one needed its files.
    Ok(folder.remove_earlier()?)
}

fn write_flow(
    folder: &mut OwnFolder,
    results: &Results,
    key: &ResultKey,
    record: &FlowRecord,
) -> Result<Script, ReportError> {
    let mut keeper = ArtifactStore::new(results, folder);
    let detail = Detail::of(results, &key.id.flow, record, &mut keeper)?;
    let script = page::flow_script(key, &detail)?;
    let href = format!("data/{}.js", runner_base::files::hash(script.as_bytes()));
    folder.write(&href, script.as_bytes())?;
    Ok(Script {
        href,
        picture: detail.picture().map(str::to_owned),
    })
}

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
    let summary = Summary::of(results, reported);
    Ok(folder.write("index.html", page::index(&summary)?.as_bytes())?)
}
