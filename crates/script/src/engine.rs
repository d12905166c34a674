//! Engine of one attempt: a thread that runs one script after another.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::error::{ScriptError, ScriptFault};
pub(super) use super::job::{Job, Script};
use super::job::{Reply, Request, Stop};
use super::options::ScriptOptions;
use super::runtime;
use runner_flow::Limits;

/// Time after the deadline in which a script may still end. `QuickJS` can stop a script only between two
/// instructions. Chosen: longer than usual single instructions take.
const GRACE: Duration = Duration::from_secs(1);
/// Stack of the engine's thread, in bytes. Chosen: more than scripts may use, because native
/// functions run on it too.
const THREAD_STACK_BYTES: usize = 8 << 20;

/// A script that had less than this before the flow's deadline is not blamed for it. Chosen: usual scripts
/// end sooner.
const SHORT_RUN: Duration = Duration::from_secs(1);

/// Handle of the thread that runs scripts. The thread ends after its current script once this is dropped.
#[derive(Debug)]
pub(super) struct Engine {
    requests: mpsc::Sender<Request>,
    /// Number of scripts that the thread was given.
    given: usize,
    /// Pending reply of a script that is still running after its deadline.
    overdue: Option<oneshot::Receiver<Reply>>,
}

impl Engine {
    /// Starts the thread for scripts. The engine itself starts there later; if it cannot, the first script fails.
    /// Returns an error only if there is no thread.
    pub(super) fn start(options: &ScriptOptions) -> Result<Self, ScriptError> {
        let (requests, received) = mpsc::channel();
        let options = options.clone();
        std::thread::Builder::new()
            .name("scripts".to_owned())
            .stack_size(THREAD_STACK_BYTES)
            .spawn(move || runtime::serve(&options, &received))
            .map_err(|error| {
                ScriptError::new(ScriptFault::Lost, format!("no thread for scripts: {error}"))
            })?;
        Ok(Self {
            requests,
            given: 0,
            overdue: None,
        })
    }

    /// Returns the number of scripts that the thread was given so far. One that was refused, because its time was up
    /// or the thread is busy, does not count.
    pub(super) fn given(&self) -> usize {
        self.given
    }

    /// Runs a script until `time` is over or the flow's deadline in `limits`, whichever is earlier, and gives up
    /// [`GRACE`] later. Returns the result and the logged lines; no lines if it gave up. Dropping the future stops the
    /// script. A timeout is [`ScriptFault::FlowTimeout`] if the flow had less than [`SHORT_RUN`] left at the start.
    /// First waits for an earlier script that did not stop; after the deadline or a cancellation nothing is run.
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

    /// Does what [`Self::run`] says, but blames the script for each timeout.
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
        if let Err(error) = self.wait_for_overdue(&stop).await {
            return failed(error);
        }
        let (reply, mut answer) = oneshot::channel();
        let request = Request {
            job,
            stop: stop.clone(),
            reply,
        };
        if self.requests.send(request).is_err() {
            return failed(thread_ended());
        }
        self.given += 1;
        let timeout = tokio::time::Instant::from_std(until + GRACE);
        tokio::select! {
            biased;
            answer = &mut answer => return answer.unwrap_or_else(|_| failed(thread_ended())),
            () = stop.token.cancelled() => {}
            () = tokio::time::sleep_until(timeout) => {}
        }
        // A thread cannot be killed. It runs on, and keeps its memory.
        self.overdue = Some(answer);
        failed(stop.error())
    }

    /// Waits until an overdue script has ended, at most until the deadline of the next one. Returns an error then
    /// and at a cancellation; the script stays overdue. Returns at once if none is overdue.
    async fn wait_for_overdue(&mut self, stop: &Stop) -> Result<(), ScriptError> {
        let Some(overdue) = &mut self.overdue else {
            return Ok(());
        };
        let until = tokio::time::Instant::from_std(stop.until);
        tokio::select! {
            biased;
            _ = overdue => {}
            () = stop.token.cancelled() => return Err(stop.error()),
            () = tokio::time::sleep_until(until) => return Err(thread_busy()),
        }
        self.overdue = None;
        Ok(())
    }
}

fn failed(error: ScriptError) -> Reply {
    (Err(error), Vec::new())
}

/// Creates the error for a script that cannot run because an earlier one does not stop.
fn thread_busy() -> ScriptError {
    ScriptError::new(
        ScriptFault::Lost,
        "a script before did not end and could not be stopped; no other runs meanwhile",
    )
}

/// Creates the error for a thread of scripts that is gone or never had an engine.
fn thread_ended() -> ScriptError {
    ScriptError::new(
        ScriptFault::Lost,
        "there is not enough memory for scripts, or their thread ended",
    )
}
