//! Records the steps, looks and acts of an attempt for the history. A thread of its own writes them as they
//! come.
//!
//! The recorder sends no request to the device. It stores a look only if its rows differ from those of the
//! look before.

mod run_recording;
mod writer;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use camino::Utf8PathBuf;
use serde_json::Value;

use self::writer::{Entry, Writer};
use super::typed_secrets::TypedSecrets;
use runner_device::{Clock, ClockTime, Input, Picture};
use runner_engine::{Observer, Session, same_rows};
use runner_event::{FlowStatus, SourceLocation, StepStatus};
use runner_flow::StepPath;
use runner_recording::{
    EndLine, FilePosition, FoundLine, Head, Line, StepEndLine, StepLine, Touch,
};
use runner_screen::{NodeIndex, Screen};
use runner_text::secret::{MASK, Scrubber};

pub(crate) use run_recording::RunRecording;

/// Entries that may wait for the writer. Chosen: if the disk falls further behind the device, the recording
/// ends instead of taking more memory.
const MAX_WAITING: usize = 256;
/// Looks of one attempt that differ from the look before, as many as a trace has. One more cuts the recording.
const MAX_LOOKS: usize = 2000;

/// Recorder of one attempt. Dropped before its end, it leaves no recording.
pub(crate) struct Recorder {
    /// Way to the writer, which ends when this is dropped; `None` once the attempt ended.
    entries: Mutex<Option<SyncSender<Entry>>>,
    /// Clock of the device. The virtual device has a time of its own.
    clock: Clock,
    began: ClockTime,
    state: Mutex<State>,
    /// True once an entry was lost or there are too many looks: nothing more is recorded.
    is_cut: AtomicBool,
    typed: Arc<TypedSecrets>,
    writing: Mutex<Option<JoinHandle<Option<Utf8PathBuf>>>>,
}

#[derive(Default)]
struct State {
    last: Option<Arc<Screen>>,
    /// Number of looks so far whose rows differ from the look before.
    looks: usize,
    /// Number of requests with inputs so far.
    inputs: usize,
}

/// State of the recording at the beginning of a tool call.
pub(crate) struct CallBegin {
    ms: u64,
    looks: usize,
    inputs: usize,
    changing: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recorder {
    /// Starts the recording of an attempt, with a file and a thread that writes it. Fails if either cannot be
    /// created.
    pub(crate) fn begin(
        run: &Arc<RunRecording>,
        head: Head,
        scrubber: &Scrubber,
        typed: &Arc<TypedSecrets>,
        clock: Clock,
    ) -> std::io::Result<Arc<Self>> {
        let (entries, waiting) = sync_channel(MAX_WAITING);
        let mut writer = Writer::create(run, head, scrubber.clone())?;
        let thread = std::thread::Builder::new().name("recording".to_owned());
        let writing = thread.spawn(move || writer.write_all(&waiting))?;
        Ok(Arc::new(Self {
            entries: Mutex::new(Some(entries)),
            began: clock.now(),
            clock,
            state: Mutex::default(),
            is_cut: AtomicBool::new(false),
            typed: Arc::clone(typed),
            writing: Mutex::new(Some(writing)),
        }))
    }

    fn ms(&self) -> u64 {
        u64::try_from(self.clock.since(self.began).as_millis()).unwrap_or(u64::MAX)
    }

    /// Sends an entry to the writer. If the queue is full, the recording is cut. Nothing is sent once it is cut or
    /// the attempt ended.
    fn send(&self, entry: Entry) {
        if self.is_cut.load(Ordering::Relaxed) {
            return;
        }
        let is_lost = match &*lock(&self.entries) {
            Some(entries) => entries.try_send(entry).is_err(),
            None => false,
        };
        if is_lost {
            self.is_cut.store(true, Ordering::Relaxed);
        }
    }

    /// Records that a step begins, with the time now. Nothing is written once the recording is cut.
    pub(crate) fn step_begins(&self, path: &StepPath, title: &str, at: &SourceLocation) {
        self.send(Entry::Line(Line::Step(StepLine {
            ms: self.ms(),
            path: path.clone(),
            title: title.to_owned(),
            at: FilePosition {
                file: at.file.clone(),
                line: at.line,
                column: at.column,
            },
        })));
    }

    /// Records the end of the step of this path. Open steps inside it were cut off. A value of more than 16 KiB becomes
    /// null.
    pub(crate) fn step_ends(&self, path: &StepPath, status: StepStatus, value: Value) {
        self.send(Entry::Line(Line::Done(StepEndLine {
            ms: self.ms(),
            path: Some(path.clone()),
            status,
            value,
        })));
    }

    /// Returns the state before a tool call that may change the device by other means than inputs: the time,
    /// and the numbers of looks, inputs and changing requests so far.
    pub(crate) fn call_begins(&self, session: &Session) -> CallBegin {
        let state = lock(&self.state);
        CallBegin {
            ms: self.ms(),
            looks: state.looks,
            inputs: state.inputs,
            changing: session.device().counters().changing(),
        }
    }

    /// Records an act for a tool call that sent commands which may change the device, but no input.
    pub(crate) fn call_ends(&self, session: &Session, begin: &CallBegin) {
        let by_inputs = lock(&self.state).inputs > begin.inputs;
        if !by_inputs && session.device().counters().changing() > begin.changing {
            self.send(Entry::Act(begin.ms, Some(begin.looks), Vec::new()));
        }
    }

    /// Ends the recording, and returns the path of its file once it is written. `None` if it was cut, could not be
    /// written or kept, and on a second call.
    pub(crate) async fn finish(
        &self,
        status: FlowStatus,
        app_version: Option<String>,
    ) -> Option<Utf8PathBuf> {
        let end = Entry::End(Box::new(EndLine {
            status,
            app_version,
            commit: None,
        }));
        self.send(end);
        // The writer of a recording that was cut gets no end: without this it would wait for more for ever.
        drop(lock(&self.entries).take());
        let writing = lock(&self.writing).take()?;
        let joined = tokio::task::spawn_blocking(move || writing.join());
        joined.await.ok()?.ok()?
    }
}

#[async_trait::async_trait]
impl Observer for Recorder {
    /// Records a look, or only that the screen stands still if it has the same rows as the last one. More than 2000
    /// different looks cut the recording.
    fn saw(&self, screen: &Arc<Screen>) {
        let mut state = lock(&self.state);
        let is_same = state
            .last
            .as_ref()
            .is_some_and(|last| same_rows(last, screen));
        if !is_same {
            state.looks += 1;
            if state.looks > MAX_LOOKS {
                self.is_cut.store(true, Ordering::Relaxed);
            }
            state.last = Some(Arc::clone(screen));
        }
        drop(state);
        self.send(if is_same {
            Entry::Line(Line::Still(self.ms()))
        } else {
            Entry::Look(self.ms(), Arc::clone(screen))
        });
    }

