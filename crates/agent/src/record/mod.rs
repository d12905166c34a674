//! What was done, kept so that it can become a flow.
//!
//! A call becomes an [`act`] at once, by a [`table`] of the tools ([`translate`]): what it pointed at is named by a selector
//! on the screen as it was then. Acts that belong together are merged ([`script`]); [`finish`] writes the flow.

mod act;
mod arrival;
mod assertion;
mod compare;
mod emit;
mod ending;
mod file;
mod finish;
mod gesture;
mod launcher;
mod locate;
mod script;
mod scrolling;
mod secrets;
mod steps;
mod table;
#[cfg(test)]
mod tests;
mod tool;
mod translate;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use camino::Utf8PathBuf;
use serde_json::Value;

use runner_engine::Session;
use runner_run::Connection;
use runner_screen::{Point, Screen, Selector};
use runner_tools::{Entry, Failure, Outcome};

use act::Act;
pub use assertion::Assertion;
pub use compare::differences;
use ending::SeenWords;
use file::RecordFile;
use finish::FlowDraft;
pub use finish::{RecordedFlow, RecordedSteps};
use script::Script;
pub use tool::Record;

/// How often it is looked whether a touch in the launcher opened an app, and how long is waited in between.
const APP_LOOKS: usize = 10;
const APP_PAUSE: Duration = Duration::from_millis(200);

/// One call of a device tool, as it was made.
#[derive(Debug)]
pub struct CallRecord<'a> {
    /// The tool.
    pub entry: &'static Entry,
    /// Its arguments.
    pub args: &'a Value,
    /// How long it looked, where the call said so.
    pub limit: Option<Duration>,
    /// What the session had last seen when the call began.
    pub before: Option<Arc<Screen>>,
    /// What it had last seen when the call ended.
    pub after: Option<Arc<Screen>>,
    /// What the call came to.
    pub outcome: &'a Result<Outcome, Failure>,
}

impl CallRecord<'_> {
    /// A number among the arguments, in whole pixels.
    fn number(&self, name: &str) -> Option<i32> {
        let value = self.args.get(name)?.as_f64()?;
        Some(value.trunc() as i32)
    }
}

/// Keeps the calls of a server, of all its clients, in order.
#[derive(Debug, Default)]
pub struct Recorder {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    /// The recording that an agent asked for.
    begun: Option<ActiveRecording>,
    /// The whole session's file, and where the session began.
    file: Option<(RecordFile, Option<(String, String)>)>,
    observed: ObservedScreens,
}

/// A recording that an agent asked for.
#[derive(Debug, Clone)]
struct ActiveRecording {
    name: Option<String>,
    /// Its first act.
    at: usize,
    /// Package and activity in front.
    front: Option<(String, String)>,
}

/// What was seen, as far as the next acts need it.
#[derive(Debug, Default)]
struct ObservedScreens {
    /// The last screen.
    last: Option<Arc<Screen>>,
    /// Something was done since.
    is_old: bool,
    /// The screen before the last act.
    before_act: Option<Arc<Screen>>,
    /// What was written on the screens before each act.
    words: SeenWords,
}

impl ObservedScreens {
    /// The last screen, if it is still to be seen.
    fn now(&self) -> Option<&Arc<Screen>> {
        self.last.as_ref().filter(|_| !self.is_old)
    }
}

/// How a recording stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordingStatus {
    /// Its name.
    pub name: Option<String>,
    /// Acts so far.
    pub acts: usize,
}

impl Recorder {
    /// Writes the whole session to a file, anew after each call.
    pub fn keep_in(&self, path: Utf8PathBuf) {
        self.state().file = Some((RecordFile::new(path), None));
    }

    /// The file of the whole session, and why it could not be written.
    pub fn file(&self) -> Option<(Utf8PathBuf, Option<String>)> {
        let state = self.state();
        let (file, _) = state.file.as_ref()?;
        Some((file.path().to_owned(), file.problem().map(str::to_owned)))
    }

    /// The server ends: the whole session's file ends with what is shown now. Gives why it could not be written.
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

    /// Begins a recording; `false` where one is under way. What was done before is not in it.
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

    /// How the recording stands; `None` where none is under way.
    pub fn status(&self) -> Option<RecordingStatus> {
        let state = self.state();
        let begun = state.begun.as_ref()?;
        Some(RecordingStatus {
            name: begun.name.clone(),
            acts: state.script.since(begun.at).len(),
        })
    }

    /// What was recorded so far, as a flow; `None` where no recording is under way. The recording goes on.
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

    /// The steps of the recording from its act `from` on, as far as it is; none where no recording is under way.
    pub fn steps(&self, from: usize) -> RecordedSteps {
        self.steps_where(|place| place >= from)
    }

    /// The steps of these acts of the recording alone, as far as it is; none where no recording is under way.
    pub fn steps_of(&self, acts: &[Range<usize>]) -> RecordedSteps {
        self.steps_where(|place| acts.iter().any(|acts| acts.contains(&place)))
    }

    /// The secret texts of the recording by the names that steps have for them. A step may have been written before the app
    /// was known, which is part of a name since.
    pub fn secrets(&self) -> BTreeMap<String, String> {
        self.with_draft(finish::secrets)
    }

    fn steps_where(&self, is_wanted: impl Fn(usize) -> bool) -> RecordedSteps {
        self.with_draft(|draft| finish::steps(draft, is_wanted))
    }

