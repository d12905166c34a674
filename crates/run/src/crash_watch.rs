//! Whether the app under test crashed or hangs: one stream of the device's log an attempt.
//!
//! What is read of the stream so far says little: a line may be on its way. So where it matters a line of this program's own
//! is written into the log, and the stream is read until it comes.

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

/// Under which tag the own lines are written.
const TAG: &str = "runner-watch";
/// How long the stream may take to begin, and its first line to come.
const BEGIN_LIMIT: Duration = Duration::from_secs(10);
/// A line that is written before the device reads its log may be passed over: it is written again after so long.
const AGAIN: Duration = Duration::from_secs(2);
/// How long a line may take through the log. A device that is well needs milliseconds.
const LINE_LIMIT: Duration = Duration::from_secs(10);
/// How long a server may take to give its device's log.
const SERVER_LIMIT: Duration = Duration::from_secs(5);
/// A crash is in the log so long after the input that it came of.
const SETTLE: Duration = Duration::from_millis(300);
/// The system writes a hanging app's trace only after it asked all processes what they do.
const TRACE_PAUSE: Duration = Duration::from_secs(2);
/// Maximum number of crashes of other apps that are reported.
const MOST_OTHERS: usize = 5;

/// How it is looked for a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CrashLook {
    /// What the stream has brought so far.
    Streamed,
    /// All that the log has by now.
    Complete,
    /// The same of a flow that has no more time: a device that hangs is not waited for.
    Briefly,
    /// All that it has a moment after the last input.
    Settled,
}

/// Reports crashes.
pub(super) struct CrashWatch {
    source: Source,
    app: String,
    /// Numbers of the crashes that were reported.
    reported: Mutex<Vec<usize>>,
    /// The process of the app's crash that was reported last.
    ended: Mutex<Option<u32>>,
    /// Why there is nothing to read.
    note: Option<String>,
}

enum Source {
    Stream(LogStream),
    /// A server gives all of the log at once.
    Server,
    Nothing,
}

/// The log, read as it grows. Dropping it ends the command on the device.
struct LogStream {
    progress: Arc<Mutex<Progress>>,
    changes: watch::Receiver<u64>,
    nonce: String,
    next: AtomicU32,
    reading: JoinHandle<()>,
}

/// Why a device gives no log.
#[derive(Debug, thiserror::Error)]
enum NoLog {
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error("`logcat` ends at once: {0}")]
    Ended(String),
    #[error("`logcat` does not tell a line that was just logged")]
    Silent,
}

/// How far the stream is read.
#[derive(Default)]
struct Progress {
    reader: CrashReader,
    /// The number of the own line that came last. What came before the first was logged before the attempt.
    marker: Option<u32>,
    lines: u64,
    bytes: u64,
    /// The first words that are not a line of a log: why there is none.
    message: Option<String>,
    has_ended: bool,
    /// The device logs nothing for this program.
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
    /// Begins to read what the device logs from now on. Where it gives no log, nothing is ever seen.
    pub(super) async fn begin(device: &Arc<dyn Device>, app: &str) -> Self {
        let mut watch = Self {
            source: Source::Nothing,
            app: app.to_owned(),
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

    /// How often the device was asked to log a line.
    pub(super) fn round_trips(&self) -> u64 {
        match &self.source {
            Source::Stream(stream) => stream.next.load(Ordering::Relaxed).into(),
            Source::Server | Source::Nothing => 0,
        }
    }

    /// The process of the app that crashed last.
    pub(super) fn ended(&self) -> Option<u32> {
        *lock(&self.ended)
    }

    /// Crashes since the attempt began that were not reported yet, first to last.
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
                // Also of what was seen: the rest of it may be on its way.
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
    async fn begin(device: &Arc<dyn Device>) -> Result<Self, NoLog> {
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
            Err(_) => return Err(NoLog::Silent),
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
        while !stream.catch_up(device.as_ref(), AGAIN).await {
            let (has_ended, is_mute, text) = {
                let progress = lock(&stream.progress);
                (
                    progress.has_ended,
                    progress.is_mute,
                    progress.message.clone(),
                )
            };
            if has_ended {
                return Err(NoLog::Ended(text.unwrap_or_default()));
            }
            if is_mute || Instant::now() >= end {
                return Err(NoLog::Silent);
            }
        }
        Ok(stream)
    }

    /// Reads on until all that is in the log by now has come, and says whether it has.
    async fn catch_up(&self, device: &dyn Device, limit: Duration) -> bool {
        let mut changes = self.changes.clone();
        if lock(&self.progress).has_ended {
            return false;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let marker = format!("{}-{number}", self.nonce);
        let script = Script::command(["log", "-t", TAG, &marker]);
        let coming = async {
            // Not one that changes what is shown.
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

/// Reads the stream to its end.
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
    /// Goes on with a watch that has begun, and says where it can see nothing.
    pub(super) fn watch_crashes(&mut self, watch: Option<CrashWatch>) {
        if let Some(note) = watch.as_ref().and_then(|watch| watch.note.clone()) {
            let id = Some(&self.context.id);
            self.context.emitter.info(id, note);
        }
        self.crashes = watch;
    }

    /// The failure of an app that crashed since it was last looked for. Other apps are noted.
    pub(super) async fn crash(&self, look: CrashLook) -> Option<Failure> {
        let watch = self.crashes.as_ref()?;
        let device = self.context.session.device();
        if look == CrashLook::Settled && !device.info().offers(Feature::ImmediateLog) {
            // A step that reads back what it typed has waited long enough.
            let waited = self.context.session.time_since_input().unwrap_or_default();
            tokio::time::sleep(SETTLE.saturating_sub(waited)).await;
        }
        let mut crashed = None;
        // Nothing that it asks changes what is shown.
        let began = self.context.session.began().await;
        let limit = match look {
            CrashLook::Briefly => MIN_REQUEST_LIMIT,
            _ => self.context.session.bound(LINE_LIMIT),
        };
        let crashes = watch.crashes(device, look, began, limit);
        let crashes = self.context.session.reading(crashes);
        for crash in crashes.await {
            if !crash.is_of(&watch.app) {
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
        if lock(&watch.reported).len() > MOST_OTHERS {
            return;
        }
        let text = Failure::crash(crash.clone()).message;
        let note = format!("another app than {}: {text}", watch.app);
        self.context.emitter.info(Some(&self.context.id), note);
    }

    /// What a step came to, unless the app crashed: then that is what failed it.
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
            // A step inside has looked.
            Err(failed) if failed.at.is_some() || failed.failure.kind.is_crash() => return result,
            Err(failed) if failed.failure.kind == FailureKind::Infrastructure => {
                CrashLook::Streamed
            }
            Err(_) => CrashLook::Complete,
            Ok(None) => CrashLook::Streamed,
            Ok(Some(_)) => self.look_after(step, path),
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

    /// How it is looked for a crash after a step that passed. Each step of the virtual device is over before a line of its
    /// log can come; on a phone the log is as quick as the input, and a question would cost time.
    fn look_after(&self, step: &Step, path: &StepPath) -> CrashLook {
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

    /// Whether it is the last step of the flow, or of its teardown.
    fn is_last(&self, path: &StepPath) -> bool {
        let flow = self.context.flow;
        let last = |list: StepPath, number: usize| number > 0 && *path == list.number(number - 1);
        last(StepPath::default(), flow.steps.len())
            || last(
                StepPath::default().list(StepList::Teardown),
                flow.teardown.len(),
            )
    }

    /// A limit of the flow that ran out because the app crashed or hangs.
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
