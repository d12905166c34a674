//! Implements `runner studio`: a live page of a device, to see it, pick selectors, write a flow by doing it,
//! and run it.
//!
//! Pages hold no state of their own: pictures, rows, steps, the flow's file and the run are here, and every
//! page receives them (`feed.rs`). Acts use the same tools, recorder and engine as all other parts of the
//! program.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        reason = "tests write the files that the program reads"
    )
)]

mod act;
mod agents;
mod answer;
mod apps;
mod debugger;
mod device;
mod devices;
mod error;
mod feed;
mod file;
mod folder;
mod frame_store;
mod frames;
mod goldens;
mod language;
mod line_ends;
mod live_picture;
mod log;
mod messages;
mod part;
mod replay;
mod run;
mod saved_run;
mod selectors;
mod sweep;
#[cfg(test)]
mod tests;
mod timeline;
mod upload;
mod view;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use serde::Serialize;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub use agents::Agents;
use debugger::DebuggerState;
use devices::Devices;
pub use error::StudioError;
use feed::Feed;
pub use file::FlowFile;
use folder::StudioFolder;
use frame_store::FrameStore;
use frames::{Frame, Frames};
use goldens::Goldens;
use messages::{
    DeviceProblem, DeviceState, FeedMessage, FileProblem, FileState, History, StudioState, to_value,
};
use run::RunState;
use runner_agent::Workspace;
use runner_pages::Keys;
use runner_pages::access::Access;
use runner_pages::http;
use runner_run::OpenConnection;
use runner_tools::{Failure, FailureKind};
pub use saved_run::{SavedRun, is_saved_run};
use sweep::SweepState;
use timeline::Timeline;

/// Time that requests have to end after the server was asked to stop. Chosen: long answers are rare, and a
/// person waits for the end.
const STOP_GRACE: Duration = Duration::from_secs(1);

/// Interval of looking at the flow's file while a page is open. Chosen: a person who saves notices no delay.
const FILE_INTERVAL: Duration = Duration::from_millis(500);

/// Bytes of a request. Chosen: a flow of the largest size as JSON, in which characters are escaped.
const MAX_REQUEST_BYTES: usize = 3 << 20;

/// Latest steps sent to pages without a request. Chosen: several screens of the list; older ones are loaded
/// on demand.
const MAX_STEPS: usize = 300;

/// State that all requests share.
struct Studio {
    workspace: Arc<Workspace>,
    file: FlowFile,
    feed: Arc<Feed>,
    frames: Mutex<Frames>,
    /// State of the device as it was last sent.
    device: Mutex<Value>,
    run: RunState,
    log: log::DeviceLog,
    devices: Devices,
    agents: Arc<Agents>,
    debugger: DebuggerState,
    goldens: Goldens,
    sweep: SweepState,
    timeline: Timeline,
    frame_store: FrameStore,
    /// Folder for what need not be in memory. `None` if it could not be created.
    folder: Option<StudioFolder>,
    /// Notified after an act, as the screen may change.
    acted: Notify,
    /// Held during an act.
    acting: tokio::sync::Mutex<()>,
    stop: CancellationToken,
    /// Token of this server, which agents need too.
    token: String,
}

/// Server for agents, at the same address as the page.
#[derive(Debug)]
pub struct AgentRoutes {
    /// Agents that use it.
    pub agents: Arc<Agents>,
    /// Routes that answer them. They check access themselves.
    pub routes: Router,
}

