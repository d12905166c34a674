//! Records the trace of an attempt from the looks and inputs of its session.
//!
//! Of the looks between two acts only the last counts: it is the screen that the next act met. It is stored
//! if its rows differ from the last stored one, and gets a screenshot before the next input, at most one a
//! step.

mod state;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use self::state::{CallBegin, Frame, Observation, State, touches};
use super::files::{self, FileError};
use super::log::LogRecorder;
use crate::artifacts::ArtifactFolder;
use crate::reporter::Reporter;
use runner_device::{Device, Input, Picture};
use runner_engine::{MIN_REQUEST_LIMIT, Observer, Session, same_rows};
use runner_event::{Artifact, ArtifactKind, Trace, TraceAct};
use runner_screen::{Rect, Screen};

/// Chosen: screens of one attempt, as a loop may go on for hours.
const MAX_FRAMES: usize = 2000;
/// Chosen: acts of one attempt, so that a loop does not fill the report.
const MAX_ACTS: usize = 10_000;
/// Chosen: files that are written at the same time, each of which takes memory until then.
const MAX_WRITES: usize = 4;
/// Chosen: time to write the last files once the attempt is over.
const WRITE_LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct TraceRecorder {
    reporter: Reporter,
    folder: ArtifactFolder,
    state: Mutex<State>,
    /// Frames so far. Their files are written in the background.
    frames: Arc<Mutex<Vec<Frame>>>,
    writing: Arc<Semaphore>,
    log: Mutex<Option<LogRecorder>>,
    /// True once no more is recorded: the trace ended, or stopped early with a warning.
    is_over: Arc<AtomicBool>,
    /// True if files that are not written yet are left out: a write failed, or the trace has ended.
    drops_files: Arc<AtomicBool>,
    /// True once the device gave no screenshot: it is not asked again.
    has_no_pictures: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TraceRecorder {
    /// Creates a recorder without frames. As an observer it records from now on; [`Self::begin`] sets the time from
    /// which it counts.
    pub(crate) fn new(reporter: &Reporter, folder: &ArtifactFolder) -> Self {
        Self {
            reporter: reporter.clone(),
            folder: folder.clone(),
            state: Mutex::default(),
            frames: Arc::default(),
            writing: Arc::new(Semaphore::new(MAX_WRITES)),
            log: Mutex::default(),
            is_over: Arc::default(),
            drops_files: Arc::default(),
            has_no_pictures: AtomicBool::new(false),
        }
    }

    /// Starts the trace, and with an app the reading of its log. `began_ms` is the attempt's beginning in
    /// milliseconds since that of the run.
    pub(crate) fn begin(&self, device: Arc<dyn Device>, app: Option<&str>, began_ms: u64) {
        lock(&self.state).began_ms = began_ms;
        if let Some(app) = app {
            let recorder = LogRecorder::start(device, app, &self.reporter, began_ms);
            *lock(&self.log) = Some(recorder);
        }
    }

    /// Begins a step. Returns the step around it, for [`Self::step_ends`]; `None` if there is none.
    pub(crate) fn step_begins(&self) -> Option<usize> {
        let mut state = lock(&self.state);
        let number = state.steps;
        state.steps += 1;
        state.step.replace(number)
    }

    /// Ends the current step, stores the newest look, and makes `outer` the current step again. A step without a look
    /// of its own shows the last frame before it. After the trace's end only the current step changes.
    pub(crate) async fn step_ends(&self, outer: Option<usize>) {
        self.settle().await;
        let frame = self.last_frame();
        let mut state = lock(&self.state);
        // A step without a look shows the last frame before it.
        if let Some(step) = state.step.filter(|_| !self.is_over())
            && state.observed_by.get(step).copied().flatten().is_none()
        {
            state.note_observed(step, frame);
        }
        state.step = outer;
    }

    /// Returns the state before a tool call that may change the device, for [`Self::call_ends`], and stores
    /// the newest look first.
    pub(crate) async fn call_begins(&self, session: &Session) -> CallBegin {
        self.settle().await;
        let frame = self.last_frame();
        let state = lock(&self.state);
        CallBegin {
            at_ms: self.now(&state),
            acts: state.acts.len(),
            frame,
            changing: session.device().counters().changing(),
        }
    }

    /// Ends a tool call. If it changed the device other than by inputs, which report themselves, it is an act without
    /// touches, such as the launch of an app, at the time when it began. More than 10 000 acts are not kept.
    pub(crate) fn call_ends(&self, session: &Session, begin: &CallBegin) {
        let mut state = lock(&self.state);
        let is_told = state.acts.len() > begin.acts;
        if is_told || session.device().counters().changing() == begin.changing {
            return;
        }
        let act = TraceAct {
            at_ms: begin.at_ms,
            step: state.step,
            frame: begin.frame,
            touches: Vec::new(),
        };
        state.has_acted = true;
        if state.acts.len() < MAX_ACTS && !self.is_over() {
            state.acts.push(act);
        }
    }

    /// Looks once more, for at most 3 s, if something was done since the last look, and takes the last
    /// frame's screenshot if it has none. Errors of the look are ignored. A screenshot that fails is a warning, and the
    /// last that the trace asks for. Does nothing once the trace has ended.
    pub(crate) async fn look_after_last_act(&self, session: &Session) {
        let has_acted = lock(&self.state).has_acted;
        if has_acted && !self.is_over() {
            // Only the trace needs this look, so its error does not matter.
            let _ = session.glimpse(MIN_REQUEST_LIMIT, 1).await;
        }
        self.settle().await;
        self.take_picture(session).await;
    }

    /// Ends the trace, and returns it once its files are written (at most 20 s). Removes its files if
    /// `is_wanted` is false, and returns `None`. Frames that could not be written are left out, and those
    /// after them move up.
    pub(crate) async fn finish(&self, is_wanted: bool) -> Option<Trace> {
        if is_wanted {
            self.settle().await;
        } else {
            self.is_over.store(true, Ordering::Relaxed);
            self.drops_files.store(true, Ordering::Relaxed);
        }
        // All permits are free once everything is written.
        let written = self.writing.acquire_many(MAX_WRITES as u32);
        let _ = tokio::time::timeout(WRITE_LIMIT, written).await;
        self.is_over.store(true, Ordering::Relaxed);
        self.drops_files.store(true, Ordering::Relaxed);
        let log = lock(&self.log).take();
        if !is_wanted {
            if let Err(error) = files::remove(self.folder.path()) {
                let why = format!("the trace of a flow that passed could not be removed: {error}");
                self.reporter.warn(why);
            }
            return None;
        }
        let frames = std::mem::take(&mut *lock(&self.frames));
        let (mut acts, mut last_frames) = {
            let mut state = lock(&self.state);
            (
                std::mem::take(&mut state.acts),
                std::mem::take(&mut state.observed_by),
            )
        };
        // Frames that could not be written are left out, and those after them move up.
        let reported = frames.iter().scan(0, |next, frame| {
            let place = frame.screen.is_some().then_some(*next);
            *next += usize::from(place.is_some());
            Some(place)
        });
        let report: Vec<Option<usize>> = reported.collect();
        let numbers = acts
            .iter_mut()
            .map(|act| &mut act.frame)
            .chain(&mut last_frames);
        for number in numbers {
            *number = number.and_then(|number| report.get(number).copied().flatten());
        }
        Some(Trace {
            frames: frames.into_iter().filter_map(Frame::into_trace).collect(),
            acts,
            observed: last_frames,
            log: log.and_then(|log| log.keep(&self.folder)),
        })
    }

    /// Returns a copy of the trace so far, without the log. It ends before the first frame that is still
    /// being written, so that indices stay the same later.
    pub(super) fn so_far(&self) -> Trace {
        let frames = lock(&self.frames).clone();
        let state = lock(&self.state);
        Trace {
            frames: frames.into_iter().map_while(Frame::into_trace).collect(),
            acts: state.acts.clone(),
            observed: state.observed_by.clone(),
            log: None,
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Index of the last frame.
    fn last_frame(&self) -> Option<usize> {
        lock(&self.frames).len().checked_sub(1)
    }

    fn now(&self, state: &State) -> u64 {
        self.reporter.elapsed_ms().saturating_sub(state.began_ms)
    }

    /// Notes inputs at the last frame. A screenshot from before them is dropped. More than 10 000 acts are not kept.
    fn note_act(&self, touches: Vec<Vec<[i32; 2]>>) {
        let frame = self.last_frame();
        let mut state = lock(&self.state);
        state.has_acted = true;
        // A screenshot from before the act does not show the screen after it.
        state.picture = None;
        let act = TraceAct {
            at_ms: self.now(&state),
            step: state.step,
            frame,
            touches,
        };
        if state.acts.len() < MAX_ACTS && !self.is_over() {
            state.acts.push(act);
        }
    }

    /// Stores the newest look, if its rows differ from the last stored one, and the screenshot that was taken
    /// since for it. Otherwise the step shows the last frame. Does nothing once the trace is over.
    async fn settle(&self) {
        if self.is_over() {
            return;
        }
        let last = self.last_frame();
        let stored = {
            let mut state = lock(&self.state);
            let last_look = state.observed.take();
            let step = last_look.as_ref().and_then(|seen| seen.step);
            let seen = last_look.filter(|seen| {
                let same = |last: &Arc<Screen>| same_rows(last, &seen.screen);
                !state.last.as_ref().is_some_and(same)
            });
            if let Some(seen) = &seen {
                state.last = Some(Arc::clone(&seen.screen));
                state.is_due = true;
            }
            if let Some(step) = step {
                let next = last.map_or(0, |last| last + 1);
                state.note_observed(step, if seen.is_some() { Some(next) } else { last });
            }
            seen
        };
        if let Some(seen) = stored {
            self.keep_frame(seen).await;
        }
        let (picture, hidden) = {
            let mut state = lock(&self.state);
            let picture = state.picture.take().filter(|_| state.is_due);
            state.is_due &= picture.is_none();
            (picture, state.hidden.concat())
        };
        if let Some(picture) = picture {
            self.keep_picture(picture, hidden).await;
        }
    }

    /// Adds a frame for a look, and writes its screen in the background. The 2000th frame ends the trace with a
    /// warning; what is being written by then is kept.
    async fn keep_frame(&self, observed: Observation) {
        let display = observed.screen.display();
        let number = {
            let mut frames = lock(&self.frames);
            frames.push(Frame {
                at_ms: observed.at_ms,
                step: observed.step,
                size: [display.width, display.height],
                screen: None,
                picture: None,
            });
            frames.len()
        };
        let (folder, scrubber) = (self.folder.clone(), self.reporter.scrubber().clone());
        let screen = observed.screen;
        let keep = move || files::keep_screen(&folder, &scrubber, number, &screen);
        self.write(number, keep).await;
        if number >= MAX_FRAMES {
            let why = format!("it has {MAX_FRAMES} screens");
            end(&self.reporter, &self.is_over, &why);
        }
    }

    /// Writes the screenshot of the last frame in the background, with `hidden` areas blacked out.
    async fn keep_picture(&self, picture: Picture, hidden: Vec<Rect>) {
        let number = lock(&self.frames).len();
        let folder = self.folder.clone();
        let keep = move || files::keep_picture(&folder, number, &picture, &hidden);
        self.write(number, keep).await;
    }

    /// Writes a file of a frame in the background. Waits, without a limit, while [`MAX_WRITES`] others are being
    /// written, but not for this one. A screenshot that cannot be made is left out; any other error ends the trace.
    async fn write(
        &self,
        number: usize,
        keep: impl FnOnce() -> Result<Artifact, FileError> + Send + 'static,
    ) {
        let Ok(place) = Arc::clone(&self.writing).acquire_owned().await else {
            return;
        };
        let frames = Arc::clone(&self.frames);
        let reporter = self.reporter.clone();
        let is_over = Arc::clone(&self.is_over);
        let drops_files = Arc::clone(&self.drops_files);
        tokio::task::spawn_blocking(move || {
            let _place = place;
            if drops_files.load(Ordering::Relaxed) {
                return;
            }
            match (keep(), lock(&frames).get_mut(number - 1)) {
                (Ok(stored), Some(frame)) if stored.kind == ArtifactKind::Screen => {
                    frame.screen = Some(stored);
                }
                (Ok(retained), Some(frame)) => frame.picture = Some(retained),
                // A frame without a screenshot is still useful.
                (Ok(_), None) | (Err(FileError::Picture(_)), _) => {}
                (Err(error), _) => {
                    drops_files.store(true, Ordering::Relaxed);
                    end(&reporter, &is_over, &error.to_string());
                }
            }
        });
    }

    /// Takes the screenshot of the last frame, if it has none and the current step has taken none. Waits for it at most
    /// 3 s. After one that fails, the trace has no more screenshots, which is a warning.
    async fn take_picture(&self, session: &Session) {
        {
            let mut state = lock(&self.state);
            let has_one = state.step.is_some() && state.pictured == state.step;
            let is_off = self.is_over() || self.has_no_pictures.load(Ordering::Relaxed);
            if !state.is_due || has_one || is_off {
                return;
            }
            state.pictured = state.step;
        }
        // The screenshot arrives through [`Observer::took`].
        let limit = session.bound(MIN_REQUEST_LIMIT).min(MIN_REQUEST_LIMIT);
        if let Err(error) = session.picture_within(limit, 1).await {
            self.has_no_pictures.store(true, Ordering::Relaxed);
            let why = format!("the trace has no more screenshots: {error}");
            self.reporter.warn(why);
        }
        self.settle().await;
    }
}

/// Ends a trace early, and warns once.
fn end(reporter: &Reporter, is_over: &AtomicBool, why: &str) {
    if !is_over.swap(true, Ordering::Relaxed) {
        reporter.warn(format!("the trace ends here: {why}"));
    }
}

#[async_trait::async_trait]
impl Observer for TraceRecorder {
    /// Notes a look as the newest; it is stored by [`Self::settle`]. A screenshot that was taken of other rows is
    /// dropped.
    fn saw(&self, screen: &Arc<Screen>) {
        if self.is_over() {
            return;
        }
        let mut state = lock(&self.state);
        let at_ms = self.now(&state);
        let step = state.step;
        state.has_acted = false;
        state.hidden.swap(0, 1);
        state.hidden[1] = files::password_fields(screen);
        let of_picture = state.observed.as_ref().map(|look| &look.screen);
        let of_picture = of_picture.or(state.last.as_ref());
        // A screenshot of other rows does not belong to this look.
        if state.picture.is_some() && !of_picture.is_some_and(|before| same_rows(before, screen)) {
            state.picture = None;
        }
        state.observed = Some(Observation {
            at_ms,
            step,
            screen: Arc::clone(screen),
        });
    }

    fn took(&self, picture: &Picture) {
        if !self.is_over() {
            lock(&self.state).picture = Some(picture.clone());
        }
    }

    /// Stores the newest look with its screenshot, and notes the touches. That delays the input.
    async fn before_input(&self, session: &Session, inputs: &[Input]) {
        self.settle().await;
        self.take_picture(session).await;
        let touches = inputs.iter().filter_map(touches).flatten().collect();
        self.note_act(touches);
    }
}

#[cfg(test)]
mod tests;
