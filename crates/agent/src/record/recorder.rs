//! Recorder of the calls of all clients of a server.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::Value;

use super::act::Act;
use super::assertion::{self, Assertion};
use super::call_record::CallRecord;
use super::ending;
use super::file::RecordFile;
use super::finish::{self, FlowDraft, RecordedFlow, RecordedSteps};
use super::masked_words::MaskedWords;
use super::observed_screens::ObservedScreens;
use super::script::Script;
use super::secrets::GivenSecret;
use super::{table, translate};
use runner_engine::Session;
use runner_run::Connection;
use runner_screen::Screen;
use runner_text::secret::Scrubber;
use runner_tools::Entry;

/// Looks for the app after a touch in the launcher, and the pause between two. Chosen: 2 s together, enough
/// for most apps to come to the front; a launch that takes longer stays a touch.
const APP_LOOKS: usize = 10;
const APP_PAUSE: Duration = Duration::from_millis(200);

/// Records the calls of all clients of a server, in order.
#[derive(Debug, Default)]
pub struct Recorder {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    /// Secrets that flows read by a name of the project or the environment.
    given: Vec<GivenSecret>,
    /// Masks what no flow may show.
    scrubber: Scrubber,
    /// Recording that an agent asked for.
    begun: Option<ActiveRecording>,
    /// File of the whole session, with the package and activity in which the session began.
    file: Option<(RecordFile, Option<(String, String)>)>,
    observed: ObservedScreens,
}

/// Recording that an agent asked for.
#[derive(Debug, Clone)]
struct ActiveRecording {
    name: Option<String>,
    /// Index of its first act.
    at: usize,
    /// Package and activity in front when it began.
    front: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingStatus {
    pub name: Option<String>,
    /// Number of acts so far.
    pub acts: usize,
}

impl Recorder {
    /// Creates a recorder that writes these secrets by their names, and asserts no words that `scrubber` masks.
    /// Nothing is recorded yet.
    pub(crate) fn knowing(given: Vec<GivenSecret>, scrubber: Scrubber) -> Self {
        let state = State {
            given,
            scrubber,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
        }
    }

    /// Records all calls from now on, and writes them as a flow to this file, anew after each call. Nothing is written
    /// before the first act.
    pub fn keep_in(&self, path: Utf8PathBuf) {
        self.state().file = Some((RecordFile::new(path), None));
    }

    /// Returns the file of the whole session, and the error if it could not be written.
    pub fn file(&self) -> Option<(Utf8PathBuf, Option<String>)> {
        let state = self.state();
        let (file, _) = state.file.as_ref()?;
        Some((file.path().to_owned(), file.problem().map(str::to_owned)))
    }

    /// Looks once more and writes the session's file a last time, at the end of a server. A look that fails is left
    /// out; without a file nothing is done. Returns the error of the last write, if it failed.
    pub async fn close(&self, connection: &Connection) -> Option<String> {
        let is_open = {
            let state = self.state();
            state.file.is_some() && state.script.len() > 0 && state.observed.is_old
        };
        if is_open
            && let Ok(opened) = connection.opened().await
            && let Ok(screen) = opened.session.look().await
        {
            let mut state = self.state();
            state.observed.last = Some(screen);
            state.observed.is_old = false;
            state.write_file();
        }
        self.file()?.1
    }

    /// Begins a recording; earlier acts are not in it, and later ones are not merged with them. It begins on
    /// `last_screen`, or on the screen before its first call. False if one is already running.
    pub fn start(&self, name: Option<String>, last_screen: Option<&Arc<Screen>>) -> bool {
        let mut state = self.state();
        if state.begun.is_some() {
            return false;
        }
        state.script.close();
        state.observed.words.clear();
        if let Some(screen) = last_screen {
            state.observed.last = Some(Arc::clone(screen));
            state.observed.is_old = false;
        }
        state.begun = Some(ActiveRecording {
            name,
            at: state.script.len(),
            front: last_screen.and_then(|screen| front(screen)),
        });
        true
    }

    /// Returns the state of the running recording. `None` if none is running.
    pub fn status(&self) -> Option<RecordingStatus> {
        let state = self.state();
        let begun = state.begun.as_ref()?;
        Some(RecordingStatus {
            name: begun.name.clone(),
            acts: state.script.since(begun.at).len(),
        })
    }

