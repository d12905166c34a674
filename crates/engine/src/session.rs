//! The session: the device, what was seen, and the queue for input.

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
use super::observer::Observer;
use super::short_ids::{self, ShortIds};
use super::step_clock::{CutOff, DeviceRequest, LEAST, RESTLESS, StepClock};
use super::wait_budget::LOOK_LIMIT;
use super::{EngineError, StorageLocation};
use runner_device::{
    ATTEMPTS, Clock, Device, DeviceError, DumpFailure, INPUT_LIMIT, Input, LookOptions, Picture,
    PictureOptions, system,
};
use runner_screen::{Display, NodeIndex, Screen};

/// Longest time for one screenshot.
const PICTURE_LIMIT: Duration = Duration::from_secs(20);

/// A session on one device. All input goes through it, one at a time; every look is remembered.
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

/// The right to touch the device: while it is held, nobody else's input comes between.
#[must_use]
pub struct InputGuard<'a> {
    session: &'a Session,
    _guard: tokio::sync::MutexGuard<'a, ()>,
}

impl InputGuard<'_> {
    /// Sends inputs in order: in one round trip, but a long text in several.
    pub async fn send(&self, inputs: &[Input]) -> Result<(), EngineError> {
        self.session.send_inputs(inputs).await
    }
}

impl Session {
    /// Lets flung content come to rest, where a look of the device does not wait for it: a touch would only stop it.
    pub(super) async fn wait_for_rest(&self) -> Result<(), EngineError> {
        let left = self.late_effects.time_to_rest(self.clock.device());
        if left.is_zero() || self.device.looks_at_rest() {
            return Ok(());
        }
        self.send_inputs(&[Input::Pause(left)]).await
    }

    /// Sends inputs for whoever holds the turn.
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
        let density = info.display.value().map_or(DENSITY, |it| it.density);
        let sdk = info.sdk.value().copied().unwrap_or_default();
        self.late_effects.note(clock.device(), inputs, density, sdk);
        // A look of another call that began after the input did may not show what came of it.
        self.forget_look();
        self.history().note_inputs(inputs);
        Ok(sent?)
    }
}