/// Serves the page until `stop`, of the device or of a saved run. Requests need one of the `keys`.
///
/// # Errors
/// Returns an error if the listener has no address.
pub async fn serve(
    workspace: Arc<Workspace>,
    file: FlowFile,
    saved: Option<SavedRun>,
    listener: TcpListener,
    keys: Keys<'_>,
    beside: AgentRoutes,
    stop: CancellationToken,
) -> std::io::Result<()> {
    let access = Access::with_token(keys.token)
        .with_code(keys.code)
        .for_pages_at(listener.local_addr()?.port());
    workspace.recorder.start(None, None);
    let goldens = Goldens::open(&workspace.config, &stop);
    let is_saved = saved.is_some();
    let (timeline, folder) = opened(saved, &workspace);
    let device = if is_saved {
        let message = timeline.saved();
        DeviceState::Saved { message }
    } else {
        let message = "Looking for the device".to_owned();
        DeviceState::Waiting { message }
    };
    let studio = Arc::new(Studio {
        workspace,
        file,
        feed: Arc::default(),
        frames: Mutex::default(),
        device: Mutex::new(to_value(device)),
        run: RunState::default(),
        log: log::DeviceLog::default(),
        devices: Devices::default(),
        agents: beside.agents,
        debugger: DebuggerState::default(),
        goldens,
        sweep: SweepState::default(),
        timeline,
        frame_store: FrameStore::default(),
        folder,
        acted: Notify::new(),
        acting: tokio::sync::Mutex::default(),
        stop: stop.clone(),
        token: keys.token.to_owned(),
    });
    let router = router(&studio, access);
    if is_saved {
        http::serve(listener, router, &stop, STOP_GRACE).await;
        return Ok(());
    }
    studio.agents.set_studio(&studio);
    let agents = beside.routes;
    let router = router.merge(agents.layer(from_fn(runner_pages::token_in_address)));
    tokio::select! {
        () = http::serve(listener, router, &stop, STOP_GRACE) => {}
        () = log::watch(&studio) => {}
        () = live_picture::watch(&studio) => {}
        () = studio.watch_file() => {}
        () = debugger::watch(&studio) => {}
        () = goldens::watch(&studio) => {}
    }
    debugger::wait_for_idle(&studio).await;
    Ok(())
}

/// Returns the time line of a saved run, or an empty one, and the studio's folder.
fn opened(saved: Option<SavedRun>, workspace: &Workspace) -> (Timeline, Option<StudioFolder>) {
    match saved {
        Some(saved) => {
            let timeline = Timeline::from_saved(saved.title, saved.notes, saved.source);
            (timeline, saved.folder)
        }
        None => {
            let folder = StudioFolder::open(&workspace.config.root);
            (Timeline::default(), folder.ok())
        }
    }
}

fn router(studio: &Arc<Studio>, access: Access) -> Router {
    Router::new()
        .route("/", get(answer::page))
        .route("/{file}", get(answer::file))
        .route("/events", get(answer::events))
        .route("/again", post(answer::again))
        .route("/picture/{seq}", get(answer::picture))
        .route("/small/{seq}", get(answer::small))
        .route("/look/{seq}", get(answer::look))
        .route("/moments/{first}", get(answer::history))
        .route("/act", post(answer::act))
        .route("/pick", post(answer::pick))
        .route("/try", post(answer::attempt))
        .route("/assert", post(answer::assert))
        .route("/flow", get(answer::flow).post(answer::save))
        .route("/lint", post(answer::lint))
        .route("/run", post(answer::run))
        .route("/stop", post(answer::stop))
        .merge(language::routes())
        .merge(device::routes())
        .merge(apps::routes())
        .merge(log::routes())
        .merge(devices::routes())
        .merge(agents::routes())
        .merge(debugger::routes())
        .merge(goldens::routes(studio))
        .merge(sweep::routes())
        .merge(timeline::routes())
        .fallback(runner_pages::not_found)
        .layer(from_fn_with_state(Arc::clone(studio), answer::with_device))
        .with_state(Arc::clone(studio))
        .layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
        // The last layer runs first, for every request.
        .layer(from_fn_with_state(Arc::new(access), runner_pages::guarded))
}

/// Keys of messages whose values are this program's own words, paths and labels. Secrets are not masked in
/// them, so no value of a flow or device may be under such a key.
const UNMASKED_KEYS: [&str; 12] = [
    "kind", "what", "state", "status", "verdict", "path", "file", "version", "start", "key",
    "label", "device",
];

impl Studio {
    fn frames(&self) -> MutexGuard<'_, Frames> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a recorded or current frame, from memory or else from the folder. An error if it is gone or was
    /// never there.
    fn frame(&self, seq: u64) -> Result<Arc<Frame>, StudioError> {
        if timeline::is_recorded(seq) {
            return self.timeline.frame(seq);
        }
        if let Some(frame) = self.frames().find(seq) {
            return Ok(frame);
        }
        let folder = self.folder.as_ref().ok_or(StudioError::NoFrame)?;
        self.frame_store.read(folder.path(), seq)
    }

    /// Masks secrets in a value.
    fn scrub(&self, value: &mut Value) {
        self.workspace.scrubber.scrub_json(value, &UNMASKED_KEYS);
    }

    /// Converts a message to JSON, with secrets masked.
    fn scrubbed(&self, message: impl Serialize) -> Value {
        let mut value = to_value(message);
        self.scrub(&mut value);
        value
    }

    /// Sends a message to all pages, with secrets masked.
    fn publish(&self, message: FeedMessage) {
        self.feed.publish(&self.scrubbed(message));
    }

