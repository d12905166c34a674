//! Reads in the background: one thread decodes cases, another watches the queue.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use super::outcome::Outcome;
use crate::{Case, Review, ReviewError};
use runner_snapshot::GoldenKey;

/// Interval at which the folder is checked for changes. Chosen: a person hardly notices it; with less, a
/// large folder is read all the time.
const POLL: Duration = Duration::from_millis(500);
/// How much earlier than the clock a file system may put the time of a change. Chosen: more than the interval at which
/// systems count file times.
const FILE_TIME_LAG: Duration = Duration::from_millis(100);
/// Cases in memory: the selected one and its neighbours. Chosen: each holds up to three pictures of 10 MB.
const MAX_CASES: usize = 3;

/// State of what a case was read from.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    /// Size and time of each file.
    files: Vec<Option<(u64, SystemTime)>>,
    /// Version of the review, for a case without files: that of selectors is made from flows and evidence.
    version: Option<u64>,
}

impl Stamp {
    /// Returns true if a file may have changed since `began`, so that a case read from then on may be older than this.
    fn is_newer(&self, began: SystemTime) -> bool {
        let first = began - FILE_TIME_LAG;
        self.files.iter().flatten().any(|(_, time)| *time >= first)
    }
}

#[derive(Debug)]
struct LoadedCase {
    key: GoldenKey,
    case: Arc<Case>,
    /// State at the time of reading.
    stamp: Stamp,
}

#[derive(Debug)]
pub enum WorkerMessage {
    /// Case, or the error of reading it.
    Case(GoldenKey, Result<Arc<Case>, ReviewError>),
    /// Queue after this number of decisions.
    Queue(u64, Outcome),
}

/// Both worker threads. They end when this is dropped.
#[derive(Debug)]
pub struct Workers {
    cases: Sender<Vec<GoldenKey>>,
    looks: Sender<u64>,
    /// Results of both threads.
    pub found: Receiver<WorkerMessage>,
}

impl Workers {
    /// Starts the threads that read cases and watch the queue, and does not wait for them. The queue is read at once,
    /// cases only when they are asked for. The threads end when the workers are dropped.
    pub fn start(review: &Review) -> std::io::Result<Self> {
        let (cases, wanted) = channel();
        let (looks, requested) = channel();
        let (sender, found) = channel();
        let start = |name: &str| std::thread::Builder::new().name(name.to_owned());
        let (reviewed, out) = (review.clone(), sender.clone());
        start("cases").spawn(move || load(&reviewed, &wanted, &out))?;
        let reviewed = review.clone();
        start("queue").spawn(move || watch(&reviewed, &requested, &sender))?;
        Ok(Self {
            cases,
            looks,
            found,
        })
    }

    /// Reads the first of `keys` and sends it, then reads the others to have them ready. A later call
    /// replaces what is not read yet. Does not wait.
    pub fn want(&self, keys: Vec<GoldenKey>) {
        // Fails if the thread ended, which the receiver of its results notices.
        let _ = self.cases.send(keys);
    }

    /// Reads the queue now; the result carries this number of decisions.
    pub fn look(&self, decisions: u64) {
        let _ = self.looks.send(decisions);
    }
}

/// Reads requested cases until the sender or receiver is gone. Only the last request counts, only its first case is
/// sent, errors too, and the others are read ahead. A new request interrupts reading ahead, but not a case that is
/// being read.
fn load(review: &Review, wanted: &Receiver<Vec<GoldenKey>>, out: &Sender<WorkerMessage>) {
    let mut stored: VecDeque<LoadedCase> = VecDeque::new();
    let mut next = wanted.recv().ok();
    while let Some(mut keys) = next.take() {
        // A person who holds a key down passes many cases; only the last request counts.
        while let Ok(newer) = wanted.try_recv() {
            keys = newer;
        }
        for (at, key) in keys.iter().enumerate() {
            if at > 0 {
                // A new request interrupts reading ahead.
                next = wanted.try_recv().ok();
                if next.is_some() {
                    break;
                }
            }
            let case = load_case(review, key, &mut stored);
            if at == 0 && out.send(WorkerMessage::Case(key.clone(), case)).is_err() {
                return;
            }
        }
        if next.is_none() {
            next = wanted.recv().ok();
        }
    }
}

