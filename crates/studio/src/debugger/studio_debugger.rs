//! The studio as the debugger of its run: pauses, and decides as the first page says.

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

/// A run that is paused ends when no page was open for so long.
const NOBODY: Duration = Duration::from_mins(30);

/// How often a paused run says that it needs the device.
const NEEDED: Duration = Duration::from_secs(10);

/// How long a run that goes on waits for those who use the device.
const TAKE: Duration = Duration::from_secs(90);

/// How long a run may take to end when the program does.
const IDLE_LIMIT: Duration = Duration::from_secs(45);

/// Steers one run.
pub(crate) struct StudioDebugger {
    studio: Arc<Studio>,
    /// The device, which is the run's alone but while it is paused.
    access: Mutex<Option<ExclusiveAccess>>,
}

impl std::fmt::Debug for StudioDebugger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StudioDebugger")
    }
}

impl DebuggerState {
    /// A run of this text begins.
    pub(crate) fn begin(&self, text: &str, outline: Outline, steps_once: bool) {
        self.follow(text);
        let mut inner = self.lock();
        inner.runs = shared_text(text);
        inner.outline = Some(outline);
        inner.steps_once = steps_once;
        inner.pause = None;
        inner.values = Vec::new();
    }

    /// Whether this text runs, or ran last.
    pub(super) fn runs(&self, text: &str) -> bool {
        *self.lock().runs == *text
    }

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

/// A run is paused as long as this lives.
struct PauseMark<'a>(&'a Arc<Studio>);

impl<'a> PauseMark<'a> {
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
    pub(crate) fn new(studio: &Arc<Studio>, access: ExclusiveAccess) -> Arc<Self> {
        Arc::new(Self {
            studio: Arc::clone(studio),
            access: Mutex::new(Some(access)),
        })
    }

    /// Takes the device back, once nobody uses it any more. `false` where somebody does not let it go.
    async fn take_back(&self) -> bool {
        let mut access = self.access.lock().await;
        if access.is_none() {
            let alone = self.studio.workspace.connection.alone();
            *access = tokio::time::timeout(TAKE, alone).await.ok();
        }
        access.is_some()
    }

    /// Keeps the device for this program while nobody of it does anything with it.
    async fn needed(&self) {
        loop {
            drop(self.studio.workspace.connection.lock_shared().await);
            tokio::time::sleep(NEEDED).await;
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

    fn decide(&self, mut pause: Pause) -> DebuggerFuture<'_, Decision> {
        Box::pin(async move {
            let studio = &self.studio;
            if let Some(failure) = &mut pause.failure {
                let scrubber = &studio.workspace.scrubber;
                failure.fixes.retain(|fix| !fix.has_secret(scrubber));
            }
            let path = studio.file.assumed();
            let answered = studio.debugger.open(pause, path.as_str());
            // Others may use it now.
            self.access.lock().await.take();
            let mark = PauseMark::new(studio);
            let stop = || Decision::new(DebugChoice::Stop);
            let decision = tokio::select! {
                decision = answered => decision.unwrap_or_else(|_| stop()),
                () = studio.feed.nobody(NOBODY) => stop(),
                () = self.needed() => stop(),
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

    fn ends(&self, values: Vec<NamedValue>) -> DebuggerFuture<'_, ()> {
        self.studio.debugger.lock().values = values;
        self.studio.notify_debugger();
        Box::pin(async {
            // Teardown is better run beside somebody than not at all.
            self.take_back().await;
        })
    }
}

/// Decides at a pause. The first who does wins.
pub(super) async fn decide(
    studio: &Arc<Studio>,
    turn: u64,
    choice: Choice,
) -> Result<(), StudioError> {
    let (pause, runs, outline) = {
        let inner = studio.debugger.lock();
        let open = inner.pause.as_ref().filter(|_| inner.turns == turn);
        let open = open.ok_or(StudioError::Decided)?;
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
        return Err(StudioError::Decided);
    }
    let open = inner.pause.take().ok_or(StudioError::Decided)?;
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
    open.answer.send(decision).map_err(|_| StudioError::Decided)
}

/// The flow as it is now, where it is not as it runs, with its text.
type EditedFlow = Option<(Arc<Flow>, Arc<str>)>;

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
    let flow = outline.of_edited(&case.flow)?;
    resumable(&pause.flow, &flow, &pause.place.path)?;
    studio.debugger.follow(&text);
    Ok(Some((Arc::new(flow), text.into())))
}

/// Ends the run in order: its teardown runs, and settings are put back. One that is paused ends as its failure says.
pub(crate) fn stop(studio: &Studio) {
    let open = studio.debugger.lock().pause.take();
    let stop = Decision::new(DebugChoice::Stop);
    let is_told = open.is_some_and(|open| open.answer.send(stop).is_ok());
    if !is_told {
        studio.run.stop();
    }
}

/// Waits until the run has ended that the program's end cut off: its teardown needs the device.
pub(crate) async fn wait_for_idle(studio: &Studio) {
    let _ = tokio::time::timeout(IDLE_LIMIT, studio.run.ended()).await;
}

impl Studio {
    /// Sends the content of the flow's file to the pages.
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
    /// The run is over: others may use the device.
    pub(crate) async fn let_go(&self) {
        self.access.lock().await.take();
    }
}
