//! Device that shows the screens of a recording, and compares inputs with the recorded ones.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::format::Touch;
use super::recording::Recording;
use runner_device::{
    Clock, Counters, Device, DeviceError, DeviceInfo, Input, LineStream, LookOptions, Picture,
    PictureOptions, Script, ShellOutput,
};
use runner_screen::{Node, NodeIndex, Point, Screen};
use runner_text::secret::MASK;

/// Chosen: device time that a look takes, so that waits for an element come to an end.
const LOOK_MS: u64 = 50;
/// Percent of the display's longer side by which the ends of two swipes may differ and still count as the
/// same. Chosen: much less would distinguish swipes that differ by a few rows.
const SWIPE_TOLERANCE_PERCENT: u32 = 15;

/// Input that differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Index of the recorded act in its place. None if the recording has no more acts.
    pub act: Option<usize>,
    /// Both are touches of one finger, so that only the element differs.
    pub is_touch: bool,
    /// Element that was touched in the recording.
    pub recorded: Option<NodeIndex>,
    /// Element that this input touches.
    pub touched: Option<NodeIndex>,
    /// Index of the look on which both elements are. 0 if nobody looked between two acts.
    pub look: usize,
}

/// Device of recorded screens. It reaches no real device.
pub struct RecordedDevice {
    recording: Arc<Recording>,
    counters: Counters,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Index of the next recorded act.
    act: usize,
    /// Index of the earliest look that may be shown.
    earliest: usize,
    /// Time at which the last recorded step ended, in milliseconds since the attempt began.
    ended_ms: u64,
    /// Index of the look that was shown last.
    shown: Option<usize>,
    /// Index of the next look while later screens are searched.
    search: Option<usize>,
    /// The step was not edited: every input counts as the recorded one.
    accepts: bool,
    /// A step has begun: from then on shell commands have no answer.
    is_in_step: bool,
    divergence: Option<Divergence>,
    /// The step asked something that no recording answers.
    has_unanswered: bool,
}