    /// Returns the recording so far as a flow, and goes on. Without a name it has that of the start, else a usual one.
    /// With `assert_end` it ends with an assertion of the screen `now`, else of the last one if nothing was done since,
    /// unless the last act is an assertion or nothing there can be asserted. `None` if no recording is running.
    pub fn flow(
        &self,
        name: Option<&str>,
        assert_end: bool,
        now: Option<&Arc<Screen>>,
    ) -> Option<RecordedFlow> {
        let state = self.state();
        let begun = state.begun.as_ref()?;
        let name = name.or(begun.name.as_deref()).unwrap_or_default();
        let front = begun.front.as_ref();
        Some(state.flow(name, begun.at, front, assert_end, now))
    }

    /// Returns the steps of the running recording from its act `from` on; empty if none is running.
    pub fn steps(&self, from: usize) -> RecordedSteps {
        self.steps_where(|place| place >= from)
    }

    /// Returns the steps of these acts of the running recording; empty if none is running.
    pub fn steps_of(&self, acts: &[Range<usize>]) -> RecordedSteps {
        self.steps_where(|place| acts.iter().any(|acts| acts.contains(&place)))
    }

    /// Returns the secret texts of the recording by the names of their variables. There may be two for a
    /// text: a step may be older than the app, which is part of the later name.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        self.with_draft(finish::secrets)
    }

    fn steps_where(&self, is_wanted: impl Fn(usize) -> bool) -> RecordedSteps {
        self.with_draft(|draft| finish::steps(draft, is_wanted))
    }