/// The density of a display that says none, in dots an inch.
const DENSITY: u32 = 160;

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
    /// A session on `device`, by its clock.
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

    /// With these storage locations instead of the default ones.
    #[must_use]
    pub fn with_locations(mut self, locations: Vec<StorageLocation>) -> Self {
        self.locations = locations;
        self
    }

    /// Going on with what an earlier session remembered.
    #[must_use]
    pub fn with_memory(mut self, memory: Arc<Extensions>) -> Self {
        self.memory = memory;
        self
    }

    /// With one more observer of what it sees and sends.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// Announces inputs that are about to be sent.
    pub(super) async fn notify_input(&self, inputs: &[Input]) {
        for observer in &self.observers {
            observer.before_input(self, inputs).await;
        }
    }

    /// Tells observers that a selector matched.
    pub fn notify_found(&self, screen: &Arc<Screen>, nodes: &[NodeIndex]) {
        for observer in &self.observers {
            observer.found(screen, nodes);
        }
    }

    /// What tools keep between calls: one value of each type.
    pub fn remembered<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.memory.get()
    }

    /// Folders of the device that the file tools may use.
    pub fn locations(&self) -> &[StorageLocation] {
        &self.locations
    }

    /// The device, for what needs no element.
    pub fn device(&self) -> &dyn Device {
        self.device.as_ref()
    }

    /// The device, for what goes on beside the session.
    pub fn shared_device(&self) -> Arc<dyn Device> {
        Arc::clone(&self.device)
    }

    /// The clock that every limit of the session counts.
    pub fn clock(&self) -> &Clock {
        self.clock.device()
    }

    /// Waits for the turn to touch the device. Do not take a second one while holding one.
    pub async fn lock_input(&self) -> InputGuard<'_> {
        InputGuard {
            session: self,
            _guard: self.queue.lock().await,
        }
    }

    /// Sends inputs in order when it is their turn.
    pub async fn input(&self, inputs: &[Input]) -> Result<(), EngineError> {
        self.lock_input().await.send(inputs).await
    }

    /// The next of the numbers that name this session's files: 1, 2, ….
    pub fn next_number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// A step with this limit begins: from here on it bounds what is asked of the device.
    pub fn begin_step(&self, limit: Duration) {
        self.clock.begin(limit);
    }

    /// Returns the time since the last input of the step under way; `None` where it sent none.
    pub fn time_since_input(&self) -> Option<Duration> {
        let sent = self.late_effects.sent()?;
        let is_of_step = self.clock.began_before(sent);
        is_of_step.then(|| self.clock().since(sent))
    }

    /// How long the last wait took, where it was in vain; afterwards nothing is known of it.
    pub fn take_wait(&self) -> Option<Duration> {
        self.clock.take_wait()
    }

    /// What the device had under way when the step's work was dropped. A look counts only where none of the step went well.
    pub fn cut_off(&self) -> Option<CutOff> {
        self.clock.cut_off()
    }

    /// Whether the last look of the step took longer than it may.
    pub fn is_slow(&self) -> bool {
        self.clock.has_hung()
    }

    /// How long one thing may take that is asked of the device beside looks and inputs, and is usually limited to `usual`.
    pub fn bound(&self, usual: Duration) -> Duration {
        self.clock.bound(usual)
    }

    /// A fresh look.
    pub async fn look(&self) -> Result<Arc<Screen>, EngineError> {
        self.look_within(self.clock.bound(LOOK_LIMIT)).await
    }

    /// A fresh look that takes no longer than `limit`.
    pub(super) async fn look_within(&self, limit: Duration) -> Result<Arc<Screen>, EngineError> {
        let (looked, others) = self.looked(LookOptions::within(limit)).await;
        Ok(self.observe(looked?, others))
    }

    /// A look, watched by the step's clock, with the changing round trips before it.
    async fn looked(&self, options: LookOptions) -> (Result<Screen, EngineError>, u64) {
        let limit = options.limit;
        // Once a look of the step went well, one that is cut off later says nothing about the device.
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

    /// Counts the host's time of what the device did not do in time: it reports none for that.
    fn count_silence<T>(&self, begun: Instant, done: &Result<T, DeviceError>) {
        if matches!(done, Err(DeviceError::Timeout { .. })) {
            self.clock().count(begun.elapsed());
        }
    }

    /// A fresh look at the elements alone, for who needs no activity in front and no bars. It is not the session's last
    /// look: nobody finds an id of it again.
    pub async fn look_at_elements(&self) -> Result<Arc<Screen>, EngineError> {
        let limit = self.clock.bound(LOOK_LIMIT);
        let options = LookOptions {
            surroundings: false,
            ..LookOptions::within(limit)
        };
        let (looked, others) = self.looked(options).await;
        let screen = Arc::new(looked?);
        self.clock.looked();
        self.note_displayed(&screen, others);
        Ok(screen)
    }

    /// Whose fault it is that a look was not done within `limit`. The device answers otherwise, else it would be lost.
    fn look_ran_out(&self, error: DeviceError, limit: Duration) -> EngineError {
        // One that had less may end a wait on a device that is well.
        if limit >= LEAST {
            self.clock.hung();
        }
        if self.clock.has_looked() {
            EngineError::LookCutOff { limit }
        } else if limit < RESTLESS {
            EngineError::NotRead { limit }
        } else {
            error.into()
        }
    }

    /// A look for what is kept of a failure.
    pub async fn glimpse(
        &self,
        limit: Duration,
        attempts: usize,
    ) -> Result<Arc<Screen>, EngineError> {
        // Not bounded by the step, whose time is over when something is kept of its failure.
        let options = LookOptions {
            attempts,
            ..LookOptions::within(limit)
        };
        let others = self.changing_round_trips();
        Ok(self.observe(self.device.look(options).await?, others))
    }

    fn observe(&self, screen: Screen, others: u64) -> Arc<Screen> {
        let screen = Arc::new(screen);
        self.clock.looked();
        self.history().add(Arc::clone(&screen));
        self.note_look(&screen, others);
        for observer in &self.observers {
            observer.saw(&screen);
        }
        screen
    }

    /// One screenshot, alone.
    pub async fn picture(&self) -> Result<Picture, EngineError> {
        self.picture_within(self.clock.bound(PICTURE_LIMIT), ATTEMPTS)
            .await
    }

    /// One screenshot that takes no longer than `limit`.
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

    /// The last look, if there was one since the session began.
    pub fn last_screen(&self) -> Option<Arc<Screen>> {
        self.history().last()
    }

    /// The display as it was at the last look, else as it is now. Rotation since the last look is not seen.
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
                    // No gesture has room on a display of no size, which is not the gesture's fault.
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

    /// The display as it is turned now; `None` where the device reports none. It is asked for by itself: a screen that
    /// gives no dump has a size all the same.
    pub async fn display_now(&self) -> Result<Option<Display>, EngineError> {
        Ok(system::display(self.device()).await?)
    }

    /// The element with this id, on a fresh look. An id of an earlier look is found again by what its element is.
    pub async fn element(&self, id: &str) -> Result<(Arc<Screen>, NodeIndex), EngineError> {
        let screen = self.look().await?;
        match self.on_screen(id, &screen) {
            Some(index) => Ok((screen, index)),
            None => Err(self.no_such(id)),
        }
    }

    /// The ids that agents were shown.
    pub fn short_ids(&self) -> Arc<ShortIds> {
        self.remembered()
    }

    /// Why there is no element with this id.
    pub(super) fn no_such(&self, id: &str) -> EngineError {
        let called = short_ids::number(id).and_then(|number| self.short_ids().called(number));
        let id = id.to_owned();
        match called {
            Some(called) => EngineError::Gone { id, called },
            None => EngineError::UnknownId { id },
        }
    }

    /// The element on `screen` with this id, or that had it in an earlier look.
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

    /// The newest look in which an element had this id, and the element there.
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

    /// Where an element of an earlier look is on `screen`.
    pub fn find_again(&self, old: &Screen, index: NodeIndex, screen: &Screen) -> Option<NodeIndex> {
        history::find_again(old.node(index), screen)
    }

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether another look may go better: a screen in motion, not a device that is gone.
pub(super) fn is_passing(error: &EngineError) -> bool {
    // `SlotTaken` is not among them: the other client does not go by itself.
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

/// Whether the device said that the screen never stands still.
pub(super) fn is_restless(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Device(DeviceError::NoDump {
            kind: DumpFailure::NotIdle,
            ..
        })
    )
}