impl RecordedDevice {
    /// Creates the device at the beginning of a recording: before its first look and act, outside of any step, with
    /// its clock at zero.
    pub fn new(recording: Arc<Recording>) -> Arc<Self> {
        let clock = Clock::reported();
        clock.report(Duration::ZERO);
        Arc::new(Self {
            recording,
            counters: Counters::default(),
            clock,
            state: Mutex::default(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a step, and forgets the divergence, the unanswered request and the search of the step before. The
    /// position in the recording stays. `accepts` says that the step was not edited, so that any inputs count as the
    /// recorded ones. A step has no end: the next one begins.
    pub fn begin_step(&self, accepts: bool) {
        let mut state = self.state();
        state.divergence = None;
        state.has_unanswered = false;
        state.accepts = accepts;
        state.is_in_step = true;
        state.search = None;
    }

    /// Moves on to after the recorded step of this index: past its acts, to its last look or a later one
    /// behind the last act. Acts are never undone. An index beyond the recording does nothing.
    pub fn go_past(&self, step: usize) {
        let Some(step) = self.recording.steps.get(step) else {
            return;
        };
        let mut state = self.state();
        state.act = state.act.max(step.acts.end);
        // The last look of the step, unless it acted afterwards.
        let behind_act = self.looks_before(state.act);
        state.ended_ms = step.until_ms;
        state.earliest = step.looks.saturating_sub(1).max(behind_act);
        state.shown = None;
    }

    /// Skips a look that was already current when the last step ended: a condition is tested on one look, which
    /// should be a later one. Nothing is skipped if there is no later look before the next act, or if the look was
    /// seen again afterwards. Nothing is skipped either if a look was shown since the last act or [`Self::go_past`].
    pub fn skip_old_look(&self) {
        let mut state = self.state();
        let visible = self.visible(&state);
        let has_later = visible.start + 1 < visible.end;
        let step_ended = state.ended_ms;
        let is_seen_again = |look: usize| self.recording.looks[look].until_ms > step_ended;
        if has_later && state.shown.is_none() && !is_seen_again(visible.start) {
            state.earliest = visible.start + 1;
        }
    }

    /// Starts a search: each look shows the next later screen, from the first look behind the next act on, while
    /// inputs succeed and do nothing. Returns false, and does not search, if there is no such look. The next step
    /// ends the search and the position is again that before it.
    pub fn search_later(&self) -> bool {
        let mut state = self.state();
        let behind = self.visible(&state).end;
        let is_any = behind < self.recording.looks.len();
        state.search = is_any.then_some(behind);
        is_any
    }

    /// Returns the index of the next recorded act (inputs that were sent together); `None` behind the last.
    pub fn next_act(&self) -> Option<usize> {
        let act = self.state().act;
        (act < self.recording.acts.len()).then_some(act)
    }

    /// Returns the index of the look that is shown now, without moving on. `None` if nothing looked between two acts.
    /// A search does not count: then it is the look before the search.
    pub fn current_look(&self) -> Option<usize> {
        self.look_now(&self.state())
    }

    /// Takes the last input of the step that differed from the recorded one, so that a second call returns
    /// `None`.
    pub fn take_divergence(&self) -> Option<Divergence> {
        self.state().divergence.take()
    }

    /// Returns true if the step asked something that no recording answers, and resets that.
    pub fn take_unanswered(&self) -> bool {
        std::mem::take(&mut self.state().has_unanswered)
    }

    /// Returns the number of looks before the recorded act that was done last.
    fn looks_before(&self, next_act: usize) -> usize {
        let done = next_act.checked_sub(1);
        done.and_then(|done| self.recording.acts.get(done))
            .map_or(0, |act| act.looks)
    }

    /// Returns the indices of the looks that may be shown now. Empty if nothing looked between two acts.
    fn visible(&self, state: &State) -> std::ops::Range<usize> {
        let next = self.recording.acts.get(state.act);
        let end = next.map_or(self.recording.looks.len(), |act| act.looks);
        state.earliest.min(end)..end
    }

    /// Returns the index of the look to show: the one of `state.shown`, or the first or last between the last act and
    /// the next if it lies outside of these; the first if none was shown. Changes nothing. Returns `None` if nothing
    /// looked between the two acts.
    fn look_now(&self, state: &State) -> Option<usize> {
        let visible = self.visible(state);
        if visible.is_empty() {
            return None;
        }
        let last = visible.end - 1;
        Some(
            state
                .shown
                .unwrap_or(visible.start)
                .clamp(visible.start, last),
        )
    }

    /// Compares inputs with the next recorded act, and moves past it if they are the same. Pauses alone, and all
    /// inputs during a search, succeed and move nothing. If the step was not edited, any inputs count as the same.
    /// Behind the last recorded act all inputs differ. If they differ, the position stays.
    fn take_inputs(&self, inputs: &[Input]) -> Result<(), Divergence> {
        let mut state = self.state();
        let touches: Vec<Touch> = inputs.iter().filter_map(Touch::recorded).collect();
        if state.search.is_some() || touches.is_empty() {
            return Ok(());
        }
        let look = self.look_now(&state);
        let differing =
            |act, is_touch, elements: (Option<NodeIndex>, Option<NodeIndex>)| Divergence {
                act,
                is_touch,
                recorded: elements.0,
                touched: elements.1,
                look: look.unwrap_or_default(),
            };
        let Some(act) = self.recording.acts.get(state.act) else {
            return Err(differing(None, false, (None, None)));
        };
        if !state.accepts {
            let screen = look.and_then(|look| self.recording.looks[look].screen().ok());
            let recorded = &act.inputs;
            let is_same = recorded.len() == touches.len()
                && touches
                    .iter()
                    .zip(recorded)
                    .all(|(new, old)| is_same(new, old, screen.as_ref()));
            if !is_same {
                let element = |touches: &[Touch]| {
                    let at = touches.first().and_then(touched_point)?;
                    Some(touch_target(screen.as_ref()?, at)?.index())
                };
                let elements = (element(recorded), element(&touches));
                let is_touch =
                    elements.0.is_some() && elements.1.is_some() && elements.0 != elements.1;
                return Err(differing(Some(state.act), is_touch, elements));
            }
        }
        state.earliest = act.looks;
        state.shown = None;
        state.act += 1;
        Ok(())
    }
}

/// Returns the point of a tap, double tap or long press; `None` for anything else, such as a swipe.
fn touched_point(touch: &Touch) -> Option<Point> {
    match touch {
        Touch::Tap([x, y]) | Touch::DoubleTap([x, y]) | Touch::LongPress([x, y]) => {
            Some(Point { x: *x, y: *y })
        }
        _ => None,
    }
}

/// Returns true if two inputs are of one kind and have the same effect on a screen: they touch the same point or
/// element, both ends of a swipe are near, or keys and text are equal. A recorded text that contains a mask equals
/// any text. Without a screen, touches and swipes must have equal points.
fn is_same(new: &Touch, old: &Touch, screen: Option<&Screen>) -> bool {
    match (new, old) {
        (Touch::Tap(_), Touch::Tap(_))
        | (Touch::DoubleTap(_), Touch::DoubleTap(_))
        | (Touch::LongPress(_), Touch::LongPress(_)) => {
            let element = |touch| touch_target(screen?, touched_point(touch)?).map(Node::index);
            new == old || element(new).is_some_and(|new| element(old) == Some(new))
        }
        (Touch::Swipe(from, to), Touch::Swipe(old_from, old_to)) => {
            let longer = screen.map_or(0, |it| it.display().width.max(it.display().height));
            let tolerance = (longer * SWIPE_TOLERANCE_PERCENT / 100) as i32;
            let is_near = |one: &[i32; 2], other: &[i32; 2]| {
                one.iter()
                    .zip(other)
                    .all(|(a, b)| a.saturating_sub(*b).saturating_abs() <= tolerance)
            };
            is_near(from, old_from) && is_near(to, old_to)
        }
        // A masked text may have been any text.
        (Touch::Text(new), Touch::Text(old)) => new == old || old.contains(MASK),
        _ => new == old,
    }
}

/// Returns the element that a touch reaches: of those in the topmost window that contain the point, the last
/// clickable one in document order, else the last one. Elements off the screen are not touched. Returns
/// `None` if there is none.
fn touch_target(screen: &Screen, at: Point) -> Option<Node<'_>> {
    let hits = || {
        let is_hit = |node: &Node<'_>| node.is_on_screen() && node.bounds().contains(at);
        screen.nodes().filter(is_hit)
    };
    let layer = hits().map(|node| node.window().layer).max()?;
    let mut last = None;
    for node in hits().filter(|node| node.window().layer == layer) {
        let is_better =
            node.flags().clickable || last.is_none_or(|last: Node<'_>| !last.flags().clickable);
        if is_better {
            last = Some(node);
        }
    }
    last
}

/// Returns the error for a request that a recording cannot answer.
fn unsupported(what: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: what.to_owned(),
        missing: "these are recorded screens".to_owned(),
    }
}

/// Returns the output of a command that succeeded and printed nothing.
fn no_output() -> ShellOutput {
    ShellOutput {
        exit_code: Some(0),
        ..ShellOutput::default()
    }
}

#[async_trait::async_trait]
impl Device for RecordedDevice {
    fn info(&self) -> &DeviceInfo {
        &self.recording.head.device
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// Advances the clock for `sleep`. Any other command succeeds and prints nothing before the first step. After
    /// that it is an error and noted as unanswered, except for the liveness check `true`.
    async fn shell(&self, script: &Script, _: Duration) -> Result<ShellOutput, DeviceError> {
        self.counters.round_trip();
        let slept = script.text().strip_prefix("sleep ");
        if let Some(seconds) = slept.and_then(|seconds| seconds.parse::<f64>().ok()) {
            let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            self.clock.advance(time);
            return Ok(no_output());
        }
        let mut state = self.state();
        // Between steps a run asks many things on which no finding depends. A liveness check always
        // succeeds.
        if !state.is_in_step || script.text() == "true" {
            return Ok(no_output());
        }
        state.has_unanswered = true;
        Err(unsupported("run a command"))
    }

    /// Answers each question with success; never fails. Only the question for the keyboard, answered by the present
    /// look, and `settings get`, always `0`, have an output.
    async fn ask(
        &self,
        questions: &[&str],
        _: &str,
        _: Duration,
    ) -> Result<Vec<ShellOutput>, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        let look = self.current_look();
        let keyboard = look.is_some_and(|look| self.recording.looks[look].dump.1.keyboard);
        let answer = |question: &&str| {
            let mut output = no_output();
            if question.contains("mInputShown") {
                output.stdout = format!("mInputShown={keyboard}\n").into_bytes();
            } else if question.starts_with("settings get") {
                // Says that animations are off, so that the run need not turn them off.
                output.stdout = b"0\n".to_vec();
            }
            output
        };
        Ok(questions.iter().map(answer).collect())
    }

    async fn lines(&self, _: &Script) -> Result<Box<dyn LineStream>, DeviceError> {
        self.state().has_unanswered = true;
        Err(unsupported("follow a command"))
    }

    /// Shows the next look before the next act, and after the last of them always that one. While a later screen is
    /// searched, looks go on past acts to the end of the recording and stay at the last. If nothing looked between
    /// two acts, the look is an error and noted as unanswered. Each look advances the clock by 50 ms.
    async fn look(&self, _: LookOptions) -> Result<Screen, DeviceError> {
        self.counters.round_trip();
        self.counters.dump();
        self.clock.advance(Duration::from_millis(LOOK_MS));
        let look = {
            let mut state = self.state();
            match &mut state.search {
                Some(next) => {
                    let look = *next;
                    if look + 1 < self.recording.looks.len() {
                        *next = look + 1;
                    }
                    Some(look)
                }
                None => {
                    state.shown = match state.shown {
                        Some(shown) => Some(shown + 1),
                        None => Some(self.visible(&state).start),
                    };
                    state.shown = self.look_now(&state);
                    state.shown
                }
            }
        };
        let look = look.and_then(|look| self.recording.looks.get(look));
        let Some(look) = look else {
            self.state().has_unanswered = true;
            return Err(unsupported("show a screen on which nobody looked"));
        };
        look.screen().map_err(DeviceError::Dump)
    }

    /// Fails always, as a recording has no pictures. It is not noted as unanswered.
    async fn picture(&self, _: PictureOptions) -> Result<Picture, DeviceError> {
        self.counters.mark_read_only();
        self.counters.round_trip();
        Err(DeviceError::NoPicture(
            "these are recorded screens".to_owned(),
        ))
    }

    /// Compares the inputs with the next recorded act and moves past it, and advances the clock for pauses. Inputs
    /// that differ are an error and noted as divergence. During a search, all succeed.
    async fn input(&self, inputs: &[Input], _: Duration) -> Result<(), DeviceError> {
        self.counters.round_trip();
        for input in inputs {
            if let Input::Pause(time) = input {
                self.clock.advance(*time);
            }
        }
        self.take_inputs(inputs).map_err(|divergence| {
            self.state().divergence = Some(divergence);
            unsupported("take another input than the recorded one")
        })
    }

    async fn push(&self, _: &[u8], _: &str, _: u32) -> Result<(), DeviceError> {
        self.state().has_unanswered = true;
        Err(unsupported("take a file"))
    }

    async fn pull(&self, _: &str, _: u64) -> Result<Vec<u8>, DeviceError> {
        self.state().has_unanswered = true;
        Err(unsupported("give a file"))
    }
}
