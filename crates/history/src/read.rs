//! Reads the files of runs, several at a time.

use std::io::Read as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};

use super::folder::{self, COMPLETE, MAX_RUNS, PARTIAL};
use super::parse::{FileRuns, parse};
use super::past_run::{Details, PastRun};
use super::warning::{HistoryProblem, HistoryWarning};
use runner_text::input_file::{InputError, InputProblem, open_regular};

/// Bytes of one run's file that are read. Chosen: holds more than a hundred thousand flows; less could refuse
/// a real run, more would let a wrong file fill the memory.
const MAX_RUN_FILE_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a file of several runs that was named by the user. Chosen: [`MAX_RUNS`] ordinary files joined
/// stay far below it.
pub const MAX_NAMED_FILE_BYTES: u64 = 512 * 1024 * 1024;
/// Results after which no further file is read. Threads that read at that time may go beyond it. Chosen: some
/// hundred MiB of memory.
const MAX_RESULTS: usize = 2_000_000;

/// Runs that were read, and problems with their files.
#[derive(Debug, Default)]
pub struct History {
    /// Runs, oldest first.
    pub runs: Vec<PastRun>,
    /// Files that could not be read, or not fully.
    pub warnings: Vec<HistoryWarning>,
}

impl History {
    /// Reads the newest runs of a folder, at most [`MAX_RUNS`], or of one file that holds several, oldest
    /// first and without details. Returns no runs if the path does not exist.
    ///
    /// It never fails: problems are in [`Self::warnings`].
    pub fn read(path: &Utf8Path) -> Self {
        Self::read_with(path, Details::None, MAX_RUNS)
    }

    /// Parses the content of one file, without details. A run without an end counts as killed. Problems are
    /// in [`Self::warnings`].
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let parsed = parse(Utf8Path::new("history"), bytes, Details::None, false);
        Self {
            runs: parsed.runs,
            warnings: parsed.warnings,
        }
    }

    /// Reads like [`Self::read`], with details, and only the newest `max_runs` runs, oldest first. A run that
    /// a file holds twice counts once. Files that are too large or beyond the limit of results are left out
    /// with a warning.
    pub fn read_with(path: &Utf8Path, details: Details<'_>, max_runs: usize) -> Self {
        let (mut files, mut warnings, max_bytes) = if path.is_file() {
            (vec![path.to_owned()], Vec::new(), MAX_NAMED_FILE_BYTES)
        } else {
            let (files, warnings) = folder::list(path);
            (files, warnings, MAX_RUN_FILE_BYTES)
        };
        let mut files = files.split_off(files.len().saturating_sub(max_runs));
        // Newest first: these stay if there are more results than [`MAX_RESULTS`].
        files.reverse();
        let mut runs = Vec::new();
        for parsed in read_all(&files, details, max_bytes) {
            warnings.extend(parsed.warnings);
            runs.extend(parsed.runs);
        }
        runs.sort_by(|one: &PastRun, other| {
            (one.started, &one.id).cmp(&(other.started, &other.id))
        });
        // The same run may stand in a named file twice.
        runs.dedup_by(|one, other| one.id == other.id && one.started == other.started);
        let old = runs.len().saturating_sub(max_runs);
        Self {
            runs: runs.split_off(old),
            warnings,
        }
    }
}

/// Reads files on up to 8 threads and returns their contents in the order of `files`. Earlier files have
/// precedence if [`MAX_RESULTS`] is reached; for each later one there is a warning.
fn read_all(files: &[Utf8PathBuf], details: Details<'_>, max_bytes: u64) -> Vec<FileRuns> {
    let (next, results) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(at) else { return };
            let parsed = if results.load(Ordering::Relaxed) < MAX_RESULTS {
                read_file(path, details, max_bytes)
            } else {
                FileRuns::from_problem(
                    path,
                    HistoryProblem::TooMany {
                        max_results: MAX_RESULTS,
                    },
                )
            };
            let size = parsed.runs.iter().map(PastRun::size).sum();
            results.fetch_add(size, Ordering::Relaxed);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push((at, parsed));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |number| number.get().min(8));
    std::thread::scope(|scope| {
        for _ in 1..threads.min(files.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, parsed)| parsed).collect()
}

/// Reads the runs of a file. No runs and no warning if another run pruned it; one that was renamed since it was
/// listed is read by its new name. A file over `max_bytes`, or one that cannot be read, gives a warning.
fn read_file(path: &Utf8Path, details: Details<'_>, max_bytes: u64) -> FileRuns {
    let opened = match open_regular(path, max_bytes) {
        // The run ended since the folder was listed, and its file was renamed.
        Err(error) if is_gone(&error) && path.extension() == Some(PARTIAL) => {
            open_regular(path.with_extension(COMPLETE), max_bytes)
        }
        opened => opened,
    };
    let file = match opened {
        Ok(file) => file,
        // Another run pruned it.
        Err(error) if is_gone(&error) => return FileRuns::default(),
        Err(error) => return FileRuns::from_problem(path, to_history_problem(error.problem)),
    };
    let is_locked = path.extension() == Some(PARTIAL) && folder::is_locked(&file);
    let mut bytes = Vec::new();
    match file.take(max_bytes + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > max_bytes => {
            FileRuns::from_problem(path, HistoryProblem::TooLarge { max_bytes })
        }
        Ok(_) => parse(path, &bytes, details, is_locked),
        Err(error) => FileRuns::from_problem(path, HistoryProblem::Unreadable(error)),
    }
}

fn is_gone(error: &InputError) -> bool {
    matches!(error.problem, InputProblem::Missing)
}

/// Turns the problem of a file into one of the history; all but a size over the limit become `Unreadable`.
fn to_history_problem(problem: InputProblem) -> HistoryProblem {
    match problem {
        InputProblem::TooLarge(max_bytes) => HistoryProblem::TooLarge { max_bytes },
        InputProblem::Io(error) => HistoryProblem::Unreadable(error),
        problem => HistoryProblem::Unreadable(std::io::Error::new(problem.kind(), problem)),
    }
}
