//! Implements the debugger of a run: pauses, and continues as the first page decides.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, oneshot};

use super::breakpoints::shared_text;
use super::{Choice, DebuggerState, OpenPause};
use crate::file::Content;
use crate::messages::{FeedMessage, FileState, RunMessage};
use crate::part::Outline;
use crate::run;
use crate::{Studio, StudioError};
use runner_flow::Flow;
use runner_run::{
    DebugChoice, Debugger, DebuggerFuture, Decision, ExclusiveAccess, NamedValue, Pause, StepPlace,
    resumable,
};
use runner_tools::{Failure, blocking};

/// Time without an open page after which a paused run ends. Chosen: a break at work; the device should not
/// stay in use overnight.
const UNATTENDED_TIMEOUT: Duration = Duration::from_mins(30);

/// Interval at which a paused run renews its use of the device. Chosen: a third of the 30 s after which
/// `runner-run` frees an unused device for other runs.
const RENEW_INTERVAL: Duration = Duration::from_secs(10);

/// Time that a continued run waits until others stop using the device. Chosen: an agent's flow may run that
/// long.
const TAKE_TIMEOUT: Duration = Duration::from_secs(90);

/// Time that a run has to end when the program stops. Chosen: a teardown takes some seconds; a hanging device
/// must not keep the program.
const STOP_TIMEOUT: Duration = Duration::from_secs(45);

/// Debugger of one run.
pub(crate) struct StudioDebugger {
    studio: Arc<Studio>,
    /// Exclusive access to the device, given up during a pause.
    access: Mutex<Option<ExclusiveAccess>>,
}

impl std::fmt::Debug for StudioDebugger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StudioDebugger")
    }
}

impl DebuggerState {
    /// Prepares for a run of this text: moves the breakpoints to it, and removes the pause and the values of the
    /// run before. Tells no page. `steps_once` pauses before the first step.
    pub(crate) fn begin(&self, text: &str, outline: Outline, steps_once: bool) {
        self.follow(text);
        let mut inner = self.lock();
        inner.runs = shared_text(text);
        inner.outline = Some(outline);
        inner.steps_once = steps_once;
        inner.pause = None;
        inner.values = Vec::new();
    }

    /// Returns true if this text runs, or ran last.
    pub(super) fn runs(&self, text: &str) -> bool {
        *self.lock().runs == *text
    }

    /// Opens a pause with the next number, and returns the receiver of its decision; it fails if the pause is
    /// removed or replaced without one. Stores the pause's values, and ends the stepping. Tells no page and frees
    /// no device. The line is `None` in a file other than `path`.
    fn open(&self, mut pause: Pause, path: &str) -> oneshot::Receiver<Decision> {
        let (answer, answered) = oneshot::channel();
        let mut inner = self.lock();
        let is_ours = pause.place.at.file == path;
        let line = is_ours.then_some(pause.place.at.line);
        let is_step = pause.failure.is_none() && !line.is_some_and(|line| inner.breaks_at(line));
        inner.turns += 1;
        inner.steps_once = false;
        inner.values = std::mem::take(&mut pause.values);
        inner.pause = Some(OpenPause {
            pause,
            line,
            is_step,
            answer,
        });
        answered
    }
}

/// Guard of a pause, which ends when it is dropped.
struct PauseMark<'a>(&'a Arc<Studio>);

impl<'a> PauseMark<'a> {
    /// Marks the run as paused until the mark is dropped, and tells the pages then and now. The drop also removes
    /// the open pause.
    fn new(studio: &'a Arc<Studio>) -> Self {
        studio.run.set_paused(true);
        studio.notify_debugger();
        studio.acted.notify_one();
        Self(studio)
    }
}

impl Drop for PauseMark<'_> {
    fn drop(&mut self) {
        self.0.run.set_paused(false);
        self.0.debugger.lock().pause = None;
        self.0.notify_debugger();
    }
}

impl StudioDebugger {
    /// Creates the debugger of a run, which holds exclusive access to the device until a pause or [`Self::let_go`].
    pub(crate) fn new(studio: &Arc<Studio>, access: ExclusiveAccess) -> Arc<Self> {
        Arc::new(Self {
            studio: Arc::clone(studio),
            access: Mutex::new(Some(access)),
        })
    }

    /// Takes exclusive access again, once nobody else uses the device. Returns true at once if it is held.
    /// Returns false if somebody does not give it up within `TAKE_TIMEOUT`.
    async fn take_back(&self) -> bool {
        let mut access = self.access.lock().await;
        if access.is_none() {
            let alone = self.studio.workspace.connection.lock_exclusive();
            *access = tokio::time::timeout(TAKE_TIMEOUT, alone).await.ok();
        }
        access.is_some()
    }

    /// Renews the use of the device, at once and then each [`RENEW_INTERVAL`], so that no other program's run takes
    /// it. Others in this program may use it meanwhile. Never ends.
    async fn keep_in_use(&self) {
        loop {
            drop(self.studio.workspace.connection.lock_shared().await);
            tokio::time::sleep(RENEW_INTERVAL).await;
        }
    }
}

impl Debugger for StudioDebugger {
    fn pauses_before(&self, place: &StepPlace) -> bool {
        let path = self.studio.file.assumed();
        let inner = self.studio.debugger.lock();
        inner.steps_once || place.at.file == path && inner.breaks_at(place.at.line)
    }

    fn pauses_after(&self, _: &StepPlace, _: &Failure) -> bool {
        let inner = self.studio.debugger.lock();
        inner.pauses_at_failures || inner.steps_once
    }