    /// Returns the whole state, for a new page.
    fn state(&self) -> Value {
        let (picture, look) = {
            let frames = self.frames();
            let picture = frames.last().map(|frame| frame.state());
            (picture, frames.last_read().map(|frame| frame.seq))
        };
        let mut state = self.scrubbed(FeedMessage::State(Box::new(StudioState {
            start: self.feed.start().to_owned(),
            device: self.device(None),
            picture,
            look,
            moments: self.history(),
            run: self.run.report(),
            devices: devices::report(self),
            agents: self.agents.report(self),
            pilot: self.debugger.state(),
        })));
        // Not masked: a page would save the mask.
        state["file"] = to_value(self.file_now());
        state
    }

    /// Returns the latest history for pages.
    fn history(&self) -> History {
        self.history_from(None)
    }

    /// Returns the history from a step on, as far as one message holds it. Without a step, returns the
    /// latest.
    fn history_from(&self, first: Option<usize>) -> History {
        let mut recorded = self.workspace.recorder.steps(0);
        let all = recorded.steps.len();
        let first = first.unwrap_or_else(|| all.saturating_sub(MAX_STEPS));
        let first = first.min(all);
        let end = all.min(first + MAX_STEPS);
        // Acts that have no step of their own yet are at the end.
        let last = if end == all { usize::MAX } else { end };
        History {
            first,
            steps: recorded.steps.drain(first..end).collect(),
            variables: recorded.variables,
            left_out: recorded.left_out,
            done: self.frames().history(first..last),
        }
    }

    fn notify_history(&self) {
        let moments = self.history();
        self.publish(FeedMessage::Moments { moments });
    }

    /// Returns the current flow, with secrets unmasked: the person edits it, so masked text would be lost.
    fn file_now(&self) -> FileState {
        let (content, error) = self.file.to_show();
        FileState {
            path: self.file.path(),
            content: Some(content),
            trouble: error.map(|error| self.trouble(&error)),
        }
    }

    /// Describes why the flow's file cannot be read.
    fn trouble(&self, error: &StudioError) -> FileProblem {
        let why = error.to_string();
        FileProblem {
            error: self.workspace.scrubber.scrub_outside(&why).into_owned(),
            gone: matches!(error, StudioError::Gone(_)),
        }
    }

    /// Publishes changes that other programs make to the flow's file. Never ends.
    async fn watch_file(self: &Arc<Self>) {
        let mut trouble = String::new();
        loop {
            self.feed.page().await;
            let studio = Arc::clone(self);
            let message = tokio::task::spawn_blocking(move || studio.file.changed_content()).await;
            match message {
                Ok(Ok(None)) => trouble.clear(),
                Ok(Ok(Some(content))) => self.notify_file(&content),
                // Reported once, until the file can be read again.
                Ok(Err(error)) if trouble != error.to_string() => {
                    trouble = error.to_string();
                    let file = FileState {
                        path: self.file.path(),
                        content: None,
                        trouble: Some(self.trouble(&error)),
                    };
                    self.feed.publish(&FeedMessage::File { file });
                }
                _ => {}
            }
            tokio::time::sleep(FILE_INTERVAL).await;
        }
    }

    /// Returns the device's state. Sets it if `now` is given, and notifies pages if it changed.
    fn device(&self, now: Option<Value>) -> Value {
        let mut known = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(now) = now
            && *known != now
        {
            *known = now;
            let device = known.clone();
            self.feed.publish(&FeedMessage::Device { device });
        }
        known.clone()
    }

    /// Tells the pages that the device is ready.
    fn notify_device(&self, opened: &OpenConnection) {
        let info = opened.device().info();
        self.device(Some(to_value(DeviceState::Ready {
            label: &opened.target.label,
            model: &info.model.to_string(),
            release: &info.release.to_string(),
        })));
    }

    /// Notifies pages that the picture or the rows cannot be read.
    async fn notify_trouble(&self, failure: &Failure) {
        let is_lost = failure.kind == FailureKind::Infrastructure;
        if is_lost && let Ok(opened) = self.workspace.connection.opened().await {
            self.workspace
                .connection
                .forget_if_lost(&opened.session)
                .await;
        }
        let trouble = DeviceProblem {
            message: &failure.message,
            details: &failure.details,
        };
        let state = if is_lost {
            DeviceState::Lost(trouble)
        } else {
            DeviceState::Restless(trouble)
        };
        self.device(Some(self.scrubbed(state)));
    }
}
