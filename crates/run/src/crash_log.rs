//! The device's log, read for crashes.
//!
//! The stream may lag behind. To know that everything so far has arrived, a marker line is written into the log
//! and awaited.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use runner_device::crash::{self, AppCrash, CrashReader};
use runner_device::logs::{
    self, FollowOptions, FollowedLine, LogFollower, LogLine, LogQuery, LogTime,
};
use runner_device::{Device, DeviceError, Script};
use runner_text::secret::Excerpt;

/// Log tag of the marker lines.
const TAG: &str = "runner-watch";
/// Chosen: a loaded phone may take seconds to start `logcat`. A device without a log delays the first flow by
/// this much.
const BEGIN_LIMIT: Duration = Duration::from_secs(10);
/// Time after which the first marker line is written again: one written before the device reads its log may
/// be missed.
const MARKER_INTERVAL: Duration = Duration::from_secs(2);
/// Chosen: limits the request for the whole log to a WebDriver server.
const SERVER_LIMIT: Duration = Duration::from_secs(5);

/// Thoroughness of a look for crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrashLook {
    /// Only what the stream has brought so far; the rest of a new crash in it is awaited.
    Streamed,
    /// All that is in the log by now.
    Complete,
    /// All that is in the log by now, of a flow whose time is up: it does not wait for a device that hangs.
    Briefly,
    /// All that is in the log a moment after the last input.
    Settled,
}

/// Log of the device, with the crashes that were taken from it.
#[derive(Default)]
pub(super) struct CrashLog {
    source: Source,
    /// Numbers of the crashes that were taken.
    taken: Vec<usize>,
}

#[derive(Default)]
enum Source {
    Stream(LogStream),
    /// A WebDriver server, which returns the whole log at once.
    Server,
    #[default]
    Nothing,
}

/// Log of the device, read as it grows. Dropping it ends the command on the device.
struct LogStream {
    progress: Arc<Mutex<Progress>>,
    changes: watch::Receiver<u64>,
    nonce: String,
    next: AtomicU32,
    reading: JoinHandle<()>,
}

/// Error of a device that gives no log.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogError {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("`logcat` ends at once: {0}")]
    Ended(String),
    #[error("`logcat` does not tell a line that was just logged")]
    Silent,
}

/// State of the reader of a stream.
#[derive(Default)]
struct Progress {
    reader: CrashReader,
    /// Number of the marker line that came last. Lines before the first marker are older than the attempt.
    marker: Option<u32>,
    lines: u64,
    bytes: u64,
    /// First text that is no log line: it says why there is no log.
    message: Option<String>,
    has_ended: bool,
    /// The device does not log what this program writes.
    is_mute: bool,
}

