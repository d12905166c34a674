//! Streams the device's log while a page asks for it, and keeps the latest lines.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::answer::{self, Answer, RecordedRequest, SharedStudio};
use super::{Studio, StudioError};
use runner_agent::record::Assertion;
use runner_device::logs::{self, FollowOptions, FollowedLine, LogLine};
use runner_device::{DeviceError, crash};
use runner_text::secret::Excerpt;
use runner_tools::Failure;

/// Lines kept, and sent in one answer. Chosen: minutes of an ordinary log; a page shows them all.
const MAX_LINES: usize = 2000;

/// Bytes of a message that is kept. Chosen: Android's own log cuts at about 4 KiB.
const MAX_MESSAGE_BYTES: usize = 8 << 10;

/// Characters of a message sent to a page. Chosen: longer ones make the list hard to read.
const MAX_MESSAGE_CHARS: usize = 1000;

/// Time without a request after which the log is no longer streamed. Chosen: an open page asks more often.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause until an ended log is followed again, and between two reads of a server that returns the whole log.
/// Chosen: a person notices no gap.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Part of the log that is followed.
const FOLLOWED: FollowOptions<'_> = FollowOptions {
    last: MAX_LINES,
    buffers: &[],
    filters: &[],
    poll: Some(POLL_INTERVAL),
};

/// Interval of asking for an app's processes, and time for the answer. Chosen: it takes a command; new
/// processes are found in the log too.
const PROCESS_INTERVAL: Duration = Duration::from_secs(2);
const PROCESS_TIMEOUT: Duration = Duration::from_secs(5);

/// Processes kept of one app. Chosen: more than an app starts in hours.
const MAX_PROCESSES: usize = 500;

/// Bytes of an app's package name. Chosen: the limit of file names in Linux, and longer than any package's name.
const MAX_PACKAGE_BYTES: usize = 255;

/// Log of the device, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct DeviceLog {
    state: Mutex<LogState>,
    requested: Notify,
}

#[derive(Debug, Default)]
struct LogState {
    lines: VecDeque<LogLine>,
    /// Number of the first line that is kept.
    first: u64,
    /// Time of a page's last request.
    last_query: Option<Instant>,
    /// App whose processes are known.
    app: Option<AppProcesses>,
    /// Reason why there is no log.
    trouble: Option<String>,
}

#[derive(Debug)]
struct AppProcesses {
    package: String,
    /// Process ids, also of processes that ended: their lines belong to the app.
    pids: BTreeSet<u32>,
    read: Instant,
}

impl DeviceLog {
    fn state(&self) -> MutexGuard<'_, LogState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_wanted(&self) -> bool {
        let requested = self.state().last_query;
        requested.is_some_and(|query| query.elapsed() < IDLE_TIMEOUT)
    }

    /// Forgets all lines and the app's processes, as another device is shown or the log begins again. Numbers of
    /// lines go on from there; no number is given twice. Does not stop the reading.
    pub(super) fn clear(&self) {
        let mut state = self.state();
        state.first += state.lines.len() as u64;
        state.lines.clear();
        state.app = None;
    }
}

impl LogState {
    /// Adds a line and drops the oldest beyond `MAX_LINES`. A message longer than `MAX_MESSAGE_BYTES` is replaced
    /// by its length; the raw line is not kept. A process that the known app starts is remembered, up to
    /// `MAX_PROCESSES`.
    fn push(&mut self, mut line: LogLine) {
        if line.message.len() > MAX_MESSAGE_BYTES {
            line.message = format!("(a line of {} bytes)", line.message.len());
        }
        line.raw = String::new();
        if let Some(app) = &mut self.app
            && let Some(pid) = logs::started(&line, &app.package)
            && app.pids.len() < MAX_PROCESSES
        {
            app.pids.insert(pid);
        }
        self.lines.push_back(line);
        if self.lines.len() > MAX_LINES {
            self.lines.pop_front();
            self.first += 1;
        }
    }
}

pub(super) fn routes() -> Router<Arc<Studio>> {
    Router::new()
        .route("/log", post(read))
        .route("/log/assert", post(assert))
}