    /// Calls `of` with the running recording; a default value if none is running.
    fn with_draft<T: Default>(&self, of: impl FnOnce(&FlowDraft<'_>) -> T) -> T {
        let state = self.state();
        let Some(begun) = &state.begun else {
            return T::default();
        };
        let acts = state.script.since(begun.at);
        let acts = state.masked_words(acts).left_out_of_all(acts);
        of(&FlowDraft {
            name: "",
            acts: &acts,
            given: &state.given,
            begun: begun.front.as_ref(),
            end: None,
            left_out: state.script.left_out(),
        })
    }

    /// Ends the merging of acts: the next one starts anew. Returns the number of acts so far in this recording, which
    /// is the next one's index. Without a recording, all acts of the session count.
    pub fn pause(&self) -> usize {
        let mut state = self.state();
        state.script.close();
        let begun = state.begun.as_ref().map_or(0, |begun| begun.at);
        state.script.since(begun).len()
    }

    /// Adds an assertion of a person, made on the screen `observed`; without a recording it does nothing. The session's
    /// file is not written before the next call.
    pub fn assert(&self, assertion: Assertion, observed: Option<&Arc<Screen>>) {
        let mut state = self.state();
        if state.is_recording() {
            state.script.push(assertion.into_act(), observed);
        }
    }

    /// Returns true while a recording is running or the whole session is written to a file.
    pub fn is_recording(&self) -> bool {
        self.state().is_recording()
    }

    /// Adds a step `snapshot` with these options, also if nothing is being recorded, for the tool
    /// `runner_take_snapshot`, and writes the session's file.
    pub(crate) fn note_snapshot(&self, options: Value) {
        let mut state = self.state();
        let screen = state.observed.now().cloned();
        let act = assertion::raw("snapshot", options);
        state.script.push(act, screen.as_ref());
        state.write_file();
    }

    /// Ends the recording and forgets its acts, unless a file of the whole session needs them. False if none was
    /// running.
    pub fn end(&self) -> bool {
        let mut state = self.state();
        let ended = state.begun.take().is_some();
        state.script.close();
        // The file of the whole session is written from all acts.
        if state.file.is_none() {
            state.script.clear();
        }
        ended
    }

    /// Returns the screen just before a call. While something is recorded it takes a fresh look, if the call acts on
    /// the screen and the last look is older than the last act; otherwise it is the last look, however old. `None` if
    /// there was no look, or this one fails.
    pub async fn before(&self, entry: &Entry, session: &Session) -> Option<Arc<Screen>> {
        let last = session.last_screen();
        // In a block, so that the lock is released before the look.
        let look = {
            let state = self.state();
            let known = last.as_ref().zip(state.observed.last.as_ref());
            // Compared by identity: an equal screen may be a newer look.
            let is_old = known.is_none_or(|(a, b)| Arc::ptr_eq(a, b) && state.observed.is_old);
            state.is_recording() && table::needs_screen(entry) && (last.is_none() || is_old)
        };
        if look {
            // If the look fails, the call will fail too and report it.
            return session.look().await.ok();
        }
        last
    }

    /// Looks after a touch in the launcher until its app is in front, at most for about 2 s. Returns at once otherwise,
    /// and when a look fails.
    pub async fn after(&self, session: &Session) {
        for _ in 0..APP_LOOKS {
            if !self.state().script.awaits_app() {
                return;
            }
            let Ok(screen) = session.look().await else {
                return;
            };
            if self.observe(screen) {
                return;
            }
            tokio::time::sleep(APP_PAUSE).await;
        }
    }

    /// Records a screen. True if it is known now which app a touch in the launcher opened.
    fn observe(&self, screen: Arc<Screen>) -> bool {
        let mut state = self.state();
        state.script.observe(&screen);
        state.observed.last = Some(screen);
        state.observed.is_old = false;
        state.write_file();
        !state.script.awaits_app()
    }

    /// Records a call, if something is being recorded. A call without acts still updates what was seen.
    pub fn note(&self, call: &CallRecord<'_>) {
        let mut state = self.state();
        if state.is_recording() {
            state.note(call);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_recording(&self) -> bool {
        self.begun.is_some() || self.file.is_some()
    }

    /// Adds a call's acts, and remembers the screens around it. The screen before the first call is where the
    /// recording began. Writes the session's file.
    fn note(&mut self, call: &CallRecord<'_>) {
        // The screen before, because the act may have opened another app.
        let last_screen = call.before.as_ref().or(call.after.as_ref());
        let front = last_screen.and_then(|screen| front(screen));
        if let Some((_, begun)) = &mut self.file
            && begun.is_none()
        {
            begun.clone_from(&front);
        }
        if let Some(begun) = &mut self.begun
            && begun.front.is_none()
        {
            begun.front = front;
        }
        let acts = translate::acts(call);
        for act in acts {
            self.script.push(act, call.before.as_ref());
        }
        if table::may_change(call.entry) {
            self.observed.before_act.clone_from(&call.before);
            if let Some(before) = &call.before {
                self.observed.words.add(before);
            }
            self.observed.is_old = true;
        } else {
            let is_new = !same(call.after.as_ref(), self.observed.last.as_ref());
            // A look that the call itself took is up to date.
            self.observed.is_old &= !is_new;
        }
        if self.observed.now().is_some()
            && let Some(screen) = &call.after
        {
            self.script.observe(screen);
        }
        self.observed.last.clone_from(&call.after);
        self.write_file();
    }

    /// Writes the session's file, if one is wanted and something was recorded.
    fn write_file(&mut self) {
        let Some((_, front)) = &self.file else {
            return;
        };
        if self.script.len() == 0 {
            return;
        }
        let flow = self.flow("", 0, front.as_ref(), true, None);
        if let Some((file, _)) = &mut self.file {
            file.write(&flow.text);
        }
    }

    /// Writes the acts from index `from` on as a flow. With `assert_end` it ends with an assertion of the screen `now`,
    /// else of the last one if nothing was done since, unless its last act is an assertion.
    fn flow(
        &self,
        name: &str,
        from: usize,
        front: Option<&(String, String)>,
        assert_end: bool,
        now: Option<&Arc<Screen>>,
    ) -> RecordedFlow {
        let acts = self.script.since(from);
        // Without acts there is nothing to assert.
        let asserts_already = acts.last().is_none_or(Act::is_assertion);
        let end = (assert_end && !asserts_already)
            .then(|| self.end_of(now))
            .flatten();
        let masked = self.masked_words(acts);
        finish::flow(&FlowDraft {
            name: &self.scrubber.scrub_outside(name),
            acts: &masked.left_out_of_all(acts),
            given: &self.given,
            begun: front,
            end: end.and_then(|end| masked.left_out_of(&end)),
            left_out: self.script.left_out(),
        })
    }

    fn masked_words(&self, acts: &[Act]) -> MaskedWords<'_> {
        MaskedWords::new(acts, &self.given, &self.scrubber)
    }

    /// Returns the assertion for the end: on the screen `now`, else on the last one if no act came after it. `None` if
    /// there is no such screen, or nothing on it can be asserted.
    fn end_of(&self, now: Option<&Arc<Screen>>) -> Option<Act> {
        let last = now.or_else(|| self.observed.now())?;
        let before = self.observed.before_act.as_deref();
        ending::ending(last, before, &self.observed.words)
    }
}

/// Compares by identity, as an equal screen may be a newer look. Two that are missing are the same.
fn same(a: Option<&Arc<Screen>>, b: Option<&Arc<Screen>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

/// Returns the package and activity in front. `None` if the device does not report them.
fn front(screen: &Screen) -> Option<(String, String)> {
    let (package, activity) = screen.foreground()?;
    Some((package.to_owned(), activity.to_owned()))
}