impl Drop for LogStream {
    /// Ends the reading, and logs how much the stream has brought.
    fn drop(&mut self) {
        self.reading.abort();
        let progress = lock(&self.progress);
        let (lines, bytes) = (progress.lines, progress.bytes);
        tracing::debug!(target: "run", lines, bytes, "the crash watch's log stream ends");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CrashLog {
    /// Begins to read the log from now on, or, for a device behind a server, notes that it must be asked; that sends
    /// nothing. Fails if the device gives no log: the stream cannot be opened within 10 s or ends, or a line that is
    /// written into the log does not come back within some 10 s more.
    pub(super) async fn open(device: &Arc<dyn Device>) -> Result<Self, LogError> {
        let source = match device.system() {
            Some(_) => Source::Server,
            None => Source::Stream(LogStream::begin(device).await?),
        };
        Ok(Self {
            source,
            ..Self::default()
        })
    }

    /// Number of marker lines that the device was asked to write; 0 for a device behind a server.
    pub(super) fn round_trips(&self) -> u64 {
        match &self.source {
            Source::Stream(stream) => stream.next.load(Ordering::Relaxed).into(),
            Source::Server | Source::Nothing => 0,
        }
    }

    /// Number of crashes that were taken.
    pub(super) fn taken_count(&self) -> usize {
        self.taken.len()
    }

    /// Takes the crashes since the attempt began that were not taken yet, oldest first, of all apps. A stream is waited
    /// for at most `limit`, also for the rest of a crash that came; a [`CrashLook::Streamed`] look without a new crash
    /// does not wait. A server is asked for its log since `began`, at most 5 s for each request; not for a
    /// [`CrashLook::Streamed`] look, and not if `began` is `None`. Requests that fail give no crash, but what came
    /// before is returned.
    pub(super) async fn take_crashes(
        &mut self,
        device: &dyn Device,
        look: CrashLook,
        began: Option<LogTime>,
        limit: Duration,
    ) -> Vec<AppCrash> {
        match &self.source {
            Source::Nothing => Vec::new(),
            Source::Stream(stream) => {
                if look == CrashLook::Streamed && !has_untaken(stream, &self.taken) {
                    return Vec::new();
                }
                // Also for a crash that was seen: the rest of it may be on its way.
                let _ = stream.catch_up(device, limit).await;
                untaken(&lock(&stream.progress).reader, &mut self.taken)
            }
            Source::Server => {
                // Without a time, what an earlier flow left would count too.
                if look == CrashLook::Streamed || began.is_none() {
                    return Vec::new();
                }
                let query = LogQuery {
                    since: began,
                    ..LogQuery::default()
                };
                let bound = |usual: Duration| usual.min(SERVER_LIMIT);
                let Ok(lines) = logs::read_within(device, &query, &bound).await else {
                    return Vec::new();
                };
                let mut reader = CrashReader::default();
                for line in &lines {
                    reader.read(line);
                }
                untaken(&reader, &mut self.taken)
            }
        }
    }
}

fn has_untaken(stream: &LogStream, taken: &[usize]) -> bool {
    let progress = lock(&stream.progress);
    let mut crashes = progress.reader.crashes();
    crashes.any(|(number, _)| !taken.contains(&number))
}

/// Returns the crashes whose numbers are not in `taken`, and adds these.
fn untaken(reader: &CrashReader, taken: &mut Vec<usize>) -> Vec<AppCrash> {
    let mut untaken = Vec::new();
    for (number, crash) in reader.crashes() {
        if !taken.contains(&number) {
            taken.push(number);
            untaken.push(crash.clone());
        }
    }
    untaken
}

impl LogStream {
    /// Follows the log, and waits until a marker line that it writes has come, so that nothing is missed from here on.
    /// Writes the line anew every 2 s. Fails if the stream cannot be opened within 10 s or ends, if the device cannot
    /// write a line to its log, or if none comes back within some 10 s more.
    async fn begin(device: &Arc<dyn Device>) -> Result<Self, LogError> {
        let own = format!("{TAG}:I");
        let filters: Vec<&str> = [own.as_str()].into_iter().chain(crash::TAGS).collect();
        let options = FollowOptions {
            last: 1,
            buffers: &["main", "system", "crash", "events"],
            filters: &filters,
            poll: None,
        };
        let following = logs::follow(device, options);
        let lines = match tokio::time::timeout(BEGIN_LIMIT, following).await {
            Ok(opened) => opened?,
            Err(_) => return Err(LogError::Silent),
        };
        let progress = Arc::new(Mutex::new(Progress::default()));
        let nonce = format!("{:016x}", fastrand::u64(..));
        let (sender, changes) = watch::channel(0);
        let reading = read(lines, Arc::clone(&progress), nonce.clone(), sender);
        let stream = Self {
            progress,
            changes,
            nonce,
            next: AtomicU32::new(0),
            reading: tokio::spawn(reading),
        };
        stream.await_marker(device.as_ref()).await?;
        Ok(stream)
    }

    /// Writes marker lines, one every 2 s, until one comes back. Fails as [`Self::begin`] does.
    async fn await_marker(&self, device: &dyn Device) -> Result<(), LogError> {
        let end = Instant::now() + BEGIN_LIMIT;
        loop {
            let interval = tokio::time::sleep(MARKER_INTERVAL);
            if self.catch_up(device, MARKER_INTERVAL).await {
                return Ok(());
            }
            let (has_ended, is_mute, text) = {
                let progress = lock(&self.progress);
                (
                    progress.has_ended,
                    progress.is_mute,
                    progress.message.clone(),
                )
            };
            if has_ended {
                return Err(LogError::Ended(text.unwrap_or_default()));
            }
            if is_mute || Instant::now() >= end {
                return Err(LogError::Silent);
            }
            // A device that refuses at once would be asked all the time.
            interval.await;
        }
    }

    /// Reads until all that is in the log by now has come: writes a marker line and waits for it. Returns false if it
    /// did not come within `limit`, the stream has ended, or the device could not write it. A `log` command that fails
    /// also sets `is_mute`; later calls write a marker all the same.
    async fn catch_up(&self, device: &dyn Device, limit: Duration) -> bool {
        let mut changes = self.changes.clone();
        if lock(&self.progress).has_ended {
            return false;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}-{number}", self.nonce);
        let script = Script::command(["log", "-t", TAG, &marker]);
        let coming = async {
            // Writing to the log does not change the screen.
            device.counters().mark_read_only();
            let Ok(written) = device.shell(&script, limit).await else {
                return false;
            };
            if written.exit_code.is_some_and(|code| code != 0) {
                lock(&self.progress).is_mute = true;
                return false;
            }
            loop {
                changes.borrow_and_update();
                let (marker, has_ended) = {
                    let progress = lock(&self.progress);
                    (progress.marker, progress.has_ended)
                };
                if marker >= Some(number) {
                    return true;
                }
                if has_ended || changes.changed().await.is_err() {
                    return false;
                }
            }
        };
        tokio::time::timeout(limit, coming).await.unwrap_or(false)
    }
}

/// Reads the stream to its end or first error, which is not kept: both only set `has_ended`. After each line,
/// and at the end, those who wait are notified.
async fn read(
    mut lines: LogFollower,
    progress: Arc<Mutex<Progress>>,
    nonce: String,
    changes: watch::Sender<u64>,
) {
    while let Ok(Some(line)) = lines.next().await {
        lock(&progress).take(&line, &nonce);
        changes.send_modify(|count| *count += 1);
    }
    lock(&progress).has_ended = true;
    changes.send_modify(|count| *count += 1);
}

impl Progress {
    /// Takes one line: notes a marker of this `nonce`, and reads others for crashes once the first marker has come.
    /// Keeps the first line that is no log line, marked to be cut after 200 characters, as the stream's message;
    /// headings (`---`) and blank lines do not count.
    fn take(&mut self, line: &FollowedLine, nonce: &str) {
        self.lines += 1;
        self.bytes += line.bytes() as u64;
        let line = match line {
            FollowedLine::Log(line) => line,
            FollowedLine::Other(raw) => {
                if self.message.is_none() && !raw.starts_with("---") && !raw.trim().is_empty() {
                    self.message = Some(Excerpt::new(raw.trim(), 200).to_string());
                }
                return;
            }
        };
        if let Some(number) = marker_of(line, nonce) {
            self.marker = self.marker.max(Some(number));
        } else if self.marker.is_some() {
            self.reader.read(line);
        }
    }
}

fn marker_of(line: &LogLine, nonce: &str) -> Option<u32> {
    let number = line.message.trim().strip_prefix(nonce)?.strip_prefix('-')?;
    number.parse().ok().filter(|_| line.tag == TAG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_device::fake::Fake;

    const CRASH: &str = "03-07 18:10:00.000   860  2059 I am_crash: [77,0,com.example.a,8,java.lang.Error,no,A.java,1]";

    fn marker(nonce: &str, number: u32) -> String {
        format!("03-07 18:10:00.000  4000  4000 I {TAG}: {nonce}-{number}")
    }

    #[test]
    fn only_what_is_logged_after_the_first_marker_counts() {
        let mut progress = Progress::default();
        let mut take = |lines: &[&str]| {
            for line in lines {
                progress.take(&FollowedLine::parse((*line).to_owned()), "ab");
            }
            (progress.marker, progress.reader.crashes().count())
        };
        assert_eq!(take(&["--------- beginning of main", CRASH]), (None, 0));
        // That of another attempt says nothing about this one.
        assert_eq!(take(&[&marker("cd", 0), CRASH]), (None, 0));
        assert_eq!(take(&[&marker("ab", 0)]), (Some(0), 0));
        assert_eq!(take(&[CRASH, &marker("ab", 1)]), (Some(1), 1));
        assert_eq!(progress.message, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_device_that_refuses_at_once_is_asked_every_2_s() {
        let device = Fake::showing([""]);
        // Without a reader of the stream a marker is given up at once.
        let (_, changes) = watch::channel(0);
        let stream = LogStream {
            progress: Arc::default(),
            changes,
            nonce: "ab".to_owned(),
            next: AtomicU32::new(0),
            reading: tokio::spawn(async {}),
        };
        let failed = stream.await_marker(device.as_ref()).await;
        assert!(matches!(failed, Err(LogError::Silent)));
        let asked = device.with(|state| state.scripts.len());
        assert!((2..=6).contains(&asked), "{asked}");
    }

    #[test]
    fn what_is_no_log_says_why_there_is_none() {
        let mut progress = Progress::default();
        for line in [
            "",
            "--------- beginning of main",
            "logcat: not found",
            "more",
        ] {
            progress.take(&FollowedLine::parse(line.to_owned()), "ab");
        }
        assert_eq!(progress.message.as_deref(), Some("logcat: not found"));
    }
}
