//! The session: a device, its memory, and the queue for input. Its modules look at the device and find elements by id.

mod failed_look;
mod ids;
mod looks;

use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::changes::Changes;
use super::dialogs::Dialogs;
use super::extensions::Extensions;
use super::fresh_look::{self, FreshLook};
use super::history::History;
use super::late_effects::LateEffects;
use super::step_clock::{DeviceRequest, StepClock, UnfinishedRequest};
use super::{EngineError, StorageLocation};
use runner_device::{Clock, Device, INPUT_LIMIT, Input, Picture};
use runner_screen::{NodeIndex, Screen};

pub(super) use self::failed_look::{is_restless, is_transient};

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

    /// Waits until a click that was sent has arrived, without a look. Returns at once after any other touch.
    pub(super) async fn wait_for_click(&self) -> Result<(), EngineError> {
        let left = self.late_effects.time_to_click(self.clock.device());
        if left.is_zero() {
            return Ok(());
        }
        self.send_inputs(&[Input::Pause(left)]).await
    }

    /// Returns true if inputs were sent, and no look is kept that began after them.
    pub(super) fn has_unseen_input(&self) -> bool {
        self.late_effects.sent().is_some() && !self.has_kept_look()
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

    pub(super) fn history(&self) -> MutexGuard<'_, History> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