    /// Pauses the run, frees the device, and waits for the person's decision. Also waits until the device can be
    /// taken back. The run stops if no page listens for `UNATTENDED_TIMEOUT`, or if the device cannot be taken
    /// back. Fixes that hold a secret are not offered.
    fn decide(&self, mut pause: Pause) -> DebuggerFuture<'_, Decision> {
        Box::pin(async move {
            let studio = &self.studio;
            if let Some(failure) = &mut pause.failure {
                let scrubber = &studio.workspace.scrubber;
                failure.fixes.retain(|fix| !fix.has_secret(scrubber));
            }
            let path = studio.file.assumed();
            let answered = studio.debugger.open(pause, path.as_str());
            // Others may use the device during the pause.
            self.access.lock().await.take();
            let mark = PauseMark::new(studio);
            let stop = || Decision::new(DebugChoice::Stop);
            let decision = tokio::select! {
                decision = answered => decision.unwrap_or_else(|_| stop()),
                () = studio.feed.nobody(UNATTENDED_TIMEOUT) => stop(),
                () = self.keep_in_use() => stop(),
            };
            drop(mark);
            if self.take_back().await {
                return decision;
            }
            let why = "Somebody else has had the device since the pause, so the run ends here. Run it again when they are done.";
            run::notify(studio, &RunMessage::Log { message: why });
            stop()
        })
    }

    /// Shows the values at the end on the pages at once. The future takes the device back for the teardown, or ends
    /// after `TAKE_TIMEOUT` without it.
    fn ends(&self, values: Vec<NamedValue>) -> DebuggerFuture<'_, ()> {
        self.studio.debugger.lock().values = values;
        self.studio.notify_debugger();
        Box::pin(async {
            // Better to run the teardown while somebody uses the device than not at all.
            self.take_back().await;
        })
    }
}

/// Decides about the pause number `turn`, and does not wait until the run goes on. The first decision counts; each
/// later one, and one about another pause, is an error. A step pauses the run before the next one. Unless the
/// choice is to stop, the flow's file is read again, and an edited flow goes on from the same step; an edit that
/// does not allow that is an error, and the run stays paused.
pub(super) async fn decide(
    studio: &Arc<Studio>,
    turn: u64,
    choice: Choice,
) -> Result<(), StudioError> {
    let (pause, runs, outline) = {
        let inner = studio.debugger.lock();
        let open = inner.pause.as_ref().filter(|_| inner.turns == turn);
        let open = open.ok_or(StudioError::PauseOver)?;
        let runs = Arc::clone(&inner.runs);
        (open.pause.clone(), runs, inner.outline.clone())
    };
    let mut edited = None;
    if choice != Choice::Stop {
        let work = Arc::clone(studio);
        edited = blocking(move || reread(&work, &pause, &runs, outline.as_ref())).await??;
    }
    let mut inner = studio.debugger.lock();
    if inner.turns != turn {
        return Err(StudioError::PauseOver);
    }
    let open = inner.pause.take().ok_or(StudioError::PauseOver)?;
    inner.steps_once = choice == Choice::Step;
    let flow = edited.map(|(flow, text)| {
        inner.runs = text;
        flow
    });
    drop(inner);
    let decision = Decision {
        flow,
        ..Decision::new(choice.into())
    };
    open.answer
        .send(decision)
        .map_err(|_| StudioError::PauseOver)
}

/// Edited flow with its text. `None` if it is the same as the running one.
type EditedFlow = Option<(Arc<Flow>, Arc<str>)>;

/// Reads the saved flow as it was edited during the pause, reduced to the part that runs; `None` if its text is
/// that of the run. Moves the breakpoints to it. An error if it does not read, or the run cannot go on in it.
fn reread(
    studio: &Studio,
    pause: &Pause,
    runs: &str,
    outline: Option<&Outline>,
) -> Result<EditedFlow, StudioError> {
    let text = studio.file.read()?.text;
    let Some(outline) = outline.filter(|_| text != runs) else {
        return Ok(None);
    };
    let plan = run::read(studio)?;
    let case = plan.cases.first().ok_or(StudioError::DoesNotRead)?;
    let flow = outline.select_edited(&case.flow)?;
    resumable(&pause.flow, &flow, &pause.place.path)?;
    studio.debugger.follow(&text);
    Ok(Some((Arc::new(flow), text.into())))
}

/// Ends the run in order: its teardown runs and settings are restored. A paused run goes on to its end by a
/// decision, with its failure if it has one; any other is cancelled. Does not wait. Does nothing without a run.
pub(crate) fn stop(studio: &Studio) {
    let open = studio.debugger.lock().pause.take();
    let stop = Decision::new(DebugChoice::Stop);
    let is_told = open.is_some_and(|open| open.answer.send(stop).is_ok());
    if !is_told {
        studio.run.stop();
    }
}

/// Waits until the run that the program's end cancelled has ended, as its teardown needs the device; at most
/// `STOP_TIMEOUT`. Returns at once without a run.
pub(crate) async fn wait_for_idle(studio: &Studio) {
    let _ = tokio::time::timeout(STOP_TIMEOUT, studio.run.ended()).await;
}

impl Studio {
    /// Sends the content of the flow's file to the pages, and moves breakpoints to it, which pages are told if one
    /// changed. Writes no file.
    pub(crate) fn notify_file(&self, content: &Content) {
        let file = FileState {
            path: self.file.path(),
            content: Some(content.clone()),
            trouble: None,
        };
        self.feed.publish(&FeedMessage::File { file });
        self.follow_text(&content.text);
    }
}

impl StudioDebugger {
    /// Gives up exclusive access to the device, after the run. Does nothing if it was given up at a pause.
    pub(crate) async fn let_go(&self) {
        self.access.lock().await.take();
    }
}
