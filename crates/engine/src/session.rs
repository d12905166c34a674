//! The session: a device, the looks at it, and the queue for input.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::changes::Changes;
use super::dialogs::Dialogs;
use super::extensions::Extensions;
use super::fresh_look::{self, FreshLook};
use super::history::{self, History};
use super::late_effects::LateEffects;
use super::short_ids::{self, ShortIds};
use super::step_clock::{
    DeviceRequest, LOOK_LIMIT, MIN_REQUEST_LIMIT, RESTLESS_LOOK_LIMIT, StepClock, UnfinishedRequest,
};
use super::{EngineError, StorageLocation};
use runner_device::{
    ATTEMPTS, Clock, Device, DeviceError, DumpFailure, INPUT_LIMIT, Input, LookOptions, Picture,
    PictureOptions, system,
};
use runner_screen::{Display, NodeIndex, Screen};

/// Time limit for one screenshot. Chosen: a phone takes less than a second, a device of a cloud a few.
const PICTURE_LIMIT: Duration = Duration::from_secs(20);

/// A session on one device. Inputs of different calls do not mix; the last 64 looks at the whole screen are kept.
pub struct Session {
    device: Arc<dyn Device>,
    queue: tokio::sync::Mutex<()>,
    history: Mutex<History>,
    numbers: AtomicU32,
    pub(super) changes: tokio::sync::Mutex<Changes>,
    locations: Vec<StorageLocation>,
    memory: Arc<Extensions>,
    pub(super) clock: StepClock,
    pub(super) fresh: FreshLook,
    late_effects: LateEffects,
    observers: Vec<Arc<dyn Observer>>,
    pub(super) dialogs: Dialogs,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("serial", &self.device.info().serial)
            .finish_non_exhaustive()
    }
}

/// Receives what a session sees and sends, as it happens.
#[async_trait::async_trait]
pub trait Observer: Send + Sync {
    /// Called after a look. The caller of the look waits for it, so it must be quick.
    fn saw(&self, screen: &Arc<Screen>);

    /// Called after a screenshot. The caller waits for it, so it must be quick.
    fn took(&self, picture: &Picture);

    /// Called when a selector matched elements of a look, at least one.
    fn found(&self, _screen: &Arc<Screen>, _nodes: &[NodeIndex]) {}

    /// Called before inputs are sent. They are sent after this returns.
    async fn before_input(&self, session: &Session, inputs: &[Input]);
}

/// Exclusive lock on the device's input. While it exists, no other call's input comes in between.
#[must_use]
pub struct InputGuard<'a> {
    session: &'a Session,
    _guard: tokio::sync::MutexGuard<'a, ()>,
}

impl InputGuard<'_> {
    /// Sends inputs in order, usually in one round trip; a long text takes several. Pauses before if an earlier tap or
    /// fling still has an effect. An empty list sends nothing.
    pub async fn send(&self, inputs: &[Input]) -> Result<(), EngineError> {
        self.session.send_inputs(inputs).await
    }
}

impl Session {
    /// Waits until flung content rests, as computed from the last inputs, without a look. Returns at once if
    /// nothing was flung, or if the device's looks wait for rest themselves. A touch on moving content would
    /// only stop it.
    pub(super) async fn wait_for_rest(&self) -> Result<(), EngineError> {
        let left = self.late_effects.time_to_rest(self.clock.device());
        if left.is_zero() || self.device.looks_at_rest() {
            return Ok(());
        }
        self.send_inputs(&[Input::Pause(left)]).await
    }