/// Returns the case from memory if what it was read from did not change, or reads it. Keeps the `MAX_CASES` used last.
/// An error is not kept, nor is a case whose files may have changed since the read began, so the next call reads again.
fn load_case(
    review: &Review,
    key: &GoldenKey,
    stored: &mut VecDeque<LoadedCase>,
) -> Result<Arc<Case>, ReviewError> {
    if let Some(at) = stored.iter().position(|retained| retained.key == *key)
        && let Some(loaded) = stored.remove(at)
        && stamp(review, &loaded.case) == loaded.stamp
    {
        let case = Arc::clone(&loaded.case);
        stored.push_back(loaded);
        return Ok(case);
    }
    let began = SystemTime::now();
    let version = review.version().ok();
    let case = Arc::new(review.case(key)?);
    let stamp = stamp(review, &case);
    let is_other = stamp.version.is_some() && stamp.version != version;
    if is_other || stamp.is_newer(began) {
        return Ok(case);
    }
    if stored.len() >= MAX_CASES {
        stored.pop_front();
    }
    stored.push_back(LoadedCase {
        key: key.clone(),
        stamp,
        case: Arc::clone(&case),
    });
    Ok(case)
}

/// Returns the present size and time of a case's pending and golden files, `None` for each that does not exist. For a
/// case without files, as that of selectors, it is the review's version. Equal stamps mean that the case is not read
/// again.
fn stamp(review: &Review, case: &Case) -> Stamp {
    let files = case.diff.entry.files.iter();
    let files: Vec<_> = files
        .flat_map(|file| [&file.pending, &file.golden])
        .map(|path| {
            let metadata = std::fs::metadata(review.root().join(path)).ok()?;
            Some((metadata.len(), metadata.modified().ok()?))
        })
        .collect();
    let version = files.is_empty().then(|| review.version().ok()).flatten();
    Stamp { files, version }
}

/// Sends the queue at the start, whenever the review's version changed, and after each decision, with the number of
/// the last one, until the sender or receiver is gone. An error of the version is sent once until it changes. Looks
/// every `POLL`.
fn watch(review: &Review, requested: &Receiver<u64>, out: &Sender<WorkerMessage>) {
    let mut decisions = 0;
    let mut version = None;
    let mut failed = None;
    loop {
        let now = review.version();
        let error = now.as_ref().err().map(ToString::to_string);
        if version != now.as_ref().ok().copied() || failed != error {
            version = now.as_ref().ok().copied();
            failed = error;
            let queue = now.and_then(|_| review.queue());
            if out
                .send(WorkerMessage::Queue(decisions, Outcome::Queue(queue)))
                .is_err()
            {
                return;
            }
        }
        match requested.recv_timeout(POLL) {
            Ok(number) => {
                decisions = requested.try_iter().last().unwrap_or(number);
                // Each decision gets a queue as its answer, even if no file changed.
                version = None;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_while_a_case_was_read_is_newer() {
        let began = SystemTime::now();
        let stamp = |times: &[Option<SystemTime>]| Stamp {
            files: times
                .iter()
                .map(|time| time.map(|time| (1, time)))
                .collect(),
            version: None,
        };
        let (earlier, second) = (began - Duration::from_hours(1), Duration::from_secs(1));
        assert!(!stamp(&[]).is_newer(began));
        assert!(!stamp(&[None, Some(earlier)]).is_newer(began));
        assert!(stamp(&[Some(began + second), Some(earlier)]).is_newer(began));
        assert!(stamp(&[Some(began - FILE_TIME_LAG / 2)]).is_newer(began));
    }
}