    /// Something of the recording as far as it is; nothing where none is under way.
    fn with_draft<T: Default>(&self, of: impl FnOnce(&FlowDraft<'_>) -> T) -> T {
        let state = self.state();
        let Some(begun) = &state.begun else {
            return T::default();
        };
        of(&FlowDraft {
            name: "",
            acts: state.script.since(begun.at),
            begun: begun.front.as_ref(),
            end: None,
            left_out: state.script.left_out(),
        })
    }

    /// What comes is not joined with what was done; the number of the next act in this recording.
    pub fn pause(&self) -> usize {
        let mut state = self.state();
        state.script.close();
        let begun = state.begun.as_ref().map_or(0, |begun| begun.at);
        state.script.since(begun).len()
    }

    /// Adds what a person asserts of the screen, which is not a call of a tool.
    pub fn assert(&self, assertion: Assertion, observed: Option<&Arc<Screen>>) {
        let mut state = self.state();
        if state.is_recording() {
            state.script.push(assertion.into_act(), observed);
        }
    }

    /// Returns true while a recording or the file of the whole session is under way.
    pub fn is_recording(&self) -> bool {
        self.state().is_recording()
    }

    /// Adds a step `snapshot` with these options, which an agent took by a tool of its own.
    pub(super) fn note_snapshot(&self, options: Value) {
        let mut state = self.state();
        let screen = state.observed.now().cloned();
        let act = assertion::raw("snapshot", options);
        state.script.push(act, screen.as_ref());
        state.write_file();
    }

    /// Ends the recording; `false` where none was under way.
    pub fn end(&self) -> bool {
        let mut state = self.state();
        let ended = state.begun.take().is_some();
        state.script.close();
        // The file of the whole session is made of all acts.
        if state.file.is_none() {
            state.script.clear();
        }
        ended
    }

    /// The screen just before a call: while something is recorded, a fresh look where the call acts on what is shown
    /// and the last look is older than the last act.
    pub async fn before(&self, entry: &Entry, session: &Session) -> Option<Arc<Screen>> {
        let last = session.last_screen();
        // In a block of its own: no lock is held while the device is asked.
        let look = {
            let state = self.state();
            let known = last.as_ref().zip(state.observed.last.as_ref());
            // By identity: an equal screen may have been looked at since.
            let is_old = known.is_none_or(|(a, b)| Arc::ptr_eq(a, b) && state.observed.is_old);
            state.is_recording() && table::needs_screen(entry) && (last.is_none() || is_old)
        };
        if look {
            // A look that fails is the call's own to report.
            return session.look().await.ok();
        }
        last
    }

    /// Keeps what is to be seen after a call: an app comes a while after its icon was touched.
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

    /// Whether this screen says which app was opened.
    fn observe(&self, screen: Arc<Screen>) -> bool {
        let mut state = self.state();
        state.script.observe(&screen);
        state.observed.last = Some(screen);
        state.observed.is_old = false;
        state.write_file();
        !state.script.awaits_app()
    }

    /// Keeps a call.
    pub fn note(&self, acquired: &CallRecord<'_>) {
        let mut state = self.state();
        if state.is_recording() {
            state.note(acquired);
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

    fn note(&mut self, acquired: &CallRecord<'_>) {
        // As it was before, because the act may have opened another app.
        let last_screen = acquired.before.as_ref().or(acquired.after.as_ref());
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
        let acts = translate::acts(acquired);
        for act in acts {
            self.script.push(act, acquired.before.as_ref());
        }
        if table::may_change(acquired.entry) {
            self.observed.before_act.clone_from(&acquired.before);
            if let Some(before) = &acquired.before {
                self.observed.words.add(before);
            }
            self.observed.is_old = true;
        } else {
            let is_new = !same(acquired.after.as_ref(), self.observed.last.as_ref());
            // A look that the call took itself shows what is there now.
            self.observed.is_old &= !is_new;
        }
        if self.observed.now().is_some()
            && let Some(screen) = &acquired.after
        {
            self.script.observe(screen);
        }
        self.observed.last.clone_from(&acquired.after);
        self.write_file();
    }

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

    fn flow(
        &self,
        name: &str,
        from: usize,
        front: Option<&(String, String)>,
        assert_end: bool,
        now: Option<&Arc<Screen>>,
    ) -> RecordedFlow {
        let acts = self.script.since(from);
        // Where nothing was done there is nothing to assert either.
        let asserts_already = acts.last().is_none_or(Act::is_assertion);
        let end = (assert_end && !asserts_already)
            .then(|| self.end_of(now))
            .flatten();
        finish::flow(&FlowDraft {
            name,
            acts,
            begun: front,
            end,
            left_out: self.script.left_out(),
        })
    }

    fn end_of(&self, now: Option<&Arc<Screen>>) -> Option<Act> {
        let last = now.or_else(|| self.observed.now())?;
        let before = self.observed.before_act.as_deref();
        ending::ending(last, before, &self.observed.words)
    }
}

/// The selector that a recording takes for a touch at a point; `None` where the place itself matters.
pub fn touched(screen: &Screen, at: Point, long: bool) -> Option<Selector> {
    locate::touch_selector(locate::touched(screen, at)?, long)
}

/// The step that a recording writes for a gesture of fingers, with its keys; `None` where it stays the tool's own step.
pub fn gesture(screen: &Screen, tool: &str, args: &Value) -> Option<(&'static str, Value)> {
    gesture::step(
        &gesture::of(tool, args, screen)?,
        &secrets::Secrets::default(),
    )
}

fn same(a: Option<&Arc<Screen>>, b: Option<&Arc<Screen>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

fn front(screen: &Screen) -> Option<(String, String)> {
    let (package, activity) = screen.foreground()?;
    Some((package.to_owned(), activity.to_owned()))
}
