//! Watches the device's log for crashes and hangs of the app under test, with one log stream an attempt.
//!
//! The stream may lag behind. To know that everything so far has arrived, the watch writes a marker line into
//! the log and reads until it comes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::attempt::Attempt;
use super::step_result::{FailedTry, StepResult};
use runner_device::crash::{self, AppCrash, CrashKind, CrashReader};
use runner_device::logs::{
    self, FollowOptions, FollowedLine, LogFollower, LogLine, LogQuery, LogTime,
};
use runner_device::{Device, DeviceError, Feature, Script};
use runner_engine::MIN_REQUEST_LIMIT;
use runner_flow::{Step, StepAction, StepList, StepPath};
use runner_text::secret::Excerpt;
use runner_tools::{Effect, Failure, FailureKind, Words};

/// Log tag of the marker lines.
const TAG: &str = "runner-watch";
/// Chosen: a loaded phone may take seconds to start `logcat`. A device without a log delays the first flow by
/// this much.
const BEGIN_LIMIT: Duration = Duration::from_secs(10);
/// Time after which the first marker line is written again: one written before the device reads its log may
/// be missed.
const MARKER_INTERVAL: Duration = Duration::from_secs(2);
/// Chosen: a healthy device needs milliseconds for a marker line; more than this means that the log hangs.
const MARKER_LIMIT: Duration = Duration::from_secs(10);
/// Chosen: limits the request for the whole log to a WebDriver server.
const SERVER_LIMIT: Duration = Duration::from_secs(5);
/// Time between an input and the log lines of a crash that it causes. Chosen: with less, a crash at the last
/// step is missed; more delays every flow.
const SETTLE: Duration = Duration::from_millis(300);
/// Wait for the stack trace of a hanging app: the system writes it only after it has asked all processes for
/// theirs.
const TRACE_PAUSE: Duration = Duration::from_secs(2);
/// Chosen: other apps may crash all the time; further crashes are not reported.
const MAX_OTHER_CRASHES: usize = 5;

/// Thoroughness of a look for crashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrashLook {
    /// Only what the stream has brought so far.
    Streamed,
    /// All that is in the log by now.
    Complete,
    /// All that is in the log by now, of a flow whose time is up: it does not wait for a device that hangs.
    Briefly,
    /// All that is in the log a moment after the last input.
    Settled,
}

/// Watch for crashes during one attempt.
pub(super) struct CrashWatch {
    source: Source,
    /// App of the flow's header, or those that a flow without one has launched.
    apps: Vec<String>,
    /// Numbers of the crashes that were reported.
    reported: Mutex<Vec<usize>>,
    /// Process id of the app's crash that was reported last.
    ended: Mutex<Option<u32>>,
    /// Message that says why there is no log to read.
    note: Option<String>,
}

enum Source {
    Stream(LogStream),
    /// A WebDriver server, which returns the whole log at once.
    Server,
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
enum LogError {
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

impl CrashWatch {
    /// Begins to read the log from now on, or notes that a server must be asked for it. On a device without a
    /// log the watch never reports anything, and has a note that says why.
    pub(super) async fn begin(device: &Arc<dyn Device>, app: &str) -> Self {
        let mut watch = Self {
            source: Source::Nothing,
            apps: vec![app.to_owned()],
            reported: Mutex::default(),
            ended: Mutex::default(),
            note: None,
        };
        if device.system().is_some() {
            watch.source = Source::Server;
            return watch;
        }
        match LogStream::begin(device).await {
            Ok(stream) => watch.source = Source::Stream(stream),
            Err(why) => {
                watch.note = Some(format!(
                    "a crash of {app} cannot be seen: the device gives no log ({why})"
                ));
            }
        }
        watch
    }

    /// Number of marker lines that the device was asked to write.
    pub(super) fn round_trips(&self) -> u64 {
        match &self.source {
            Source::Stream(stream) => stream.next.load(Ordering::Relaxed).into(),
            Source::Server | Source::Nothing => 0,
        }
    }

    /// Process id of the app's last crash.
    pub(super) fn ended(&self) -> Option<u32> {
        *lock(&self.ended)
    }

