//! The engine of an attempt: a thread that runs one script after another, and what it is asked.

use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::{ScriptError, ScriptFault};
use super::runtime;
use super::scope::ScriptOptions;
use runner_flow::Limits;

/// A script is stopped between its instructions. One that is in a single long instruction by then gets so much more.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of the thread: more than scripts may use, for what serves them needs some too.
const STACK: usize = 8 << 20;

/// A script.
#[derive(Debug)]
pub(super) enum Script {
    /// Of a `${…}`.
    Expression {
        source: String,
        /// What it comes to is wanted, as a text.
        is_wanted: bool,
    },
    /// Of `runScript`.
    File { name: String, source: String },
}

/// What the engine is asked for.
pub(super) struct Job {
    pub(super) script: Script,
    pub(super) env: Arc<IndexMap<String, String>>,
    /// `maestro.copiedText`, where it changed.
    pub(super) copied_text: Option<String>,
}

/// When a script has to stop.
#[derive(Clone)]
pub(super) struct Stop {
    pub(super) until: Instant,
    /// Cancelled when the run is to end, or when nobody waits any more.
    pub(super) token: CancellationToken,
}

impl Stop {
    pub(super) fn is_now(&self) -> bool {
        self.token.is_cancelled() || Instant::now() >= self.until
    }

    /// Why it stopped.
    pub(super) fn error(&self) -> ScriptError {
        if self.token.is_cancelled() {
            return ScriptError::new(ScriptFault::Stopped, "the script was ended with the run");
        }
        out_of_time()
    }
}

/// A script that had less time before the flow's end did not use that time up.
const SHORT_RUN: Duration = Duration::from_secs(1);

pub(super) fn out_of_time() -> ScriptError {
    ScriptError::new(
        ScriptFault::Timeout,
        "the script did not end within its time; look for a loop without an end, or give the step more time",
    )
}

/// A job on its way, and who waits for it.
pub(super) struct Request {
    pub(super) job: Job,
    pub(super) stop: Stop,
    pub(super) reply: oneshot::Sender<Reply>,
}

/// What came of a job, and what the script wrote, a line each.
pub(super) type Reply = (Result<String, ScriptError>, Vec<String>);

/// The thread that runs scripts. It ends when this is dropped, after the script that it is at.
#[derive(Debug)]
pub(super) struct Engine {
    requests: mpsc::Sender<Request>,
    /// The answer of a script that did not let the thread go when its time was up.
    late: Option<oneshot::Receiver<Reply>>,
}

impl Engine {
    pub(super) fn start(options: &ScriptOptions) -> Result<Self, ScriptError> {
        let (requests, received) = mpsc::channel();
        let options = options.clone();
        std::thread::Builder::new()
            .name("scripts".to_owned())
            .stack_size(STACK)
            .spawn(move || runtime::serve(&options, &received))
            .map_err(|error| {
                ScriptError::new(ScriptFault::Lost, format!("no thread for scripts: {error}"))
            })?;
        Ok(Self {
            requests,
            late: None,
        })
    }

    /// Runs a script within the limits. A dropped call stops the script.
    pub(super) async fn run(&mut self, job: Job, limits: &Limits, time: Duration) -> Reply {
        let began = Instant::now();
        let mut reply = self.run_job(job, limits, time).await;
        if let Err(error) = &mut reply.0
            && error.fault == ScriptFault::Timeout
            && limits.until.is_some_and(|until| until < began + SHORT_RUN)
        {
            error.fault = ScriptFault::FlowTimeout;
        }
        reply
    }

    async fn run_job(&mut self, job: Job, limits: &Limits, time: Duration) -> Reply {
        let token = limits
            .stop
            .as_ref()
            .map_or_else(CancellationToken::new, CancellationToken::child_token);
        let own = Instant::now() + time;
        let until = limits.until.map_or(own, |until| until.min(own));
        let stop = Stop { until, token };
        let _stops_when_dropped = stop.token.clone().drop_guard();
        if stop.is_now() {
            return failed(stop.error());
        }
        if let Err(error) = self.wait_for_late(&stop).await {
            return failed(error);
        }
        let (reply, mut answer) = oneshot::channel();
        let request = Request {
            job,
            stop: stop.clone(),
            reply,
        };
        if self.requests.send(request).is_err() {
            return failed(ended());
        }
        let timeout = tokio::time::Instant::from_std(until + GRACE);
        tokio::select! {
            biased;
            answer = &mut answer => return answer.unwrap_or_else(|_| failed(ended())),
            () = stop.token.cancelled() => {}
            () = tokio::time::sleep_until(timeout) => {}
        }
        // A thread cannot be ended. It is left alone, with the memory that it has.
        self.late = Some(answer);
        failed(stop.error())
    }

    /// Waits until the thread is free.
    async fn wait_for_late(&mut self, stop: &Stop) -> Result<(), ScriptError> {
        let Some(late) = &mut self.late else {
            return Ok(());
        };
        let until = tokio::time::Instant::from_std(stop.until);
        tokio::select! {
            biased;
            _ = late => {}
            () = stop.token.cancelled() => return Err(stop.error()),
            () = tokio::time::sleep_until(until) => return Err(lost()),
        }
        self.late = None;
        Ok(())
    }
}

fn failed(error: ScriptError) -> Reply {
    (Err(error), Vec::new())
}

fn lost() -> ScriptError {
    ScriptError::new(
        ScriptFault::Lost,
        "a script before did not end and could not be stopped; no other runs meanwhile",
    )
}

fn ended() -> ScriptError {
    ScriptError::new(
        ScriptFault::Lost,
        "there is not enough memory for scripts, or their thread ended",
    )
}