/// Reads the log while pages ask for it, from the beginning each time they ask again. Lines read before are
/// forgotten then. Errors are kept for the page's next request and tried again after [`POLL_INTERVAL`]. Never ends.
pub(super) async fn watch(studio: &Studio) {
    let log = &studio.log;
    loop {
        while !log.is_wanted() {
            log.requested.notified().await;
        }
        log.clear();
        if let Err(error) = follow(studio).await {
            log.state().trouble = Some(error.to_string());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Follows the log of the chosen device, opened if need be, until no page has asked for [`IDLE_TIMEOUT`], it ends,
/// or another device is chosen; all these are no error. Lines that are no log lines are left out.
async fn follow(studio: &Studio) -> Result<(), DeviceError> {
    let log = &studio.log;
    let connection = &studio.workspace.connection;
    let opened = connection.opened().await?;
    let mut lines = logs::follow(opened.device(), FOLLOWED).await?;
    log.state().trouble = None;
    while log.is_wanted() {
        if connection.opened().await?.target.label != opened.target.label {
            return Ok(());
        }
        // A quiet log has no line for a long time.
        let Ok(line) = timeout(POLL_INTERVAL, lines.next()).await else {
            continue;
        };
        match line? {
            Some(FollowedLine::Log(line)) => log.state().push(line),
            Some(FollowedLine::Other(_)) => {}
            None => {
                let why = "the device's log ended; it is asked for again";
                log.state().trouble = Some(why.to_owned());
                return Ok(());
            }
        }
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineQuery {
    /// Number of the first line that the page does not have.
    from: u64,
    /// App whose processes the page wants to know.
    app: Option<String>,
}

/// Lines of the log, and the processes of the requested app.
#[derive(Serialize)]
struct LogAnswer {
    first: u64,
    next: u64,
    lines: Vec<LineAnswer>,
    pids: Option<BTreeSet<u32>>,
    trouble: Option<String>,
}

#[derive(Serialize)]
struct LineAnswer {
    #[serde(rename = "n")]
    number: u64,
    time: String,
    pid: u32,
    level: char,
    tag: String,
    text: String,
    crash: bool,
}

/// Returns the lines that are read from a number on, with secrets masked, and asks for the log to be read from now
/// on. Waits for no line; the first answer is mostly empty. Lines that are no longer kept are left out, and a
/// number beyond the last gives all. With an app, the answer also has its processes, as [`processes`] finds them;
/// lines of others stay in it, as the page filters. Trouble of the reading is in the answer, no error; too long a
/// name of an app is one.
async fn read(State(studio): SharedStudio, Json(query): Json<LineQuery>) -> Answer {
    let log = &studio.log;
    log.state().last_query = Some(Instant::now());
    log.requested.notify_one();
    let app = query.app.filter(|app| !app.is_empty());
    let pids = match &app {
        Some(app) if app.len() > MAX_PACKAGE_BYTES => {
            return Err(refused(&studio, "no app has so long a name"));
        }
        Some(app) => Some(processes(&studio, app).await),
        None => None,
    };
    let state = log.state();
    let next = state.first + state.lines.len() as u64;
    // The number is from another start of the server.
    let from = if query.from > next {
        0
    } else {
        query.from.max(state.first)
    };
    let lines = state.lines.iter().zip(state.first..);
    let new = lines.skip_while(|(_, number)| *number < from);
    let answer = LogAnswer {
        first: state.first,
        next,
        lines: new
            .map(|(line, number)| line_answer(line, number))
            .collect(),
        pids,
        trouble: state.trouble.clone(),
    };
    drop(state);
    Ok(Json(studio.scrubbed(answer)))
}

/// Converts a line for the page; its message is marked to be cut after `MAX_MESSAGE_CHARS`. Marks the first line of a
/// crash.
fn line_answer(line: &LogLine, number: u64) -> LineAnswer {
    LineAnswer {
        number,
        time: line.time.clone(),
        pid: line.pid,
        level: line.level.letter(),
        tag: line.tag.clone(),
        text: Excerpt::new(&line.message, MAX_MESSAGE_CHARS).to_string(),
        crash: crash::begins(line),
    }
}

/// Returns the processes of an app, also those that ended and those whose start is in the log. An answer at most
/// [`PROCESS_INTERVAL`] old is used again; only the last app's is kept. If the device does not answer in time,
/// returns those known. At most the highest [`MAX_PROCESSES`].
async fn processes(studio: &Studio, package: &str) -> BTreeSet<u32> {
    let known = {
        let state = studio.log.state();
        let known = state.app.as_ref().filter(|app| app.package == package);
        known.map(|app| (app.pids.clone(), app.read.elapsed() < PROCESS_INTERVAL))
    };
    let mut pids = match known {
        Some((pids, true)) => return pids,
        Some((pids, false)) => pids,
        None => BTreeSet::new(),
    };
    // If the device does not answer now, it is asked again soon.
    if let Ok(Ok(opened)) = timeout(PROCESS_TIMEOUT, studio.workspace.connection.opened()).await {
        let device = opened.device().as_ref();
        pids.extend(logs::processes(device, package, PROCESS_TIMEOUT).await);
    }
    let mut state = studio.log.state();
    pids.extend(
        state
            .lines
            .iter()
            .filter_map(|line| logs::started(line, package)),
    );
    while pids.len() > MAX_PROCESSES {
        pids.pop_first();
    }
    state.app = Some(AppProcesses {
        package: package.to_owned(),
        pids: pids.clone(),
        read: Instant::now(),
    });
    pids
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineRequest {
    n: u64,
    /// App that wrote the line; `null` means any app.
    app: Option<String>,
}

/// Adds a step to the recording and the history that waits for a line like this one, with the same trimmed message and
/// tag. The step is not run. The answer has the recorded steps from `block` on. Refuses a line that is not kept any
/// more, is blank or holds a secret.
async fn assert(
    State(studio): SharedStudio,
    Json(requested): Json<RecordedRequest<LineRequest>>,
) -> Answer {
    let block = answer::block(&studio, requested.block);
    let LineRequest { n, app } = requested.request;
    let line = {
        let state = studio.log.state();
        let place = n
            .checked_sub(state.first)
            .and_then(|place| usize::try_from(place).ok());
        place.and_then(|place| state.lines.get(place).cloned())
    };
    let Some(line) = line else {
        return Err(refused(
            &studio,
            "this line is not kept any more; choose another",
        ));
    };
    let message = line.message.trim().to_owned();
    if message.is_empty() {
        return Err(refused(&studio, "this line says nothing; choose another"));
    }
    if studio.workspace.scrubber.scrub_outside(&message) != message {
        return Err(refused(
            &studio,
            "this line holds a secret, which must not stand in a flow; write the step `assert log` with another part of it",
        ));
    }
    let what = format!("assert log {}", line.tag);
    let tag = line.tag;
    studio
        .workspace
        .recorder
        .assert(Assertion::Log { message, tag, app }, None);
    let frame = studio.frames().last_read().cloned();
    studio.note(what, frame);
    Ok(Json(answer::recorded(&studio, block)))
}

fn refused(studio: &Studio, why: &'static str) -> runner_pages::Problem {
    answer::to_problem(studio, StudioError::from(Failure::usage(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> LogLine {
        logs::parse(text).unwrap()
    }

    #[test]
    fn the_last_lines_are_kept_and_keep_their_numbers() {
        let log = DeviceLog::default();
        for number in 0..MAX_LINES + 5 {
            let text = format!("04-24 18:34:14.408  1  2 I Tag: line {number}");
            log.state().push(line(&text));
        }
        let state = log.state();
        assert_eq!((state.first, state.lines.len()), (5, MAX_LINES));
        assert_eq!(state.lines[0].message, "line 5");
        drop(state);
        log.clear();
        assert_eq!(
            log.state().first,
            5 + MAX_LINES as u64,
            "no number is given twice"
        );
        let long = format!(
            "04-24 18:34:14.408  1  2 I Tag: {}",
            "x".repeat(MAX_MESSAGE_BYTES + 1)
        );
        log.state().push(line(&long));
        assert!(log.state().lines[0].message.len() < 100);
    }

    #[test]
    fn a_crash_stands_out() {
        let crash = line("04-24 18:34:14.408  1  2 E AndroidRuntime: FATAL EXCEPTION: main");
        assert!(line_answer(&crash, 0).crash);
        let notes = line("04-24 18:34:14.408  1  2 I Notes: FATAL EXCEPTION");
        assert!(!line_answer(&notes, 0).crash);
    }

    #[test]
    fn a_process_that_starts_belongs_to_its_app() {
        let log = DeviceLog::default();
        log.state().app = Some(AppProcesses {
            package: "a.b".to_owned(),
            pids: BTreeSet::new(),
            read: Instant::now(),
        });
        let start = "04-24 18:34:14.408  1  2 I ActivityManager: Start proc 4711:a.b/u0a1 for x";
        log.state().push(line(start));
        assert!(log.state().app.as_ref().unwrap().pids.contains(&4711));
    }
}