    /// Returns the crashes since the attempt began that were not reported yet, oldest first, of all apps.
    /// Waits at most `limit` for lines that are on their way; a [`CrashLook::Streamed`] look without a new
    /// crash does not wait. A server is asked only for other looks. Requests that fail give no crash.
    async fn crashes(
        &self,
        device: &dyn Device,
        look: CrashLook,
        began: Option<LogTime>,
        limit: Duration,
    ) -> Vec<AppCrash> {
        match &self.source {
            Source::Nothing => Vec::new(),
            Source::Stream(stream) => {
                if look == CrashLook::Streamed && !self.has_unreported(stream) {
                    return Vec::new();
                }
                // Also for a crash that was seen: the rest of it may be on its way.
                let _ = stream.catch_up(device, limit).await;
                self.unreported(&lock(&stream.progress).reader)
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
                self.unreported(&reader)
            }
        }
    }

    fn has_unreported(&self, stream: &LogStream) -> bool {
        let (progress, report) = (lock(&stream.progress), lock(&self.reported));
        let mut crashes = progress.reader.crashes();
        crashes.any(|(number, _)| !report.contains(&number))
    }

    fn unreported(&self, reader: &CrashReader) -> Vec<AppCrash> {
        let mut report = lock(&self.reported);
        let mut unreported = Vec::new();
        for (number, crash) in reader.crashes() {
            if !report.contains(&number) {
                report.push(number);
                unreported.push(crash.clone());
            }
        }
        unreported
    }
}

impl LogStream {
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
        let end = Instant::now() + BEGIN_LIMIT;
        while !stream.catch_up(device.as_ref(), MARKER_INTERVAL).await {
            let (has_ended, is_mute, text) = {
                let progress = lock(&stream.progress);
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
        }
        Ok(stream)
    }

    /// Reads until all that is in the log by now has come: writes a marker line and waits for it. Returns
    /// false if it did not come within `limit`, the stream has ended, or the device writes no lines to its
    /// log, which is remembered.
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

/// Reads the stream to its end or first error. After each line, and at the end, those who wait are notified.
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

impl Attempt<'_> {
    /// Uses a watch that has begun, in place of the one before; `None` ends watching. Reports the watch's
    /// note if the device gives no log.
    pub(super) fn watch_crashes(&mut self, watch: Option<CrashWatch>) {
        if let Some(note) = watch.as_ref().and_then(|watch| watch.note.clone()) {
            self.context.reporter.info(note);
        }
        self.crashes = watch;
    }

    /// Watches an app that is launched by a flow without an app in its header; in others only the header's
    /// counts. Begins to watch if nothing is watched yet.
    pub(super) async fn watch_launched(&mut self, app: &str) {
        if self.context.flow.app.is_some() {
            return;
        }
        if let Some(watch) = &mut self.crashes {
            if !watch.apps.iter().any(|known| known == app) {
                watch.apps.push(app.to_owned());
            }
            return;
        }
        let device = self.context.session.shared_device();
        let watch = CrashWatch::begin(&device, app).await;
        self.watch_crashes(Some(watch));
    }

    /// Returns the failure for the first new crash of the flow's app. Crashes of other apps are only noted. A
    /// settled look first waits until 0.3 s have passed since the last input, unless the device logs at once.
    /// For an app that hangs without a stack trace, that is read later, within about 2 s. `None` if crashes
    /// are not watched.
    pub(super) async fn crash(&self, look: CrashLook) -> Option<Failure> {
        let watch = self.crashes.as_ref()?;
        let device = self.context.session.device();
        if look == CrashLook::Settled && !device.info().offers(Feature::ImmediateLog) {
            // A step that read back its text has waited for some of this time already.
            let waited = self.context.session.time_since_input().unwrap_or_default();
            tokio::time::sleep(SETTLE.saturating_sub(waited)).await;
        }
        let mut crashed = None;
        // These requests do not change the screen.
        let began = self.context.session.began().await;
        let limit = match look {
            CrashLook::Briefly => MIN_REQUEST_LIMIT,
            _ => self.context.session.bound(MARKER_LIMIT),
        };
        let crashes = watch.crashes(device, look, began, limit);
        let crashes = self.context.session.reading(crashes);
        for crash in crashes.await {
            if !watch.apps.iter().any(|app| crash.is_of(app)) {
                self.note_other(watch, &crash);
            } else if crashed.is_none() {
                crashed = Some(crash);
            }
        }
        let mut crash = crashed?;
        *lock(&watch.ended) = crash.pid;
        if crash.kind == CrashKind::NotResponding && crash.stack.is_empty() {
            crash.stack = crash::trace_of(device, &crash.process, crash.pid).await;
            let is_immediate = device.info().offers(Feature::ImmediateLog);
            let may_come = !is_immediate && device.system().is_none();
            if crash.stack.is_empty() && may_come {
                tokio::time::sleep(TRACE_PAUSE).await;
                crash.stack = crash::trace_of(device, &crash.process, crash.pid).await;
            }
        }
        Some(Failure::crash(crash))
    }