    fn took(&self, _: &Picture) {}

    /// Records the first match and the number of all. Records nothing without a match, or unless the screen
    /// has the rows of the last recorded look.
    fn found(&self, screen: &Arc<Screen>, nodes: &[NodeIndex]) {
        let is_last = lock(&self.state)
            .last
            .as_ref()
            .is_some_and(|last| same_rows(last, screen));
        if let (Some(first), true) = (nodes.first(), is_last) {
            self.send(Entry::Line(Line::Found(FoundLine {
                node: first.0,
                matches: nodes.len(),
            })));
        }
    }

    /// Records the touches, keys and texts of inputs. Pauses are left out, and parts of typed secrets are masked.
    async fn before_input(&self, _: &Session, inputs: &[Input]) {
        let mut touches: Vec<Touch> = inputs.iter().filter_map(Touch::recorded).collect();
        if touches.is_empty() {
            return;
        }
        for touch in &mut touches {
            // A secret may be typed in parts, which the scrubber does not know.
            if let Touch::Text(text) = touch
                && self.typed.has_part(text)
            {
                MASK.clone_into(text);
            }
        }
        lock(&self.state).inputs += 1;
        self.send(Entry::Act(self.ms(), None, touches));
    }
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;
    use runner_device::Device as _;
    use runner_device::fake::Fake;
    use runner_event::CaseId;
    use runner_screen::DisplayContext;

    use super::*;

    fn screen(text: usize) -> Arc<Screen> {
        let node = format!("<node class='a.TextView' text='{text}' bounds='[0,0][10,10]'/>");
        let dump = format!("<hierarchy rotation='0'>{node}</hierarchy>");
        Arc::new(Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap())
    }

    /// Records an attempt with so many different looks, and returns the path of its recording.
    async fn record(looks: usize) -> Option<Utf8PathBuf> {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        let run = RunRecording::begin(root, "1", root);
        let head = Head {
            version: runner_recording::VERSION,
            run: "1".to_owned(),
            started: String::new(),
            program: String::new(),
            id: CaseId::from(Utf8Path::new("flows/a.yaml")).attempt("virtual", 1),
            device: Fake::showing([]).info().clone(),
            app: None,
            files: Vec::new(),
        };
        let scrubber = Scrubber::default();
        let typed = Arc::new(TypedSecrets::new(scrubber.clone()));
        let recorder = Recorder::begin(&run, head, &scrubber, &typed, Clock::host()).unwrap();
        for look in 0..looks {
            recorder.saw(&screen(look));
        }
        recorder.finish(FlowStatus::Passed, None).await
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_recording_that_is_cut_ends_without_a_file() {
        assert!(
            record(3)
                .await
                .is_some_and(|path| path.as_str().contains("passed"))
        );
        assert_eq!(record(MAX_LOOKS + 1).await, None);
    }
}