    /// Sends inputs on behalf of the lock's holder, in one request, after observers were told. Inserts a
    /// pause before them if the effect of an earlier input has not ended. Forgets the last look and records
    /// the inputs, also if the request fails. Nothing is sent for an empty list.
    pub(super) async fn send_inputs(&self, inputs: &[Input]) -> Result<(), EngineError> {
        if inputs.is_empty() {
            return Ok(());
        }
        self.notify_input(inputs).await;
        let pause = self.late_effects.pause(self.clock.device(), inputs);
        let inputs = match pause {
            Some(pause) => {
                let later = inputs.iter().cloned();
                Cow::Owned(std::iter::once(pause).chain(later).collect())
            }
            None => Cow::Borrowed(inputs),
        };
        let inputs: &[Input] = &inputs;
        if inputs.iter().any(fresh_look::types) {
            self.note_typing();
        }
        let clock = &self.clock;
        let watch = clock.watch(DeviceRequest::Input, inputs.iter().map(Input::needs).sum());
        let sent = self.device.input(inputs, clock.bound(INPUT_LIMIT));
        let begun = Instant::now();
        let sent = sent.await;
        watch.done();
        let (count, ms) = (inputs.len(), begun.elapsed().as_millis() as u64);
        tracing::debug!(target: "engine", count, ms, sent = sent.is_ok(), "input");
        let info = self.device.info();
        let density = info
            .display
            .value()
            .map_or(DEFAULT_DENSITY, |it| it.density);
        let sdk = info.sdk.value().copied().unwrap_or_default();
        self.late_effects.note(clock.device(), inputs, density, sdk);
        // A look of another call that began after the input did may not show what came of it.
        self.forget_look();
        self.history().note_inputs(inputs);
        Ok(sent?)
    }
}

/// Default density in dots per inch, Android's `DENSITY_DEFAULT` (mdpi).
const DEFAULT_DENSITY: u32 = 160;

/// Writes a look with its duration and size to the program's log; one that failed at a higher level.
fn log_look(begun: Instant, limit: Duration, looked: &Result<Screen, DeviceError>) {
    let ms = begun.elapsed().as_millis() as u64;
    let limit = limit.as_millis() as u64;
    match looked {
        Ok(screen) => {
            let (windows, nodes) = (screen.windows().len(), screen.len());
            tracing::debug!(target: "engine", ms, limit, windows, nodes, "look");
        }
        Err(error) => {
            tracing::info!(target: "engine", ms, limit, error = ?error.to_string(), "look failed");
        }
    }
}

impl Session {
    /// Creates a session with the default storage locations, without observers and rules for dialogs. The device is not
    /// asked anything.
    pub fn new(device: Arc<dyn Device>) -> Self {
        Self {
            clock: StepClock::new(device.clock()),
            device,
            queue: tokio::sync::Mutex::default(),
            history: Mutex::default(),
            numbers: AtomicU32::new(0),
            changes: tokio::sync::Mutex::default(),
            locations: StorageLocation::defaults(),
            memory: Arc::default(),
            fresh: FreshLook::default(),
            late_effects: LateEffects::default(),
            observers: Vec::new(),
            dialogs: Dialogs::default(),
        }
    }

    /// Replaces the default storage locations.
    #[must_use]
    pub fn with_locations(mut self, locations: Vec<StorageLocation>) -> Self {
        self.locations = locations;
        self
    }

    /// Continues with the memory of an earlier session of the same device.
    #[must_use]
    pub fn with_memory(mut self, memory: Arc<Extensions>) -> Self {
        self.memory = memory;
        self
    }

    /// Adds an observer. Observers are told in the order in which they were added.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Notifies observers of inputs that are about to be sent, and waits for one after the other.
    pub(super) async fn notify_input(&self, inputs: &[Input]) {
        for observer in &self.observers {
            observer.before_input(self, inputs).await;
        }
    }

    /// Notifies observers of a selector's matches.
    pub fn notify_found(&self, screen: &Arc<Screen>, nodes: &[NodeIndex]) {
        for observer in &self.observers {
            observer.found(screen, nodes);
        }
    }