    fn note_other(&self, watch: &CrashWatch, crash: &AppCrash) {
        if lock(&watch.reported).len() > MAX_OTHER_CRASHES {
            return;
        }
        let text = Failure::crash(crash.clone()).message;
        let note = format!("another app than {}: {text}", watch.apps.join(", "));
        self.context.reporter.info(note);
    }

    /// Returns the result of a step, or the failure for a crash of the app if it crashed meanwhile. The crash
    /// replaces the step's own failure, which becomes a detail; its artifacts stay. Failures of a nested step
    /// and crashes are returned as they are, and nothing is asked of a device that is gone.
    pub(super) async fn check_crash(
        &self,
        step: &Step,
        path: &StepPath,
        result: Result<Option<StepResult>, FailedTry>,
    ) -> Result<Option<StepResult>, FailedTry> {
        if self.crashes.is_none() || self.gone.is_some() {
            return result;
        }
        let look = match &result {
            // The nested step has looked already.
            Err(failed) if failed.at.is_some() || failed.failure.kind.is_crash() => return result,
            Err(failed) if failed.failure.kind == FailureKind::Infrastructure => {
                CrashLook::Streamed
            }
            Err(_) => CrashLook::Complete,
            Ok(None) => CrashLook::Streamed,
            Ok(Some(_)) => self.crash_look(step, path),
        };
        let Some(mut failure) = self.crash(look).await else {
            return result;
        };
        let artifacts = match result {
            Ok(done) => done.map_or_else(Vec::new, |done| done.artifacts),
            Err(failed) => {
                let observed = Words::format("the step itself: {}", &[&failed.failure.message]);
                failure.details.push(observed);
                failed.artifacts
            }
        };
        Err(FailedTry {
            failure,
            artifacts,
            at: None,
        })
    }

    /// Chooses how to look for a crash after a step that passed. Everything is read after the flow's or the
    /// teardown's last step, on a phone after a short wait if that step acts, and on the virtual device,
    /// which logs at once, after every step that acts. After other steps only the lines that have come count:
    /// on a phone the stream is as quick as the input, and another request would cost time.
    fn crash_look(&self, step: &Step, path: &StepPath) -> CrashLook {
        let acts = match &step.action {
            StepAction::Call { entry, .. } => {
                entry.effect != Effect::Reads && !step.action.is_assertion()
            }
            StepAction::Maestro(command) => command.moves(),
            StepAction::Control(_) | StepAction::Assert(_) | StepAction::Snapshot(_) => false,
        };
        let info = self.context.session.device().info();
        let is_immediate = info.offers(Feature::ImmediateLog);
        match (acts, is_immediate, self.is_last(path)) {
            (true, true, _) => CrashLook::Complete,
            (true, false, true) => CrashLook::Settled,
            (false, _, true) => CrashLook::Complete,
            _ => CrashLook::Streamed,
        }
    }

    /// Returns true for the last step of the flow's main list, or of its teardown. Steps inside other steps
    /// are never the last.
    fn is_last(&self, path: &StepPath) -> bool {
        let flow = self.context.flow;
        let last = |list: StepPath, number: usize| number > 0 && *path == list.number(number - 1);
        last(StepPath::default(), flow.steps.len())
            || last(
                StepPath::default().list(StepList::Teardown),
                flow.teardown.len(),
            )
    }

    /// Turns a timeout of the flow into a crash if the app crashed or hangs. The timeout's message and
    /// details become details of the crash. Nothing is asked of a device that is gone.
    pub(super) async fn attribute_crash(&self, failure: &mut Failure) {
        if self.gone.is_some() {
            return;
        }
        if let Some(mut crash) = self.crash(CrashLook::Briefly).await {
            let details = std::mem::take(&mut failure.details);
            crash.details.push(failure.message.clone());
            crash.details.extend(details);
            *failure = crash;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
