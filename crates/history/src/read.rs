//! Reading what runs have left.

use std::collections::{HashMap, HashSet};
use std::io::Read as _;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use camino::{Utf8Path, Utf8PathBuf};
use chrono::{DateTime, FixedOffset};

use super::folder::{self, MOST_RUNS, PART, WHOLE};
use super::format::{FlowResult, Met, ResultId, StepResult};
use super::parse::{Parsed, parse};
use super::warning::{HistoryWarning, Trouble};
use runner_text::input_file::{InputError, InputProblem, open_regular};

/// The largest file of one run that is read, in bytes: more than a hundred thousand flows.
const MOST_BYTES: u64 = 64 * 1024 * 1024;
/// The largest file of many runs, one that was named, in bytes.
pub const MAX_BYTES_NAMED: u64 = 512 * 1024 * 1024;
/// So many results are read; with the runs that come next, more.
const MOST_RESULTS: usize = 2_000_000;

/// Runs, oldest first, and what was wrong with their files.
#[derive(Debug, Default)]
pub struct History {
    /// Oldest first.
    pub runs: Vec<PastRun>,
    /// Files that could not be used, or not whole.
    pub warnings: Vec<HistoryWarning>,
}

/// A run, read from its file.
#[derive(Debug)]
pub struct PastRun {
    /// Unique id.
    pub id: String,
    /// When it began.
    pub started: DateTime<FixedOffset>,
    /// Whether it ended.
    pub state: RunState,
    /// What ended, in that order.
    pub flows: Vec<FlowResult>,
    /// Of [`Self::flows`] by index: their own steps, where they were asked for.
    pub steps: HashMap<usize, Vec<StepResult>>,
    /// Of [`Self::flows`] by index: what they met, where it was asked for.
    pub met: HashMap<usize, Met>,
    /// Its flows were for any of its devices.
    pub is_spread: bool,
    /// A flaky flow fails it. Unknown, so false, where it was killed.
    pub fails_on_flaky: bool,
    /// What was to be run, of a run that did not come to its end.
    pub(super) planned: Vec<ResultId>,
}

/// Whether a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It came to its end.
    Complete,
    /// It goes on, in another process.
    Running,
    /// It was killed.
    Killed,
}

/// What is read beside results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Details<'a> {
    /// Nothing.
    None,
    /// The steps of this flow, by its path below the root.
    StepsOf(&'a str),
    /// What all flows met.
    Met,
}

impl PastRun {
    /// What was to be run and never ended, of a run that was killed.
    pub fn never_ended(&self) -> Vec<&ResultId> {
        if self.state != RunState::Killed {
            return Vec::new();
        }
        let ended: HashSet<&ResultId> = self.flows.iter().map(|flow| &flow.id).collect();
        // What was planned for any device ends on one.
        let anywhere: HashSet<_> = ended.iter().map(|id| id.without_device()).collect();
        let has_ended = |planned: &ResultId| match planned.device {
            Some(_) => ended.contains(planned),
            None => anywhere.contains(&planned.without_device()),
        };
        let planned = self.planned.iter();
        planned.filter(|planned| !has_ended(planned)).collect()
    }
}

impl History {
    /// Reads a folder of runs, or one file that holds some. Where nothing is, there are no runs.
    ///
    /// It never fails: what cannot be read is in [`Self::warnings`].
    pub fn read(path: &Utf8Path) -> Self {
        Self::read_with(path, Details::None, MOST_RUNS)
    }

    /// What a file with these bytes holds.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let parsed = parse(Utf8Path::new("history"), bytes, Details::None, false);
        Self {
            runs: parsed.runs,
            warnings: parsed.warnings,
        }
    }

    /// As [`Self::read`], with details, and only the newest `most` runs.
    pub fn read_with(path: &Utf8Path, details: Details<'_>, most: usize) -> Self {
        let (mut files, mut warnings, most_bytes) = if path.is_file() {
            (vec![path.to_owned()], Vec::new(), MAX_BYTES_NAMED)
        } else {
            let (files, warnings) = folder::list(path);
            (files, warnings, MOST_BYTES)
        };
        let mut files = files.split_off(files.len().saturating_sub(most));
        // The newest first, for those are kept where there is too much.
        files.reverse();
        let mut runs = Vec::new();
        for parsed in read_all(&files, details, most_bytes) {
            warnings.extend(parsed.warnings);
            runs.extend(parsed.runs);
        }
        runs.sort_by(|one: &PastRun, other| {
            (one.started, &one.id).cmp(&(other.started, &other.id))
        });
        // The same run may stand in a named file twice.
        runs.dedup_by(|one, other| one.id == other.id && one.started == other.started);
        let old = runs.len().saturating_sub(most);
        Self {
            runs: runs.split_off(old),
            warnings,
        }
    }
}

/// Reads files in turn on all cores; what came of each, in their order.
fn read_all(files: &[Utf8PathBuf], details: Details<'_>, most_bytes: u64) -> Vec<Parsed> {
    let (next, results) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = Mutex::new(Vec::with_capacity(files.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = files.get(at) else { return };
            let parsed = if results.load(Ordering::Relaxed) < MOST_RESULTS {
                read_file(path, details, most_bytes)
            } else {
                Parsed::trouble(path, Trouble::TooMany { most: MOST_RESULTS })
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

impl PastRun {
    fn size(&self) -> usize {
        self.flows.len() + self.planned.len()
    }
}

fn read_file(path: &Utf8Path, details: Details<'_>, most_bytes: u64) -> Parsed {
    let opened = match open_regular(path, most_bytes) {
        // It ended since the folder was listed.
        Err(error) if is_gone(&error) && path.extension() == Some(PART) => {
            open_regular(path.with_extension(WHOLE), most_bytes)
        }
        opened => opened,
    };
    let file = match opened {
        Ok(file) => file,
        // Another run removed it, for it was the oldest.
        Err(error) if is_gone(&error) => return Parsed::default(),
        Err(error) => return Parsed::trouble(path, trouble(error.problem)),
    };
    let is_going_on = path.extension() == Some(PART) && folder::is_locked(&file);
    let mut bytes = Vec::new();
    match file.take(most_bytes + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.len() as u64 > most_bytes => {
            Parsed::trouble(path, Trouble::TooLarge { most: most_bytes })
        }
        Ok(_) => parse(path, &bytes, details, is_going_on),
        Err(error) => Parsed::trouble(path, Trouble::Unreadable(error)),
    }
}

fn is_gone(error: &InputError) -> bool {
    matches!(error.problem, InputProblem::Missing)
}

fn trouble(problem: InputProblem) -> Trouble {
    match problem {
        InputProblem::TooLarge(most) => Trouble::TooLarge { most },
        InputProblem::Io(error) => Trouble::Unreadable(error),
        problem => Trouble::Unreadable(std::io::Error::new(problem.kind(), problem)),
    }
}