    /// Returns the state that tools keep between calls, one value of each type.
    pub fn remembered<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.memory.get()
    }

    /// Returns the device's folders that file tools may use.
    pub fn locations(&self) -> &[StorageLocation] {
        &self.locations
    }

    pub fn device(&self) -> &dyn Device {
        self.device.as_ref()
    }

    pub fn shared_device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.device)
    }

    /// Returns the device's clock. All limits of the session count by it.
    pub fn clock(&self) -> &Clock {
        self.clock.device()
    }

    /// Waits for the input lock, without a limit. Taking it a second time while holding it is a deadlock.
    pub async fn lock_input(&self) -> InputGuard<'_> {
        InputGuard {
            session: self,
            _guard: self.queue.lock().await,
        }
    }

    /// Takes the input lock and sends inputs in order, as [`InputGuard::send`] does.
    pub async fn input(&self, inputs: &[Input]) -> Result<(), EngineError> {
        self.lock_input().await.send(inputs).await
    }

    /// Returns the next number for this session's file names: 1, 2, ….
    pub fn next_number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Begins a step. From here on its limit bounds every request to the device.
    pub fn begin_step(&self, limit: Duration) {
        self.clock.begin(limit);
    }

    /// Returns the time since the last input of the current step; `None` if it sent none.
    pub fn time_since_input(&self) -> Option<Duration> {
        let sent = self.late_effects.sent()?;
        let is_of_step = self.clock.began_before(sent);
        is_of_step.then(|| self.clock().since(sent))
    }

    /// Removes and returns the duration of the last wait, if that ended without success.
    pub fn take_wait(&self) -> Option<Duration> {
        self.clock.take_wait()
    }

    /// Returns the request that the device had not finished when the step's work was dropped. A look counts
    /// only if no look of the step succeeded.
    pub fn cut_off(&self) -> Option<UnfinishedRequest> {
        self.clock.cut_off()
    }

    /// Returns true if the step's last look exceeded a limit of 3 s or more.
    pub fn is_slow(&self) -> bool {
        self.clock.has_hung()
    }

    /// Returns the limit for a request other than looks and inputs, at most `usual`, within the step's time.
    pub fn bound(&self, usual: Duration) -> Duration {
        self.clock.bound(usual)
    }

    /// Takes a look within the step's time, at least 3 s and at most 30 s. It is recorded, and observers are told. Does
    /// not wait for rest by itself.
    pub async fn look(&self) -> Result<Arc<Screen>, EngineError> {
        self.look_within(self.clock.bound(LOOK_LIMIT)).await
    }

    /// Takes a look with this limit, as [`Session::look`] does.
    pub(super) async fn look_within(&self, limit: Duration) -> Result<Arc<Screen>, EngineError> {
        let (looked, others) = self.timed_look(LookOptions::within(limit)).await;
        Ok(self.observe(looked?, others))
    }

    /// Takes a look under the step's clock. A look that exceeds its limit is classified by
    /// [`Session::look_ran_out`]. Also returns the number of changing round trips before it. Does not record
    /// the look.
    async fn timed_look(&self, options: LookOptions) -> (Result<Screen, EngineError>, u64) {
        let limit = options.limit;
        // After a successful look, a later one that is cut off says nothing about the device.
        let watch = (!self.clock.has_looked())
            .then(|| self.clock.watch(DeviceRequest::Look, Duration::ZERO));
        let others = self.changing_round_trips();
        let begun = Instant::now();
        let looked = self.device.look(options).await;
        self.count_silence(begun, &looked);
        log_look(begun, limit, &looked);
        if let Some(watch) = watch {
            watch.done();
        }
        let looked = looked.map_err(|error| match error {
            DeviceError::Timeout { .. } => self.look_ran_out(error, limit),
            error => error.into(),
        });
        (looked, others)
    }

    /// Adds the host's time of a timed-out request to the device's clock, as the device itself reports none
    /// for it.
    fn count_silence<T>(&self, begun: Instant, done: &Result<T, DeviceError>) {
        if matches!(done, Err(DeviceError::Timeout { .. })) {
            self.clock().count(begun.elapsed());
        }
    }

    /// Takes a look at the elements alone, without the front activity and the system bars. It counts as
    /// displayed, but is neither recorded in the history nor reported to observers, so ids of it are not
    /// found again.
    pub async fn look_at_elements(&self) -> Result<Arc<Screen>, EngineError> {
        let limit = self.clock.bound(LOOK_LIMIT);
        let options = LookOptions {
            surroundings: false,
            ..LookOptions::within(limit)
        };
        let (looked, others) = self.timed_look(options).await;
        let screen = Arc::new(looked?);
        self.clock.record_look();
        self.note_displayed(&screen, others);
        Ok(screen)
    }

    /// Classifies a look that exceeded `limit`. After a successful look of this step it is only cut off.
    /// Before, it was not read if the limit was below 12 s; with a longer one the device's error stays. From
    /// 3 s on, the step's clock records a hang. The device answers other requests, else it would count as
    /// lost.
    fn look_ran_out(&self, error: DeviceError, limit: Duration) -> EngineError {
        // A shorter limit may end a wait on a healthy device.
        if limit >= MIN_REQUEST_LIMIT {
            self.clock.record_hang();
        }
        if self.clock.has_looked() {
            EngineError::LookCutOff { limit }
        } else if limit < RESTLESS_LOOK_LIMIT {
            EngineError::NotRead { limit }
        } else {
            error.into()
        }
    }

    /// Takes a look for the evidence of a failure, within `limit` and not bounded by the step's time, by at most
    /// `attempts` dumps. Recorded as any other look, but an exceeded limit stays the device's error.
    pub async fn glimpse(
        &self,
        limit: Duration,
        attempts: usize,
    ) -> Result<Arc<Screen>, EngineError> {
        // Not bounded by the step, whose time is over when evidence of its failure is taken.
        let options = LookOptions {
            attempts,
            ..LookOptions::within(limit)
        };
        let others = self.changing_round_trips();
        Ok(self.observe(self.device.look(options).await?, others))
    }

    /// Records a look in the history and on the step's clock, keeps it as the fresh one, and tells the observers in
    /// their order. `others` is the number of changing requests when it began: if there were more since, no look is
    /// fresh.
    fn observe(&self, screen: Screen, others: u64) -> Arc<Screen> {
        let screen = Arc::new(screen);
        self.clock.record_look();
        self.history().add(Arc::clone(&screen));
        self.note_look(&screen, others);
        for observer in &self.observers {
            observer.saw(&screen);
        }
        screen
    }

    /// Takes a screenshot within the step's time, at least 3 s and at most 20 s. Observers get it if it succeeds.
    pub async fn picture(&self) -> Result<Picture, EngineError> {
        self.picture_within(self.clock.bound(PICTURE_LIMIT), ATTEMPTS)
            .await
    }

    /// Takes a screenshot within `limit`, also if the step has less time left. Tries at most `attempts` times.
    /// Observers get it if it succeeds.
    pub async fn picture_within(
        &self,
        limit: Duration,
        attempts: usize,
    ) -> Result<Picture, EngineError> {
        let watch = self.clock.watch(DeviceRequest::Picture, Duration::ZERO);
        let options = PictureOptions { limit, attempts };
        let begun = Instant::now();
        let picture = self.device.picture(options).await;
        self.count_silence(begun, &picture);
        watch.done();
        let ms = begun.elapsed().as_millis() as u64;
        tracing::debug!(target: "engine", ms, taken = picture.is_ok(), "screenshot");
        if let Ok(picture) = &picture {
            for observer in &self.observers {
                observer.took(picture);
            }
        }
        Ok(picture?)
    }

    /// Returns the last look that the session has recorded, however old. `None` before the first.
    pub fn last_screen(&self) -> Option<Arc<Screen>> {
        self.history().last()
    }

    /// Returns the display as it was at the last look, or else as the device reports it now, or as it did
    /// when the session began. A rotation since the last look goes unnoticed. A display without size is an
    /// error of the device.
    pub async fn display(&self) -> Result<Display, EngineError> {
        let observed = self.last_screen().map(|screen| screen.display());
        match observed.filter(|display| !display.bounds().is_empty()) {
            Some(display) => Ok(display),
            None => {
                let display = match self.display_now().await? {
                    Some(now) => now,
                    None => *self.device.info().display.needed()?,
                };
                if display.bounds().is_empty() {
                    // A display of no size is the device's fault, not that of the gesture which has no room on it.
                    return Err(EngineError::Device(DeviceError::Command {
                        command: "wm size".to_owned(),
                        exit_code: None,
                        output: "it does not tell the size of the display".to_owned(),
                    }));
                }
                Ok(display)
            }
        }
    }

    /// Returns the display in its present rotation; `None` if the device reports none. Needs no look, as a
    /// screen that gives no dump has a size all the same.
    pub async fn display_now(&self) -> Result<Option<Display>, EngineError> {
        Ok(system::display(self.device()).await?)
    }

    /// Takes a new look and finds an element by id. Elements of earlier looks are found again by their properties. Does
    /// not wait: an element that is not on this look is [`EngineError::Gone`] if its number was given out, else
    /// [`EngineError::UnknownId`]. Dialogs of rules are answered before, as [`Session::look_for`] does.
    pub async fn element(&self, id: &str) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let (screen, found) = self.look_for(|screen| self.on_screen(id, screen)).await?;
        match found.first() {
            Some(index) => Ok((screen, *index)),
            None => Err(self.no_such(id)),
        }
    }

    /// Returns the short ids, which outlive a lost session of the same device.
    pub fn short_ids(&self) -> Arc<ShortIds> {
        self.remembered()
    }

    /// Returns the short id of the element that has this node id on the last look, and gives it one if it has
    /// none. `None` if the element is not there, or is none that may have one.
    pub fn short_id(&self, node_id: &str) -> Option<String> {
        let screen = self.last_screen()?;
        let node = screen.node_by_id(node_id)?.index();
        let numbers = self.short_ids().show(&screen, &[node]);
        numbers.first().map(|number| short_ids::written(*number))
    }

    /// Builds the error for an id without an element. [`EngineError::Gone`] for a number that this session
    /// gave to an element; [`EngineError::UnknownId`] for all others, also for long ids that were once there.
    pub(super) fn no_such(&self, id: &str) -> EngineError {
        let called = short_ids::number(id).and_then(|number| self.short_ids().called(number));
        let id = id.to_owned();
        match called {
            Some(called) => EngineError::Gone { id, called },
            None => EngineError::UnknownId { id },
        }
    }

    /// Finds the element that has this id on `screen`, or had it on an earlier look and is found again by its
    /// properties. Short numbers are matched among all elements that may have one. `None` for an unknown id
    /// and for an element that is not there. Does not look.
    pub fn on_screen(&self, id: &str, screen: &Screen) -> Option<NodeIndex> {
        if let Some(number) = short_ids::number(id) {
            return self.short_ids().find(number, screen);
        }
        if let Some(node) = screen.node_by_id(id) {
            return Some(node.index());
        }
        let (old, index) = self.observed(id)?;
        history::find_again(old.node(index), screen)
    }

    /// Returns the newest look on which an element had this id, with the element. Only looks that the history
    /// still has count, and for a short number only those that show the same element. `None` if there is
    /// none.
    pub fn observed(&self, id: &str) -> Option<(Arc<Screen>, NodeIndex)> {
        if let Some(number) = short_ids::number(id) {
            let ids = self.short_ids();
            let node_id = ids.node_id(number)?;
            // The same place may hold another element by now.
            return self
                .history()
                .find_where(&node_id, |screen| ids.find(number, screen));
        }
        self.history().find(id)
    }

    /// Finds an element of an earlier look on `screen`, by its id or its properties. `None` if it is not there, or
    /// cannot be told from others. Does not look.
    pub fn find_again(&self, old: &Screen, index: NodeIndex, screen: &Screen) -> Option<NodeIndex> {
        history::find_again(old.node(index), screen)
    }

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns true if another look may succeed: the screen was in motion, the look or screenshot was unusable or
/// incomplete, or it took too long. False if the device is gone or refuses.
pub(super) fn is_transient(error: &EngineError) -> bool {
    // `SlotTaken` is not transient, as the other client does not leave by itself.
    matches!(
        error,
        EngineError::Device(
            DeviceError::NoDump {
                kind: DumpFailure::NotIdle | DumpFailure::NullRoot | DumpFailure::Other,
                ..
            } | DeviceError::Dump(_)
                | DeviceError::NoPicture(_)
                | DeviceError::Timeout { .. }
        ) | EngineError::LookCutOff { .. }
            | EngineError::NotRead { .. }
            | EngineError::PartialScreen { .. }
    )
}

/// Returns true if the device reported that the screen never stands still, as it does for running animations.
/// Other failed looks do not count.
pub(super) fn is_restless(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Device(DeviceError::NoDump {
            kind: DumpFailure::NotIdle,
            ..
        })
    )
}
